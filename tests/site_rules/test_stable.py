"""Tests of `site_rules/stable.py`: names of places that other pages have, too."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crfclean.page.blocks import split
from crfclean.site_rules.stable import (
    MAX_STEPS,
    block_paths,
    common_path,
    is_stable,
    step_of,
    text_digest,
)
from crfclean.types import Page


@pytest.mark.parametrize(
    "name", ["post", "entry-content", "articleBody", "col_2", "h2", "widget_recent_comments"]
)
def test_names_of_a_template(name: str) -> None:
    assert is_stable(name)


@pytest.mark.parametrize(
    "name",
    [
        *("", "post-4711", "css-1x2yz", "sc-bdVaJa", "x" * 41, "a b", "é", "page-id-12"),
        *("_3hUJq", "ng-star-1234", "jxkqwzrt"),
    ],
)
def test_names_of_a_page_or_a_build(name: str) -> None:
    assert not is_stable(name)


def test_the_body_is_no_place() -> None:
    assert step_of("body", {"class": "home"}) == ""
    assert step_of("my:tag", {"class": "home"}) == ""
    assert step_of("main", {}) == "main"


def paths(html: str, names: set[str] | None = None) -> list[str]:
    return block_paths(split(Page(html)), names)


def test_a_path_has_the_names_around_a_block() -> None:
    html = "<div id=main class='wide'><div><p class='lead'>One</p><p>Two</p></div></div>"
    assert paths(html) == ["div#main.wide p.lead p", "div#main.wide p"]
    assert paths(html, {".wide"}) == ["div.wide p", "div.wide p"]


def test_a_path_has_the_lowest_elements() -> None:
    html = "".join(f"<div class={name}>" for name in "abcdefghijkl") + "One"
    names = {f".{name}" for name in "abcdefghijkl"}
    (path,) = paths(html, names)
    assert path == "div.g div.h div.i div.j div.k div.l div"
    assert common_path(paths(html)[0], names) == path
    assert len(path.split(" ")) == MAX_STEPS + 1


@given(st.lists(st.sampled_from(["main", "x-1", "post", "a b", "", "wide post"]), max_size=5))
def test_paths_of_learned_and_of_later_pages_are_the_same(names: list[str]) -> None:
    html = "".join(f"<div id='{name}' class='{name}'>" for name in names) + "<p>One</p>"
    common = {"#main", ".post"}
    assert [common_path(path, common) for path in paths(html)] == paths(html, common)


def test_hostile_depth_is_linear() -> None:
    found = paths("<div class=a>" * 1_500 + "<p>One</p>" * 500)
    assert len(found) == 500
    assert max(map(len, found)) < 200


def test_digits_of_texts_do_not_matter() -> None:
    assert text_digest("12 May 2024") == text_digest("31 May 2025")
    assert text_digest("12 May 2024") != text_digest("12 June 2024")
    assert text_digest("\ud800")
