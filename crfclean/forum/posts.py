"""`Page`s of one site -> threads: every post with author, date, own words and quotes.

Fields become posts by their records; author and date stand at the address that speaks for most
records, so that a name in one post's signature is no author.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
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
from crfclean.forum.fields import COMM, DATES, LABELS, NICK, Fields
from crfclean.forum.model import ForumModel, load
from crfclean.forum.outline import Outline, masked, outline
from crfclean.forum.records import INSIDE, Records
from crfclean.types import Bools, Floats, Ints, Page

NO_POSTS = "no-posts"
MAX_AUTHOR = 80  # characters of a name
NO_WORDS = 0.15  # probability of a field inside to be a post's words, below which it goes
MISSING = -3.0  # log-odds for a record without the field at an address
SHORT = 4  # characters between the parts of a date, as in `11:43pm On Apr 23`
MARKS = 3  # characters of a name that may stand beside it in its element
FRAME = 0.6  # share of the posts that end or begin with a line, from which it is none of theirs
ONE_TEXT = 2.0  # log-odds that a text loses which most records have
SURE = 0.5  # probability of a field that stands elsewhere than those of other posts

_SIGNATURE = re.compile(r"^(?:_{5,}|--$)")
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


@dataclass(frozen=True)
class Reading:
    """Pages of a site, the group chosen on each (None: no text), and its corrected fields."""

    pages: tuple[Page, ...]
    outlines: tuple[Outline, ...]
    chosen: tuple[Labelled | None, ...]
    corrected: tuple[Floats, ...]


def read(pages: Iterable[Page], model: ForumModel) -> Reading:
    """Find and label the fields of pages of one site; no page raises."""
    given = tuple(pages)
    outlines = tuple(outline(split(page)) for page in given)
    chosen = tuple(choose(outlines, model))
    labels = iter(corrected([one for one in chosen if one is not None]))
    none = np.zeros((0, len(LABELS)))
    return Reading(
        given, outlines, chosen, tuple(none if one is None else next(labels) for one in chosen)
    )


def threads(found: Reading, options: ForumOptions = ForumOptions()) -> list[Thread]:
    """Join the fields of every page to posts. Raises `CrfcleanError` without dateparser."""
    made = []
    for number, (page, one) in enumerate(zip(found.pages, found.chosen, strict=True)):
        if one is None:
            status = page.status if page.status != "ok" else NO_POSTS
            made.append(Thread(page.url or "", "", (), status))
        else:
            made.append(_Thread(page, one, found.corrected[number], options, number).made())
    return made


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
    return threads(read(pages, opened), options)


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
        self.frame = repeated(self.records, drop)
        language = self.options.language or _language(self.page)
        reader = DateReader(language, is_month_first(dates, language), self.options.fetched)
        made = [
            self._post(place, names[place], days[place], dates[place], drop, reader)
            for place in range(len(self.records))
        ]
        kept = tuple(post for post in made if post.full)
        status = "ok" if kept else NO_POSTS
        title = topic(self.page, self.records.start)
        return Thread(self.url, title, kept, status, self.one.score)

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
        full = self._trimmed(self.page.lines(start, end, drop))
        own = self._trimmed(self.page.lines(start, end, drop | self.page.quoted))
        author, link = self._author(name)
        machine = self._machine(day)
        when = reader.read(date, machine) if date or machine else NEVER
        number, url = self._identity(place)
        first = place == 0 and not self.number
        return Post(
            "\n".join(own), self._quotes(start, end), "\n".join(full), author, link,
            date, when, number, url, self.number, first, node,
        )  # fmt: skip

    def _trimmed(self, lines: Sequence[str]) -> list[str]:
        """The lines of a post without its signature, and without what frames all posts."""
        kept = _unsigned(lines)
        while kept and masked(kept[-1]) in self.frame:
            kept.pop()
        while kept and masked(kept[0]) in self.frame:
            kept.pop(0)
        return kept

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
        text, node = self._name_text(run), int(self.page.page.runs.node[run])
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

    def _name_text(self, run: int) -> str:
        """The text of a name: of the element around it where that has little more."""
        runs = self.page.page.runs
        node = int(runs.node[run])
        around = " ".join(self.page.text(node).split())
        own = " ".join(runs.texts[run].split())
        return around if len(around) <= len(own) + MARKS else own

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
                if not self.page.dates[at] and len(runs.texts[at].strip()) > SHORT:
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
        url = (fitting or links or [""])[0]
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
    odds = odds - ONE_TEXT * _common(found)
    at: dict[str, dict[int, int]] = defaultdict(dict)
    surest: dict[int, int] = {}
    for field in np.flatnonzero(_possible(found, label, mixed)).tolist():
        record = int(records.record[found.runs[field]])
        mine = at[found.address(field)]
        for known in (mine, surest):
            if record not in known or odds[field] > odds[known[record]]:
                known[record] = field
    scores = {
        name: sum(float(odds[field]) for field in mine.values())
        + MISSING * (len(records) - len(mine))
        for name, mine in at.items()
    }
    best = at[max(scores, key=lambda name: scores[name])] if scores else {}
    return [
        best.get(place, surest[place] if place in surest and mixed[surest[place]] > SURE else -1)
        for place in range(len(records))
    ]


def _possible(found: Fields, label: int, mixed: Floats) -> Bools:
    """The fields that may be a name or a date: by their text, and outside unless they are sure."""
    page, side = found.records.page, found.records.side[found.runs]
    texts = page.page.runs.texts
    outside: Bools = (side != INSIDE) | (mixed > SURE)
    if label == DATES:
        dated = outside & page.dates[found.runs]
        return dated if dated.any() else outside
    named = [
        any(map(str.isalnum, texts[run])) and len(texts[run].strip()) <= MAX_AUTHOR
        for run in found.runs.tolist()
    ]
    return outside & np.array(named, np.bool_)


def _common(found: Fields) -> Bools:
    """Whether most of four or more records have a field's text, digits aside, shape (n,)."""
    records = found.records
    if len(records) < 4:
        return np.zeros(len(found), np.bool_)
    masks = [records.page.masks[run] for run in found.runs.tolist()]
    owner = records.record[found.runs].tolist()
    holders = Counter(mask for mask, _ in set(zip(masks, owner, strict=True)))
    has_letter = [any(map(str.isalpha, mask)) for mask in masks]
    many = [holders[mask] > FRAME * len(records) for mask in masks]
    return np.array(many, np.bool_) & np.array(has_letter, np.bool_) & ~records.page.dates[found.runs]


def repeated(records: Records, drop: Bools) -> frozenset[str]:
    """The masked lines that most posts, of three or more, begin or end with."""
    page, counts = records.page, Counter[str]()
    for node in records.bodies.tolist():
        lines = page.lines(int(page.first[node]), int(page.last[node]), drop)
        counts.update({masked(line) for line in (*lines[:2], *lines[-3:])})
    least = max(2.5, FRAME * len(records))
    return frozenset(line for line, count in counts.items() if count > least)


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
