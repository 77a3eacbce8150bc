"""Tests of `gold/pages.py`.

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

from crfclean.evaluate.metrics import word_scores
from crfclean.gold.pages import (
    GoldPage,
    counted,
    gold_labels,
    gold_paths,
    labels_text,
    read_gold,
    read_labels,
)
from crfclean.page.blocks import split
from crfclean.types import GoldError, Label, Page

LETTERS = "HTO"  # HEADER, TEXT, OTHER
LEAD = "The bridge over the river was opened to all traffic on Monday."
SECOND = "Two years of work had cost the town more than nine million crowns."
THIRD = "Fishermen say that the trout have already come back to the pool."
ARTICLE = f"<h1>Bridge opens at last</h1><p>{LEAD}</p><p>{SECOND}</p><p>{THIRD}</p>"


def lines(*parts: str) -> str:
    return "\n".join(parts)


def test_demo_pages_are_labelled_perfectly(demo_gold: list[GoldPage]) -> None:
    for gold in demo_gold:
        blocks = split(gold.page)
        kept = np.flatnonzero(gold_labels(gold, blocks) != Label.OTHER)
        text = "\n".join(blocks.texts[index] for index in kept)
        assert word_scores(text, gold.text).f1 >= 0.99, gold.id


def test_demo_headings_are_headers(demo_gold: list[GoldPage]) -> None:
    for gold in demo_gold:
        labels = gold_labels(gold, split(gold.page))
        assert np.any(labels == Label.TEXT), gold.id
        assert np.any(labels == Label.OTHER), gold.id
    headed = [np.any(gold_labels(gold, split(gold.page)) == Label.HEADER) for gold in demo_gold]
    assert sum(headed) >= 16


# label files

GOOD_TSV = f"HEADER\tBridge opens at last\nTEXT\t{LEAD}\nOTHER\t{SECOND}\nTEXT\t{THIRD}\n"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "gold" / "site"
    folder.mkdir(parents=True)
    (folder / "page.html").write_text(ARTICLE, "utf-8")
    return folder


def only_page(folder: Path) -> GoldPage:
    (gold,) = read_gold(folder)
    return gold


def test_label_file_is_taken_as_it_is(site: Path) -> None:
    (site / "page.labels.tsv").write_text(GOOD_TSV, "utf-8")
    gold = only_page(site)
    labels = gold_labels(gold, split(gold.page))
    assert "".join(LETTERS[label] for label in labels) == "HTOT"
    assert gold.text == lines("Bridge opens at last", LEAD, THIRD)


def test_label_file_counts_more_than_the_text(site: Path) -> None:
    (site / "page.labels.tsv").write_text(GOOD_TSV, "utf-8")
    (site / "page.txt").write_text(SECOND, "utf-8")
    gold = only_page(site)
    labels = gold_labels(gold, split(gold.page))
    assert "".join(LETTERS[label] for label in labels) == "HTOT"
    assert gold.text == SECOND


def test_label_file_may_begin_with_a_byte_order_mark(site: Path) -> None:
    (site / "page.labels.tsv").write_text(GOOD_TSV, "utf-8-sig")
    assert only_page(site).labels is not None


def test_text_of_a_labelled_block_may_hold_tabs(tmp_path: Path) -> None:
    file = tmp_path / "x.labels.tsv"
    file.write_text("TEXT\ta\tb\nOTHER\t\n", "utf-8")
    assert list(read_labels(file)) == [(Label.TEXT, "a\tb"), (Label.OTHER, "")]


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


MISFITS = {
    "first line": (GOOD_TSV.replace("Bridge", "Bridges"), "label line 1 is 'Bridges"),
    "third line": (GOOD_TSV.replace("Two years", "Two  years"), "label line 3 is 'Two  years"),
    "the first of two": (GOOD_TSV.replace("the", "THE"), "label line 2 "),
    "too few lines": ("".join(GOOD_TSV.splitlines(keepends=True)[:3]), "3 label lines, .* 4 "),
    "too many lines": (GOOD_TSV + "OTHER\tmore\n", "5 label lines, page has 4 blocks"),
    "no line": ("", "0 label lines, page has 4 blocks"),
    "line missing in the middle": (
        GOOD_TSV.replace(f"TEXT\t{LEAD}\n", ""),
        "label line 2 is 'Two years.*page has 'The bridge",
    ),
}


@pytest.mark.parametrize(("text", "message"), MISFITS.values(), ids=MISFITS)
def test_label_file_of_another_page_is_refused(site: Path, text: str, message: str) -> None:
    (site / "page.labels.tsv").write_text(text, "utf-8")
    gold = only_page(site)
    with pytest.raises(GoldError, match=rf"page\.html: {message}"):
        gold_labels(gold, split(gold.page))


def test_text_of_labels_leaves_out_other() -> None:
    labels = [(Label.HEADER, "a"), (Label.OTHER, "b"), (Label.TEXT, "c")]
    assert labels_text(labels) == "a\nc"
    assert labels_text([]) == ""


# optional text and snippets

MORE = f"{ARTICLE}<aside><p>Our weather: rain at noon, sun at four.</p></aside><p>Share this</p>"


def test_files_beside_a_page(site: Path) -> None:
    (site / "page.txt").write_text(LEAD, "utf-8")
    (site / "page.optional.txt").write_text(THIRD, "utf-8")
    (site / "page.with.txt").write_text(" over the river \n\nMonday.\n", "utf-8")
    (site / "page.without.txt").write_text("Share this", "utf-8-sig")
    gold = only_page(site)
    assert (gold.text, gold.optional) == (LEAD, THIRD)
    assert (gold.wanted, gold.unwanted) == (("over the river", "Monday."), ("Share this",))


def test_files_beside_a_gzipped_page(site: Path) -> None:
    (site / "zip.html.gz").write_bytes(gzip.compress(ARTICLE.encode()))
    for name in ("zip.txt", "zip.optional.txt"):
        (site / name).write_text(name, "utf-8")
    assert only_page(site).optional == "zip.optional.txt"


def test_without_them_nothing_is_optional(site: Path) -> None:
    (site / "page.txt").write_text(LEAD, "utf-8")
    gold = only_page(site)
    assert (gold.optional, gold.wanted, gold.unwanted) == ("", (), ())
    blocks = split(gold.page)
    assert counted(gold, blocks, gold_labels(gold, blocks)).all()


def test_they_are_no_gold_by_themselves(site: Path) -> None:
    (site / "page.optional.txt").write_text(LEAD, "utf-8")
    with pytest.raises(GoldError, match="no gold found"):
        list(read_gold(site))


@pytest.mark.parametrize("name", ["optional", "with", "without"])
def test_they_must_be_utf8(site: Path, name: str) -> None:
    (site / "page.txt").write_text(LEAD, "utf-8")
    (site / f"page.{name}.txt").write_bytes("žluť".encode("cp1250"))
    with pytest.raises(GoldError, match=rf"page\.{name}\.txt: gold must be UTF-8"):
        only_page(site)


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
    found = counted(gold, blocks, gold_labels(gold, blocks))
    assert "".join("1" if one else "o" for one in found) == told


def test_optional_blocks_with_a_label_file() -> None:
    labels = [(Label.HEADER, "Bridge opens at last"), (Label.TEXT, LEAD)]
    labels += [(Label.OTHER, SECOND), (Label.OTHER, THIRD)]
    gold = GoldPage("p", Page(ARTICLE), LEAD, "s", "s", labels=tuple(labels), optional=SECOND)
    blocks = split(gold.page)
    assert counted(gold, blocks, gold_labels(gold, blocks)).tolist() == [True, True, False, True]


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


def test_one_page_is_gold_too(site: Path) -> None:
    (site / "page.txt").write_text("\ufeff" + LEAD, "utf-8")
    (gold,) = read_gold(site / "page.html")
    assert (gold.id, gold.source, gold.text) == ("page.html", "site", LEAD)


def test_current_directory_has_a_name(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (site / "page.txt").write_text(LEAD, "utf-8")
    monkeypatch.chdir(site)
    (gold,) = read_gold(Path())
    assert gold.source == "site"


def test_gold_stands_beside_its_page() -> None:
    assert gold_paths(Path("d/x.html.gz")) == (Path("d/x.labels.tsv"), Path("d/x.txt"))


@pytest.mark.parametrize("files", [{}, {"a/p.html": ARTICLE}, {"p.txt": LEAD}], ids=str)
def test_no_gold_is_an_error(tmp_path: Path, files: dict[str, str]) -> None:
    write_files(tmp_path, files)
    with pytest.raises(GoldError, match=r"no gold found: expected x\.html beside x\.txt"):
        list(read_gold(tmp_path))


def test_missing_directory_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(GoldError, match="absent: no such file or directory"):
        list(read_gold(tmp_path / "absent"))


@pytest.mark.parametrize("name", ["page.txt", "page.labels.tsv"])
def test_gold_in_another_encoding_is_named(site: Path, name: str) -> None:
    (site / name).write_bytes("TEXT\tPříliš žluťoučký".encode("cp1250"))
    with pytest.raises(GoldError, match=name):
        list(read_gold(site))


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


def test_jsonl_stands_beside_pages(site: Path) -> None:
    (site / "page.txt").write_text(LEAD, "utf-8")
    (site.parent / "corpus.jsonl").write_bytes(jsonl(ROW))
    assert [(gold.id, gold.source) for gold in read_gold(site.parent)] == [
        ("p1", "corpus"),
        ("site/page.html", "site"),
    ]


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
    assert (gold.optional, gold.wanted, gold.unwanted) == (THIRD, ("a b",), ("c",))


def test_nulls_are_no_snippets(tmp_path: Path) -> None:
    nothing = {"optional": None, "with": None, "without": None}
    (tmp_path / "corpus.jsonl").write_bytes(jsonl(ROW | nothing))
    (gold,) = read_gold(tmp_path)
    assert (gold.optional, gold.wanted, gold.unwanted) == ("", (), ())


def test_row_without_id_is_named_by_its_place(tmp_path: Path) -> None:
    file = tmp_path / "corpus.jsonl"
    file.write_bytes(jsonl({"html": ARTICLE, "gold": ""}, {"html": ARTICLE, "gold": ""}))
    assert [gold.id.rpartition("/")[2] for gold in read_gold(file)] == [
        "corpus.jsonl:1",
        "corpus.jsonl:2",
    ]


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


@pytest.mark.parametrize("name", PACKED)
@pytest.mark.parametrize("line", BAD_LINES.values(), ids=BAD_LINES)
def test_malformed_line_is_named(tmp_path: Path, name: str, line: bytes) -> None:
    (tmp_path / name).write_bytes(PACKED[name](jsonl(ROW, ROW) + line + jsonl(ROW)))
    with pytest.raises(GoldError, match=rf"{name}:3: expected an object with 'html' and 'gold'"):
        list(read_gold(tmp_path / name))


DAMAGED = {
    "latin-1": ("corpus.jsonl", "{'é'}".encode("latin-1")),
    "gzip cut": ("corpus.jsonl.gz", gzip.compress(jsonl(ROW))[:-12]),
    "no gzip": ("corpus.jsonl.gz", jsonl(ROW)),
    "gzip flipped": ("corpus.jsonl.gz", gzip.compress(jsonl(ROW), 0)[:-8] + b"01234567"),
    "xz cut": ("corpus.jsonl.xz", lzma.compress(jsonl(ROW))[:-12]),
    "no xz": ("corpus.jsonl.xz", jsonl(ROW)),
}


@pytest.mark.parametrize(("name", "data"), DAMAGED.values(), ids=DAMAGED)
def test_damaged_corpus_is_named(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(GoldError, match=name):
        list(read_gold(tmp_path))


def test_reading_is_lazy(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_bytes(jsonl(ROW) + b"junk\n")
    pages = read_gold(tmp_path)
    assert next(pages).id == "p1"
    with pytest.raises(GoldError, match=r"corpus\.jsonl:2"):
        next(pages)


def test_blank_lines_of_a_corpus_are_passed_over(tmp_path: Path) -> None:
    row = json.dumps({"id": "one", "html": "<p>text</p>", "gold": "text"})
    (tmp_path / "c.jsonl").write_text(f"\n{row}\n\n", "utf-8")
    assert [gold.id for gold in read_gold(tmp_path / "c.jsonl")] == ["one"]
