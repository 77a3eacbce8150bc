"""Tests of `products/teach/gold.py`.

Label files, optional text, snippets, and the places where gold is found.
"""

from __future__ import annotations

import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from crfclean.page.blocks import split
from crfclean.products.teach.gold import (
    GoldPage,
    gold_labels,
    gold_paths,
    read_gold,
)
from crfclean.products.teach.metrics import word_scores
from crfclean.types import GoldError, Label, Page

LETTERS = "HTO"  # HEADER, TEXT, OTHER
LEAD = "The bridge over the river was opened to all traffic on Monday."
SECOND = "Two years of work had cost the town more than nine million crowns."
THIRD = "Fishermen say that the trout have already come back to the pool."
ARTICLE = f"<h1>Bridge opens at last</h1><p>{LEAD}</p><p>{SECOND}</p><p>{THIRD}</p>"


def lines(*parts: str) -> str:
    return "\n".join(parts)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "gold" / "site"
    folder.mkdir(parents=True)
    (folder / "page.html").write_text(ARTICLE, "utf-8")
    return folder


def test_demo_pages_are_labelled_perfectly(demo_gold: list[GoldPage]) -> None:
    for gold in demo_gold:
        blocks = split(gold.page)
        kept = np.flatnonzero(gold_labels(gold, blocks)[0] != Label.OTHER)
        text = "\n".join(blocks.texts[index] for index in kept)
        assert word_scores(text, gold.text).f1 >= 0.99, gold.id


# label files

GOOD_TSV = f"HEADER\tBridge opens at last\nTEXT\t{LEAD}\nOTHER\t{SECOND}\nTEXT\t{THIRD}\n"


def only_page(folder: Path) -> GoldPage:
    (gold,) = read_gold(folder)
    return gold


def test_label_file_is_taken_as_it_is(site: Path) -> None:
    (site / "page.labels.tsv").write_text(GOOD_TSV, "utf-8")
    gold = only_page(site)
    labels, _ = gold_labels(gold, split(gold.page))
    assert "".join(LETTERS[label] for label in labels) == "HTOT"
    assert gold.text == lines("Bridge opens at last", LEAD, THIRD)


def test_blocks_in_doubt_count_neither_way(site: Path) -> None:
    same = f"{ARTICLE}<p>{SECOND}</p>"  # only one of two equal blocks is in doubt
    (site / "page.html").write_text(same, "utf-8")
    doubt = GOOD_TSV.replace("OTHER", "DOUBT") + f"OTHER\t{SECOND}\n"
    (site / "page.labels.tsv").write_text(doubt, "utf-8")
    gold = only_page(site)
    labels, counts = gold_labels(gold, split(gold.page))
    assert "".join(LETTERS[label] for label in labels) == "HTOTO"
    assert counts.tolist() == [True, True, False, True, True]
    assert gold.text == lines("Bridge opens at last", LEAD, THIRD)
    assert gold.uncounted.split("\n") == [SECOND, ""]


BAD_TSV = {
    "wrong name": (f"HEADER\tBridge opens at last\nBODY\t{LEAD}\n", 2),
    "lower case": ("header\tBridge opens at last\n", 1),
    "number": (f"HEADER\tx\nTEXT\ty\n1\t{LEAD}\n", 3),
    "missing tab": ("HEADER\tBridge opens at last\nTEXT The bridge\n", 2),
    "empty line": (f"HEADER\tBridge opens at last\n\nTEXT\t{LEAD}\n", 2),
    "no label": (f"\t{LEAD}\n", 1),
}


@pytest.mark.parametrize(("text", "number"), BAD_TSV.values(), ids=BAD_TSV)
def test_malformed_label_file_is_named_with_its_line(site: Path, text: str, number: int) -> None:
    (site / "page.labels.tsv").write_text(text, "utf-8")
    with pytest.raises(GoldError, match=rf"page\.labels\.tsv:{number}: .*HEADER, TEXT, OTHER"):
        list(read_gold(site))


# optional text and snippets

MORE = f"{ARTICLE}<aside><p>Our weather: rain at noon, sun at four.</p></aside><p>Share this</p>"


OPTIONAL = {
    "a side text": ("Our weather: rain at noon, sun at four.", "1111o1"),
    "two blocks": ("Our weather: rain at noon, sun at four.\nShare this", "1111oo"),
    "what is gold counts": (LEAD, "111111"),
    "gold and more": (f"{LEAD}\nShare this", "11111o"),
    "not on the page": ("Wholly unrelated prose about ducks", "111111"),
    "blank": (" \n", "111111"),
}


@pytest.mark.parametrize(("text", "told"), OPTIONAL.values(), ids=OPTIONAL)
def test_blocks_of_optional_text_do_not_count(text: str, told: str) -> None:
    gold = GoldPage("p", Page(MORE), lines(LEAD, SECOND), "s", "s", optional=text)
    blocks = split(gold.page)
    _, counts = gold_labels(gold, blocks)
    assert "".join("1" if one else "o" for one in counts) == told


# directories


def write_files(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = text.encode()
        path.write_bytes(gzip.compress(data, mtime=0) if name.endswith(".gz") else data)


DIRECTORIES = {
    "sub-directories are sources": (
        {"b/p.html": ARTICLE, "b/p.txt": LEAD, "a/q.html": ARTICLE, "a/q.txt": LEAD},
        [("a/q.html", "a"), ("b/p.html", "b")],
    ),
    "pages of the top have its name": (
        {"p.html": ARTICLE, "p.txt": LEAD},
        [("p.html", "gold")],
    ),
    "the first directory counts": (
        {"a/x/y/p.html": ARTICLE, "a/x/y/p.txt": LEAD},
        [("a/x/y/p.html", "a")],
    ),
    "endings": (
        {
            "a/1.html": ARTICLE,
            "a/1.txt": LEAD,
            "a/2.htm": ARTICLE,
            "a/2.txt": LEAD,
            "a/3.xhtml": ARTICLE,
            "a/3.txt": LEAD,
            "a/4.html.gz": ARTICLE,
            "a/4.txt": LEAD,
        },
        [("a/1.html", "a"), ("a/2.htm", "a"), ("a/3.xhtml", "a"), ("a/4.html.gz", "a")],
    ),
    "pages without gold are left out": (
        {"a/p.html": ARTICLE, "a/p.txt": LEAD, "a/q.html": ARTICLE, "a/lone.txt": LEAD},
        [("a/p.html", "a")],
    ),
}


@pytest.mark.parametrize(("files", "expected"), DIRECTORIES.values(), ids=DIRECTORIES)
def test_directories(
    tmp_path: Path, files: dict[str, str], expected: list[tuple[str, str]]
) -> None:
    folder = tmp_path / "gold"
    write_files(folder, files)
    found = list(read_gold(folder))
    assert [(gold.id, gold.source) for gold in found] == expected
    assert [gold.site for gold in found] == [gold.source for gold in found]
    assert all(gold.text == LEAD and gold.page.html == ARTICLE for gold in found)


def test_gold_stands_beside_its_page() -> None:
    assert gold_paths(Path("d/x.html.gz")) == (Path("d/x.labels.tsv"), Path("d/x.txt"))


# JSONL

ROW = {"id": "p1", "html": ARTICLE, "gold": LEAD}
Pack = Callable[[bytes], bytes]
PACKED: dict[str, Pack] = {
    "corpus.jsonl": bytes,
    "corpus.jsonl.gz": gzip.compress,
    "corpus.jsonl.xz": lzma.compress,
}


def jsonl(*rows: object) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


@pytest.mark.parametrize("name", PACKED)
def test_jsonl(tmp_path: Path, name: str) -> None:
    second = {"id": "p2", "html": "<p>Žluť</p>", "gold": "Žluť"}
    (tmp_path / name).write_bytes(PACKED[name](jsonl(ROW, second)))
    found = list(read_gold(tmp_path / name))
    assert [(gold.id, gold.source, gold.text) for gold in found] == [
        ("p1", "corpus", LEAD),
        ("p2", "corpus", "Žluť"),
    ]
    assert found[1].page.html == "<p>Žluť</p>"


URL = "https://www.x.example/a"
ROWS = {
    "id alone": ({}, ("p1", "corpus", "p1", "", "", None)),
    "url gives the site": ({"url": URL}, ("p1", "corpus", "x.example", "", "", URL)),
    "host counts more": (
        {"url": URL, "extra": {"host": "www.y.example"}},
        ("p1", "corpus", "y.example", "", "", URL),
    ),
    "id with a slash": ({"id": "news/p1"}, ("news/p1", "news", "news", "", "", None)),
    "number as id": ({"id": 7}, ("7", "corpus", "7", "", "", None)),
    "kind and language": (
        {"page_type": "forum", "lang": "cs"},
        ("p1", "corpus", "p1", "forum", "cs", None),
    ),
    "nulls": (
        {"page_type": None, "lang": None, "extra": None, "url": None},
        ("p1", "corpus", "p1", "", "", None),
    ),
}


@pytest.mark.parametrize(("row", "expected"), ROWS.values(), ids=ROWS)
def test_fields_of_a_row(
    tmp_path: Path, row: dict[str, object], expected: tuple[str | None, ...]
) -> None:
    (tmp_path / "corpus.jsonl").write_bytes(jsonl(ROW | row))
    (gold,) = read_gold(tmp_path)
    found = (gold.id, gold.source, gold.site, gold.kind, gold.lang, gold.page.url)
    assert found == expected


SNIPPETS = {"optional": THIRD, "with": ["a b", " "], "without": ["c"]}


@pytest.mark.parametrize("row", [SNIPPETS, {"extra": SNIPPETS}], ids=["row", "extra"])
def test_optional_text_and_snippets_of_a_row(tmp_path: Path, row: dict[str, object]) -> None:
    (tmp_path / "corpus.jsonl").write_bytes(jsonl(ROW | row))
    (gold,) = read_gold(tmp_path)
    assert (gold.optional, gold.expected_snippets, gold.forbidden_snippets) == (
        THIRD,
        ("a b",),
        ("c",),
    )


BAD_LINES = {
    "no JSON": b"{html: 1}\n",
    "cut": jsonl(ROW)[:40] + b"\n",
    "list": b'["html", "gold"]\n',
    "number": b"7\n",
    "null": b"null\n",
    "nested too deep": b"[" * 200_000 + b"\n",
    "html missing": jsonl({"id": "x", "gold": ""}),
    "gold missing": jsonl({"id": "x", "html": "<p>"}),
    "html null": jsonl({"html": None, "gold": ""}),
    "html a list": jsonl({"html": ["<p>"], "gold": ""}),
    "gold a list": jsonl({"html": "<p>", "gold": ["a"]}),
    "gold null": jsonl({"html": "<p>", "gold": None}),
    "url a number": jsonl(ROW | {"url": 5}),
    "url broken": jsonl(ROW | {"url": "http://[::1"}),
    "extra a string": jsonl(ROW | {"extra": "host"}),
    "optional a list": jsonl(ROW | {"optional": ["a"]}),
    "with a string": jsonl(ROW | {"with": "a"}),
    "without of numbers": jsonl(ROW | {"extra": {"without": [1]}}),
    "host a number": jsonl(ROW | {"extra": {"host": 5}}),
}


@pytest.mark.parametrize("line", BAD_LINES.values(), ids=BAD_LINES)
def test_malformed_line_is_named(tmp_path: Path, line: bytes) -> None:
    name = "corpus.jsonl.gz"
    (tmp_path / name).write_bytes(PACKED[name](jsonl(ROW, ROW) + line + jsonl(ROW)))
    with pytest.raises(GoldError, match=rf"{name}:3: expected an object with 'html' and 'gold'"):
        list(read_gold(tmp_path / name))


@pytest.mark.parametrize("name", PACKED)
def test_line_without_end_is_refused(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crfclean.products.teach.gold.MAX_FILE", 500)
    (tmp_path / name).write_bytes(PACKED[name](jsonl(ROW) + b"\0" * 501))
    with pytest.raises(GoldError, match=f"{name}:2: more than 500 characters in a line"):
        list(read_gold(tmp_path / name))
