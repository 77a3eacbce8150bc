"""Tests of `features/networks.py`."""

from __future__ import annotations

import pytest

from crfclean.features.zones import zones
from crfclean.lexicon.markup import NETWORKS
from crfclean.page.blocks import split
from crfclean.types import Kind, Page


def rows(html: str) -> list[bool]:
    """Whether each block is promotion, as rows of networks are."""
    return [kind == Kind.PROMO for kind in zones(split(Page(html))).tolist()]


@pytest.mark.parametrize("name", NETWORKS.split())
def test_names_of_networks(name: str) -> None:
    assert rows(f"<p>{name.title()}</p>") == [True]
    assert rows(f"<p>{name.title()} is down</p>") == [False]
    assert rows(f"<p><a href='https://www.{name}.com/x'>Here</a></p>") == [True]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>Facebook | Twitter | Telegram</p>", [True]),
        (f"<p>{'Facebook ' * 16}</p>", [False]),
        ("<p>...</p>", [False]),
        ("<p><a href='//facebook.com/sharer'>Del på veggen</a></p>", [True]),
        ("<p><a href='https://t.me/village'>Наш канал</a></p>", [True]),
        ("<p><a href=/facebook-buys-whatsapp>The bank buys it</a></p>", [False]),
        ("<p><a href='https://notfacebook.com/'>Here</a></p>", [False]),
        ("<p><a href='https://facebook.community/'>Here</a></p>", [False]),
        ("<p><a href='https://x.example/?u=https://facebook.com'>Here</a></p>", [False]),
        ("<p><a href='//facebook.com/a'>a</a> <a href=/b>b</a></p>", [False]),
        ("<p>He wrote it <a href='//twitter.com/a'>there</a> on Monday.</p>", [False]),
        (f"<p><a href='//twitter.com/a'>{'They wrote it ' * 3}</a></p>", [False]),
        ("<p><a name=facebook>Here</a></p>", [False]),
        ("", []),
    ],
)
def test_rows_of_networks(html: str, expected: list[bool]) -> None:
    assert rows(html) == expected
