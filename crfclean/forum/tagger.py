"""`Blocks` -> `Tags` of a forum page: its title HEADER, the posts' words TEXT, the rest OTHER."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np

from crfclean.forum.choose import Labelled, choose, corrected
from crfclean.forum.fields import COMM, DATES, NICK
from crfclean.forum.model import ForumModel, load
from crfclean.forum.opener import with_opener
from crfclean.forum.outline import outline
from crfclean.forum.posts import NO_WORDS
from crfclean.forum.records import INSIDE
from crfclean.forum.words import topic
from crfclean.io import digest, digest_of
from crfclean.modelfiles.folder import MANIFEST, find_model
from crfclean.page.measures import Measures
from crfclean.taggers.capabilities import Decides, elements_of, fingerprint, need
from crfclean.taggers.decision import expected_f1
from crfclean.taggers.params import CutParams
from crfclean.types import Blocks, Floats, Label, Tagger, Tags

LEAST_RECORDS = 2  # of a page that is taken for a forum's
LEAST_EVIDENCE = 0.5  # of authors and dates in the records of such a page
OUTSIDE = 0.02  # probability of what is no post's words
HEADING = 0.9  # probability of the title


@dataclass(frozen=True)
class ForumTagger:
    """A model folder; pickled, it carries nothing else."""

    name: ClassVar[str] = "forum"

    folder: Path

    def __reduce__(self) -> tuple[type[ForumTagger], tuple[Path]]:
        return ForumTagger, (self.folder,)

    @cached_property
    def model(self) -> ForumModel:
        """The model, opened on first use."""
        return load(self.folder)

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits of the model; raises `ModelError`."""
        return digest((self.folder / MANIFEST).read_bytes())

    def tag(self, blocks: Blocks) -> Tags:
        """Labels of a page's blocks; their probabilities are the words' own."""
        return self.judge(blocks)[0]

    def judge(self, blocks: Blocks) -> tuple[Tags, float]:
        """The tags, and how far the page is a forum's, in 0..1: authors and dates of its records.

        A page without posts is OTHER altogether.
        """
        page = outline(blocks)
        chosen = choose([page], self.model)[0]
        if chosen is None:
            return _tags(blocks, np.zeros(len(blocks)), -1), 0.0
        words = _words(blocks, with_opener(page, chosen, self.model))
        return _tags(blocks, words, _title(blocks, chosen)), forumness(chosen)


def forumness(one: Labelled) -> float:
    """Geometric mean of the surest author and the surest date over records, 0 for a single one."""
    records = one.fields.records
    if len(records) < LEAST_RECORDS:
        return 0.0
    best = np.zeros((len(records), one.probabilities.shape[1]))
    np.maximum.at(best, records.record[one.fields.runs], one.probabilities)
    return float(np.sqrt(best[:, NICK].mean() * best[:, DATES].mean()))


def _words(blocks: Blocks, one: Labelled) -> Floats:
    """Probability of each block to be a post's words (n,): the largest of its fields inside."""
    found = one.fields
    site = corrected([one])[0][:, COMM]
    inside = found.records.side[found.runs] == INSIDE
    words = np.zeros(len(blocks))
    np.maximum.at(words, blocks.runs.block[found.runs[inside]], site[inside])
    return words


def _title(blocks: Blocks, one: Labelled) -> int:
    """The block that is the thread's title, -1 for none."""
    records = one.fields.records
    wanted = topic(records.page, records.start)
    limit = int(records.start[0])
    for block in dict.fromkeys(blocks.runs.block[: limit + 1].tolist()):
        if blocks.texts[block] == wanted:
            return int(block)
    return -1


def _tags(blocks: Blocks, words: Floats, title: int) -> Tags:
    text = np.where(words > NO_WORDS, np.maximum(words, 0.5), OUTSIDE)
    labels = np.where(words > NO_WORDS, Label.TEXT, Label.OTHER).astype(np.int32)
    marginals = np.column_stack([np.zeros(len(blocks)), text, 1.0 - text])
    if title >= 0:
        labels[title] = Label.HEADER
        marginals[title] = (HEADING, 0.0, 1.0 - HEADING)
    kept = labels != Label.OTHER
    return Tags(labels, marginals, expected_f1(1.0 - marginals[:, 2], Measures(blocks).words, kept))


@dataclass(frozen=True)
class AutoTagger:
    """The forum's tagger for pages that look like one's, another one for the rest.

    A cut is that of the other tagger: the forum's has none.
    """

    name: ClassVar[str] = "auto"
    passed_on: ClassVar = frozenset([Decides])

    forum: ForumTagger
    other: Tagger

    @property
    def inner(self) -> Tagger:
        """The tagger for pages that are no forum's."""
        return self.other

    @property
    def elements(self) -> tuple[str, ...]:
        """The elements that the other tagger's blocks are restricted to."""
        return elements_of(self.other)

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits of both taggers; "" if the other one has none."""
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
        """Tags by the forum's tagger where authors and dates stand in most of the records."""
        tags, score = self.forum.judge(blocks)
        if score >= LEAST_EVIDENCE and tags.kept.any():
            return tags
        return self.other.tag(blocks)


def tagger_of(name: str, other: Tagger, model: str | Path = "forum") -> Tagger:
    """One of `choices.FORUM_TAGGERS`, made from a model of pages and one of forums.

    Raises `ModelError`.
    """
    forum = ForumTagger(find_model(model))
    return forum if name == "forum" else AutoTagger(forum, other)
