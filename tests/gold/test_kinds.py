"""Tests of `gold/pages.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

from crfclean.gold.pages import NONE, names_text, read_gold, read_names
from crfclean.types import GoldError, Kind


@pytest.mark.parametrize("texts", [["One", "Two"], ["a\tb", "\tc\t"], ["", "\u00e9"]])
def test_kinds_are_read_as_they_were_written(tmp_path: Path, texts: list[str]) -> None:
    file = tmp_path / "x.kinds.tsv"
    file.write_text(names_text(Kind, [Kind.LEAD, NONE], texts), "utf-8")
    assert list(read_names(file, Kind)) == [(Kind.LEAD, texts[0]), (None, texts[1])]


@pytest.mark.parametrize("line", ["LEAD", "lead\ttext", "GIRAFFE\ttext", "\ttext", ""])
def test_bad_lines_are_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "x.kinds.tsv"
    file.write_text(f"LEAD\tOne\n{line}\nLEAD\tTwo\n", "utf-8")
    with pytest.raises(GoldError, match=r"x\.kinds\.tsv:2: expected KIND<TAB>text"):
        list(read_names(file, Kind))


def test_kinds_alone_are_no_gold(tmp_path: Path) -> None:
    """Whoever reads labels does without kinds, and labels are read with kinds beside them."""
    (tmp_path / "x.html").write_text("<p>One.</p>", "utf-8")
    (tmp_path / "x.labels.tsv").write_text("TEXT\tOne.\n", "utf-8")
    (tmp_path / "x.kinds.tsv").write_text("LEAD\tOne.\n", "utf-8")
    (tmp_path / "y.html").write_text("<p>Two.</p>", "utf-8")
    (tmp_path / "y.kinds.tsv").write_text("LEAD\tTwo.\n", "utf-8")
    assert [gold.id for gold in read_gold(tmp_path)] == ["x.html"]
