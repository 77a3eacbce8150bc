"""Draw the blocks of a run that are to be judged: stratified by probability, weighted by words."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from dataclasses import fields as dataclass_fields
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.audit.reservoir import WordReservoir
from crfclean.audit.rows import GROUPINGS, AuditedBlock, output_files, read_pages
from crfclean.audit.strata import KEPT, STRATA, draw_order, stratum_of
from crfclean.io import digest_of, write_atomically
from crfclean.types import CrfcleanError, Floats

MAX_DRAWS = 600
MAX_JUDGEMENTS = 500
MAX_GROUPS = 20_000  # names of a grouping that are counted by themselves
OTHERS = "(others)"

_Page = Sequence[AuditedBlock]
_Progress = Callable[[Iterable[_Page]], Iterable[_Page]]


@dataclass(frozen=True)
class Sample:
    """What was drawn from a run, with all that estimates need; `key` tells samples apart.

    `words` (STRATA,) are the words of each stratum of the whole run, `means` (STRATA,) their mean
    probabilities. `draws` are stratum and number of a block, in the order in which they are to be
    judged: each is a random word of its stratum, and stands for the block of `blocks` that has it.
    `groups` has the words by stratum of each group of each of `GROUPINGS`. `run` is a digest of
    the names and sizes of the run's files. Of the `pages` some are `wordless`: they failed, or
    have no text.
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

    @property
    def kept_words(self) -> float:
        """The words that the run kept."""
        return float(self.words[KEPT].sum())

    def asked(self, judgements: int) -> tuple[AuditedBlock, ...]:
        """The first blocks to judge; fewer where the run has no more."""
        return self.blocks[:judgements]


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

    One pass, in memory that does not grow with the run; `progress` may count the pages. The same
    output and seed give the same sample. Raises `CrfcleanError` for what is no output with
    probabilities and blocks left out (see `rows.read_pages`), and for a run without words.
    """
    files = output_files(out)
    return draw_from(progress(read_pages(files)), seed, _digest_of_files(files))


def _digest_of_files(files: Sequence[Path]) -> str:
    try:
        return digest_of([(file.name, file.stat().st_size) for file in files])
    except OSError as error:
        raise CrfcleanError(f"{error.filename}: cannot be read: {error.strerror}") from error


def draw_from(pages: Iterable[_Page], seed: int = 1, run: str = "") -> Sample:
    """Draw a sample from the blocks of pages; raises `CrfcleanError` where there is no word."""
    counter = _Counter(seed)
    for page in pages:
        counter.pages += 1
        counter.wordless += not any(block.words for block in page)
        for block in page:
            counter.add(block)
    words = np.array([reservoir.words for reservoir in counter.reservoirs])
    if not words.sum() > 0:
        raise CrfcleanError("the run has no words to judge: all its pages are empty")
    means = np.round(np.array(counter.sums) / np.where(words > 0, words, 1.0), 6)
    draws, blocks = _ordered(counter.reservoirs, draw_order(words, means, MAX_DRAWS))
    drawn = Sample(counter.pages, words, means, draws, blocks, counter.groups, run, seed)
    return _with_key(replace(drawn, wordless=counter.wordless))


def _ordered(
    reservoirs: Sequence[WordReservoir[AuditedBlock]], order: Iterable[int]
) -> tuple[tuple[tuple[int, int], ...], tuple[AuditedBlock, ...]]:
    """The draws in their order, and the blocks that they stand for, each once."""
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
    """A sample as JSON has it, without its key."""
    fields = {each.name: getattr(sample, each.name) for each in dataclass_fields(sample)}
    del fields["key"]
    return fields | {
        "words": sample.words.tolist(),
        "means": sample.means.tolist(),
        "blocks": [asdict(block) for block in sample.blocks],
    }


def write_sample(path: Path, sample: Sample) -> None:
    """Write a sample as JSON; raises `CrfcleanError`."""
    text = json.dumps({"key": sample.key} | _fields(sample))  # in ASCII, with lone surrogates
    try:
        write_atomically(path, (text + "\n").encode())
    except OSError as error:
        raise CrfcleanError(f"{path}: cannot be written: {error.strerror}") from error


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
