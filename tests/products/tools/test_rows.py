"""Tests of `tools/audit.py`: the blocks of outputs, and what is refused."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from auditruns import row, write_run

from crfclean.products.tools.audited import (
    MAX_CONTEXT,
    MAX_JUDGED_TEXT,
    UNKNOWN,
    audited_blocks,
    output_files,
    page_groups,
)
from crfclean.types import CrfcleanError


def read(path: Path) -> list[Any]:
    return list(audited_blocks(output_files(path)))


def test_blocks_in_page_order_with_their_neighbours(tmp_path: Path) -> None:
    (blocks,) = read(write_run(tmp_path / "x.jsonl", [row(1)]))
    assert [block.index for block in blocks] == [0, 1, 2, 3]
    assert [block.kept for block in blocks] == [False, True, True, False]
    assert [block.words for block in blocks] == [3, 4, 3, 3]
    assert (blocks[1].before, blocks[1].after) == ("Home News Sport", "from Monday on")
    assert (blocks[0].before, blocks[3].after) == ("", "")
    assert blocks[3].groups == ("site1.example", "en", "article", "teaser")
    assert (blocks[0].page, blocks[0].title) == ("p1", "Page 1")


def test_blocks_without_words_are_left_out(tmp_path: Path) -> None:
    mark = {"index": 1, "probability": 0.5, "kind": "paragraph", "text": "* * *"}
    (blocks,) = read(write_run(tmp_path / "x.jsonl", [row(blocks=[mark])]))
    assert [block.index for block in blocks] == [0, 3]
    assert blocks[0].after == "* * *"


def test_long_texts_are_cut_but_all_their_words_count(tmp_path: Path) -> None:
    long = {"index": 1, "probability": 0.5, "kind": "paragraph", "text": "word " * 1_000}
    (blocks,) = read(write_run(tmp_path / "x.jsonl", [row(blocks=[long])]))
    assert len(blocks[1].text) == MAX_JUDGED_TEXT + 1
    assert blocks[1].words == 1_000
    assert len(blocks[0].after) == len(blocks[2].before) == MAX_CONTEXT


@pytest.mark.parametrize(
    ("changes", "groups"),
    [
        ({"url": None, "id": "a/b/c.html"}, ("a/b", "cs", "article")),
        ({"url": None}, (UNKNOWN, "cs", "article")),
        ({"url": "https://[", "language": None, "page_type": ""}, (UNKNOWN, UNKNOWN, UNKNOWN)),
        ({"language": "x" * 500, "page_type": None}, ("site0.example", "x" * 80, UNKNOWN)),
    ],
)
def test_groups_of_a_page(changes: dict[str, Any], groups: tuple[str, ...]) -> None:
    assert page_groups(row(**changes)) == groups


def test_packed_files_folders_and_single_pages(tmp_path: Path) -> None:
    line = json.dumps(row()).encode()
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(line + b"\n\n" + line))
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.json").write_bytes(line)
    (tmp_path / "texts.audit.json").write_text("{}", "utf-8")
    (tmp_path / ".crfclean.json").write_text("{}", "utf-8")
    (tmp_path / "note.txt").write_text("x", "utf-8")
    files = output_files(tmp_path)
    assert [file.name for file in files] == ["b.jsonl.gz", "a.json"]
    assert len(list(audited_blocks(files))) == 3


def without(key: str) -> dict[str, Any]:
    fields = row()
    del fields[key]
    return fields


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (without("left_out"), "left out are missing.*--include left-out"),
        (row(blocks=None), "no blocks with probabilities.*--include left-out"),
        (row(blocks=[{"index": 1, "text": "x"}]), "no row of crfclean clean.*probability"),
        (row(blocks=[{"index": 1, "text": "x", "probability": 7}]), "a probability of 7"),
        (row(blocks=[{"index": 1, "text": "x", "probability": float("nan")}]), "of nan"),
        (row(blocks=["x"]), "no row of crfclean clean"),
        (row(metadata={}), "of an older version"),
    ],
)
def test_rows_that_are_refused(tmp_path: Path, fields: dict[str, Any], message: str) -> None:
    path = write_run(tmp_path / "x.jsonl", [row(), fields])
    with pytest.raises(CrfcleanError, match=f"x.jsonl: row 2: .*{message}"):
        read(path)


@pytest.mark.parametrize("line", ["no JSON", "[1]", '"x"', "[" * 100_000])
def test_lines_that_are_no_rows(tmp_path: Path, line: str) -> None:
    (tmp_path / "x.jsonl").write_text(line + "\n", "utf-8")
    with pytest.raises(CrfcleanError, match="row 1: no "):
        read(tmp_path / "x.jsonl")
