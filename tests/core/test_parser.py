"""The core's own calls of libxml2 give the events that lxml gives."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from crfclean.core import native
from crfclean.page import core_parse
from crfclean.page.blocks import split
from crfclean.page.core_parse import SELF_TEST, feed, feed_core, parses_alone
from crfclean.page.core_walk import core_walk
from crfclean.page.limits import OverBlocksError
from crfclean.page.walk import Walk
from crfclean.page.walk_params import WalkParams
from crfclean.types import Page
from eval.cost.hostile_pages import PAGES
from eval.lib.cores import differing_fields
from eval.lib.timing import demo_pages

pytestmark = pytest.mark.skipif(native.CORE is None, reason="the core was not built")
needs_parser = pytest.mark.skipif(
    native.CORE is None or not parses_alone(), reason="no libxml2 in lxml that is known"
)

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
Table = dict[str, Any]


def table(source: bytes, give: Callable[[bytes, Any], bool], params: WalkParams) -> Table:
    """The table of a page whose events are given to a walk of the core."""
    walked = core_walk(Walk(params))
    assert not give(source, walked)
    columns: Table = walked.table()
    return columns


def sources() -> Iterator[bytes]:
    """Pages, short ones, hostile ones, and bytes of pages shuffled and changed."""
    yield from (*SHORT, SELF_TEST)
    demo = demo_pages()
    yield from (html.encode("utf-8", "replace") for html in demo)
    yield from (make(3_000).encode("utf-8", "replace") for make in PAGES.values())
    rng = random.Random(17)
    pieces = re.findall(r"<[^<>]*>|[^<>]+", "".join(demo) + SELF_TEST.decode() * 40)
    for _ in range(150):
        soup = bytearray("".join(rng.choices(pieces, k=100)).encode("utf-8", "replace"))
        for _ in range(5):
            soup[rng.randrange(len(soup))] = rng.randrange(256)
        yield bytes(soup)


def elements_with_attributes() -> bytes:
    """Elements with up to seven attributes, many of them alike, with long values and odd ones."""
    rng = random.Random(18)
    names = ["class", "id", "href", "title", "data-a", "hidden", "\u00e4"]
    values = ["", "a", "b", "b" * 96, "b" * 97, "b" * 98, "\u00e9", "a &amp; b"]
    tags = []
    for _ in range(1_500):
        chosen = rng.sample(names, rng.randrange(len(names) + 1))
        tags.append("<i" + "".join(f" {name}='{rng.choice(values)}'" for name in chosen) + ">a</i>")
    return "".join([*tags, *rng.choices(tags[:100], k=3_000)]).encode()


@needs_parser
def test_alike_elements_share_their_attributes_and_others_do_not() -> None:
    source = elements_with_attributes()
    by_core = table(source, feed_core, WalkParams(hidden=True))["attributes"]
    assert by_core == table(source, feed, WalkParams(hidden=True))["attributes"]
    different = len({tuple(attributes.items()) for attributes in by_core})
    assert different <= len(set(map(id, by_core))) < 0.9 * len(by_core)


@needs_parser
@pytest.mark.parametrize("params", [WalkParams(), WalkParams(formulas=True, controls=True)])
def test_events_are_those_of_lxml(params: WalkParams) -> None:
    for source in sources():
        assert table(source, feed_core, params) == table(source, feed, params)


@needs_parser
def test_exceptions_of_the_walk_end_the_parse() -> None:
    walked = core_walk(Walk(WalkParams(max_blocks=2)))
    with pytest.raises(OverBlocksError):
        feed_core(b"<p>a<p>b<p>c<p>d", walked)
    assert len(walked.table()["texts"]) == 2


@needs_parser
def test_a_formula_that_is_open_at_the_last_element_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("crfclean.page.page_table.MAX_NODES", 4)
    html = "<p>a <span class=katex><b>x</b></span><i>b</i><i>c</i><math><mi>y"
    blocks = split(Page(html))
    monkeypatch.setattr(native, "CORE", None)
    assert not differing_fields(blocks, split(Page(html)))
    assert blocks.truncated == "nodes"


def test_an_unknown_version_is_left_to_lxml(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = split(Page(SELF_TEST.decode()))
    monkeypatch.setattr(core_parse, "VERSIONS", ())
    monkeypatch.setattr(core_parse, "parses_alone", parses_alone.__wrapped__)
    monkeypatch.setattr(native.CORE, "parse", None)  # no call of it
    assert not core_parse.parses_alone()
    assert not differing_fields(blocks, split(Page(SELF_TEST.decode())))


@needs_parser
def test_a_parser_that_says_otherwise_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    parse = native.CORE.parse

    def parse_without_titles(source: bytes, walked: object) -> None:
        parse(source.replace(b"title", b"tit-e"), walked)

    monkeypatch.setattr(native.CORE, "parse", parse_without_titles)
    assert not parses_alone.__wrapped__()


def test_a_parser_that_is_not_there_is_not_opened() -> None:
    found = native.CORE.open_parser("/nowhere/etree.so")
    assert native.CORE.open_parser(core_parse.etree.__file__) is parses_alone()
    assert found is False


@pytest.mark.parametrize("arguments", [(), (b"",), ("<p>", None), (b"<p>", None)])
def test_wrong_calls_raise(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError):
        native.CORE.parse(*arguments)
