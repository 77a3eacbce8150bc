"""The compiled core says what Python says, which is the specification."""

from __future__ import annotations

import importlib
import pickle
import random
import re
from typing import Any

import numpy as np
import pytest
from hostile import HOSTILE

from crfclean.core import native
from crfclean.features import markup, wording
from crfclean.page import tree
from crfclean.page.arrays import numbered, occurring
from crfclean.page.blocks import SplitParams, bounded, split
from crfclean.page.chars import CLOSERS, COMMAS, char_table
from crfclean.page.core_walk import core_walk
from crfclean.page.counts import count_marks
from crfclean.page.decode import decode
from crfclean.page.measures import Measures
from crfclean.page.patterns import dates, times, urls
from crfclean.page.traces import traces
from crfclean.page.walk import NO_ATTRIBUTES, Walk
from crfclean.page.walk_params import WalkParams
from crfclean.types import Page
from eval.cost.hostile_pages import PAGES
from eval.lib.cores import (
    by_both,
    differing_fields,
)
from eval.lib.timing import demo_pages

COUNTED = (
    *("by_class", "token_kinds", "words", "capitalised", "sentence_ends", "sizes"),
    *("first_codes", "first_classes", "last_codes", "end_codes", "before_codes"),
)
DEMO = demo_pages()
SMALL = 3_000  # characters of a hostile page

pytestmark = pytest.mark.skipif(
    native.CORE is None, reason="the core was not built: no compiler, or it is switched off"
)


ODD = {
    "second roots": "<html><body class=a>x</body><body id=b>y</html><html>z",
    "rubies": "<p><ruby>漢<rp>(<rt>kan<rp>)</ruby> <ruby>字<rt>ji<rb>k</ruby> z",
    "shadow": "<div><template shadowrootmode=open><p>in it</template> <template><p>x</template>",
    "hidden": "<div hidden>a</div><p style='display: none'>b<p style=visibility:hidden>c<p>d",
    "panels": "<div hidden role=tabpanel>a</div><dialog>b</dialog><dialog open>c</dialog>",
    "inline blocks": "a<span style='display:block'>b</span>c<div style=display:inline>d</div>e",
    "flex": "<div class='flex x'><span>a</span><span>b</span></div><a href=x>a</a><a>b</a>",
    "unknown elements": "<p>a <my-term>b <i>c</i></my-term> d <my-card>e<p>f</p>g</my-card> h",
    "torn": "one <x-a>two <x-b>three <b>four</b><div>five</div> six</x-b> seven</x-a> eight",
    "breaks": "a<br>b<br><br>c<br> <br>d<hr>e<img>f<p><img><p>g<br>",
    "blank": "<pre>  <b> </b>x\n y</pre><p> &nbsp; <p>\u200b<p>\u3000\u2003a\u2003 \u3000b\u00a0",
    "wide gaps": "<p>a\u3000\u3000b<p>\u3000a<p>a\u2028b<p>é \u2003 è<p>\U0001f600\u2003x",
    "noscript": f"<p>a<noscript><p>{'word ' * 300}</noscript>",
    "json": '<script type=application/ld+json>{"headline": "Ä"}</script><title>T</title><title>',
    "code": "<pre><code>a\nb</code></pre><div class=highlight><pre>1\n2</pre><pre>c\nd</pre></div>",
    "no formulas": "<p>a <b class=math-x>b</b> \\frac{1}<img alt='\\alpha{' src=katex.png>c",
    "late formulas": f"<script>'</script>{'<p>a <i>b</i>' * 9}<p>c <b class='x katex'>d</b> e",
    "hidden formulas": "<style><math></style><noscript><math>a</noscript><body><body class=katex>b",
    "formulas": "<p>a <math><mi>x</mi></math> b <span class=katex>c</span>",
    "controls": "<p>a\x00b&#1;c</p><p title='\x02'>d",
    "deep": "<div>" * 600 + "a<p>b<br>c" + "</p></div>" * 600 + "d",
    "names": "<p class='newsBody entry_content ABCdef XMLHttp x-1 Élan' id=mainContentAREA>a",
    "ends": "<p>A. B! C?) D。E… “F.” G.H 3.14 (I.) J？！<p>漢字。かな ไทย 4th é̂ ﬁ",
    "surrogates": "<p>a \ud800 b<p>\U00020000\U0001f600 \uffff",
}
GENERATED = {name: page(SMALL) for name, page in PAGES.items()}
GIVEN = {name: page for name, page in HOSTILE.items() if isinstance(page, str | bytes)}
CASES: dict[str, str | bytes] = {
    **ODD,
    **GENERATED,
    **GIVEN,
    **{f"demo {number}": page for number, page in enumerate(DEMO)},
}
every_case = pytest.mark.parametrize("case", CASES)


def soup(seed: int) -> str:
    """A page of shuffled pieces of other pages."""
    rng = random.Random(seed)
    text = rng.choice(DEMO) + "".join(ODD.values()) * 3
    pieces = re.findall(r"<[^<>]*>|[^<>]+", text)
    return "".join(rng.choices(pieces, k=400))


@every_case
def test_blocks_are_equal(case: str) -> None:
    page = decode(CASES[case])
    opened = SplitParams(opened=frozenset([("div", "", "hidden"), ("p", "", "style")]))
    for params in (SplitParams(), SplitParams(hidden=True), opened, SplitParams(("h1", "p", "li"))):
        assert not differing_fields(*by_both(lambda params=params: split(page, params)))


@pytest.mark.parametrize("seed", range(60))
def test_soup_is_equal(seed: int) -> None:
    page = decode(soup(seed))
    assert not differing_fields(*by_both(lambda: split(page)))


@pytest.mark.parametrize("name", COUNTED)
def test_counts_have_the_same_types(name: str) -> None:
    blocks = split(Page(ODD["ends"]))
    by_core, by_python = by_both(lambda: getattr(Measures(blocks), name))
    assert (by_core.dtype, by_core.tolist()) == (by_python.dtype, by_python.tolist())


@pytest.mark.parametrize("chars", [COMMAS, CLOSERS, "é", "\uffff"])
def test_marks_are_equal(chars: str) -> None:
    blocks = split(Page(f"<p>a, é; “b”\uff0c<p>\U0001f600\uffff<p>{chars}"))
    by_core, by_python = by_both(lambda: Measures(blocks).marks(chars).tolist())
    assert by_core == by_python


def test_tallies_are_counts_of_marks() -> None:
    texts, sets = ("a, é; “b”\uff0c", "\U0001f600\uffff", ""), (COMMAS, CLOSERS, "é", "\uffff")
    tables = [char_table(chars) * (1 << number) for number, chars in enumerate(sets)]
    table = np.sum(tables, 0).astype(np.uint8).tobytes()
    rows = np.frombuffer(native.CORE.tallies(texts, table, len(sets)), np.float64).reshape(4, -1)
    expected = [count_marks(texts, chars) for chars in sets]
    assert rows.tolist() == [row.tolist() for row in expected if row is not None]
    for count in (0, 9):
        with pytest.raises(ValueError, match="sets"):
            native.CORE.tallies(texts, table, count)


def test_numbered_texts_are_equal() -> None:
    for texts in ((), ("",), tuple("abcab"), ("é", "e", "é", "", "\U0001f600")):
        (by_core, values), (by_python, expected) = by_both(lambda texts=texts: numbered(texts))
        assert (by_core.tolist(), values) == (by_python.tolist(), expected)
        assert by_core.dtype == by_python.dtype


def test_limits_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    page = Page("<p>a<p>b<div><p>c" * 50)
    assert [each[0].status for each in by_both(lambda: bounded(page, max_blocks=99))] == [
        "over-blocks"
    ] * 2
    monkeypatch.setattr("crfclean.page.page_table.MAX_NODES", 20)
    by_core, by_python = by_both(lambda: split(page))
    assert by_core.truncated == "nodes"
    assert not differing_fields(by_core, by_python)


def test_blocks_can_be_pickled_and_share_the_empty_attributes() -> None:
    blocks = split(Page("<p>a<p class=b>c"))
    assert blocks.nodes.attributes[-2] is NO_ATTRIBUTES
    assert pickle.loads(pickle.dumps(blocks)).texts == ("a", "c")


HREF_PARAMS: tuple[Any, ...] = wording._href_params()


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("counts", ((), b"", b"")),
        ("counts", (("a", 1), bytes(65536), bytes(65536))),
        ("counts", ()),
        ("marks", ("a", bytes(65536))),
        ("marks", (("a",), b"a")),
        ("attributes", (([("a", "b")],), ("a",))),
        ("attributes", (({},), ("a",) * 9)),
        ("pair_bits", (bytes(8), ["a"], bytes(8), ["a"], 1, {})),
        ("href_bits", ((), *HREF_PARAMS)),
        ("href_bits", (["a"], {}, *HREF_PARAMS[1:])),
        ("href_bits", ([1], *HREF_PARAMS)),
        ("href_bits", (["a"], *HREF_PARAMS[:2], (1,), *HREF_PARAMS[3:])),
        ("pair_bits", (bytes(8), ["a"], bytes(8), [1], 1, markup.core_words())),
        ("traces", ("a",)),
        ("traits", (("a", 1), bytes(65536), bytes(65536))),
        ("solid", (("a",), b"a")),
        ("likeness", (("a",), b"1", {}, bytes(8), bytes(8), bytes(8))),
        ("zones", ((),)),
        ("zones", ([],)),
        ("tokens", (["a"],)),
        ("tokens", (("a", 1),)),
        ("cover", (("a",), ("a",))),
        ("cover", ((1,), [["a"]])),
        ("cover", (("a",), ["a"])),
        ("cover", (("a",), [[1]])),
        ("nearest", ("a", bytes(4))),
        ("starts", (bytes(4), bytes(4))),
        ("starts", (bytes(4), "a", 1)),
        ("links", (({},), bytes(4), 0, bytes(4), 1, "href")),
        ("links", (([],), bytes(4), 0, bytes(4), 1, "href", 9)),
        ("links", (({"href": 1},), bytes(4), 0, bytes(4), 1, "href", 9)),
        ("inside", (b"1",)),
        ("held", (bytes(8), bytes(4), bytes(4), None)),
        ("wider", (bytes(4),)),
        ("steps", (b"1",)),
        ("bins", ([1.0], bytes(8), bytes(8))),
        ("Words", ({"a": 1}, ["a"])),
        ("Words", ({1: 1}, frozenset())),
        ("Words", ({"a": "b"}, frozenset())),
        ("Phrases", ([("a", "b")],)),
        ("Phrases", (["a"],)),
        ("paths", (b"1234", b"1234")),
        ("numbered", (["a"],)),
        ("numbered", (([],),)),
        ("tallies", (("a",), bytes(65536))),
        ("tallies", (("a", 1), bytes(65536), 1)),
        ("tallies", (("a",), b"a", 1)),
        ("columns", ((), b"", bytearray(), 4)),
        ("columns", ([], b"", bytearray(), 4)),
        ("columns", ((), b"", b"", 4)),
        ("marginals", (bytes(24),)),
        ("Walk", ()),
        ("Walk", ({}, frozenset(), None, {}, True, (1, 1, 1), (0,) * 9, ())),
    ],
)
def test_wrong_calls_raise(name: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError):
        getattr(native.CORE, name)(*arguments)


def test_a_walk_that_gave_its_table_is_empty() -> None:
    walk = Walk(WalkParams())
    walked = core_walk(walk)
    for _ in range(2):
        walked.start("body", {})
        walked.start("p", {"class": "x"})
        walked.data("some words")
        walked.end("p")
        walked.close()
        assert walked.table()["texts"] == ["some words"]
    walked.end("p")
    assert walked.table()["tags"] == []


def test_a_parent_after_its_child_is_refused() -> None:
    parent, codes = np.array([1, -1], np.int32), np.zeros(2, np.int64)
    with pytest.raises(ValueError, match="parent"):
        native.CORE.paths(parent.tobytes(), codes.tobytes())


def test_the_core_is_switched_off_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert native.core_name() == "native"
    monkeypatch.setenv(native.SWITCH, "python")
    try:
        importlib.reload(native)
        assert (native.CORE, native.core_name()) == (None, "python")
    finally:
        monkeypatch.delenv(native.SWITCH)
        importlib.reload(native)
    assert native.core_name() == "native"


def test_a_core_of_another_version_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native.CORE, "VERSION", native.VERSION + 1)
    try:
        importlib.reload(native)
        assert native.CORE is None
    finally:
        monkeypatch.undo()
        importlib.reload(native)
    assert native.CORE is not None


def pieces(seed: int, words: str, count: int = 2_000) -> list[str]:
    """Texts of pieces in random order, the same for a seed."""
    rng = random.Random(seed)
    return ["".join(rng.choices(words.split("|"), k=rng.randrange(9))) for _ in range(count)]


TRACES = (
    "&#|&#x|12|9|7f|0|a|\x01|\x7f|\x85|\ufffe|te|x|katex|Ja|mj|.cgi|math|-inline|<|\"|=|'| |ath|m|"
    "hur|e|q|quation|\\|abc|{|}|</|br|>|\xa0|B|R|cht=t|mwe-|data-|.me/|d7ff|dfff|fffe|65535|;|\t"
)


def test_traces_are_equal() -> None:
    for html in pieces(8, TRACES):
        by_core, by_python = by_both(
            lambda html=html: traces(html, html.encode("utf-8", "replace"))
        )
        assert by_core == by_python, html


LINES = 'a|B|1|23|4567|.|/|-|:|h|@|www.|://|"|\u201d| |\U0001f600|\uffff|\u0663|,|w|\n|\u3002'


DATED = (
    "1|12|3|2024|1999| 2024| 1999|2|0|th|.|/|-| |, |May|Jan.|September|"
    "\u5e74|\u6708|\u0663|\U0001f600|x"
)
DATES = (
    "1st May 2024|May 3rd, 1999|3.4. 1999|3. 4. 24|2024/1/2|12-31-99|"
    "\u0663 May 2024|2024\u5e741\u6708"
)


def test_patterns_are_equal() -> None:
    texts = [text for text in (*pieces(9, LINES), *pieces(19, DATED)) if text.strip()]
    texts += DATES.split("|")
    blocks = split(Page("<p>".join(texts)))
    for count in (urls, dates, times):
        by_core, by_python = by_both(lambda count=count: count(Measures(blocks)).tolist())
        assert by_core == by_python


def test_characters_of_runs_are_equal() -> None:
    blocks = split(Page("".join(f"<p>{text}<b>{text}</b>" for text in pieces(10, LINES))))
    by_core, by_python = by_both(lambda: Measures(blocks).run_chars)
    by_core, by_python = by_core.tolist(), by_python.tolist()
    assert by_core == by_python


def test_values_of_elements_are_equal() -> None:
    page = split(decode(soup(3)))
    values = np.random.default_rng(14).random((len(page), 2))
    mask = np.arange(len(page.nodes)) % 5 == 0
    for call in (
        lambda measures: tree.held(measures, values),
        lambda measures: tree.held(measures, values[:, 0]),
        lambda measures: tree.nearest(measures, mask),
        lambda measures: measures.inside(("div", "p")),
        lambda measures: tree.inside_each(measures, [("b",), ("p", "a")]),
        tree.wider,
        tree.start_nodes,
    ):
        by_core, by_python = by_both(lambda call=call: call(Measures(page)))
        assert (by_core.dtype, by_core.tolist()) == (by_python.dtype, by_python.tolist())


def test_wrong_arrays_are_refused() -> None:
    bounds, mask = np.array([0, 9], np.int32), np.zeros(2, np.bool_)
    two = np.zeros(2, np.int64)
    for call in (
        lambda: native.CORE.nearest(mask, bounds),
        lambda: native.CORE.inside(mask, bounds),
        lambda: native.CORE.held(np.zeros(2), bounds, bounds, 1),
        lambda: native.CORE.wider(bounds, bounds),
        lambda: native.CORE.steps(two, two + 5, two, bounds * 0 - 1, bounds * 0, 1, 1, 31),
        lambda: native.CORE.steps(two, two, two, bounds * 0 - 1, bounds, 1, 1, 31),
        lambda: native.CORE.steps(two, two, two, bounds, bounds * 0, 1, 1, 31),
        lambda: native.CORE.steps(two, two, two, bounds * 0 - 1, bounds * 0, 65, 1, 31),
        lambda: native.CORE.pair_bits(two, ["a"], two + 1, ["a"], 9, markup.core_words()),
        lambda: native.CORE.pair_bits(two, ["a"], two, ["a"], 1_001, markup.core_words()),
        lambda: native.CORE.starts(bytes(8), bytes(4), 1),
        lambda: native.CORE.starts(bytes(8), bytes(8), 2),
        lambda: native.CORE.starts(bytes(8), bytes(8), -1),
        lambda: native.CORE.links(({},), bytes(8), 0, bytes(4), 1, "href", 9),
        lambda: native.CORE.links(({},), bytes(4), 0, bytes(4), 1, "href", -1),
        lambda: native.CORE.likeness(("a",), b"12", markup.core_words(), *[bytes(8)] * 3),
        lambda: native.CORE.likeness(("a",), b"1", markup.core_words(), *[bytes(512)] * 3),
        lambda: native.CORE.likeness(("a",), b"1", markup.core_words(), two[:1], two, two),
        lambda: native.CORE.bins(np.zeros(2, np.float32), np.zeros(1), np.array([1, 3])),
    ):
        with pytest.raises(ValueError, match=": "):
            call()


def test_numbers_of_occurring_values_are_equal() -> None:
    values = np.random.default_rng(16).integers(0, 9, 50)
    by_core, by_python = by_both(lambda: [array.tolist() for array in occurring(values)])
    assert by_core == by_python
    assert [array.tolist() for array in occurring(values[:0])] == [[], []]
