"""Counts of right posts, authors and dates by site, and the figures made of them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from crfclean.products.forum.dates import DateReader, date_order
from crfclean.products.forum.outline import folded_words, letters
from crfclean.products.forum.thread import Post, Thread
from eval.forums.platforms import platform_of
from eval.forums.training import SIMILAR, ForumPage, GoldPost, matches

RESAMPLES = 1_000
NAMES = (
    "matched read annotated author authors day string dates zero perfect pages "
    "own right_own empty_own shared_words read_words own_words read_authors read_dates"
).split()


def _nothing() -> Any:
    return np.zeros(len(NAMES))


@dataclass
class Tally:
    """Counts by site, each in the order of `NAMES`; `own` has the own words of posts by page."""

    own: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    sites: dict[str, Any] = field(default_factory=lambda: defaultdict(_nothing))
    platforms: dict[str, str] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)

    def add(self, page: ForumPage, thread: Thread) -> None:
        """Count a page."""
        posts = [post for post in thread.posts if folded_words(post.full)]
        gold = {at: post for at, post in enumerate(page.posts) if folded_words(post.text)}
        places, gold_posts = list(gold), list(gold.values())
        pairs = matches(
            [folded_words(p.full) for p in posts], [folded_words(p.text) for p in gold_posts]
        )
        counts = Counter(matched=len(pairs), read=len(posts), annotated=len(gold_posts), pages=1)
        counts["zero"] = int(not pairs)
        counts["perfect"] = int(len(pairs) == len(posts) == len(gold_posts))
        reader = _reader(page, gold_posts)
        words = self.own.get(page.id, {})
        for at, other in pairs.items():
            counts.update(_signature_counts(posts[at], gold_posts[other], reader))
            counts.update(_own_counts(posts[at].text, words.get(places[other], "")))
        self.platforms[page.site] = platform_of(page.page.html)
        self.sites[page.site] += np.array([float(counts[name]) for name in NAMES])

    def result(self) -> dict[str, Any]:
        """The figures, F1 with a 95 % interval over sites."""
        rows = np.array([self.sites[site] for site in sorted(self.sites)])
        drawn = np.random.default_rng(1).integers(0, len(rows), (RESAMPLES, len(rows)))
        spread = [f1(rows[sample].sum(0)) for sample in drawn]
        figures = _figures(rows.sum(0))
        figures["interval"] = [round(float(np.quantile(spread, q)), 4) for q in (0.025, 0.975)]
        figures["ms_a_page"] = round(1000 * float(np.median(self.seconds or [0.0])), 1)
        return figures

    def by_platform(self) -> dict[str, dict[str, Any]]:
        """The figures of each platform."""
        sums: dict[str, Any] = defaultdict(_nothing)
        for site in sorted(self.sites):
            sums[self.platforms[site]] += self.sites[site]
        return {name: _figures(sums[name]) for name in sorted(sums)}


def _reader(page: ForumPage, gold_posts: Sequence[GoldPost]) -> DateReader:
    declared = re.search(r"<html[^>]*\slang=[\"']?(\w\w)", page.page.html[:2000])
    code = declared[1] if declared else ""
    return DateReader(date_order([post.date for post in gold_posts], code))


def _signature_counts(post: Post, gold_post: GoldPost, reader: DateReader) -> Iterator[str]:
    """Names of the counts that a post's author and date add to."""
    if post.author:
        yield "read_authors"
    if post.date or post.published.iso:
        yield "read_dates"
    if gold_post.author:
        yield "authors"
        if letters(post.author) == letters(gold_post.author):
            yield "author"
    if gold_post.date:
        yield "dates"
        if letters(post.date) == letters(gold_post.date):
            yield "string"
        if same_day(post, gold_post, reader):
            yield "day"


def _own_counts(text: str, gold: str) -> Counter[str]:
    """Counts of a post's own words beside the annotated ones, folded; none where gold has none."""
    if not gold:
        return Counter()
    words, gold_words = folded_words(text).split(), gold.split()
    return Counter(
        own=1,
        right_own=int(bool(matches([" ".join(words)], [gold], SIMILAR))),
        empty_own=int(not words),
        shared_words=(Counter(words) & Counter(gold_words)).total(),
        read_words=len(words),
        own_words=len(gold_words),
    )


def _figures(sums: Any) -> dict[str, Any]:
    total = dict(zip(NAMES, sums.tolist(), strict=True))
    shares = {
        "precision": ("matched", "read"),
        "recall": ("matched", "annotated"),
        "text": ("right_own", "own"),
        "text_empty": ("empty_own", "own"),
        "text_precision": ("shared_words", "read_words"),
        "text_recall": ("shared_words", "own_words"),
        "author": ("author", "authors"),
        "with_author": ("read_authors", "matched"),
        "same_day": ("day", "dates"),
        "same_string": ("string", "dates"),
        "with_date": ("read_dates", "matched"),
    }
    figures: dict[str, Any] = {"f1": round(f1(sums), 4), "text_f1": round(text_f1(sums), 4)}
    for name, (part, base) in shares.items():
        figures[name] = round(total[part] / max(1.0, total[base]), 4)
    return figures | {
        "posts": int(total["annotated"]),
        "pages": int(total["pages"]),
        "at_zero": int(total["zero"]),
        "perfect": int(total["perfect"]),
    }


def f1(counts: Any) -> float:
    """F1 of counts in the order of `NAMES`."""
    return float(2 * counts[0] / max(1.0, counts[1] + counts[2]))


def text_f1(counts: Any) -> float:
    """F1 where a post with wrong words of its own, without quotes, counts as not found."""
    wrong = counts[NAMES.index("own")] - counts[NAMES.index("right_own")]
    return float(2 * (counts[0] - wrong) / max(1.0, counts[1] + counts[2]))


def same_day(post: Post, gold_post: GoldPost, reader: DateReader) -> bool:
    """Whether two dates are of one day; without the year where the annotation has none."""
    if letters(post.date) == letters(gold_post.date):
        return True
    gold_day, day = reader.read(gold_post.date).iso, post.published.iso
    if gold_day.startswith("--"):
        return bool(day) and gold_day[2:7] == (day[2:7] if day[0] == "-" else day[5:10])
    return bool(gold_day) and gold_day[:10] == day[:10]
