"""Tests of whether and where a page has its content."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from crfclean.carried.evidence import (
    SHORT_WORDS,
    Evidence,
    _notice_bits,
    features,
    presence_of,
)
from crfclean.lexicon import lexicon
from crfclean.lexicon.language import NOTICE_GROUPS
from crfclean.pipeline import clean, open_model, tagged
from crfclean.types import Page
from eval.lib.shell_pages import absent_pages, present_pages
from eval.lib.shell_words import WORDS

ABSENT = [
    pytest.param(reason, html, id=f"{words.lang}-{at}-{reason}")
    for words in WORDS
    for at, (reason, html) in enumerate(absent_pages(words))
]
PRESENT = [
    pytest.param(html, id=f"{words.lang}-{at}")
    for words in WORDS
    for at, html in enumerate(present_pages(words))
]


def evidence(html: str) -> Evidence:
    page = Page(html)
    return Evidence(tagged(page, open_model("default")), page)


@pytest.mark.parametrize(("reason", "html"), ABSENT)
def test_shells(reason: str, html: str) -> None:
    presence = clean(html).presence
    assert presence
    assert (presence.where, presence.reason) == ("not-in-this-html", reason)
    assert 0.5 < presence.probability <= 1.0


@pytest.mark.parametrize("html", PRESENT)
def test_short_pages(html: str) -> None:
    presence = clean(html).presence
    assert presence
    assert (presence.where, presence.reason) == ("visible", "")
    assert 0.5 <= presence.probability <= 1.0


def test_notices_are_phrases_anywhere() -> None:
    groups = lexicon().notices
    phrases = [phrase for group in groups.values() for phrase in group]
    rng = random.Random(12)
    texts = [" ".join(rng.choices(phrases, k=2))[rng.randrange(4) :] for _ in range(300)]
    for text in ["", "x", *texts]:
        said = [any(phrase in text for phrase in groups[group]) for group in NOTICE_GROUPS]
        assert _notice_bits(text) == sum(1 << place for place, has in enumerate(said) if has)


def test_features_are_bounded_and_say_nothing_more_of_long_pages() -> None:
    long = "<form><input type=password></form><p>Page not found. </p>" + "<p>Rain. </p>" * 400
    values = features(evidence(f"<div id=root></div>{long}"))
    assert evidence(long).kept_words > SHORT_WORDS
    assert all(0 <= value <= 3 for value in values.values())
    late = ("short", "password", "root", "shows_error", "no_title", "description_missing")
    assert [values[name] for name in late] == [0] * len(late)


def test_noscript_is_hidden_text() -> None:
    lines = "".join(
        f"<p>In the year {at} the brook was dry, and the mill stood.</p>" for at in range(30)
    )
    document = clean(f"<noscript><h1>Mill</h1>{lines}</noscript><div id=app></div>")
    assert document.blocks.source == "noscript"
    assert document.presence
    assert document.presence.where == "hidden"


def test_a_tiny_page_without_script_or_notice_has_its_content() -> None:
    presence = clean("<p>Hello").presence
    assert presence is not None
    assert (presence.where, presence.reason) == ("visible", "")
    shell = clean("<script src=app.js></script><p>Hello").presence
    assert shell is not None
    assert (shell.where, shell.reason) == ("not-in-this-html", "needs-script")


def test_of_a_page_that_could_not_be_read_nothing_is_said() -> None:
    page = Page("<p>a", status="binary")
    document = tagged(page, open_model("default"))
    assert presence_of(replace(document, status="binary"), page) is None
    assert presence_of(
        document if document.status == "ok" else replace(document, status="ok"), page
    )
