"""Tests of `decision/names.py`: names of places that the other pages of a site have, too."""

from __future__ import annotations

import numpy as np
import pytest

from crfclean.decision.names import (
    MAX_STEPS,
    TextPlace,
    block_paths,
    common_path,
    is_stable,
    site_of,
    step_of,
    text_places,
)
from crfclean.page.blocks import split
from crfclean.types import Document, Label, Page, Tags

CANONICAL = "<link rel=Canonical href='https://www.one.example/a'>"
SHARED = "<meta property='og:url' content='https://two.example/a'>"


@pytest.mark.parametrize(
    ("url", "head", "site"),
    [
        ("https://www.zero.example/1", CANONICAL, "zero.example"),
        (None, SHARED + CANONICAL, "one.example"),
        (None, SHARED, "two.example"),
        (None, "<link rel=canonical href='/a'>", ""),
        ("file:///a.html", "", ""),
        (None, "<body>" + CANONICAL, ""),
    ],
)
def test_a_site_is_a_host(url: str | None, head: str, site: str) -> None:
    blocks = split(Page(f"<html><head>{head}<body><p>One</p>"))
    assert site_of(url, blocks) == site


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


def paths(html: str) -> list[str]:
    return block_paths(split(Page(html)))


def test_a_path_has_the_names_around_a_block() -> None:
    html = "<div id=main class='wide'><div><p class='lead'>One</p><p>Two</p></div></div>"
    assert paths(html) == ["div#main.wide p.lead p", "div#main.wide p"]
    assert [common_path(path, {".wide"}) for path in paths(html)] == ["div.wide p", "div.wide p"]


def test_a_path_has_the_lowest_elements() -> None:
    html = "".join(f"<div class={name}>" for name in "abcdefghijkl") + "One"
    names = {f".{name}" for name in "abcdefghijkl"}
    path = common_path(paths(html)[0], names)
    assert path == "div.g div.h div.i div.j div.k div.l div"
    assert len(path.split(" ")) == MAX_STEPS + 1


def test_hostile_depth_is_linear() -> None:
    html_paths = paths("<div class=a>" * 1_500 + "<p>One</p>" * 500)
    assert len(html_paths) == 500
    assert max(map(len, html_paths)) < 200


def document(html: str, kept: list[int]) -> Document:
    blocks = split(Page(html))
    labels = np.where(np.isin(np.arange(len(blocks)), kept), Label.TEXT, Label.OTHER)
    return Document(None, blocks, Tags(labels.astype(np.int32), np.eye(3)[labels], 1.0))


def test_places_have_their_words_and_those_that_are_kept() -> None:
    html = "<ul><li>a b</ul><div class=post><p>one two three<p>four five<p>six</div><main><p>7"
    assert text_places(document(html, [1, 3])) == (TextPlace("div.post p", 6, 4),)
    assert text_places(document(html, [])) == ()
    assert text_places(document("", [])) == ()
