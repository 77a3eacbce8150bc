"""What is known of a site: where its text stands, and what it repeats."""

from __future__ import annotations

from dataclasses import dataclass, field

TEXT_SHARE = 0.5  # of a place's words that are kept, from which it is a place of the text

Places = dict[str, tuple[float, float]]
"""Path of blocks -> their words, and how many of those the model expects to keep."""


@dataclass(frozen=True, slots=True)
class Place:
    """Blocks at one place of the site's pages, named by `stable.block_paths`.

    `pages` have it, with `words` altogether, of which the model expects to keep a share (0..1).
    """

    path: str
    pages: int
    words: int
    kept: float


@dataclass(frozen=True, slots=True)
class Region:
    """An element of the site's template, by a CSS selector and an XPath.

    `pages` have it. Of its words a share of `precision` is expected to be text, of all text a share
    of `recall` to stand in it, both in 0..1 and by the model's probabilities.
    """

    css: str
    xpath: str
    pages: int
    precision: float
    recall: float


@dataclass(frozen=True, slots=True)
class FieldPlace:
    """Where a `field` ("title", "author") stands: on so many pages, by CSS and by XPath.

    Of the pages that have the place a share of `precision` shows the field there, of those that
    show it a share of `recall`, both in 0..1.
    """

    field: str
    css: str
    xpath: str
    pages: int
    precision: float
    recall: float


@dataclass(frozen=True, slots=True)
class RepeatedText:
    """A text that stands on several `pages`: its beginning, and the digest of all of it."""

    text: str
    pages: int
    digest: str


@dataclass(frozen=True, slots=True)
class SiteRules:
    """What `pages` of a site have taught; `score` and `fit` (0..1) are their means.

    `text` are regions that hold the text, the best first; `strip` are regions inside those that
    are no text. `learned` is a date, `version` that of crfclean, `model` a fingerprint, and
    `example` the URL of a page.
    """

    site: str
    pages: int
    learned: str = ""
    version: str = ""
    model: str = ""
    score: float = 0.0
    fit: float = 0.0
    example: str = ""
    text: tuple[Region, ...] = ()
    strip: tuple[Region, ...] = ()
    fields: tuple[FieldPlace, ...] = ()
    places: tuple[Place, ...] = ()
    repeated: tuple[RepeatedText, ...] = ()


@dataclass(frozen=True, slots=True)
class PageNotes:
    """What a page says of its site.

    `places` are words and expected kept words by path, `texts` the beginnings of its texts by
    digest. `score` is the expected F1 of its text, `fields` are the paths of its title and author.
    """

    site: str
    url: str = ""
    places: Places = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    score: float = 0.0
    fields: dict[str, str] = field(default_factory=dict)
