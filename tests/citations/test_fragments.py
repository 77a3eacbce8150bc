"""Tests of `citations/fragments.py`; test_browser.py asks a browser what it does with them."""

from __future__ import annotations

from urllib.parse import unquote

import pytest

from crfclean.citations.fragments import MARK, Fragment, Span, fragment, with_fragment
from crfclean.citations.page_words import key_of, page_words, words_of
from crfclean.citations.text_lines import lines_of
from crfclean.page.blocks import split
from crfclean.types import Page


def made(lines: list[str], words: str, line: int = 0) -> str:
    """The directive of the first such words of a line, decoded."""
    start = lines[line].index(words)
    result = fragment(page_words(lines), Span(line, start, line, start + len(words)))
    assert result is not None
    assert result.is_unique
    return unquote(result.directive.removeprefix(MARK))


def test_words_that_stand_once_need_no_context() -> None:
    assert made(["It rained on Monday.", "It snowed."], "rained on") == "rained on"


def test_words_that_stand_twice_get_those_before_them() -> None:
    assert made(["On Monday it rained. On Tuesday it rained."], "it rained") == (
        "On Monday-,it rained"
    )


def test_a_whole_line_gets_words_of_the_lines_around_it() -> None:
    lines = ["Monday", "Rain", "Tuesday", "Rain", "Wednesday"]
    assert made(lines, "Rain", 1) == "Monday-,Rain"
    assert made(lines, "Rain", 3) == "Tuesday-,Rain"


def test_what_cannot_be_told_apart_says_so() -> None:
    result = fragment(page_words(["a a a a a a a"] * 40), Span(20, 0, 20, 1))
    assert result is not None
    assert not result.is_unique


def test_long_spans_are_written_as_their_ends() -> None:
    words = [f"word{number}" for number in range(80)]
    line = " ".join(words)
    assert made([line], line) == " ".join(words[:4]) + "," + " ".join(words[-4:])


def test_spans_of_several_lines_are_written_as_their_ends() -> None:
    page = page_words(["One two three.", "Four five.", "Six seven eight."])
    assert fragment(page, Span(0, 4, 2, 3)) == Fragment(f"{MARK}two%20three,Six", is_unique=True)


def test_what_means_something_in_a_directive_is_encoded() -> None:
    result = fragment(page_words(["well-known, R&D 100% ok"]), Span(0, 0, 0, 23))
    assert result is not None
    assert result.directive == ":~:text=well%2Dknown%2C%20R%26D%20100%25%20ok"


@pytest.mark.parametrize(
    ("url", "address"),
    [
        (None, "#:~:text=a"),
        ("https://example.org/", "https://example.org/#:~:text=a"),
        ("https://example.org/#b", "https://example.org/#b:~:text=a"),
        ("https://example.org/#:~:text=c", "https://example.org/#:~:text=a"),
    ],
)
def test_the_fragment_stands_behind_the_address(url: str | None, address: str) -> None:
    assert with_fragment(url, ":~:text=a") == address


# the words of a page


@pytest.mark.parametrize(
    ("one", "other"),
    [("Ferry", "FERRY"), ("naïve", "naive"), ("Donau\u00addampf", "Donaudampf"), ("ﬁsh", "fish")],
)
def test_words_are_equal_as_browsers_have_it(one: str, other: str) -> None:
    assert key_of(one) == key_of(other)


def test_words_stand_where_they_are_said_to() -> None:
    text = "Rain, 3.14 and 雨水 don’t mix."
    words = words_of(text, 7)
    assert [text[word.start : word.end] for word in words] == (
        "Rain 3 14 and 雨 水 don t mix".split()
    )
    assert {word.line for word in words} == {7}


def test_others_are_the_other_places_of_some_words() -> None:
    page = page_words(["the cat and the dog", "the cat", "cat the"])
    assert page.others(0, 2, 10) == [5]
    assert page.others(5, 7, 10) == [0]
    assert page.others(3, 5, 10) == []


def test_too_many_places_are_not_compared() -> None:
    page = page_words(["a b " * 50])
    assert page.others(0, 2, 5) == [2, 4, 6, 8, 10]
    assert len(page.others(0, 2, 1_000)) == 49


# the lines of blocks


def lines(html: str) -> list[str]:
    return [text.strip() for text in lines_of(split(Page(html))).texts]


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        ("<p>One<br>two.</p><p>Three.</p>", ["One", "two.", "Three."]),
        ("<p>One <b>bold</b> word.</p>", ["One bold word."]),
        ("<p>One <img src=a alt=x> two.</p>", ["One", "two."]),
        ("<p>One <a style='display:inline-block'>8</a> two.</p>", ["One", "8", "two."]),
        ("<p>a<b>b<br></b>c<i>d</i></p>", ["ab", "cd"]),
        ("", []),
    ],
)
def test_lines_end_where_a_browsers_search_does(html: str, texts: list[str]) -> None:
    assert lines(html) == texts
