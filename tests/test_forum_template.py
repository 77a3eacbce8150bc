"""Tests of `eval.forums.template`: what RoadRunner finds, and what it stumbles over."""

from __future__ import annotations

import pytest

from crfclean.forum.outline import outline
from crfclean.page.blocks import split
from crfclean.types import Page
from eval.forums import template
from eval.forums.template import Template, induce, show


def induced(*bodies: str) -> Template:
    return induce([outline(split(Page(f"<body>{body}</body>"))) for body in bodies])


def lines(*bodies: str) -> list[str]:
    """The shown template without its head, `html` and `body`."""
    return [line[4:] for line in show(induced(*bodies)).splitlines()[3:]]


def test_texts_that_differ_are_fields() -> None:
    assert lines("<p>Name: <b>ann</b></p>", "<p>Name: <b>bob</b></p>") == [
        "<p>",
        "  'Name:'",
        "  <b>",
        "    #0",
    ]


def test_texts_that_agree_are_the_templates() -> None:
    assert induced("<p>a</p>", "<p>a</p>").fields == 0


def test_elements_that_one_page_lacks_are_optional() -> None:
    assert lines("<h1>a</h1><i>x</i>", "<h1>b</h1>") == ["<h1>", "  #0", "?<i>", "  'x'"]
    assert lines("<h1>b</h1>", "<h1>a</h1><i>x</i>") == ["<h1>", "  #0", "?<i>", "  'x'"]


def test_what_is_optional_stays_so() -> None:
    three = ["<h1>a</h1><i>x</i>", "<h1>b</h1>", "<h1>c</h1><i>y</i>"]
    assert lines(*three) == ["<h1>", "  #0", "?<i>", "  #1"]


def test_equal_siblings_are_a_list_on_one_page() -> None:
    assert lines("<ul><li>a<li>b<li>c</ul>") == ["<ul>", "  ( )+", "    | <li>", "      #0"]


def test_equal_numbers_of_items_hide_no_list() -> None:
    """RoadRunner takes two lists of one length for fixed elements (section 6.10)."""
    found = lines("<ul><li>a<li>b</ul>", "<ul><li>c<li>d</ul>")
    assert found == ["<ul>", "  ( )+", "    | <li>", "      #0"]


def test_a_single_item_joins_the_list() -> None:
    found = lines("<ul><li>a<li>b</ul>", "<ul><li>c</ul>")
    assert found == ["<ul>", "  ( )+", "    | <li>", "      #0"]


POST = "<div class=post><b>{0}</b><p>{1}</p></div>"
AD = "<div class=ad>buy</div>"
DELETED = "<div class=deleted>gone</div>"


@pytest.mark.parametrize("between", [AD, DELETED, AD + DELETED])
@pytest.mark.parametrize("place", [1, 2, 3])
def test_strangers_between_posts_break_no_list(between: str, place: int) -> None:
    posts = [POST.format(f"u{at}", f"w{at}") for at in range(4)]
    other = [*posts[:place], between, *posts[place:]]
    found = lines("".join(other), "".join(posts).replace("u", "v").replace("w", "x"))
    assert found[:2] == ["( )+", "  | <div.post>"]
    assert found.count("  | <div.post>") == 1
    assert sum("<div." in line for line in found) == 1 + between.count("<div")


def test_line_breaks_part_no_field() -> None:
    assert lines("<p>a<br>b</p>", "<p>c</p>") == ["<p>", "  #0"]


def test_nothing() -> None:
    assert induce([]).status == "empty"
    assert induced("", "").status == "empty"


def test_deep_pages_are_cut() -> None:
    deep = "<div>" * 300 + "{}" + "</div>" * 300
    found = induced(deep.format("a"), deep.format("b"))
    assert found.status == "ok"
    assert found.fields == 1


def test_it_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(template, "_MAX_STEPS", 3)
    found = induced("<p>a</p><i>b</i>", "<p>c</p><i>d</i>")
    assert found.status == "gave-up"
    assert show(found).startswith("template of 2 pages: gave-up")


def test_long_sequences_are_aligned_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(template, "_MAX_CELLS", 1)
    found = induced("<h1>a</h1><i>x</i>", "<h1>b</h1><i>y</i>")
    assert found.fields == 2
