"""Tests of texts in the state of scripts."""

from __future__ import annotations

import json

import pytest

from crfclean.carried.texts import is_text, state_texts

SENTENCE = "The miller opened the sluice before the sun had reached the wheel."
ARTICLE = "".join(f"<p>{SENTENCE} Day {number} was dry.</p>" for number in range(6))
PLAIN = "\n\n".join(f"{SENTENCE} Day {number} was dry." for number in range(6))


def texts(html: str) -> list[str]:
    return [carried.text for carried in state_texts(html)]


def next_page(state: object, attributes: str = 'id="__NEXT_DATA__"') -> str:
    script = json.dumps(state).replace("</", "<\\/")
    return f"<div id=__next></div><script {attributes}>{script}</script>"


@pytest.mark.parametrize("article", [ARTICLE, PLAIN])
def test_next(article: str) -> None:
    state = {"props": {"pageProps": {"post": {"title": "Sluice", "content": article}}}}
    assert texts(next_page(state)) == [article]


def test_the_longest_first_and_each_once() -> None:
    longer = ARTICLE + f"<p>{SENTENCE}</p>"
    assert texts(next_page([ARTICLE, {"b": longer}, ARTICLE])) == [longer, ARTICLE]


@pytest.mark.parametrize(
    "text",
    [
        "{" + ARTICLE,
        ".a { color: red }\n\n" * 50,
        "<p>Home</p>" * 50,
        SENTENCE * 9,
        "a\n\n" * 300,
        "One two three four five six seven, \n\n" * 20,
    ],
)
def test_what_is_no_article(text: str) -> None:
    assert not is_text(text)
    assert texts(next_page({"a": text})) == []


@pytest.mark.parametrize(
    "attributes", ['type="application/json" id="translations"', "", 'type="text/x-consent"']
)
def test_scripts_that_hold_no_state(attributes: str) -> None:
    assert texts(next_page({"a": ARTICLE}, attributes)) == []


@pytest.mark.parametrize(
    "html",
    [
        "<script" * 200_000,
        '<script id="__NEXT_DATA__">' * 50_000,
        '<script id="__NEXT_DATA__">' + '{"a":' * 200_000 + "</script>",
        '<script id="__NEXT_DATA__">' + '\\"' * 500_000 + "</script>",
        '<script id="__NEXT_DATA__">"' + "a" * 1_000_000 + '"</script>',
        '<script id="__NEXT_DATA__">' + json.dumps("\n \t" * 300_000) + "</script>",
        '<script id="__NEXT_DATA__">' + json.dumps("<br" * 300_000) + "</script>",
        "<script>State" + " " * 1_000_000 + "</script>" + "<script>" + "A" * 500 + "</script>",
    ],
)
def test_hostile_scripts(html: str) -> None:
    assert texts(html) == []
