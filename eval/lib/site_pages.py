"""Pages of made-up sites with a template, for what depends on many pages of a site."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from crfclean.products.teach.gold import read_gold
from eval.lib.corpora import DEMO

_WORDS = (
    "lead main story deck rail tools foot strip band panel column sheet page inner wide".split()
)


@dataclass(frozen=True)
class Template:
    """The class names and the layout of a site: a name for each part of a page.

    `element` is that of paragraphs; asides stand before the text if `rail_first`.
    """

    names: Sequence[str]
    element: str
    rail_first: bool


def template(random_: random.Random) -> Template:
    """A template; two draws hardly have a name in common."""
    names = [f"{random_.choice(_WORDS)}-{random_.choice(_WORDS)}" for _ in range(6)]
    return Template(names, random_.choice(("p", "p", "div")), random_.random() < 0.5)


def paragraphs(site: str) -> list[str]:
    """The paragraphs of a demo site's texts."""
    pages = [gold for gold in read_gold(DEMO) if gold.source == site]
    return [line for gold in pages for line in gold.text.splitlines() if len(line.split()) > 8]


def site_page(look: Template, pool: Sequence[str], random_: random.Random) -> str:
    """The HTML of a page: menu, teasers, a text of four to twelve paragraphs, footer."""
    page, menu, text, rail, teaser, foot = look.names
    lines = random_.sample(pool, min(len(pool), random_.randint(4, 12)))
    headline = " ".join(lines[0].split()[:7])
    body = "".join(f"<{look.element}>{escape(line)}</{look.element}>" for line in lines)
    links = "".join(f'<li><a href="/{word}">{word.title()}</a></li>' for word in _WORDS[:8])
    teasers = "".join(
        f'<div class="{teaser}"><a href="/{place}">{escape(" ".join(line.split()[:9]))}</a></div>'
        for place, line in enumerate(random_.sample(pool, min(len(pool), 4)))
    )
    parts = [
        f'<div class="{rail}">{teasers}</div>',
        f'<div class="{text}"><h1>{escape(headline)}</h1>{body}</div>',
    ]
    inner = "".join(parts if look.rail_first else reversed(parts))
    return (
        f"<!doctype html><title>{escape(headline)}</title><body>"
        f'<div class="{page}"><ul class="{menu}">{links}</ul>{inner}'
        f'<div class="{foot}"><p>All rights reserved. Contact and imprint.</p></div></div>'
    )
