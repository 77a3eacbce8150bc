"""Test doubles for taggers and tasks; worker processes import them from here."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from crfclean.products.corpus.jobs import PageInput, Result
from crfclean.products.forum.tagger import ForumOperation
from crfclean.types import Blocks, Label, Tags


@dataclass(frozen=True)
class KeepLong:
    """A tagger that keeps blocks of at least four words."""

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
    """Sleep for `item` seconds, as a task."""
    time.sleep(item)
    return item


def compute(item: float, shared: object) -> float:
    """Take `item` seconds of CPU time, as a task."""
    end = time.process_time() + item
    while time.process_time() < end:
        pass
    return item


def hang() -> None:
    """Say that the page has begun, where somebody waits for that, and loop for ever."""
    if "BEGUN" in os.environ:
        Path(os.environ["BEGUN"]).touch()
    while True:
        pass


def eat_slowly() -> None:
    """Allocate memory without end."""
    eaten = []
    while True:
        eaten.append(bytes(2**20))


def fail() -> None:
    """Raise an unexpected exception."""
    raise ZeroDivisionError("a bug")


ORDERS: dict[str, Callable[[], object]] = {
    "hang": hang,
    "exit": lambda: os._exit(3),
    "segfault": lambda: ctypes.string_at(0),
    "killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "eat": lambda: bytearray(2**40),
    "eat slowly": eat_slowly,
    "raise": fail,
    "slow": lambda: time.sleep(float(os.environ.get("SLOW", "0.05"))),
}
"""Actions of `Obeys` by the first block of a page."""


@dataclass(frozen=True)
class Obeys(KeepLong):
    """A tagger that does what a page's first block orders: hang, crash, eat memory, fail."""

    def tag(self, blocks: Blocks) -> Tags:
        """Obey the page's order, then keep its long blocks."""
        order = ORDERS.get(blocks.texts[0]) if len(blocks) else None
        if order:
            order()
        return super().tag(blocks)


class ObeyingForum(ForumOperation):
    """A forum operation that first does what the first paragraph of each page orders."""

    def make(self, inputs: Sequence[PageInput]) -> Sequence[Result]:
        """Obey the orders of the pages, then read them."""
        for each in inputs:
            record = each.record
            text = record.data if isinstance(record.data, str) else record.data.decode()
            order = ORDERS.get(text.partition("<p>")[2].partition("</p>")[0])
            if order:
                order()
        return super().make(inputs)
