"""The core's own calls of libxml2 give the events that lxml gives."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import shortmemory
from htmlpages import demo_pages
from lxml import etree

from crfclean.core import read
from crfclean.page import walk as module
from crfclean.page.blocks import split
from crfclean.page.limits import OverBlocksError
from crfclean.page.walk import (
    SELF_TEST,
    WalkParams,
    core_walk,
    feed,
    feed_alone,
    parse,
    parses_alone,
)
from crfclean.types import Page

needs_parser = pytest.mark.skipif(not parses_alone(), reason="no libxml2 in lxml that is known")

SHORT = (
    b"",
    b"a",
    b"<",
    b"<p>",
    b"<p>a",
    b"\xef\xbb\xbf<p>a",
    b"\x00",
    b"<!doctype html>",
    b"\xff\xc3",
)


def table(source: bytes, give: Callable[[bytes, Any], None], params: WalkParams) -> Any:
    """The table of a page whose events are given to a walk."""
    walked = core_walk(params)
    give(source, walked)
    return walked.table()


def sources() -> Iterator[bytes]:
    """Pages, short ones, hostile ones, and bytes of pages shuffled and changed."""
    yield from (*SHORT, SELF_TEST)
    demo = demo_pages()
    yield from (html.encode("utf-8", "replace") for html in demo)
    rng = random.Random(17)
    pieces = re.findall(r"<[^<>]*>|[^<>]+", "".join(demo) + SELF_TEST.decode() * 40)
    for _ in range(150):
        soup = bytearray("".join(rng.choices(pieces, k=100)).encode("utf-8", "replace"))
        for _ in range(5):
            soup[rng.randrange(len(soup))] = rng.randrange(256)
        yield bytes(soup)


@needs_parser
def test_tables_of_other_pages_differ() -> None:
    pages = (
        b"<p>a",
        b"<p>b",
        b"<p>a<p>a",
        b"<i>a",
        b"<p id=a>a",
        b"<p title=a>a",
        b"<title>a</title>",
    )
    tables = [table(page, feed_alone, WalkParams()) for page in pages]
    for place, one in enumerate(tables):
        assert [one == other for other in tables].index(True) == place


@needs_parser
@pytest.mark.parametrize("params", [WalkParams(), WalkParams(hidden=True)])
def test_events_are_those_of_lxml(params: WalkParams) -> None:
    for source in sources():
        assert table(source, feed_alone, params) == table(source, feed, params)


@needs_parser
@pytest.mark.parametrize("alone", [True, False])
def test_a_limit_ends_the_parse(monkeypatch: pytest.MonkeyPatch, *, alone: bool) -> None:
    monkeypatch.setattr(module, "parses_alone", lambda: alone)
    with pytest.raises(OverBlocksError):
        parse(b"<p>a<p>b<p>c<p>d", WalkParams(max_blocks=2))
    monkeypatch.setattr(module, "MAX_NODES", 4)
    cut = parse(b"<p>a<p>b<p>c<p>d", WalkParams())
    assert (cut.texts, cut.truncated) == (("a", "b"), "nodes")


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of address space is Linux's")
@pytest.mark.parametrize("give", [feed, pytest.param(feed_alone, marks=needs_parser)])
def test_without_memory_a_page_fails_and_is_never_written_half(
    give: Callable[[bytes, Any], None],
) -> None:
    script = str(shortmemory.__file__)
    command = [sys.executable, script, give.__name__]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == {"right", "failed"}


@pytest.mark.parametrize("alone", [True, False])
def test_a_formula_that_is_open_at_the_last_element_is_left_out(
    monkeypatch: pytest.MonkeyPatch, *, alone: bool
) -> None:
    monkeypatch.setattr("crfclean.page.walk.MAX_NODES", 4)
    monkeypatch.setattr(module, "parses_alone", lambda: alone and parses_alone())
    html = "<p>a <span class=katex><b>x</b></span><i>b</i><i>c</i><math><mi>y"
    blocks = split(Page(html))
    assert (blocks.texts, blocks.table.tags) == (("a x",), ("html", "body", "p", "span"))
    assert blocks.truncated == "nodes"


def test_an_unknown_version_is_left_to_lxml(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = split(Page(SELF_TEST.decode()))
    monkeypatch.setattr(module, "COMPARED", ())
    monkeypatch.setattr(module, "parses_alone", parses_alone.__wrapped__)
    monkeypatch.setattr(module, "feed_alone", None)  # no call of it
    assert not module.parses_alone()
    alone = split(Page(SELF_TEST.decode()))
    assert (blocks.texts, blocks.table.tags) == (alone.texts, alone.table.tags)
    assert blocks.table.attributes == alone.table.attributes


@needs_parser
def test_a_parser_that_says_otherwise_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    parse_page = read.parse

    def parse_without_titles(source: bytes, walked: read.Walk) -> None:
        parse_page(source.replace(b"title", b"tit-e"), walked)

    monkeypatch.setattr(read, "parse", parse_without_titles)
    assert not parses_alone.__wrapped__()


def test_a_parser_that_is_not_there_is_not_opened() -> None:
    found = read.open_parser("/nowhere/etree.so")
    assert read.open_parser(str(etree.__file__)) is parses_alone()
    assert found is False


def test_a_page_of_more_bytes_than_a_call_takes_is_left_to_lxml(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MAX_PARSED_BYTES", 5)
    monkeypatch.setattr(module, "feed_alone", None)  # no call of it
    assert parse(b"<p>abc", WalkParams()).texts == ("abc",)


@pytest.mark.parametrize("arguments", [(), (b"",), ("<p>", None), (b"<p>", None)])
def test_wrong_calls_raise(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError):
        read.parse(*arguments)


@needs_parser
def test_a_walk_that_has_ended_reads_no_page() -> None:
    walked = core_walk(WalkParams())
    feed_alone(b"<p>a", walked)
    with pytest.raises(TypeError):
        feed_alone(b"<p>b", walked)
    assert walked.table().texts == ("a",)
    with pytest.raises(TypeError):
        feed_alone(b"<p>b", walked)


@pytest.mark.parametrize(
    ("end", "expected"),
    [
        ("</br>", True),
        ("</BR", True),
        ("</bR >", True),
        ("<br/><b></b></x>", False),
        ("</b", False),
    ],
)
def test_ends_of_line_breaks_are_seen(end: str, *, expected: bool) -> None:
    for before in range(9):
        assert read.signs(b"x" * before + end.encode()) == (expected, False)
        assert read.signs(b"x" * before + b"<noscript>" + end.encode()) == (expected, True)
    assert read.signs(b"") == read.signs(b"<no") == (False, False)


@pytest.mark.parametrize("odd", ["", "\0", "\x7f", "\x80", "é", "\u0800", "\ud800", "\U0001f600"])
def test_texts_are_encoded_as_python_does(odd: str) -> None:
    for before in range(70):
        for text in ("a" * before + odd + "b" * 40, odd * before):
            assert read.encoded(text) == text.encode("utf-8", "replace")
