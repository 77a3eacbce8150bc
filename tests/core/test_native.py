"""The compiled core says what Python says, which is the specification."""

from __future__ import annotations

import random
import re
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hostile import HOSTILE

from crfclean.carried.evidence import _notice_bits
from crfclean.core import native
from crfclean.features import main_heading, markup, wording
from crfclean.features import networks as networks_module
from crfclean.features.headline import (
    description_cover,
    likeness_to_titles,
    title_likeness,
    tokens_of,
)
from crfclean.features.markup import name_bits
from crfclean.features.repetition import number_paths
from crfclean.lexicon import lexicon
from crfclean.lexicon.markup import NETWORK_HOSTS
from crfclean.modelfiles.binning import Encoder
from crfclean.page.blocks import split
from crfclean.page.chars import CLOSERS, COMMAS, char_table
from crfclean.page.decode import decode
from crfclean.page.measures import Measures
from crfclean.pipeline import run
from crfclean.taggers.chain import marginals
from crfclean.taggers.load import load
from crfclean.types import Page
from eval.cost.hostile_pages import PAGES
from eval.lib.cores import (
    by_both,
    differing_columns,
    differing_kinds,
    differing_results,
    without_core,
)
from eval.lib.timing import demo_pages

DEMO = demo_pages()
SMALL = 3_000  # characters of a hostile page


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
def test_columns_are_equal(case: str) -> None:
    assert not differing_columns(split(decode(CASES[case])))


@every_case
def test_kinds_are_equal(case: str) -> None:
    assert not differing_kinds(split(decode(CASES[case])))


@pytest.mark.parametrize("seed", range(60))
def test_soup_is_equal(seed: int) -> None:
    page = decode(soup(seed))
    assert not differing_columns(split(page))
    assert not differing_kinds(split(page))


@pytest.mark.parametrize("number", range(len(DEMO)))
def test_documents_are_equal(number: int) -> None:
    tagger, page = load("default"), decode(DEMO[number])
    assert not differing_results(*by_both(lambda: run(page, tagger)))


def test_tallies_are_counts_of_marks() -> None:
    texts, sets = ("a, é; “b”\uff0c", "\U0001f600\uffff", ""), (COMMAS, CLOSERS, "é", "\uffff")
    tables = [char_table(chars) * (1 << number) for number, chars in enumerate(sets)]
    table = np.sum(tables, 0).astype(np.uint8).tobytes()
    rows = np.frombuffer(native.CORE.tallies(texts, table, len(sets)), np.float64).reshape(4, -1)
    narrow = [[min(char, "\uffff") for char in text] for text in texts]
    assert rows.tolist() == [
        [sum(char in chars for char in text) for text in narrow] for chars in sets
    ]
    for count in (0, 9):
        with pytest.raises(ValueError, match="sets"):
            native.CORE.tallies(texts, table, count)


HREFS = (
    "#|/|//|:|://|http|JavaScript:|mailto:|tel|TEL:| |\t|\u3000|tag|share|Tags/|"
    "\u0130|x|a=b&|\u017f"
)


def test_kinds_of_addresses_are_equal() -> None:
    hrefs = [*pieces(20, HREFS), "abcde://x", "abcdef://x", "", " ", "\u3000#", "j\u0430vascript:"]
    links = [f"<p><a href='{href}'>{number}</a>" for number, href in enumerate(hrefs)]
    page = Measures(split(Page("".join(links))))
    bits = np.frombuffer(wording.href_bits(page), np.uint8)
    kinds = wording._href_kinds(wording.link_targets(page)[1])
    assert (bits >> np.arange(len(kinds))[:, None] & 1).tolist() == kinds.astype(int).tolist()
    assert kinds.any(1).all()


HOSTS = (
    "http:|HTTPS:|https|:|/|//|www.|m.|abcde.|facebook|Youtu|t|.|.com|.net|.me|.be|_|-|/x|x|"
    "\u0130|lin|ked\u0130n|\u212a|\u00e9|?|#| |\u3000|index.|php|./|a_|index.\u6f22x|\x00"
)


def test_addresses_of_networks_and_first_pages_are_equal() -> None:
    hrefs = [href.replace("\x00", "") for href in pieces(24, HOSTS, 20_000)]
    hrefs += [
        f"{scheme}//{label}{name}{end}"
        for name in NETWORK_HOSTS
        for scheme in ("https:", "", "s:", "HTTP:")
        for label in ("", "www.", "abcde.", "a1.", "x")
        for end in (".com", ".net/", ".me\u00e9", ".be_", ".com-x", ".org", "x.com")
    ]
    hrefs += [f"//{'a' * count}/" for count in range(90, 110)]
    hrefs += [f"{' ' * count}/{' ' * (250 - count)}" for count in (0, 150, 199, 200, 249)]
    links = [f"<p><a href='{href}'>{number}</a>" for number, href in enumerate(hrefs)]
    page = Measures(split(Page("".join(links))))
    bits = np.frombuffer(wording.href_bits(page), np.uint8)
    cut = [href[: wording.HREF_CHARS].lower().strip() for href in hrefs]
    networks = [bool(networks_module._HOST.match(href)) for href in cut]
    assert (bits & 32 > 0).tolist() == networks
    home = main_heading._links_home(page, np.arange(len(page)))
    is_cut = bits & 128 > 0
    assert (bits & 64 > 0)[~is_cut].tolist() == home[~is_cut].tolist()
    assert is_cut.sum() == 5
    assert sum(networks) > 100
    assert home.sum() > 100


def test_name_bits_are_equal() -> None:
    rng = random.Random(5)
    words = (
        "news Body ARTICLE main Content x-1 É share post 漢 nav_bar side BarAB a AAa _ Aa9b".split()
    )
    names = [
        "".join(rng.choices([*words, " ", "-", "A"], k=rng.randrange(8))) for _ in range(3_000)
    ]
    names += ["", "a" * 1_000, "article" * 200, "A" * 500 + "b"]
    by_core, by_python = by_both(lambda: name_bits(names).tolist())
    assert by_core == by_python


def test_paths_are_equal() -> None:
    rng = random.Random(6)
    parent = np.array([rng.randrange(-1, node) for node in range(2_000)], np.int32)
    codes = np.array([rng.randrange(7) for _ in parent], np.int64)
    by_core, by_python = by_both(lambda: number_paths(parent, codes).tolist())
    assert by_core == by_python
    assert number_paths(np.zeros(0, np.int32), np.zeros(0, np.int64)).tolist() == []


def test_marginals_are_equal_bit_by_bit() -> None:
    rng = np.random.default_rng(7)
    for count in (0, 1, 2, 300):
        scores, steps = rng.normal(0, 4, (count, 3)), rng.normal(0, 2, (3, 3))
        scores[count // 2 :: 3, 1] = -np.inf
        by_core, by_python = by_both(lambda scores=scores, steps=steps: marginals(scores, steps))
        assert by_core.tobytes() == by_python.tobytes()


HREF_PARAMS: tuple[Any, ...] = wording._href_params()


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("counts", ((), b"", b"")),
        ("counts", (("a", 1), bytes(65536), bytes(65536))),
        ("counts", ()),
        ("name_bits", (["a"], 10, {})),
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
        ("zones", ((), -2)),
        ("zones", ([], -2)),
        ("tokens", (["a"],)),
        ("tokens", (("a", 1),)),
        ("cover", (("a",), ("a",))),
        ("cover", ((1,), [["a"]])),
        ("cover", (("a",), ["a"])),
        ("cover", (("a",), [[1]])),
        ("nearest", ("a", bytes(4))),
        ("bit_counts", (bytes(8), bytes(8))),
        ("bit_counts", ("a", bytes(8), 1)),
        ("links", (({},), bytes(4), 0, bytes(4), 1, "href")),
        ("links", (([],), bytes(4), 0, bytes(4), 1, "href", 9)),
        ("links", (({"href": 1},), bytes(4), 0, bytes(4), 1, "href", 9)),
        ("wider", (bytes(4),)),
        ("steps", (b"1",)),
        ("bins", ([1.0], bytes(8), bytes(8))),
        ("Words", ({"a": 1}, ["a"])),
        ("Words", ({1: 1}, frozenset())),
        ("Words", ({"a": "b"}, frozenset())),
        ("Phrases", ([("a", "b")],)),
        ("Phrases", (["a"],)),
        ("tallies", (("a",), bytes(65536))),
        ("tallies", (("a", 1), bytes(65536), 1)),
        ("tallies", (("a",), b"a", 1)),
        ("columns", ((), b"", bytearray(), 4)),
        ("columns", ([], b"", bytearray(), 4)),
        ("columns", ((), b"", b"", 4)),
        ("marginals", (bytes(24),)),
    ],
)
def test_wrong_calls_raise(name: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError):
        getattr(native.CORE, name)(*arguments)


def test_a_parent_after_its_child_is_refused() -> None:
    parent, codes = np.array([1, -1], np.int32), np.zeros(2, np.int64)
    with pytest.raises(ValueError, match="parent"):
        native.CORE.paths(parent.tobytes(), codes.tobytes())


def pieces(seed: int, words: str, count: int = 2_000) -> list[str]:
    """Texts of pieces in random order, the same for a seed."""
    rng = random.Random(seed)
    return ["".join(rng.choices(words.split("|"), k=rng.randrange(9))) for _ in range(count)]


LINES = 'a|B|1|23|4567|.|/|-|:|h|@|www.|://|"|\u201d| |\U0001f600|\uffff|\u0663|,|w|\n|\u3002'


DATED = (
    "1|12|3|2024|1999| 2024| 1999|2|0|th|.|/|-| |, |May|Jan.|September|"
    "\u5e74|\u6708|\u0663|\U0001f600|x"
)


def test_notices_are_equal() -> None:
    phrases = [phrase for group in lexicon().notices.values() for phrase in group]
    rng = random.Random(12)
    for text in [
        "",
        *(" ".join(rng.choices(phrases, k=2))[rng.randrange(4) :] for _ in range(300)),
    ]:
        by_core, by_python = by_both(lambda text=text: _notice_bits(text))
        assert by_core == by_python


TITLED = (
    "the |Lake |froze |over |in |January |\u2019|\u00e9t\u00e9 |2024 |x|\n|- |\u6f22|. |a-b |"
    "\u00a0|\u00b7 |\u00b2|\u00bd|\u20ac|\u2192|\u2122|\u00aa"
)


def test_tokens_are_equal() -> None:
    texts = ["", "\n", "A\nb", *pieces(21, TITLED), *pieces(22, LINES), *pieces(23, DATED)]
    texts += [f"A{chr(code)}b {chr(code).upper()} x{chr(code)}" for code in range(0x80, 0x3000)]
    by_core, by_python = by_both(lambda: tokens_of(texts))
    assert by_core == by_python


def test_likeness_and_cover_are_equal() -> None:
    texts = [text for text in pieces(13, TITLED) if text.strip()]
    head = f"<title>The Lake froze over - a-b | {texts[0]}</title><meta name=description content="
    head += "'The lake froze over in January 2024, the lake'>"
    blocks = split(Page(head + "".join(f"<p>{text}" for text in (*texts, "lake " * 2_000))))
    for feature in (title_likeness, description_cover):
        by_core, by_python = by_both(lambda feature=feature: feature(Measures(blocks)).tolist())
        assert by_core == by_python
        assert any(by_core)


def test_likeness_by_weight_is_equal() -> None:
    """Where the core says -1, Python is asked; titles of a token count in `h1` alone."""
    texts = [text for text in pieces(25, TITLED) if text.strip()] + ["Lake", "lake", "x"]
    head = "<title>The Lake froze over - x - Lake | 2024 x</title><meta property=og:title content="
    head += "'Lake | The Lake froze'><meta name=twitter:title content='the, the'>"
    page = Measures(split(Page(head + "".join(f"<h1>{text}</h1>" for text in texts))))
    plain, weighted, single = likeness_to_titles(page)
    assert weighted is not None
    assert single is not None
    expected = main_heading._likeness(page, np.arange(len(page)))
    said = weighted >= 0
    by_core = np.where(single > 0, main_heading._TOKEN * single, weighted)
    assert by_core[said].tolist() == expected[said].tolist()
    assert (single[said] > 0).sum() > 1
    assert len(set(by_core[said].tolist())) > 10
    assert ((single < 0) == ~said).all()
    with without_core():
        assert title_likeness(Measures(page.blocks)).tolist() == plain.tolist()


def test_many_titles_are_read_in_python() -> None:
    words = [f"a{number}" for number in range(80)]
    titles = [" ".join((f"b{n}", word)) for n, word in enumerate(words)] + words
    metas = "".join(f"<meta property=og:title content='{a} | {b}'>" for a, b in pairwise(titles))
    page = split(Page(metas + "<p>b3 a3<p>b70 a70<h1>a7</h1>"))
    by_core, by_python = by_both(lambda: title_likeness(Measures(page)).tolist())
    assert by_core == by_python
    assert not differing_kinds(page)


def test_values_of_elements_are_equal() -> None:
    page = split(decode(soup(3)))
    for call in (
        markup.steps_to_marks,
        markup.typed_elements,
        markup.page_marks,
        lambda measures: wording.link_targets(measures)[0],
        lambda measures: np.array(wording.link_targets(measures)[1]),
        lambda measures: markup.named_elements(measures)[0],
        lambda measures: markup.named_elements(measures)[1],
    ):
        by_core, by_python = by_both(lambda call=call: call(Measures(page)))
        assert (by_core.dtype, by_core.tolist()) == (by_python.dtype, by_python.tolist())


def test_wrong_arrays_are_refused() -> None:
    bounds, mask = np.array([0, 9], np.int32), np.zeros(2, np.bool_)
    two = np.zeros(2, np.int64)
    for call in (
        lambda: native.CORE.nearest(mask, bounds),
        lambda: native.CORE.wider(bounds, bounds),
        lambda: native.CORE.steps(two, two + 5, two, bounds * 0 - 1, bounds * 0, 1, 1, 31),
        lambda: native.CORE.steps(two, two, two, bounds * 0 - 1, bounds, 1, 1, 31),
        lambda: native.CORE.steps(two, two, two, bounds, bounds * 0, 1, 1, 31),
        lambda: native.CORE.steps(two, two, two, bounds * 0 - 1, bounds * 0, 65, 1, 31),
        lambda: native.CORE.pair_bits(two, ["a"], two + 1, ["a"], 9, markup.core_words()),
        lambda: native.CORE.pair_bits(two, ["a"], two, ["a"], 1_001, markup.core_words()),
        lambda: native.CORE.bit_counts(two + 2, two, 1),
        lambda: native.CORE.bit_counts(two, two, 65),
        lambda: native.CORE.links(({},), bytes(8), 0, bytes(4), 1, "href", 9),
        lambda: native.CORE.links(({},), bytes(4), 0, bytes(4), 1, "href", -1),
        lambda: native.CORE.likeness(("a",), b"12", markup.core_words(), *[bytes(8)] * 3),
        lambda: native.CORE.likeness(("a",), b"1", markup.core_words(), *[bytes(512)] * 3),
        lambda: native.CORE.likeness(("a",), b"1", markup.core_words(), two[:1], two, two),
        lambda: native.CORE.bins(np.zeros(2, np.float32), np.zeros(1), np.array([1, 3])),
    ):
        with pytest.raises(ValueError, match=": "):
            call()


def test_bins_are_equal() -> None:
    encoder = Encoder(
        ("a", "b", "c"), ((), (0.5,), (-1.0, 0.1, 0.1 + 1e-9)), (0, 0, 0), ((0,),) * 3
    )
    columns = np.random.default_rng(15).choice([-2.0, -1.0, 0.1, 0.5, np.inf, np.nan], (200, 3))
    by_core, by_python = by_both(lambda: encoder.bins(columns).tolist())
    assert by_core == by_python
    assert encoder.bins(np.zeros((0, 3))).shape == (0, 3)
