"""Tests of `forum/thread.py`: which words of a post are another's."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from crfclean.page.blocks import split
from crfclean.products.forum.outline import outline
from crfclean.products.forum.quotes import quoted_runs
from crfclean.products.forum.records import records
from crfclean.types import Page

TEA = "Tea keeps warm for an hour in the blue pot."
SUGAR = "Never with sugar, and never after six."
MILK = "Milk goes in first, whatever they say in town."


def own_and_quoted(*posts: str, group: str = "div.body") -> list[tuple[str, str]]:
    """Words of each post's own and those it quotes, of posts given by the HTML of their bodies."""
    heads = (f'<div class="post"><p>ann, 5 May 2020</p>{post}</div>' for post in posts)
    page = outline(split(Page(f"<html><body>{''.join(heads)}")))
    page_records = records(page, np.array(page.groups[group]))
    quoted = quoted_runs(page_records, np.zeros(len(page.page.table.run_texts), np.bool_))
    spans = [(int(page.first[node]), int(page.last[node])) for node in page_records.bodies.tolist()]
    return [
        (" ".join(page.lines(*span, quoted)), " ".join(page.lines(*span, ~quoted)))
        for span in spans
    ]


def body(html: str) -> str:
    return f'<div class="body">{html}</div>'


def xenforo(html: str) -> str:
    return body(f'<blockquote class="messageText ugc">{html}</blockquote>')


def vbulletin(html: str) -> str:
    return body(f'<blockquote class="postcontent restore">{html}</blockquote>')


def plain(html: str) -> str:
    return body(f"<blockquote>{html}</blockquote>")


@pytest.mark.parametrize("wrapped", [xenforo, vbulletin, plain])
def test_an_element_that_holds_every_post_is_no_quote(wrapped: Callable[[str], str]) -> None:
    quote = f'<div class="bbCodeQuote"><div>ann wrote:</div><blockquote>{TEA}</blockquote></div>'
    assert own_and_quoted(wrapped(TEA), wrapped(SUGAR), wrapped(quote + MILK)) == [
        (TEA, ""),
        (SUGAR, ""),
        (MILK, f"ann wrote: {TEA}"),
    ]


WORDS = (TEA, SUGAR, MILK)


def test_most_posts_may_begin_with_a_quote() -> None:
    quote = f"<blockquote>{TEA} {SUGAR} {MILK}</blockquote>"
    replies = [own for own, _ in own_and_quoted(*(body(f"{quote}{text}") for text in WORDS))]
    assert replies == list(WORDS)


@pytest.mark.parametrize(
    ("quote", "wanted"),
    [
        (f"<p>Liane schrieb:</p><blockquote>{TEA}</blockquote>", f"Liane schrieb: {TEA}"),
        (f"<div><a>Bob</a> wrote: »</div><blockquote>{TEA}</blockquote>", f"Bob wrote: » {TEA}"),
        (
            f'<div class="quoteheader">Quote from: Bob</div><div class="quote">{TEA}</div>',
            f"Quote from: Bob {TEA}",
        ),
        (
            f"<p>Originally Posted by\nBob</p><blockquote>{TEA}</blockquote>",
            f"Originally Posted by Bob {TEA}",
        ),
        (f"<p>Marie a écrit :</p><blockquote>{TEA}</blockquote>", f"Marie a écrit : {TEA}"),
        (f"<p>Жанна писала:</p><blockquote>{TEA}</blockquote>", f"Жанна писала: {TEA}"),
        (f"<p>I see it in another way.</p><blockquote>{TEA}</blockquote>", TEA),
        (f"<p>{'x ' * 70}wrote:</p><blockquote>{TEA}</blockquote>", TEA),
        (
            f"<div><div>Quote:</div><table><tr><td>{TEA}</td></tr></table></div>",
            f"Quote: {TEA}",
        ),
        ("<p>Prices:</p><table><tr><td>one pot</td></tr></table>", ""),
    ],
)
def test_the_line_above_a_quote(quote: str, wanted: str) -> None:
    """The line that names who is quoted belongs to the quote, no other does."""
    assert own_and_quoted(body(SUGAR), body(f"{quote}<p>{MILK}</p>"))[1][1] == wanted


def test_many_nested_quotes() -> None:
    """Depth and number of quotes are bounded by the page alone."""
    deep = "<blockquote>" * 300 + TEA + "</blockquote>" * 300
    wide = "".join(f"<p>ann wrote:</p><blockquote>{TEA}</blockquote>" for _ in range(2_000))
    (_, (own, _)) = own_and_quoted(body(SUGAR), body(deep + wide + MILK))
    assert own == MILK
