"""Estimate precision, recall and F1 of a run from judged draws, and report them."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from crfclean._version import YEAR, __version__
from crfclean.decision.rules import CutChoice
from crfclean.io import csv_text, write_text
from crfclean.page.chars import escaped, plural
from crfclean.products.teach.result import versions
from crfclean.products.tools.audit import (
    GROUPINGS,
    KEPT,
    OTHERS,
    STRATA,
    UNKNOWN,
    AuditedBlock,
    Sample,
)
from crfclean.systems.load import fingerprint, load, with_choice
from crfclean.types import CrfcleanError, Floats
from crfclean.types.choices import CONVENTIONS

__all__ = ["report"]

# read and write judgements as CSV

COLUMNS = ("number", "keep", "text", "before", "after", "title", "url", "page", "sample")
"""The columns; the run's own decision and probability are not shown to a judge."""

ANSWERS: Mapping[str, bool | None] = {
    **dict.fromkeys(("yes", "y", "1", "true", "keep"), True),
    **dict.fromkeys(("no", "n", "0", "false", "drop"), False),
    **dict.fromkeys(("", "?"), None),
}
"""Value of the column `keep`, in any case -> the judgement, None for a missing one."""

Judgements = Mapping[int, bool]
"""Number of a block, from 0 -> whether it belongs to the text."""


def write_judgements(
    path: Path, sample: Sample, judgements: Judgements, blocks: Sequence[AuditedBlock]
) -> None:
    """Write blocks to judge, with their judgements so far; raises `CrfcleanError`."""
    rows: list[Sequence[str]] = [COLUMNS]
    for number, block in enumerate(blocks):
        answer = {True: "yes", False: "no", None: ""}[judgements.get(number)]
        texts = (block.text, block.before, block.after, block.title, block.url, block.page)
        rows.append((str(number + 1), answer, *texts, sample.key))
    write_text(path, csv_text(rows))


def read_judgements(path: Path, sample: Sample) -> dict[int, bool]:
    """Read the judgements of a sample's blocks.

    Raises `CrfcleanError` for a file that cannot be read, for lines that are no judgements, for
    judgements of another sample, and for two that contradict each other.
    """
    csv.field_size_limit(sys.maxsize)
    judgements: dict[int, bool] = {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            header = stream.readline()  # some languages' spreadsheets write semicolons
            stream.seek(0)
            delimiter = ";" if header.count(";") > header.count(",") else ","
            reader = csv.DictReader(stream, delimiter=delimiter)
            missing = {"number", "keep", "sample"} - set(reader.fieldnames or ())
            if missing:
                raise CrfcleanError(f"{path}: no column {', '.join(sorted(missing))}")
            for row in reader:
                _add(judgements, row, sample, f"{path}: line {reader.line_num}")
    except OSError as error:
        raise CrfcleanError(f"{path}: cannot be read: {error.strerror}") from error
    except (csv.Error, UnicodeDecodeError) as error:
        raise CrfcleanError(f"{path}: no CSV in UTF-8: {error}") from error
    return judgements


def _add(
    judgements: dict[int, bool], row: Mapping[str, str | None], sample: Sample, place: str
) -> None:
    if (row["sample"] or "").strip() != sample.key:
        raise CrfcleanError(f"{place}: a judgement of another run")
    answer = (row["keep"] or "").strip().lower()
    if answer not in ANSWERS:
        raise CrfcleanError(
            f"{place}: {answer[:20]!r} is not a judgement: write yes, no or nothing"
        )
    number = (row["number"] or "").strip()
    if not (number.isdecimal() and 1 <= int(number[:9]) <= len(sample.blocks)):
        raise CrfcleanError(f"{place}: no block has the number {number[:20]!r}")
    judgement, place_of = ANSWERS[answer], int(number) - 1
    if judgement is None:
        return
    if judgements.setdefault(place_of, judgement) != judgement:
        raise CrfcleanError(f"{place}: contradicts an earlier judgement of the block {number}")


# ask for judgements, a key for each block

_KEYS: Mapping[str, bool | None] = {"t": True, "o": False, "x": None}
"""Key -> the judgement."""
_HELP = "t belongs to the text   o does not   x no judgement   u back   q leave"
_SHOWN = {True: "TEXT", False: "OTHER", None: "?"}


def ask(
    blocks: Sequence[AuditedBlock],
    judgements: Judgements,
    save: Callable[[Judgements], object],
    press: Callable[[str], str],
) -> Judgements:
    """Ask for each block without a judgement, and save each answer; return all judgements.

    `press` shows a text and returns a key. The decision of the run is not shown. If `save` raises
    `CrfcleanError`, its message is shown, and the block asked for again.
    """
    judged, message, place = dict(judgements), "", 0
    numbers = [number for number in range(len(blocks)) if number not in judgements]
    while place < len(numbers):
        number = numbers[place]
        front = f" {number + 1}/{len(blocks)}  judged {len(judged)}"
        answer = _SHOWN[judged.get(number)]
        key = press(f"{front}\n{_question(blocks[number], answer)}\n\n{message}\n{_HELP}\n")
        if key == "q":
            break
        message, place = "", max(0, place - (key == "u"))
        if key not in _KEYS:
            continue
        changed = {block: value for block, value in judged.items() if block != number}
        changed |= {} if _KEYS[key] is None else {number: bool(_KEYS[key])}
        try:
            save(changed)
            judged, place = changed, place + 1
        except CrfcleanError as error:
            message = str(error)
    return judged


def _question(block: AuditedBlock, answer: str) -> str:
    """A block between its neighbours, below the title and the address of its page."""
    lines = block.title, block.url or block.page, "", block.before, answer, f"> {block.text}"
    return "\n".join(map(escaped, (*lines, "", block.after)))


# estimate precision, recall and F1 by words from judged draws, with intervals

_MODEL_DRAWS = 1.0  # so that intervals of few draws hold the truth as often as they should
_RUN_DRAWS = 2.0  # judgements in each stratum that the shares of the run count for in a group
_LEAST_AGAINST: Floats = np.where(KEPT, 0.1, 0.05)  # share of an added draw against the model
_QUANTILE = 1.959964  # of the normal distribution, for 95 %
_NAMES = ("precision", "recall", "f1")


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its 95 % interval, all in 0..1."""

    estimate: float
    low: float
    high: float


Estimates = Mapping[str, Interval]
"""`precision`, `recall` and `f1`; an undefined one is missing."""


def estimates(words: Floats, judged: Floats, belong: Floats, means: Floats) -> Estimates:
    """Estimate the measures of a whole run; all arrays (STRATA,).

    Each stratum has `words`, with mean probabilities `means`. Of its draws, `judged` were judged,
    and `belong` of these belong to the text. A draw is a random word of its stratum, so the share
    of draws that belong is an unbiased estimate of the share of words (Hansen and Hurwitz 1943,
    sampling in proportion to size with replacement). With c correct of k kept and t belonging
    words: P = c / k, R = c / t, F1 = 2 c / (k + t).

    The interval is Wilson's (1927) for as many independent draws as give the variance of the
    linearised ratio (Saerndal, Swensson, Wretman 1992, 5.5; Korn and Graubard 1998 on effective
    sizes). To the shares, one draw is added in each stratum, which the model answers, but never
    with certainty (after Agresti and Coull 1998): otherwise a stratum of equal judgements would
    seem to be known. A stratum without a judgement has the share that the model expects.
    """
    prior = _doubted(means)
    shares = np.where(judged > 0, belong / np.maximum(judged, 1), prior)
    centre = _smoothed(judged, belong, prior, _MODEL_DRAWS)
    return _with_intervals(words, judged, centre, shares)


def group_estimates(words: Floats, judged: Floats, belong: Floats, shares: Floats) -> Estimates:
    """Estimate the measures of a group of the run, as `estimates` does, from few judgements.

    `shares` (STRATA,) are those of the whole run; they count as two draws in each stratum: a
    composite estimate of a small area (Rao and Molina 2015, ch. 5). A group without judgements has
    the shares of the run.
    """
    composite = _smoothed(judged, belong, shares, _RUN_DRAWS)
    centre = _smoothed(judged, belong, _doubted(shares), _RUN_DRAWS)
    return _with_intervals(words, judged, centre, composite)


def _smoothed(judged: Floats, belong: Floats, prior: Floats, draws: float) -> Floats:
    """Return the share of words that belong in each stratum, with draws of a prior added."""
    shares: Floats = (belong + draws * prior) / (judged + draws)
    return shares


def _doubted(shares: Floats) -> Floats:
    """Bound shares away from 0 and 1: models are surer than they are right."""
    return np.clip(shares, _LEAST_AGAINST, 1 - _LEAST_AGAINST)


def _with_intervals(
    words: Floats, judged: Floats, centre: Floats, shares: Floats
) -> dict[str, Interval]:
    """Return the estimates by `shares`, with intervals around the measures by `centre`."""
    middles, points = _measures(words, centre), _measures(words, shares)
    variances = centre * (1 - centre) / np.maximum(judged, 1)
    result = {}
    for name, gradient in zip(_NAMES, _gradients(words, centre, middles), strict=True):
        point, middle = points[name], middles[name]
        if not (np.isfinite(point) and np.isfinite(middle)):
            continue
        error = float(np.sqrt((gradient**2 * variances).sum()))
        low, high = _wilson_interval(middle, error)
        result[name] = Interval(point, min(low, point), max(high, point))
    return result


def _measures(words: Floats, shares: Floats) -> dict[str, float]:
    """Return precision, recall and F1 if these shares of words belong; NaN for 0 / 0."""
    kept = float(words[KEPT].sum())
    correct = float((words * shares)[KEPT].sum())
    belonging = float((words * shares).sum())
    tops = correct, correct, 2 * correct
    bottoms = kept, belonging, kept + belonging
    pairs = zip(_NAMES, tops, bottoms, strict=True)
    return {name: top / bottom if bottom else float("nan") for name, top, bottom in pairs}


def _gradients(words: Floats, shares: Floats, measures: Mapping[str, float]) -> list[Floats]:
    """The derivatives of the measures by the shares, each (STRATA,)."""
    kept, belonging = float(words[KEPT].sum()) or 1.0, float((words * shares).sum()) or 1.0
    recall, f1 = measures["recall"], measures["f1"]
    return [
        np.where(KEPT, words, 0.0) / kept,
        words * (KEPT - recall) / belonging,
        words * (2.0 * KEPT - f1) / (kept + belonging),
    ]


def _wilson_interval(middle: float, error: float) -> tuple[float, float]:
    middle = min(max(middle, 1e-4), 1 - 1e-4)
    added = _QUANTILE**2 * error**2 / (middle * (1 - middle))  # by the effective number of draws
    centre = (middle + added / 2) / (1 + added)
    half = _QUANTILE * np.sqrt(error**2 + (added / (2 * _QUANTILE)) ** 2) / (1 + added)
    return max(0.0, float(centre - half)), min(1.0, float(centre + half))


# report the estimates for the run, its groups and its sites

LEAST_JUDGED = 15  # a group with fewer judged draws has no figures
LEAST_WORDS = 300  # smaller sites are not named: they are hardly worth a label
MAX_SITES = 10
_BELONGS, _JUDGED = 1, 0


@dataclass(frozen=True, slots=True)
class GroupReport:
    """A group of blocks: its words, the draws judged in it, and its estimates."""

    name: str
    words: float
    judged: int
    estimates: Estimates


@dataclass(frozen=True, slots=True)
class Report:
    """The figures of a run by words, of its groups with enough judgements, and of its sites.

    `judgements` is the number of judged blocks, `draws` that of the draws of these blocks. `sites`
    are those whose expected F1 is below that of the run, the lowest first. `wordless` pages failed
    or have no text. `statuses` and `models`, by fingerprint, count the pages.
    """

    pages: int
    words: float
    kept_words: float
    judgements: int
    draws: int
    estimates: Estimates
    groups: Mapping[str, tuple[GroupReport, ...]]
    sites: tuple[GroupReport, ...]
    wordless: int = 0
    statuses: Mapping[str, int] = field(default_factory=dict)
    models: Mapping[str, int] = field(default_factory=dict)


def report(sample: Sample, judgements: Judgements) -> Report:
    """Make the report of a sample's judgements; raises `CrfcleanError` if there are none."""
    if not judgements:
        raise CrfcleanError("nothing is judged yet")
    tallies = _Tallies(sample, judgements)
    judged, belong = tallies.overall
    overall = estimates(sample.words, judged, belong, sample.means)
    return Report(
        sample.pages,
        float(sample.words.sum()),
        sample.kept_words,
        len(judgements),
        int(judged.sum()),
        overall,
        {name: tallies.of_grouping(name) for name in GROUPINGS},
        tuple(tallies.weakest_sites(_f1(overall))),
        sample.wordless,
        sample.facts.get("status", {}),
        sample.facts.get("model", {}),
    )


class _Tallies:
    """The judged draws of a sample by stratum, of all and of each group."""

    def __init__(self, sample: Sample, judgements: Judgements) -> None:
        self._sample = sample
        self.overall: Floats = np.zeros((2, STRATA))
        self._groups: dict[tuple[str, str], Floats] = {}
        for stratum, number in _judged_draws(sample, judgements):
            belongs = judgements[number]
            for counts in (self.overall, *self._counts_of(number)):
                counts[_JUDGED, stratum] += 1
                counts[_BELONGS, stratum] += belongs
        judged, belong = self.overall
        self._shares = _smoothed(judged, belong, _doubted(sample.means), _MODEL_DRAWS)

    def _counts_of(self, number: int) -> Iterator[Floats]:
        """The counts of the groups that a block is in."""
        for grouping, name in zip(GROUPINGS, self._sample.blocks[number].groups, strict=True):
            group = name if name in self._sample.groups[grouping] else OTHERS
            yield self._groups.setdefault((grouping, group), np.zeros((2, STRATA)))

    def of_grouping(self, grouping: str) -> tuple[GroupReport, ...]:
        """Return the groups with enough judgements, the largest first."""
        groups = (self._group(grouping, name) for name in self._sample.groups[grouping])
        enough = [group for group in groups if group.judged >= LEAST_JUDGED]
        return tuple(sorted(enough, key=lambda group: (-group.words, group.name)))

    def weakest_sites(self, below: float) -> list[GroupReport]:
        """Return the sites with the lowest expected F1 below a limit; none if there is only one."""
        names = [name for name in self._sample.groups["site"] if name not in (UNKNOWN, OTHERS)]
        if len(names) < 2:
            return []
        sites = [self._group("site", name) for name in names]
        large = [
            site for site in sites if site.words >= LEAST_WORDS and _f1(site.estimates) < below
        ]
        return sorted(large, key=lambda site: (_f1(site.estimates), site.name))[:MAX_SITES]

    def _group(self, grouping: str, name: str) -> GroupReport:
        words = np.array(self._sample.groups[grouping][name], np.float64)
        judged, belong = self._groups.get((grouping, name), np.zeros((2, STRATA)))
        figures = group_estimates(words, judged, belong, self._shares)
        return GroupReport(name, float(words.sum()), int(judged.sum()), figures)


def _f1(figures: Estimates) -> float:
    """Return the F1 of estimates, 1 if it is undefined."""
    return figures["f1"].estimate if "f1" in figures else 1.0


def _judged_draws(sample: Sample, judgements: Judgements) -> Iterator[tuple[int, int]]:
    """Yield the judged draws, up to the first draw of the last block that is judged.

    Later draws of judged blocks are left out: they would count large blocks too often.
    """
    left = set(judgements)
    for stratum, number in sample.draws:
        if number in judgements:
            yield stratum, number
            left.discard(number)
        if not left:
            return


def summary_text(result: Report) -> str:
    """Return all figures as tables."""
    kept = result.kept_words / result.words
    size = f"{result.pages:,} pages with {result.words:,.0f} words, of which {kept:.1%} are kept"
    lines = [f"{plural(result.judgements, 'block')} judged of {size}"]
    if result.wordless:
        lines.append(
            f"{result.wordless:,} of these pages failed or have no text: not part of the figures"
        )
    lines += [
        "",
        _row("", "words", "judged", ("precision", "recall", "F1")),
        _line("all", result.words, result.draws, result.estimates),
    ]
    for grouping, groups in result.groups.items():
        if len(groups) > 1:
            lines.append(f"by {grouping}")
            lines += [_line(f"  {g.name}", g.words, g.judged, g.estimates) for g in groups]
    if result.sites:
        lines += ["", "Label pages of these sites first (lowest expected F1):"]
        lines += [_line(f"  {g.name}", g.words, g.judged, g.estimates) for g in result.sites]
    return "\n".join(lines) + "\n"


def _line(name: str, words: float, judged: int, figures: Estimates) -> str:
    values = [figures.get(measure) for measure in _NAMES]
    cells = [f"{v.estimate:.3f} {v.low:.3f}-{v.high:.3f}" if v else "-" for v in values]
    return _row(name, f"{words:,.0f}", str(judged), cells)


def _row(name: str, words: str, judged: str, cells: Sequence[str]) -> str:
    shown = name if len(name) <= 26 else name[:25] + "…"
    return f"{shown:26}{words:>12}{judged:>7}" + "".join(f"{cell:>18}" for cell in cells)


# describe a run and its estimates in a paragraph for a paper

TITLE = "crfclean: boilerplate removal with a conditional random field that can be trained"
CITATION = f"The authors of crfclean ({YEAR}). {TITLE}. Version {__version__}."

_PACKAGES = ("python", "lxml", "numpy")
_UNKNOWN_MODEL = "an unknown model"
_METHOD_NAMES = {"precision": "a precision", "recall": "a recall", "f1": "an F1"}


def methods(result: Report) -> str:
    """Return the paragraph: versions, model, convention, statuses, estimates, citation.

    Rows have the fingerprint of the model, which tells the shipped models and their conventions.
    """
    return " ".join([_run(result), _estimates(result), f"Reference: {CITATION}"])


def _run(result: Report) -> str:
    installed = versions(())
    packages = ", ".join(f"{name} {installed[name]}" for name in _PACKAGES if name in installed)
    models = ", ".join(_models(result.models)) or _UNKNOWN_MODEL
    statuses = ", ".join(f"{count:,} {name}" for name, count in _common(result.statuses))
    pages = f" The pages have the statuses {statuses}." if statuses else ""
    return (
        f"The texts of {plural(result.pages, 'page')} were extracted by crfclean {__version__} "
        f"({packages}) with {models}.{pages} They keep {result.kept_words / result.words:.1%} of "
        f"{result.words:,.0f} words."
    )


def _estimates(result: Report) -> str:
    estimates = ", ".join(
        f"{_METHOD_NAMES[name]} of {value.estimate:.3f} ({value.low:.3f} to {value.high:.3f})"
        for name, value in result.estimates.items()
    )
    return (
        f"{plural(result.judgements, 'block')}, drawn by words from strata of their probability, "
        f"were judged by hand. They give {estimates} over the words of all pages, with 95 % "
        "intervals."
    )


def _common(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _models(counts: Mapping[str, int]) -> Iterator[str]:
    """Yield what is known of each fingerprint, the commonest first."""
    shipped = _shipped() if counts else {}
    for name, _ in _common(counts):
        model = shipped.get(name, "a model or options of its own")
        yield _UNKNOWN_MODEL if name == UNKNOWN else f"{model} (fingerprint {name})"


def _shipped() -> dict[str, str]:
    """Return the fingerprints of the shipped models by convention -> their description."""
    return {
        fingerprint(with_choice(tagger, CutChoice(name))): f"the model {model}, convention {name}"
        for model in ("default", "mlp")
        for tagger in [load(model)]
        for name in CONVENTIONS
    }
