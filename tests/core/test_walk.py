"""The walk of the core as an object: what it refuses, and what is left of it."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from crfclean.core.native import CORE
from crfclean.page.blocks import split
from crfclean.page.elements import actions
from crfclean.page.walk import _ACTIONS, _CALLS, NO_ATTRIBUTES, SkippedTexts, WalkParams, core_walk
from crfclean.types import Page

NOTHING: frozenset[Any] = frozenset()
GOOD: dict[str, Any] = {
    "actions": actions((), NOTHING),
    "chosen": NOTHING,
    "block_level": NOTHING,
    "roles": b"",
    "aside": SkippedTexts(),
    "no_attributes": NO_ATTRIBUTES,
    "switches": (True, False, False),
    "limits": (-1, 9, 9),
    "codes": _ACTIONS,
    "calls": (max, max, *_CALLS),
}


def test_a_walk_that_gave_its_table_is_empty() -> None:
    walked = core_walk(WalkParams(), SkippedTexts())
    for _ in range(2):
        walked.start("body", {})
        walked.start("p", {"class": "x"})
        walked.data("some words")
        walked.end("p")
        walked.close()
        assert walked.table()["texts"] == ("some words",)
    walked.end("p")
    assert walked.table()["tags"] == ()


def test_blocks_can_be_pickled_and_share_the_empty_attributes() -> None:
    blocks = split(Page("<p>a<p class=b>c"))
    assert blocks.nodes.attributes[-2] is NO_ATTRIBUTES
    assert pickle.loads(pickle.dumps(blocks)).texts == ("a", "c")


def test_good_arguments_make_a_walk() -> None:
    assert CORE.Walk(*GOOD.values()).table()["texts"] == ()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, None) for name in GOOD if name not in ("aside", "no_attributes")),
        ("chosen", {"p"}),
        ("limits", (1, 2)),
        ("limits", (1, 2, "a")),
        ("codes", _ACTIONS[1:]),
        ("calls", (max, max)),
    ],
)
def test_a_wrong_argument_is_refused(name: str, value: Any) -> None:
    with pytest.raises(TypeError):
        CORE.Walk(*(GOOD | {name: value}).values())


def test_a_role_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="role"):
        CORE.Walk(*(GOOD | {"roles": b"\4"}).values())


def test_names_of_arguments_are_refused() -> None:
    with pytest.raises(TypeError, match="positions"):
        CORE.Walk(**GOOD)


@pytest.mark.parametrize("depth", [0, 1, 8])
def test_an_end_without_a_start_changes_nothing(depth: int) -> None:
    walked = core_walk(WalkParams(), SkippedTexts())
    for _ in range(depth):
        walked.start("div", {})
    for _ in range(depth + 3):
        walked.end("div")
    walked.data("a")
    walked.close()
    table = walked.table()
    assert (table["texts"], table["tags"]) == (("a",), ("div",) * depth)


@pytest.mark.parametrize(
    ("event", "arguments"),
    [
        ("start", ("p",)),
        ("start", (1, {})),
        ("start", ("p", None)),
        ("end", (1,)),
        ("data", (b"a",)),
        ("formula", ("x",)),
    ],
)
def test_wrong_events_are_refused(event: str, arguments: tuple[Any, ...]) -> None:
    walked = core_walk(WalkParams(), SkippedTexts())
    with pytest.raises((TypeError, AttributeError)):
        getattr(walked, event)(*arguments)


def test_an_element_inside_a_reading_does_not_end_it() -> None:
    assert split(Page("<p><ruby>a<rt>b<i>c</i></rt>d</ruby> e")).texts == ("ad e",)
