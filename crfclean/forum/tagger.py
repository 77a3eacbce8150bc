"""The tagger of forum pages: the title is HEADER, the posts' words TEXT, all else OTHER."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np

from crfclean.decision.rules import expected_f1
from crfclean.forum.choose import LabelledGroup
from crfclean.forum.ends import no_words
from crfclean.forum.model import ForumModel, load_forum_model
from crfclean.forum.posts import read_blocks, threads
from crfclean.forum.records import COMM, INSIDE, topic
from crfclean.forum.thread import Thread
from crfclean.io import digest
from crfclean.modelfiles.folder import MANIFEST
from crfclean.page.blocks import as_blocks
from crfclean.page.measures import measured
from crfclean.taggers.capabilities import elements_of
from crfclean.types import Blocks, Floats, Label, Page, Tags

_LEAST = 0.5  # probability of TEXT of a post's words
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

    def tag(self, blocks: Blocks | Page | bytes | str) -> Tags:
        """Label a page's blocks by the probabilities of posts' words; all OTHER without posts."""
        blocks = as_blocks(blocks, elements_of(self))
        reading = read_blocks([(Page(""), blocks)], self.model)
        group = reading.chosen[0]
        if group is None:
            return _tags(blocks, np.zeros(len(blocks)), -1)
        return _tags(blocks, _words(blocks, group, reading.corrected[0]), _title(blocks, group))

    def open(self) -> None:
        """Open the model."""
        _ = self.model

    def thread(self, page: Page, blocks: Blocks) -> Thread:
        """Return the posts of a page, as `crfclean forum` does for a single page."""
        return threads(read_blocks([(page, blocks)], self.model))[0]


def _words(blocks: Blocks, group: LabelledGroup, corrected: Floats) -> Floats:
    """Probability that each block is a post's words (n,): the highest of its fields in bodies."""
    page_fields = group.fields
    inside = page_fields.records.side[page_fields.runs] == INSIDE
    inside &= ~no_words(group, corrected)[page_fields.runs]
    words = np.zeros(len(blocks))
    kept = np.maximum(corrected[inside, COMM], _LEAST)
    np.maximum.at(words, blocks.runs.block[page_fields.runs[inside]], kept)
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
    text = np.where(words > 0, words, _OUTSIDE)
    labels = np.where(words > 0, Label.TEXT, Label.OTHER).astype(np.int32)
    marginals = np.column_stack([np.zeros(len(blocks)), text, 1.0 - text])
    if title >= 0:
        labels[title] = Label.HEADER
        marginals[title] = (_HEADING, 0.0, 1.0 - _HEADING)
    kept = labels != Label.OTHER
    return Tags(labels, marginals, expected_f1(1.0 - marginals[:, 2], measured(blocks).words, kept))
