"""What style, class and id say of an element, as the core reads them."""

from __future__ import annotations

import pytest

from crfclean.core.read import SPLIT_BLOCK, TEXT, is_hidden
from crfclean.page.walk import WalkParams, core_walk


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({}, False),
        ({"hidden": ""}, True),
        ({"hidden": "until-found"}, False),
        ({"style": "color: red; DISPLAY :\n None"}, True),
        ({"style": "display:\u00a0none"}, True),
        ({"style": "visibility:collapse"}, True),
        ({"style": "--footer-display: none"}, False),
        ({"style": "\u00e9display: none"}, False),
        ({"style": "display none"}, False),
        ({"style": "display: none", "class": "js-read_-more"}, True),
        ({"style": "display: none", "class": "js-READ-_more"}, False),
        ({"style": "display: none", "class": "js-read_more"}, False),
        ({"style": "display: none", "id": "tab-_content"}, False),
        ({"style": "display: none", "id": "tab-_-content"}, True),
        ({"style": "display: none", "class": "faq-answer"}, False),
        ({"style": "display: none", "class": "my-accordion"}, False),
        ({"hidden": "", "id": "S:1f"}, False),
        ({"hidden": "", "id": "S:"}, True),
        ({"hidden": "", "id": "s:1f"}, True),
        ({"hidden": "", "role": "region"}, False),
        ({"style": "position:absolute; left: -9999px"}, True),
        ({"style": "position:fixed;top:-999em"}, True),
        ({"style": "position:absolute;left:-1200px"}, False),
        ({"style": "margin-left:-9999px;left:-9999px"}, False),
        ({"style": "text-indent:-9999px"}, False),  # a colour in the place of its name
        ({"style": "position:absolute;clip:rect(0 0 0 0)"}, True),
        ({"style": "position:absolute;clip-path:inset(50%)"}, True),
        ({"style": "clip-path:inset(50%)"}, False),
        ({"style": "font-size:0"}, False),
    ],
)
def test_elements_that_are_hidden(attributes: dict[str, str], *, expected: bool) -> None:
    assert is_hidden("div", attributes) == expected
    assert not is_hidden("body", attributes)


@pytest.mark.parametrize(
    ("style", "expected"),
    [("font-size:0", True), ("font-size: 0px;color:#fff", True), ("font-size:0.9em", False)],
)
def test_letters_without_a_size(style: str, *, expected: bool) -> None:
    assert is_hidden("span", {"style": style}) == expected


@pytest.mark.parametrize(("attributes", "expected"), [({}, True), ({"open": ""}, False)])
def test_a_dialog_is_hidden_until_it_is_open(attributes: dict[str, str], *, expected: bool) -> None:
    assert is_hidden("dialog", attributes) == expected


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        ("display: block", SPLIT_BLOCK),
        ("color: red;Display:-webkit-box", SPLIT_BLOCK),
        ("display: flex; display: none", TEXT),
        ("display: display:block", TEXT),
        ("display: ;display:grid", SPLIT_BLOCK),
        ("x-display: block", TEXT),
        ("display: blocks", TEXT),
    ],
)
def test_the_last_display_counts(style: str, expected: int) -> None:
    walked = core_walk(WalkParams())
    walked.start("b", {"style": style})
    assert walked.table().actions.tolist() == [expected]


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"class": "a d-inline-flex"}, "x y"),
        ({"class": "md:grid b"}, "x y"),
        ({"class": "flexible grid-item d-FLEX"}, "xy"),
        ({"class": "a" * 999 + " flex"}, "xy"),
        ({"class": "\u00e9" * 996 + "\u2003flex"}, "xy"),
        ({"class": "\u00e9" * 995 + "\u2003flex"}, "x y"),
        ({"style": "DISPLAY: inline-Grid"}, "x y"),
        ({"style": "a-display: flex"}, "xy"),
    ],
)
def test_layouts_set_children_apart(attributes: dict[str, str], expected: str) -> None:
    walked = core_walk(WalkParams())
    walked.start("body", {})
    walked.start("div", attributes)
    for text in ("x", "y"):
        walked.start("b", {})
        walked.data(text)
        walked.end("b")
    assert walked.table().texts == (expected,)
