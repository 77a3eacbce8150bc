"""Draw the sample of an audit, in one pass over the blocks."""

from __future__ import annotations

import heapq
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any, Generic, TypeVar

import numpy as np

from crfclean.io import digest_of, write_text
from crfclean.products.tools.audited import (
    FACTS,
    GROUPINGS,
    OTHERS,
    AuditedBlock,
    audited_blocks,
    output_files,
)
from crfclean.products.tools.strata import KEPT_STRATA, STRATA, draw_order, stratum_of
from crfclean.types import CrfcleanError, Floats

__all__ = ["draw"]

# draw random words from a stream of blocks of unknown length, in bounded memory


_Item = TypeVar("_Item")


class WordReservoir(Generic[_Item]):
    """Independent draws of random words; each keeps the block of its word.

    A block is drawn with replacement, with a probability in proportion to its words. So the
    expected share of draws whose block belongs to the text is the share of such words.

    Each draw is a reservoir of one word (Vitter 1985, "Random Sampling with a Reservoir") over
    words as a continuous measure: a draw made when W words were seen is replaced at the word W / u
    with u uniform in 0..1. A heap has the next replacement of all draws, so the work is linear in
    the blocks, and grows with the logarithm of the words for each draw.
    """

    def __init__(self, size: int, seed: str) -> None:
        self.words = 0.0
        self.items: list[_Item | None] = [None] * size
        self._random = Random(seed)  # noqa: S311 - a sample, no secret
        self._next = [(0.0, draw) for draw in range(size)]

    def add(self, item: _Item, words: float) -> None:
        """Offer a block with its words, more than 0."""
        self.words += words
        while self._next and self._next[0][0] < self.words:
            at, draw = self._next[0]
            self.items[draw] = item
            replaced = (at or self.words) / (1.0 - self._random.random())
            heapq.heapreplace(self._next, (replaced, draw))


# draw the sample

MAX_DRAWS = 600
MAX_JUDGEMENTS = 500
MAX_GROUPS = 20_000  # names of a grouping that are counted by themselves

_Page = Sequence[AuditedBlock]
_Progress = Callable[[Iterable[_Page]], Iterable[_Page]]


@dataclass(frozen=True)
class Sample:
    """A sample of a run, with all values that estimates need; `key` identifies it.

    `words` (STRATA,) are the words of each stratum of the whole run, `means` (STRATA,) their mean
    probabilities. Each of the `draws` is a stratum and the index in `blocks` of a block there, in
    the order of judging. `groups` has the words by stratum of each group of each of `GROUPINGS`.
    `run` is a digest of the names and sizes of the run's files. `wordless` of the `pages` failed or
    have no text. `facts` counts rows by each of `FACTS` and its value.
    """

    pages: int
    words: Floats
    means: Floats
    draws: tuple[tuple[int, int], ...]
    blocks: tuple[AuditedBlock, ...]
    groups: Mapping[str, Mapping[str, Sequence[float]]]
    run: str
    seed: int
    key: str = ""
    wordless: int = 0
    facts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @property
    def kept_words(self) -> float:
        """The words that the run kept."""
        return float(self.words[KEPT_STRATA].sum())


class _Counter:
    """The words of a run by stratum and group, and its draws."""

    def __init__(self, seed: int) -> None:
        self.pages = self.wordless = 0
        self.sums = [0.0] * STRATA
        self.groups: dict[str, dict[str, list[float]]] = {name: {} for name in GROUPINGS}
        self.reservoirs = [
            WordReservoir[AuditedBlock](MAX_DRAWS, f"{seed} {stratum}") for stratum in range(STRATA)
        ]

    def add(self, block: AuditedBlock) -> None:
        """Count a block, and offer it to its stratum."""
        stratum = stratum_of(block.probability, kept=block.kept)
        self.reservoirs[stratum].add(block, block.words)
        self.sums[stratum] += block.words * block.probability
        for grouping, name in zip(GROUPINGS, block.groups, strict=True):
            groups = self.groups[grouping]
            counted = name if name in groups or len(groups) < MAX_GROUPS else OTHERS
            groups.setdefault(counted, [0.0] * STRATA)[stratum] += block.words


def draw(out: Path, seed: int = 1, progress: _Progress = iter) -> Sample:
    """Draw a sample from a run's output, a file or a folder of JSONL, Parquet or JSON.

    It reads the run once, in constant memory; `progress` may count the pages. The same output and
    seed give the same sample. Raises `CrfcleanError` as `audited_blocks` does, and for a run
    without words.
    """
    files, counts = output_files(out), Counter[tuple[str, str]]()
    sample = draw_from(progress(audited_blocks(files, counts)), seed, _digest_of_files(files))
    facts = {
        fact: {value: count for (name, value), count in counts.items() if name == fact}
        for fact in FACTS
    }
    return _with_key(replace(sample, facts=facts))


def _digest_of_files(files: Sequence[Path]) -> str:
    try:
        return digest_of([(file.name, file.stat().st_size) for file in files])
    except OSError as error:
        raise CrfcleanError(f"{error.filename}: cannot be read: {error.strerror}") from error


def draw_from(pages: Iterable[_Page], seed: int = 1, run: str = "") -> Sample:
    """Draw a sample from the blocks of pages; raises `CrfcleanError` if they have no words."""
    counter = _Counter(seed)
    for page in pages:
        counter.pages += 1
        counter.wordless += not any(block.words for block in page)
        for block in page:
            counter.add(block)
    words = np.array([reservoir.words for reservoir in counter.reservoirs])
    if not words.sum() > 0:
        raise CrfcleanError("all pages of the run are empty: there is nothing to judge")
    means = np.round(np.array(counter.sums) / np.where(words > 0, words, 1.0), 6)
    draws, blocks = _ordered(counter.reservoirs, draw_order(words, means, MAX_DRAWS))
    drawn = Sample(counter.pages, words, means, draws, blocks, counter.groups, run, seed)
    return _with_key(replace(drawn, wordless=counter.wordless))


def _ordered(
    reservoirs: Sequence[WordReservoir[AuditedBlock]], order: Iterable[int]
) -> tuple[tuple[tuple[int, int], ...], tuple[AuditedBlock, ...]]:
    """Return the draws in their order, and the drawn blocks, each once."""
    drawn = [iter(reservoir.items) for reservoir in reservoirs]
    numbers: dict[int, int] = {}
    draws: list[tuple[int, int]] = []
    blocks: list[AuditedBlock] = []
    for stratum in order:
        block = next(drawn[stratum])
        if block is None:  # a stratum with words has no empty draw
            continue
        number = numbers.setdefault(id(block), len(blocks))
        if number == len(blocks):
            if number == MAX_JUDGEMENTS:
                break
            blocks.append(block)
        draws.append((stratum, number))
    return tuple(draws), tuple(blocks)


def _with_key(sample: Sample) -> Sample:
    return replace(sample, key=digest_of(_fields(sample))[:12])


def _fields(sample: Sample) -> dict[str, Any]:
    fields = asdict(sample)
    del fields["key"]
    if not sample.facts:  # as in samples of earlier versions
        del fields["facts"]
    return fields | {"words": sample.words.tolist(), "means": sample.means.tolist()}


def write_sample(path: Path, sample: Sample) -> None:
    """Write a sample as JSON; raises `CrfcleanError`."""
    text = json.dumps({"key": sample.key} | _fields(sample))  # in ASCII, with lone surrogates
    write_text(path, text + "\n")


def read_sample(path: Path) -> Sample:
    """Read a sample that `write_sample` wrote; raises `CrfcleanError` for anything else."""
    try:
        fields = json.loads(path.read_text("utf-8"))
        blocks = tuple(
            AuditedBlock(**block | {"groups": tuple(block["groups"])}) for block in fields["blocks"]
        )
        sample = Sample(
            **fields
            | {
                "words": np.array(fields["words"], np.float64),
                "means": np.array(fields["means"], np.float64),
                "draws": tuple((int(stratum), int(number)) for stratum, number in fields["draws"]),
                "blocks": blocks,
            }
        )
    except OSError as error:
        raise CrfcleanError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise CrfcleanError(f"{path}: no sample of crfclean audit: remove it") from error
    if _with_key(sample).key != sample.key:
        raise CrfcleanError(f"{path}: this sample has been changed: remove it")
    return sample


def check_same_run(path: Path, sample: Sample, out: Path) -> None:
    """Raise `CrfcleanError` if a sample was drawn from another output, or from an older one."""
    if _digest_of_files(output_files(out)) != sample.run:
        raise CrfcleanError(
            f"{path}: drawn from another run: {out} has changed since; remove it and its "
            "judgements, or name another file with --judgements"
        )
