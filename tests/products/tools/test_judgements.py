"""Tests of `tools/audit_summary.py`: CSV for spreadsheets and back."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest
from auditruns import block

from crfclean.products.tools.audit import Sample, draw_from
from crfclean.products.tools.judgements import JUDGEMENT_COLUMNS, read_judgements, write_judgements
from crfclean.types import CrfcleanError


@pytest.fixture
def sample() -> Sample:
    return draw_from([[block(number, kept=True, probability=0.9)] for number in range(30)])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.audit.csv"


def test_there_and_back(path: Path, sample: Sample) -> None:
    judgements = {0: True, 3: False}
    write_judgements(path, sample, judgements, sample.blocks[:10])
    assert read_judgements(path, sample) == judgements
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert tuple(rows[0]) == JUDGEMENT_COLUMNS
    assert [row["keep"] for row in rows[:4]] == ["yes", "", "", "no"]
    assert [row["text"] for row in rows] == [block.text for block in sample.blocks[:10]]


def test_judges_do_not_see_what_the_run_decided() -> None:
    assert not {"kept", "probability", "label", "stratum"} & set(JUDGEMENT_COLUMNS)


def test_cells_begin_no_formula(path: Path, sample: Sample) -> None:
    hostile = replace(sample.blocks[0], text="=1+2", title="@x", before="+1")
    write_judgements(path, sample, {}, [hostile])
    assert "1,,'=1+2,'+1,,'@x," in path.read_text("utf-8")
    assert read_judgements(path, sample) == {}


def rewrite(path: Path, sample: Sample, answers: dict[int, str]) -> None:
    """Write the answers as a spreadsheet may: with semicolons, a mark at the start, `\\r\\n`."""
    lines = [f"{number};{answer};{sample.key}" for number, answer in answers.items()]
    text = "\r\n".join(["number;keep;sample", *lines])
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())


def test_what_spreadsheets_write(path: Path, sample: Sample) -> None:
    rewrite(path, sample, {1: "Yes", 2: " NO ", 3: "1", 4: "0", 5: "?", 6: "", 7: "TRUE"})
    judgements = {0: True, 1: False, 2: True, 3: False, 6: True}
    assert read_judgements(path, sample) == judgements


@pytest.mark.parametrize("answer", ["perhaps", "yes no", "2", "ja"])
def test_what_is_no_judgement(path: Path, sample: Sample, answer: str) -> None:
    rewrite(path, sample, {1: "yes", 2: answer})
    with pytest.raises(
        CrfcleanError, match=r"line 3: .* is not a judgement: write yes, no or nothing"
    ):
        read_judgements(path, sample)


def test_another_sample(path: Path, sample: Sample) -> None:
    other = draw_from([[block(1, kept=True, probability=0.9)]])
    write_judgements(path, other, {0: True}, other.blocks[:1])
    with pytest.raises(CrfcleanError, match="line 2: a judgement of another run"):
        read_judgements(path, sample)


@pytest.mark.parametrize("content", [b"", b"number,sample\n", b"\xff\xfe", b"a\n" * 5])
def test_files_that_are_no_judgements(path: Path, sample: Sample, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(CrfcleanError, match=r"no column|no CSV in UTF-8"):
        read_judgements(path, sample)
