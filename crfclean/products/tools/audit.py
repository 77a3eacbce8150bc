"""Draw the blocks of a run to judge: stratified by probability, weighted by words."""

from __future__ import annotations

import heapq
import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any, Generic, TypeVar

import numpy as np

from crfclean.document.parts import count_words
from crfclean.io import digest_of, write_text
from crfclean.page.head import host
from crfclean.products.corpus.params import ROW_ENDINGS
from crfclean.products.corpus.records import packed_lines
from crfclean.products.corpus.rows import parquet_module
from crfclean.types import Bools, CrfcleanError, Floats

__all__ = ["draw"]

# read the blocks in the rows of a run, both kept and left out

ENDINGS = tuple(f".{ending}" for ending in (*ROW_ENDINGS, "parquet", "json"))
"""Endings of the files that an audit reads: tables, and JSON files of one page."""

SAMPLE_ENDING = ".audit.json"
"""Ending of the files that audits write beside outputs, and do not read as outputs."""

GROUPINGS = ("site", "language", "type", "kind")
"""Groupings of blocks: by host, language and type of the page, and by kind of the block."""

FACTS = ("status", "model")
"""Fields of rows that describe the run."""

UNKNOWN, OTHERS = "?", "(others)"
MAX_TEXT = 2_000  # characters of a block that are shown to a judge
MAX_CONTEXT = 160  # characters of the block before and after it
_MAX_NAME = 80  # characters of a group's name
_MAX_FACTS = 60  # values that are counted by themselves: there are fewer statuses
_WRITE_AGAIN = "write the run with crfclean clean --include left-out (JSONL, Parquet or JSON)"
_BROKEN = (KeyError, TypeError, ValueError, AttributeError, RecursionError)


@dataclass(frozen=True, slots=True)
class AuditedBlock:
    """A block of a run, with its probability (0..1) and its number of words.

    `groups` are the names of its groups, in the order of `GROUPINGS`. `before` and `after` are the
    nearest text around it.
    """

    page: str
    url: str
    title: str
    index: int
    kept: bool
    probability: float
    words: float
    groups: tuple[str, ...]
    text: str
    before: str = ""
    after: str = ""


def output_files(out: Path) -> list[Path]:
    """Return the files of a run's output, sorted by name; raises `CrfcleanError`."""
    if out.is_dir():
        paths = (path for path in out.rglob("*") if _has(path, ENDINGS) and path.is_file())
        files = sorted(  # without samples, and what the run notes of itself
            path
            for path in paths
            if not (path.name.startswith((".", "_")) or _has(path, (SAMPLE_ENDING,)))
        )
        if not files:
            raise CrfcleanError(f"{out}: no JSONL, Parquet or JSON there: {_WRITE_AGAIN}")
        return files
    if not out.is_file():
        raise CrfcleanError(f"{out}: no such file or directory")
    if not _has(out, ENDINGS):
        raise CrfcleanError(f"{out}: has no blocks: {_WRITE_AGAIN}")
    return [out]


def _has(path: Path, endings: tuple[str, ...]) -> bool:
    return path.name.lower().endswith(endings)


def read_pages(
    files: Sequence[Path], facts: Counter[tuple[str, str]] | None = None
) -> Iterator[list[AuditedBlock]]:
    """Yield the blocks with words of each page, in page order.

    `facts` counts the values of `FACTS` in the rows, by name and value.
    Raises `CrfcleanError` for a file that cannot be read, for a line that is no row, and for rows
    without blocks, probabilities or the blocks that were left out.
    """
    counts = Counter[tuple[str, str]]() if facts is None else facts
    for file in files:
        try:
            name = file.as_posix() if _has(file, (".json",)) else ""
            for number, line in enumerate(_lines(file), 1):
                yield _page(line, f"{file}: row {number}", name, counts)
        except OSError as error:
            raise CrfcleanError(f"{file}: cannot be read: {error.strerror or error}") from error


def _lines(file: Path) -> Iterator[bytes]:
    if _has(file, (".parquet",)):
        yield from parquet_module().parquet_lines(file)
    elif _has(file, (".json",)):
        yield file.read_bytes()
    else:
        yield from (line for line in packed_lines(file) if line.strip())


def _page(
    line: bytes, place: str, name: str, facts: Counter[tuple[str, str]]
) -> list[AuditedBlock]:
    """Return the blocks of a row; errors name the `place`, `name` replaces a missing id."""
    try:
        row = json.loads(line)
        if not isinstance(row, dict):
            raise CrfcleanError(f"{place}: no JSON object")
        if not isinstance(row.get("blocks"), list):
            raise CrfcleanError(f"{place}: no blocks with probabilities: {_WRITE_AGAIN}")
        if not isinstance(row.get("left_out"), list):
            raise CrfcleanError(
                f"{place}: the blocks that were left out are missing, without "
                f"which there is no recall: {_WRITE_AGAIN}"
            )
        for fact in FACTS:
            key = fact, _name(row.get(fact))
            facts[key if key in facts or len(facts) < _MAX_FACTS else (fact, OTHERS)] += 1
        return _blocks(row if row.get("id") or not name else row | {"id": name})
    except _BROKEN as error:
        raise CrfcleanError(f"{place}: no row of crfclean clean: {error!r}"[:300]) from error


def _blocks(row: Mapping[str, Any]) -> list[AuditedBlock]:
    parts = [(block, True) for block in row["blocks"]]
    parts += [(block, False) for block in row["left_out"]]
    parts.sort(key=lambda part: int(part[0]["index"]))
    texts = [str(block["text"]) for block, _ in parts]
    url, title = str(row.get("url") or ""), str(row.get("title") or "")
    page = str(row.get("id") or url)
    of_page = page_groups(row)
    blocks = []
    for place, (block, kept) in enumerate(parts):
        words, probability = count_words(texts[place]), float(block["probability"])
        if not 0 <= probability <= 1:
            raise ValueError(f"a probability of {probability}")
        if words:
            groups = (*of_page, _name(block.get("kind")))
            before = texts[place - 1][-MAX_CONTEXT:] if place else ""
            after = "".join(texts[place + 1 : place + 2])[:MAX_CONTEXT]
            facts = page, url, title, int(block["index"]), kept, probability, words, groups
            text = texts[place]
            shown = text if len(text) <= MAX_TEXT else text[:MAX_TEXT] + "…"
            blocks.append(AuditedBlock(*facts, shown, before, after))
    return blocks


def page_groups(row: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return the site, language and type of a row's page; `UNKNOWN` for missing values.

    The site of a page without an address is its folder.
    """
    metadata = row.get("metadata") or {}
    language = (metadata.get("language") or {}).get("text")
    page_type = (metadata.get("page_type") or {}).get("name")
    site = host(row.get("url")) or str(row.get("id") or "").rpartition("/")[0]
    return _name(site), _name(language), _name(page_type)


def _name(value: object) -> str:
    """Return the name of a group, cut to a sane length: pages may say anything."""
    return str(value or UNKNOWN)[:_MAX_NAME]


# the strata of an audit, and the order of their judgements

KEPT_EDGES = (0.7, 0.95)
LEFT_OUT_EDGES = (0.01, 0.1)
"""Probabilities between the strata of kept blocks, and between those of dropped blocks."""

STRATA = len(KEPT_EDGES) + len(LEFT_OUT_EDGES) + 2
KEPT: Bools = np.arange(STRATA) <= len(KEPT_EDGES)
"""Mask of the strata of kept blocks, shape (STRATA,)."""

_LEAST = 2  # draws of every stratum with words, so that its share does not rest on the model
_LEAST_SPREAD = 0.2  # a model may be surer than it is right: see eval/accuracy/README.md
_EXPECTED_F1 = 0.9


def stratum_of(probability: float, *, kept: bool) -> int:
    """Return the stratum of a block; an edge belongs to the stratum above it.

    >>> stratum_of(0.99, kept=True), stratum_of(0.5, kept=True), stratum_of(0.01, kept=False)
    (2, 0, 4)
    """
    if kept:
        return bisect_right(KEPT_EDGES, probability)
    return len(KEPT_EDGES) + 1 + bisect_right(LEFT_OUT_EDGES, probability)


def draw_order(words: Floats, means: Floats, count: int) -> Iterator[int]:
    """Yield the strata of `count` draws; any number of first draws is a good allocation.

    `words` (STRATA,) are the words of each stratum, `means` (STRATA,) their mean probabilities. The
    allocation is Neyman's for F1: a stratum gets draws in proportion to its words, to the expected
    standard deviation there, and to the change that a word of it makes in F1 = 2 c / (k + t)
    (linearised: 2 - F1 for kept words, F1 for others; Sawade, Landwehr, Scheffer 2010, "Active
    Estimation of F-Measures"). D'Hondt's rule orders the draws. Strata without words get none.
    """
    spread = np.sqrt(np.maximum(means * (1 - means), _LEAST_SPREAD**2))
    need = words * spread * np.where(KEPT, 2 - _EXPECTED_F1, _EXPECTED_F1)
    if not need.sum() > 0:
        return
    drawn = np.zeros(STRATA, np.int64)
    for _ in range(count):
        wanting = (drawn < _LEAST) & (words > 0)
        stratum = int(np.argmax(np.where(wanting, np.inf, need / (drawn + 1))))
        drawn[stratum] += 1
        yield stratum


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
        return float(self.words[KEPT].sum())


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
    seed give the same sample. Raises `CrfcleanError` as `read_pages` does, and for a run without
    words.
    """
    files, counts = output_files(out), Counter[tuple[str, str]]()
    sample = draw_from(progress(read_pages(files, counts)), seed, _digest_of_files(files))
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
