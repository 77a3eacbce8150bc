"""`Page`s of one site -> threads: every post with author, date, own words and quotes.

Fields become posts by their records; author and date stand at the address that speaks for most
records, so that a name in one post's signature is no author.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import urljoin

import numpy as np

from crfclean.blocks import split
from crfclean.forum.choose import Labelled, choose, corrected
from crfclean.forum.clues import PROFILE
from crfclean.forum.dates import NEVER, DateReader, When, core_of, is_month_first
from crfclean.forum.fields import COMM, DATES, NICK
from crfclean.forum.model import ForumModel, load
from crfclean.forum.outline import Outline, outline
from crfclean.forum.records import INSIDE
from crfclean.types import Bools, Floats, Ints, Page

MAX_AUTHOR = 80  # characters of a name
NO_WORDS = 0.15  # probability of a field inside to be a post's words, below which it goes
MISSING = -3.0  # log-odds for a record without the field at an address
SURE = 0.5  # probability of a field that stands elsewhere than those of other posts

_SIGNATURE = re.compile(r"^(?:_{5,}|-- ?|[-=*~]{10,})$")
_LABEL = re.compile(r"^(?:by|von|from|od|от|автор|author|autor|posted by|napsal)\b:?\s*", re.I)
_POST_LINK = re.compile(r"#(?:p|post|msg|comment|entry|c)?[-_]?\d+|post|[?&]p=\d|comment|msg|/p/", re.I)
_NUMBER = re.compile(r"(?:post|msg|message|comment|entry|reply|p|c|pid|prispevek)[^a-z0-9]{0,2}(\d+)", re.I)


@dataclass(frozen=True, slots=True)
class Post:
    """A post. `text` has its own words, a paragraph a line, `quotes` those of other posts.

    `full` is both in page order; `date` is as written, `published` what it means; `page` numbers
    the page among those given; `first` marks the post that opens the thread.
    """

    text: str
    quotes: tuple[str, ...]
    full: str
    author: str
    author_url: str
    date: str
    published: When
    post_id: str
    url: str
    page: int
    first: bool
    node: int


@dataclass(frozen=True, slots=True)
class Thread:
    """The posts of a page; `status` is "ok", the page's own, or "no-posts"."""

    url: str
    topic: str
    posts: tuple[Post, ...]
    status: str = "ok"
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class ForumOptions:
    """What is known of the pages: their language, and when they were fetched."""

    language: str = ""
    fetched: datetime | None = None


def posts(
    pages: Iterable[Page],
    model: ForumModel | str | Path = "forum",
    options: ForumOptions = ForumOptions(),
) -> list[Thread]:
    """The posts of pages of one site, a `Thread` a page, in their order.

    A bad page gives a thread without posts whose status says why. Raises `ModelError` for a bad
    model, and `CrfcleanError` where dateparser is not installed.
    """
    opened = model if isinstance(model, ForumModel) else load(model)
    given = list(pages)
    outlines = [outline(split(page)) for page in given]
    chosen = choose(outlines, opened)
    known = [one for one in chosen if one is not None]
    labels = iter(corrected(known))
    threads = []
    for number, (page, one) in enumerate(zip(given, chosen, strict=True)):
        if one is None:
            status = page.status if page.status != "ok" else "no-posts"
            threads.append(Thread(page.url or "", "", (), status))
            continue
        threads.append(_Thread(page, one, next(labels), options, number).made())
    return threads


class _Thread:
    """One page's posts in the making."""

    def __init__(
        self, page: Page, one: Labelled, site: Floats, options: ForumOptions, number: int
    ) -> None:
        self.url, self.one, self.number = page.url or "", one, number
        self.records = one.fields.records
        self.page: Outline = self.records.page
        self.site = site
        self.options = options

    def made(self) -> Thread:
        drop = self._dropped()
        names = pick(self.one, self.site, NICK)
        days = pick(self.one, self.site, DATES)
        dates = [self._date_text(field) for field in days]
        language = self.options.language or _language(self.page)
        reader = DateReader(language, is_month_first(dates, language), self.options.fetched)
        made = [
            self._post(place, names[place], days[place], dates[place], drop, reader)
            for place in range(len(self.records))
        ]
        kept = tuple(post for post in made if post.full)
        return Thread(self.url, topic(self.page, self.records.start), kept, "ok" if kept else "no-posts", self.one.score)

    def _dropped(self) -> Bools:
        """The runs inside that are none of a post's words, shape (runs,)."""
        drop = np.zeros(len(self.page.page.runs.texts), np.bool_)
        runs = self.one.fields.runs
        inside = self.records.side[runs] == INSIDE
        wrong = inside & (self.site[:, COMM] < NO_WORDS)
        drop[runs[wrong]] = True
        return drop

    def _post(
        self, place: int, name: int, day: int, date: str, drop: Bools, reader: DateReader
    ) -> Post:
        node = int(self.records.bodies[place])
        start, end = int(self.page.first[node]), int(self.page.last[node])
        full = _unsigned(self.page.lines(start, end, drop))
        own = _unsigned(self.page.lines(start, end, drop | self.page.quoted))
        author, link = self._author(name)
        machine = self._machine(day)
        when = reader.read(date, machine) if date or machine else NEVER
        number, url = self._identity(place)
        first = place == 0 and not self.number
        return Post(
            "\n".join(own), self._quotes(start, end), "\n".join(full), author, link,
            date, when, number, url, self.number, first, node,
        )  # fmt: skip

    def _quotes(self, start: int, end: int) -> tuple[str, ...]:
        """The quotes inside, each a text."""
        quoted = self.page.quoted[start:end].astype(np.int8)
        edges = np.flatnonzero(np.diff(np.concatenate([[0], quoted, [0]])))
        spans = zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
        found = ["\n".join(self.page.lines(start + one, start + two)) for one, two in spans]
        return tuple(text for text in found if text)

    def _author(self, name: int) -> tuple[str, str]:
        """The author's name, and the link around it."""
        if name < 0:
            return "", ""
        run = int(self.one.fields.runs[name])
        nodes = self.page.page.nodes
        text, node = self.page.page.runs.texts[run], int(self.page.page.runs.node[run])
        link = ""
        for _ in range(3):
            if node < 0:
                break
            if nodes.tags[node] == "a":
                link = nodes.attributes[node].get("href", "")
                break
            node = int(nodes.parent[node])
        text = _LABEL.sub("", " ".join(text.split())).strip(" ,:|·•\u200e\u200b")
        return text[:MAX_AUTHOR], _absolute(self.url, link)

    def _date_text(self, day: int) -> str:
        """The date as written: the field and the neighbours in its block that are dates, too."""
        if day < 0:
            return ""
        runs = self.page.page.runs
        run = int(self.one.fields.runs[day])
        texts = [runs.texts[run]]
        for step in (1, -1):
            at = run + step
            while 0 <= at < len(runs.texts) and runs.block[at] == runs.block[run]:
                if not (self.page.dates[at] or not runs.texts[at].strip(" \n\t,·-–|")):
                    break
                texts.insert(len(texts) if step > 0 else 0, runs.texts[at])
                at += step
        return core_of(" ".join(texts))

    def _machine(self, day: int) -> str:
        """The date that the element around a field tells programs."""
        if day < 0:
            return ""
        nodes = self.page.page.nodes
        node = int(self.page.page.runs.node[int(self.one.fields.runs[day])])
        for _ in range(3):
            if node < 0:
                return ""
            told = nodes.attributes[node]
            for name in ("datetime", "data-time", "data-timestamp"):
                if told.get(name):
                    return str(told[name])
            node = int(nodes.parent[node])
        return ""

    def _identity(self, place: int) -> tuple[str, str]:
        """A post's number and link: from a link to it in its record, or the id of an element."""
        nodes = self.page.page.nodes
        start, end = int(self.records.start[place]), int(self.records.end[place])
        body = int(self.records.bodies[place])
        around = sorted({int(self.page.page.runs.node[run]) for run in range(start, end)})
        links = []
        for node in around:
            told = nodes.attributes[node].get("href", "") if nodes.tags[node] == "a" else ""
            if told and _POST_LINK.search(told) and not PROFILE.search(told) and not _within(nodes.end, body, node):
                links.append(told)
        number = ""
        up = body
        while up >= 0 and not number:
            own = nodes.attributes[up].get("id", "") or nodes.attributes[up].get("data-id", "")
            found = _NUMBER.search(own)
            number = found[1] if found else ""
            up = int(nodes.parent[up]) if up and self.page.first[nodes.parent[up]] >= start else -1
        fitting = [link for link in links if number and number in link]
        url = (fitting or links or [f"#{number}" if False else ""])[0]
        if not number and url:
            found = re.search(r"(\d+)\D*$", url)
            number = found[1] if found else ""
        return number, _absolute(self.url, url)


def _within(ends: Ints, outer: int, node: int) -> bool:
    return outer <= node < int(ends[outer])


def _absolute(base: str, link: str) -> str:
    """A link as an address; what cannot be joined stays as it is."""
    try:
        return urljoin(base, link) if link else ""
    except ValueError:
        return link


def pick(one: Labelled, site: Floats, label: int) -> list[int]:
    """The field of every record with a meaning, -1 for none.

    The address is chosen whose fields speak for most records; where a record has nothing there,
    its surest field counts.
    """
    found = one.fields
    records = found.records
    if not len(found):
        return [-1] * len(records)
    mixed = np.sqrt(one.probabilities[:, label] * site[:, label])
    odds = np.clip(np.log((mixed + 1e-4) / (1 - mixed + 1e-4)), -5.0, 5.0)
    owner = records.record[found.runs]
    texts = records.page.page.runs.texts
    allowed = records.side[found.runs] != INSIDE
    at: dict[str, dict[int, int]] = defaultdict(dict)
    surest: dict[int, int] = {}
    for field in np.flatnonzero(allowed).tolist():
        if label == NICK and len(texts[found.runs[field]].strip()) > MAX_AUTHOR:
            continue
        record = int(owner[field])
        at[found.address(field)].setdefault(record, field)
        if record not in surest or odds[field] > odds[surest[record]]:
            surest[record] = field
    scores = {
        name: sum(float(odds[field]) for field in mine.values()) + MISSING * (len(records) - len(mine))
        for name, mine in at.items()
    }
    best = at[max(scores, key=lambda name: scores[name])] if scores else {}
    return [
        best.get(place, surest[place] if place in surest and mixed[surest[place]] > SURE else -1)
        for place in range(len(records))
    ]


def _unsigned(lines: Sequence[str]) -> list[str]:
    """The lines before a signature's rule, if any stand there."""
    for place, line in enumerate(lines):
        if place and _SIGNATURE.match(line):
            return list(lines[:place])
    return list(lines)


def topic(page: Outline, start: Ints) -> str:
    """The thread's title: the `h1` before or around the first post, else the page's own title."""
    limit = int(start[0]) if len(start) else len(page.page.runs.texts)
    nodes = page.page.nodes
    for tag in ("h1", "h2"):
        for node, name in enumerate(nodes.tags):
            if name == tag and page.last[node] > page.first[node] and page.first[node] <= limit:
                text = " ".join(page.text(node).split())
                if text and _is_of_title(text, page.page.title):
                    return text
    return re.split(r" [|»·–—-] |\s::\s", page.page.title)[0].strip()


def _is_of_title(text: str, title: str) -> bool:
    """Whether a heading is in the page's title, or there is none to compare it with."""
    return not title or text.lower()[:40] in title.lower() or title.lower()[:20] in text.lower()


def _language(page: Outline) -> str:
    """What the `html` element tells."""
    nodes = page.page.nodes
    for tag, attributes in zip(nodes.tags[:3], nodes.attributes[:3], strict=False):
        if tag == "html":
            return attributes.get("lang", "")[:2].lower()
    return ""
