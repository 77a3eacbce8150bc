"""Tell whether a page has its content: by its words, notices and scripts."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import islice

from crfclean.core import words
from crfclean.core.table import Table
from crfclean.lexicon import lexicon
from crfclean.lexicon.groups import NOTICE_GROUPS
from crfclean.model.logistic import Weights, load_logistic, probability
from crfclean.model.pagetype import page_type
from crfclean.page.chars import among, bits_by_member
from crfclean.page.head import json_ld
from crfclean.page.measures import count_texts
from crfclean.systems.carried import MIN_COVER, shown_share
from crfclean.systems.frames import largest_frame
from crfclean.systems.open_model import PRESENCE
from crfclean.types import Document, Label, Page, Presence

_MAX_HEADING_CHARS = 100
_MIN_FILLED = 0.6  # share of a heading's letters in a notice: "Sorry, page not found"

_NO_LETTER = re.compile(r"[\W\d_]+")
_TITLE_PARTS = re.compile(r"\s[-–—·«»/]\s|[|:]")
_STATUS = re.compile(
    r"\W*(?:(?:oops|error|http|status|code)\W+)*(?:(40[03]|429|451)|404|410|50[0234])(?:\W+(?:oops|error))*\W*"
)


def bits_of(*groups: str) -> int:
    """Return the bits of some of `NOTICE_GROUPS`."""
    return sum(1 << NOTICE_GROUPS.index(group) for group in groups)


STRONG = bits_of("wall", "blocked", "gone")
"""Bits of groups whose phrases are the message of a page wherever they stand in its text."""
_FILLING = STRONG | bits_of("login", "error")


@cache
def _phrases() -> words.Phrases:
    """Return the phrases of notices, each with the bits of its groups."""
    bits = bits_by_member(lexicon().notices[group] for group in NOTICE_GROUPS)
    return words.Phrases(bits)


def notice_bits(text: str) -> int:
    """Return the bits of the groups that have a phrase in a text in lower case."""
    return _phrases().within(text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))


def filled_bits(heading: str) -> int:
    """Return the bits of the groups with a notice that makes up a heading in lower case.

    >>> filled_bits("sorry, page not found!") == filled_bits("404") == bits_of("gone")
    True
    >>> filled_bits("what does 404 not found mean?"), filled_bits("peugeot 404")
    (0, 0)
    """
    if status := _STATUS.fullmatch(heading):
        return bits_of("blocked" if status[1] else "gone")
    heading = heading.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    bits = notice_bits(heading) & _FILLING if len(heading) <= _MAX_HEADING_CHARS else 0
    if not bits:
        return 0
    least, filled = _MIN_FILLED * _letters(heading), 0
    for place, group in enumerate(NOTICE_GROUPS):
        phrases = lexicon().notices[group] if bits >> place & 1 else ()
        if any(phrase in heading and _letters(phrase) >= least for phrase in phrases):
            filled |= 1 << place
    return filled


def title_bits(title: str) -> int:
    """Return the bits of the groups with a notice that makes up a part of a title in lower case."""
    bits = 0
    for part in _TITLE_PARTS.split(title):
        bits |= filled_bits(part)
    return bits


def _letters(text: str) -> int:
    return len(_NO_LETTER.sub("", text))


# the evidence that a page has its content: its words, its notices, its scripts

SHORT_WORDS = 250  # kept words from which on notices, forms and descriptions do not count
_MAX_NOTICE_CHARS = 4_000  # of a page's texts are searched for notices
_MAX_ELEMENTS = 5_000  # are searched; short pages have fewer
_MIN_DESCRIPTION_WORDS = 8
_MAX_HEADINGS = 5
_START_CHARS = 100  # of a block, in which its notice stands
_ALONE_WORDS = 30  # kept words beside a notice from which on it is not the page's only text
_FRAME_CHARS = 40  # of text from which on a page is more than its frame
_BAR_CHARS, _BAR_WORDS = 200, 40  # of a bar and all of its page, that may stand beside a frame
_MIN_BODY_WORDS = 80  # of a text in structured data
_MIN_FORM = 0.3  # probability of a form from which it is a reason
_MAX_BODY_WORDS = 500  # kept words with more of which such a text does not matter

_ROOTS = frozenset(
    "root app __next __nuxt ___gatsby main-app react-root app-root ember-app".split()
)
"""Ids of elements that scripts fill."""
_FIELDS = frozenset(["", "text", "email", "tel", "search", "checkbox", "radio"])
"""Types of inputs that a reader fills in."""
LOADERS = frozenset(["script", "root", "refresh"])
"""Marks of pages that may load their content later."""

_DESCRIPTIONS = frozenset(["description", "og:description"])
_TEXT_KEY = re.compile(r'"(?:articleBody|text|recipeInstructions)"')
_NOT_FREE = re.compile(r'"isAccessibleForFree"\s*:\s*"?false', re.IGNORECASE)
_WORD = re.compile(r"\w+")
_MAIL = re.compile(r"\w@\w")


@dataclass(frozen=True, repr=False, eq=False)
class PresenceEvidence:
    """A tagged page with the evidence for its content."""

    document: Document
    page: Page

    @property
    def all_words(self) -> float:
        """The words of all blocks."""
        return self.document.blocks.all_words if len(self.document.blocks) else 0.0

    @cached_property
    def kept_words(self) -> float:
        """The words of the kept blocks."""
        words = self.document.blocks.words
        return float(words[self.document.tags.kept].sum())

    @property
    def shortness(self) -> float:
        """1 for a page without kept words, 0 for a page with at least `SHORT_WORDS`."""
        return max(0.0, 1.0 - self.kept_words / SHORT_WORDS)

    @property
    def title(self) -> str:
        """The title of the page, in lower case."""
        return self.document.page_blocks.title.lower()

    @cached_property
    def texts(self) -> tuple[str, str]:
        """Visible texts in lower case: the kept blocks, and the first of all blocks."""
        texts = self.document.page_blocks.texts
        kept = () if self.document.shown is not None else self.document.kept
        return _joined(texts[index] for index in kept).lower(), _joined(texts).lower()

    @cached_property
    def notice_bits(self) -> int:
        """A bit for each of `NOTICE_GROUPS`, set if a short page shows a notice of the group.

        An error must stand in the text, if there is one: a page about boxes for messages shows
        "Something went wrong." in one of them, beside its text.
        """
        if not self.shortness:
            return 0
        kept, shown = self.texts
        bits = notice_bits(shown)
        return notice_bits(kept) | (bits & ~bits_of("error") if kept else bits)

    @cached_property
    def title_bits(self) -> int:
        """A bit for each of `NOTICE_GROUPS`, set if the title has a notice of the group."""
        return notice_bits(self.title[:_MAX_NOTICE_CHARS])

    @cached_property
    def heading_bits(self) -> int:
        """A bit for each of `NOTICE_GROUPS`, set if a notice is part of the title, or a heading.

        Headings of pages that are not short do not count.
        """
        blocks, bits = self.document.page_blocks, title_bits(self.title[:_MAX_NOTICE_CHARS])
        tags = blocks.table.tags if self.shortness else ()
        headings = (node for node, tag in enumerate(tags) if tag in ("h1", "h2"))
        for node in islice(headings, _MAX_HEADINGS):
            texts = (blocks.texts[block] for block in blocks.table.blocks_in(node)[:3])
            bits |= filled_bits(" ".join(texts).lower())
        return bits

    @property
    def text_words(self) -> float:
        """The kept words below headings."""
        words, labels = self.document.blocks.words, self.document.tags.labels
        return float(words[labels == Label.TEXT].sum())

    @property
    def notice_alone(self) -> float:
        """1 for a page with nothing but a notice, 0 for one without, or with much text beside it.

        A notice makes up a heading, or is a strong one in a kept block (in any if none is kept).
        """
        if not self.shortness:
            return 0.0
        document, has_notice, text_words = self.document, self.heading_bits, self.text_words
        texts, words = document.blocks.texts, document.blocks.words
        for block in document.kept or range(len(words)) if self.notice_bits & STRONG else ():
            if notice_bits(texts[block][:_START_CHARS].lower()) & STRONG:
                has_notice, is_text = 1, document.tags.labels[block] == Label.TEXT
                text_words -= float(words[block]) * is_text
        return max(0.0, 1.0 - text_words / _ALONE_WORDS) if has_notice else 0.0

    @cached_property
    def frame(self) -> str:
        """The address of the frame that a page without text of its own shows, "" for none.

        A bar beside a frame that fills the window is no text of the page: "Example says: this page
        is shown in a frame. Close".
        """
        if not self.shortness:
            return ""
        document, page = self.document, self.document.blocks
        beside = page.table.within("footer", "header", "nav")[page.node] > 0
        own = (document.tags.labels == Label.TEXT) & ~beside
        chars = float(page.table.sizes[own].sum())
        is_bar, has_heading = chars >= _FRAME_CHARS, page.table.in_heading[~beside].any()
        if is_bar and (chars >= _BAR_CHARS or has_heading):
            return ""
        is_empty = not (self.kept_words and (has_heading or self.all_words > _BAR_WORDS))
        return largest_frame(document.page_blocks, document.url, is_empty=is_empty, fills=is_bar)

    @cached_property
    def missing_share(self) -> float:
        """The share (0..1) of a long text in the structured data that is in no block, or 0.

        It is 0 if the page shows most of this text, keeps more words than it has, or is long.
        """
        page = self.document.page_blocks
        scripts = json_ld(page)
        if self.kept_words > _MAX_BODY_WORDS or not any(map(_TEXT_KEY.search, scripts)):
            return 0.0
        from crfclean.systems.data_bodies import longest_text  # loads `html`, which few pages need

        text = longest_text(page)
        if _count(text) < max(_MIN_BODY_WORDS, self.kept_words):
            return 0.0
        blocks = self.document.blocks
        share = shown_share(text, (*blocks.texts, *page.texts))
        return 1.0 - share if share < MIN_COVER else 0.0

    @property
    def not_free(self) -> bool:
        """True if the structured data say that the text is not free."""
        return any(map(_NOT_FREE.search, json_ld(self.document.page_blocks)))

    @cached_property
    def marks(self) -> frozenset[str]:
        """Marks among the page's elements, of "field", "password", "refresh", "root", "script"."""
        table = self.document.page_blocks.table
        numbers, ids = table.attribute("id")
        roots = [number for number, name in enumerate(ids) if name in _ROOTS]
        has_mark = table.is_tag("input", "meta") | (among(numbers, roots) if roots else False)
        marks = {_mark(table, node) for node in has_mark[:_MAX_ELEMENTS].nonzero()[0].tolist()}
        return frozenset(marks | {"script"} & set(table.tags[:_MAX_ELEMENTS]))

    @cached_property
    def form(self) -> float:
        """The probability that a short page is a form for login, registration or a search."""
        of_page = page_type(self.document) if self.shortness else None
        return of_page.probabilities.get("form", 0.0) if of_page else 0.0

    @property
    def has_address(self) -> bool:
        """True if a kept block has an e-mail address: the text of a contact page beside its form.

        Without it, "12 Mill Lane, info@mill.example" above a form was taken for a part of the form.
        """
        texts = self.document.blocks.texts
        return any(_MAIL.search(texts[block]) for block in self.document.kept)

    @property
    def is_complete(self) -> bool:
        """True if a page with words has no script, password, redirection, notice or frame."""
        awaits = self.marks & LOADERS or "password" in self.marks or self.not_free or self.frame
        notices = self.title_bits | self.notice_bits | self.heading_bits
        return self.all_words > 0 and not (awaits or notices)

    @property
    def description_missing(self) -> bool:
        """True if the text has less than a third of the words of the declared description."""
        table = self.document.page_blocks.table
        contents = [
            table.attributes[node]["content"] or ""
            for node in table.attributes[:_MAX_ELEMENTS].having(("content",))
            if table.tags[node] == "meta"
            and (table.attributes[node].get("name") or table.attributes[node].get("property"))
            in _DESCRIPTIONS
        ]
        words = set(_WORD.findall(" ".join(contents)[:_MAX_NOTICE_CHARS].lower()))
        if len(words) < _MIN_DESCRIPTION_WORDS:
            return False
        return 3 * len(words & set(_WORD.findall("\n".join(self.texts)))) < len(words)


def _count(texts: Iterable[str]) -> float:
    """Count the words of texts as `Blocks` does."""
    return float(count_texts(tuple(texts)).words.sum())


def _joined(texts: Iterable[str]) -> str:
    """Return the first texts, a line each."""
    lines, left = [], _MAX_NOTICE_CHARS
    for text in texts:
        lines.append(text[:left])
        left -= len(text)
        if left <= 0:
            break
    return "\n".join(lines)


def _mark(table: Table, node: int) -> str:
    """Return the mark of an element by its attributes, "" for none."""
    tag, attributes = table.tags[node], table.attributes[node]
    if tag == "input":
        if attributes.keys().isdisjoint(("id", "type", "http-equiv")):
            return ""
        kind = (attributes.get("type") or "").lower()
        return "password" if kind == "password" else "field" * (kind in _FIELDS)
    if tag == "meta":
        return "refresh" if (attributes.get("http-equiv") or "").lower() == "refresh" else ""
    if attributes.get("id") not in _ROOTS or tag == "script":
        return ""
    return "" if table.blocks_in(node) else "root"


def _says(bits: int, *groups: str) -> bool:
    return bool(bits & bits_of(*groups))


_SHOWN = tuple(f"shows_{group}" for group in NOTICE_GROUPS)
PRESENCE_FEATURES = (
    *("kept_words", "words", "score", "no_text", "not_free", "short"),
    *_SHOWN,
    *("title_notice", "no_title", "password", "refresh", "root"),
    *("description_missing", "complete", "carried", "heading_notice", "notice_alone", "framed"),
    *("form", "address"),
)
"""The names of the features."""


def presence_features(evidence: PresenceEvidence) -> dict[str, float]:
    """Return the value of each of `PRESENCE_FEATURES`, in their order.

    For a page that is not short, all features from "short" on are 0 except "title_notice",
    "carried", and "heading_notice" for a title.
    """
    document, kept, short = evidence.document, evidence.kept_words, evidence.shortness
    bits, marks = evidence.notice_bits, evidence.marks if short else frozenset[str]()
    return {
        "kept_words": math.log1p(kept) / 8,
        "words": math.log1p(evidence.all_words) / 8,
        "score": document.score,
        "no_text": float(not kept),
        "not_free": float(evidence.not_free),
        "short": short,
        **{name: short * (bits >> place & 1) for place, name in enumerate(_SHOWN)},
        "title_notice": max(short, 0.2) * (evidence.title_bits > 0),
        "no_title": short * (not evidence.title),
        "password": short * ("password" in marks),
        "refresh": short * ("refresh" in marks),
        "root": short * ("root" in marks),
        "description_missing": short and short * evidence.description_missing,
        "complete": short and short * evidence.is_complete,
        "carried": float(document.blocks.source not in ("", "panels")),
        "heading_notice": max(short, 0.2) * (evidence.heading_bits > 0),
        "notice_alone": evidence.notice_alone,
        "framed": float(bool(evidence.frame)),
        "form": evidence.form,
        "address": short and short * evidence.has_address,
    }


# whether and where a page has its content: a logistic regression over its evidence
#
# `eval/models/train_presence.py` learned the weights in `weights.json`.

PRESENCE_KIND = "presence"
_READ = frozenset(["ok", "empty", "no-blocks", "nothing-kept", "below-precision"])
"""Statuses of pages that could be read."""

_Check = Callable[[PresenceEvidence], bool]
REASONS: tuple[tuple[str, _Check], ...] = (
    ("framed", lambda page: bool(page.frame)),
    ("empty", lambda page: not (page.all_words or "script" in page.marks)),
    ("blocked", lambda page: _says(page.title_bits | page.heading_bits, "blocked")),
    ("error-page", lambda page: _says(page.title_bits | page.heading_bits, "gone")),
    ("login", lambda page: _says(page.notice_bits, "wall")),
    ("blocked", lambda page: _says(page.notice_bits, "blocked")),
    ("error-page", lambda page: _says(page.title_bits, "error")),
    ("needs-script", lambda page: not page.all_words),
    ("paywall", lambda page: page.not_free or _says(page.notice_bits, "paywall")),
    ("login", lambda page: "password" in page.marks or _says(page.notice_bits, "login")),
    ("error-page", lambda page: _says(page.notice_bits, "error", "gone")),
    ("needs-script", lambda page: _says(page.notice_bits, "script")),
    ("consent", lambda page: _says(page.notice_bits, "consent")),
    ("form", lambda page: "field" in page.marks and page.form >= _MIN_FORM),
    ("needs-script", lambda page: bool(page.marks & LOADERS)),
)
"""Reasons why a page has no content, with their checks; the first that holds counts."""


def presence_of(document: Document, page: Page) -> Presence | None:
    """Return whether and where a page has its content; None for an unreadable page."""
    if document.status not in _READ:
        return None
    evidence = PresenceEvidence(document, page)
    if share := evidence.missing_share:
        return Presence("carried", "", round(share, 4))
    chance = probability(presence_weights(), list(presence_features(evidence).values()))
    if chance < 0.5:
        reason = next((name for name, holds in REASONS if holds(evidence)), "empty")
        frame = evidence.frame if reason == "framed" else ""
        return Presence("not-in-this-html", reason, round(1.0 - chance, 4), frame)
    source = document.blocks.source
    where = "hidden" if source in ("noscript", "hidden") else "visible"
    return Presence(where, "", round(chance, 4))


@cache
def presence_weights() -> Weights:
    """Read the shipped weights, once; raises `ModelError`."""
    return load_logistic(PRESENCE, PRESENCE_KIND, {PRESENCE_KIND: PRESENCE_FEATURES})[PRESENCE_KIND]
