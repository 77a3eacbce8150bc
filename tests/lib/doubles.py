"""Taggers in the place of a model, and tasks of workers; worker processes import them from here."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crfclean.corpus.operation import PageOutput
from crfclean.corpus.record import Record
from crfclean.forum.operation import ForumOperation
from crfclean.types import Blocks, Label, Tags


@dataclass(frozen=True)
class KeepLong:
    """A tagger that keeps the blocks of at least four words."""

    elements: tuple[str, ...] = ()
    score: float = 0.75

    def tag(self, blocks: Blocks) -> Tags:
        long = np.array([len(text.split()) >= 4 for text in blocks.texts], np.bool_)
        labels = np.where(long, Label.TEXT, Label.OTHER).astype(np.int32)
        return Tags(labels, np.eye(3)[labels], self.score if long.any() else 0.0)


@dataclass(frozen=True)
class KeepAll:
    """A tagger that keeps every block."""

    elements: tuple[str, ...] = ()

    def tag(self, blocks: Blocks) -> Tags:
        labels = np.full(len(blocks), Label.TEXT, np.int32)
        return Tags(labels, np.eye(3)[labels], float(len(blocks) > 0))


def sleep(item: float, shared: object) -> float:
    """A task that takes so many seconds."""
    time.sleep(item)
    return item


def spin() -> None:
    """Never end, without a pause."""
    while True:
        pass


def eat_slowly() -> None:
    """Take more and more memory."""
    eaten = []
    while True:
        eaten.append(bytes(2**20))


def fail() -> None:
    """Raise what nobody expects."""
    raise ZeroDivisionError("a bug")


ORDERS = {
    "hang": lambda: time.sleep(600),
    "spin": spin,
    "exit": lambda: os._exit(3),
    "segfault": lambda: ctypes.string_at(0),
    "killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "eat": lambda: bytearray(2**40),
    "eat slowly": eat_slowly,
    "raise": fail,
    "slow": lambda: time.sleep(float(os.environ.get("SLOW", "0.05"))),
}
"""First block of a page -> what `Obeys` does about it."""


@dataclass(frozen=True)
class Obeys(KeepLong):
    """A tagger that does what a page's first block says: hangs, crashes, eats memory, fails."""

    def tag(self, blocks: Blocks) -> Tags:
        """Do what the page says, and keep its long blocks."""
        order = ORDERS.get(blocks.texts[0]) if len(blocks) else None
        if order:
            order()
        return super().tag(blocks)


class ObeyingForum(ForumOperation):
    """Reads forums, and does before what the first paragraph of a page says."""

    def make(self, records: Sequence[Record], *, retried: bool = False) -> Sequence[PageOutput]:
        """Do what the pages say, and read them."""
        for record in records:
            text = record.data if isinstance(record.data, str) else record.data.decode()
            order = ORDERS.get(text.partition("<p>")[2].partition("</p>")[0])
            if order:
                order()
        return super().make(records, retried=retried)
