"""Taggers of forum pages: the title is HEADER, the posts' words TEXT, all else OTHER."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np

from crfclean.decision.rules import CutParams, expected_f1
from crfclean.forum.choose import LabelledGroup, choose, corrected_by_template, with_opener
from crfclean.forum.dates import open_dateparser
from crfclean.forum.model import ForumModel, load_forum_model
from crfclean.forum.outline import outline
from crfclean.forum.posts import NO_WORDS, read_blocks, threads
from crfclean.forum.records import COMM, DATES, INSIDE, NICK, topic
from crfclean.forum.thread import Thread
from crfclean.io import digest, digest_of
from crfclean.modelfiles.folder import MANIFEST, find_model
from crfclean.page.measures import measured
from crfclean.taggers.capabilities import Decides, elements_of, fingerprint, need
from crfclean.types import Blocks, Floats, Label, Page, Tagger, Tags

_LEAST_RECORDS = 2  # of a forum page
LEAST_EVIDENCE = 0.5  # `forumness` of a forum page
_OUTSIDE = 0.02  # probability of TEXT outside posts
_HEADING = 0.9  # probability of HEADER for the title


@dataclass(frozen=True)
class ForumTagger:
    """A tagger with a forum model; pickled, it carries only its folder."""

    name: ClassVar[str] = "forum"

    folder: Path

    def __reduce__(self) -> tuple[type[ForumTagger], tuple[Path]]:
        return ForumTagger, (self.folder,)

    @cached_property
    def model(self) -> ForumModel:
        """The model, loaded on first use."""
        return load_forum_model(self.folder)

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits of the model; raises `ModelError`."""
        return digest((self.folder / MANIFEST).read_bytes())

    def tag(self, blocks: Blocks) -> Tags:
        """Label a page's blocks; their probabilities are those of the posts' words."""
        return self.judge(blocks)[0]

    def open(self) -> None:
        """Open the model, and the library that reads dates if it is installed."""
        _ = self.model
        open_dateparser()

    def thread(self, page: Page, blocks: Blocks) -> Thread:
        """The posts of a page, as `crfclean forum` finds them on one page alone.

        Raises `CrfcleanError` if dateparser is not installed.
        """
        return threads(read_blocks([(page, blocks)], self.model))[0]

    def judge(self, blocks: Blocks) -> tuple[Tags, float]:
        """Return the tags, and the `forumness` of the page in 0..1; all is OTHER without posts."""
        page = outline(blocks)
        chosen = choose([page], self.model)[0]
        if chosen is None:
            return _tags(blocks, np.zeros(len(blocks)), -1), 0.0
        words = _words(blocks, with_opener(page, chosen, self.model))
        return _tags(blocks, words, _title(blocks, chosen)), forumness(chosen)


def forumness(group: LabelledGroup) -> float:
    """Geometric mean of the likeliest authors and dates of the records, 0 for a single record."""
    records = group.fields.records
    if len(records) < _LEAST_RECORDS:
        return 0.0
    best = np.zeros((len(records), group.probabilities.shape[1]))
    np.maximum.at(best, records.record[group.fields.runs], group.probabilities)
    return float(np.sqrt(best[:, NICK].mean() * best[:, DATES].mean()))


def _words(blocks: Blocks, group: LabelledGroup) -> Floats:
    """Probability that each block is a post's words (n,): the highest of its fields in bodies."""
    page_fields = group.fields
    corrected = corrected_by_template([group])[0][:, COMM]
    inside = page_fields.records.side[page_fields.runs] == INSIDE
    words = np.zeros(len(blocks))
    np.maximum.at(words, blocks.runs.block[page_fields.runs[inside]], corrected[inside])
    return words


def _title(blocks: Blocks, group: LabelledGroup) -> int:
    """Place of the block that is the thread's title, -1 for none."""
    records = group.fields.records
    title = topic(records.page, records.start)
    limit = int(records.start[0])
    for block in dict.fromkeys(blocks.runs.block[: limit + 1].tolist()):
        if blocks.texts[block] == title:
            return int(block)
    return -1


def _tags(blocks: Blocks, words: Floats, title: int) -> Tags:
    text = np.where(words > NO_WORDS, np.maximum(words, 0.5), _OUTSIDE)
    labels = np.where(words > NO_WORDS, Label.TEXT, Label.OTHER).astype(np.int32)
    marginals = np.column_stack([np.zeros(len(blocks)), text, 1.0 - text])
    if title >= 0:
        labels[title] = Label.HEADER
        marginals[title] = (_HEADING, 0.0, 1.0 - _HEADING)
    kept = labels != Label.OTHER
    return Tags(labels, marginals, expected_f1(1.0 - marginals[:, 2], measured(blocks).words, kept))


@dataclass(frozen=True)
class AutoTagger:
    """The forum tagger for forum pages, another tagger for all others; a cut is the other's."""

    name: ClassVar[str] = "auto"
    passed_on: ClassVar = frozenset([Decides])

    forum: ForumTagger
    other: Tagger

    @property
    def inner(self) -> Tagger:
        """The tagger for pages that are no forum pages."""
        return self.other

    @property
    def elements(self) -> tuple[str, ...]:
        """The elements that the other tagger's blocks are restricted to."""
        return elements_of(self.other)

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits of both taggers; "" if the other tagger has none."""
        other = fingerprint(self.other)
        parts = {"tagger": "auto", "forum": self.forum.fingerprint, "other": other}
        return digest_of(parts) if other else ""

    @property
    def cut(self) -> CutParams:
        """The decisions of the other tagger; raises `CrfcleanError` where it has none."""
        return need(self.other, Decides).cut

    def with_cut(self, params: CutParams) -> AutoTagger:
        """The same with other decisions of the other tagger; raises `CrfcleanError`."""
        return replace(self, other=need(self.other, Decides).with_cut(params))

    def tag(self, blocks: Blocks) -> Tags:
        """Tag by the forum tagger if most records have an author and a date, else by the other."""
        tags, score = self.forum.judge(blocks)
        if score >= LEAST_EVIDENCE and tags.kept.any():
            return tags
        return self.other.tag(blocks)


def tagger_of(name: str, other: Tagger) -> Tagger:
    """Make one of `choices.FORUM_TAGGERS` with the shipped forum model; raises `ModelError`."""
    forum = ForumTagger(find_model("forum"))
    return forum if name == "forum" else AutoTagger(forum, other)
