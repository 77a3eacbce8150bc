"""The walk of the core as an object: what it refuses, and what is left of it."""

from __future__ import annotations

import gc
import pickle
import tracemalloc
from typing import Any

import numpy as np
import pytest

from crfclean.core.read import CODE_LINE, Rules, Walk, WalkEndedError, count
from crfclean.core.table import TREE_NAMES, Table
from crfclean.page.blocks import split
from crfclean.page.chars import characters
from crfclean.page.effects import rules
from crfclean.page.walk import WalkParams, core_walk
from crfclean.types import Page

RULES = rules((), frozenset())
RULE: dict[str, Any] = {
    "characters": characters(),
    "actions": {"p": 2, "b": -1},
    "chosen": (),
    "code_classes": ("a", "b"),
    "formula_classes": ("b",),
    "dropped_classes": ("c",),
    "unseen_classes": ("d",),
}


def test_a_walk_gives_its_table_once() -> None:
    walked = core_walk(WalkParams())
    walked.start("body", {})
    walked.start("p", {"class": "x"})
    walked.data("some words")
    walked.end("p")
    assert walked.table().texts == ("some words",)
    with pytest.raises(ValueError, match="given"):
        walked.table()
    with pytest.raises(WalkEndedError):
        walked.end("p")
    walked.close()


def test_blocks_can_be_pickled_and_share_the_empty_attributes() -> None:
    blocks = split(Page("<p>a<p class=b>c"))
    assert blocks.table.attributes[-2] is blocks.table.attributes[0]
    again = pickle.loads(pickle.dumps(blocks))
    assert (again.texts, list(again.table.run_texts)) == (("a", "c"), ["a", "c"])
    assert again.words.tolist() == blocks.words.tolist()
    assert again.table.tag.tolist() == blocks.table.tag.tolist()


def test_a_pickle_has_what_the_walk_gave() -> None:
    html = (
        "<title>a\n b</title><script type=application/ld+json>{}</script><p hidden>c</p>"
        "<ruby>d<rt>e</rt></ruby><pre>\n\n<b> f</b>\n<p>g</pre>"
        "<math><mi>x</mi></math><p>soft\xadly<br>"
    )
    table = split(Page(html)).table
    again = pickle.loads(pickle.dumps(table))
    for name in ("title", "json_ld", "hidden", "readings", "blanks", "discarded", "formulas"):
        assert getattr(again, name) == getattr(table, name), name
    assert {each[0] for each in table.asides} >= {0, 1, 2, 3, 4}
    assert table.formulas
    assert again.plain_texts == table.plain_texts != table.texts == again.texts
    assert again.named().keys() == table.named().keys()
    assert all(np.array_equal(getattr(again, n), getattr(table, n)) for n in TREE_NAMES)


def test_good_arguments_make_a_walk() -> None:
    assert Walk(RULES).table().texts == ()
    assert Walk(RULES, units={1}, apart=(2,), numbers=[3]).table().texts == ()
    assert Rules(**RULE)


@pytest.mark.parametrize("action", [CODE_LINE - 1, 2**16, 2**40])
def test_an_action_that_is_none_is_refused(action: int) -> None:
    with pytest.raises(ValueError, match="action"):
        Rules(**(RULE | {"actions": {"p": action}}))


@pytest.mark.parametrize("depth", [0, 1, 8])
def test_an_end_without_a_start_changes_nothing(depth: int) -> None:
    walked = core_walk(WalkParams())
    for _ in range(depth):
        walked.start("div", {})
    for _ in range(depth + 3):
        walked.end("div")
    walked.data("a")
    table = walked.table()
    assert (table.texts, table.tags) == (("a",), ("div",) * depth)


@pytest.mark.parametrize(
    ("event", "arguments"),
    [
        ("start", ("p",)),
        ("start", (1, {})),
        ("start", ("p", None)),
        ("start", ("p", {1: "a"})),
        ("start", ("p", {"a": "\ud800"})),
        ("end", (1,)),
        ("data", (b"a",)),
        ("formula", ("x",)),
    ],
)
def test_wrong_events_are_refused(event: str, arguments: tuple[Any, ...]) -> None:
    walked = core_walk(WalkParams())
    with pytest.raises((TypeError, AttributeError, UnicodeEncodeError)):
        getattr(walked, event)(*arguments)


def test_an_element_inside_a_reading_does_not_end_it() -> None:
    assert split(Page("<p><ruby>a<rt>b<i>c</i></rt>d</ruby> e")).texts == ("ad e",)


def test_names_that_are_equal_without_control_characters_are_one() -> None:
    walked = core_walk(WalkParams())
    walked.start("p", {"id": "a", "i\x01d": "b\x02", "\x03lang": ""})
    walked.start("i\x04", {"lang": "c"})
    table = walked.table()
    assert table.attributes == ({"id": "b", "lang": ""}, {"lang": "c"})
    assert table.tags == ("p", "i")


def test_a_table_of_texts_is_counted_by_its_own_or_other_texts() -> None:
    table = Table(texts=("a 1", "\ud800"), runs=("x",))
    with pytest.raises(ValueError, match="a part is missing"):
        _ = table.words
    count(table, characters())
    assert table.words.tolist() == [2.0, 0.0]
    count(table, characters(), Table(texts=("b", "c d"), runs=("",)))
    assert table.words.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="other texts"):
        count(table, characters(), Table(texts=("b",), runs=("",)))
    assert table.texts == ("a 1", "\ud800")
    for wrong in ({"texts": ("a",), "runs": (1,)}, {"texts": ["a"], "runs": ()}, {"texts": ()}):
        with pytest.raises(TypeError):
            Table(**wrong)
    with pytest.raises(TypeError):
        count(table, None)  # type: ignore[arg-type]


def test_tables_free_their_arrays() -> None:
    """They are raw memory, which `sys.getallocatedblocks` does not count."""

    def kept() -> int:
        for _ in range(40):
            split(Page("<p>The ferry sails again over the lake.</p>" * 50))
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        before = kept()
        assert kept() - before < 10_000
    finally:
        tracemalloc.stop()
