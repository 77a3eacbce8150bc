"""Tables of scores as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from crfclean.page.chars import plural
from crfclean.products.teach.block_metrics import BlockKind, label_scores
from crfclean.products.teach.cleaning import PageScore
from crfclean.products.teach.means import (
    BY,
    Difference,
    Row,
    exact_ends,
    f1_interval,
    groups,
    means_by_group,
    metric_means,
    total_confusion,
    total_counts,
)
from crfclean.products.teach.result import Evaluation, paired
from crfclean.types import Label

OURS = "crfclean"
_WORDS = ("pages", "precision", "recall", "F1")
_MAX_CHANGED_PAGES = 10  # pages that `compare_text` lists


def scores_text(pages: Sequence[PageScore], by: str = "source") -> str:
    """The tables of crfclean: words by group, then blocks by kind if the gold has labels."""
    return evaluation_text(Evaluation("", {OURS: pages}, by))


def evaluation_text(evaluation: Evaluation) -> str:
    """Words by group and system, and blocks by kind, as aligned tables."""
    parts = [evaluation.note] if evaluation.note else []
    left = 2 if evaluation.peers else 1
    parts.append(aligned(word_rows(evaluation), left) + _interval_line(evaluation))
    if any(page.blocks is not None for page in evaluation.pages):
        caption = f"Blocks of {next(iter(evaluation.systems))}\n" if evaluation.peers else ""
        parts.append(caption + aligned(kind_rows(evaluation.pages)))
    return "\n".join(parts)


def aligned(rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Rows of cells as text: the first `left` columns flush left, the others flush right."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        padded = [
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(padded).rstrip() + "\n")
    return "".join(lines)


def word_rows(evaluation: Evaluation) -> list[list[str]]:
    """Return a row for each group and system: mean scores, and the first system's lead."""
    first, *peers = evaluation.systems
    words = (*_WORDS, *metric_means(evaluation.pages[:1]))
    leads = evaluation.differences(evaluation.by)
    tables = {
        name: means_by_group(pages, BY[evaluation.by]) for name, pages in evaluation.systems.items()
    }
    if not peers:
        return [[evaluation.by, *words], *([row.source, *_cells_of(row)] for row in tables[first])]
    head = interval_head(evaluation)
    rows = [[evaluation.by, "system", *words, f"{first} leads by", head]]
    for place, group in enumerate(groups(evaluation.pages, BY[evaluation.by])):
        for number, (name, group_rows) in enumerate(tables.items()):
            lead = ["", ""] if name not in leads else lead_cells(leads[name][place])
            rows.append(["" if number else group, name, *_cells_of(group_rows[place]), *lead])
    return rows


def _cells_of(row: Row) -> list[str]:
    values = (row.precision, row.recall, row.f1, *row.metrics.values())
    return [str(row.pages), *(f"{value:.3f}" for value in values)]


def interval_head(evaluation: Evaluation) -> str:
    """Return the head of a column of intervals."""
    return "95 % interval" + (", by page" if evaluation.unit == "page" else "")


def lead_cells(row: Difference) -> list[str]:
    """Return the cells of a difference and its interval; a dash for a missing interval."""
    ends = "–" if row.low is None else f"{row.low:+.3f} to {row.high:+.3f}"
    return [f"{row.mean:+.3f}", ends]


def _interval_line(evaluation: Evaluation) -> str:
    """Return a line with the interval of the first system's F1, "" if it has none."""
    ends = f1_interval(evaluation.pages, evaluation.unit)
    if ends is None:
        return ""
    over = plural(len({page.site for page in evaluation.pages}), "site")
    if evaluation.unit == "page":
        over = f"{plural(len(evaluation.pages), 'page')} of {over}"
    system = f" of {next(iter(evaluation.systems))}" if evaluation.peers else ""
    low, high = ends
    return f"\nF1{system} on all pages: 95 % interval {low:.3f} to {high:.3f}, over {over}.\n"


def percent(part: float, total: float) -> str:
    """Return a share as a percentage, a dash if the total is 0."""
    return f"{100 * part / total:.1f} %" if total else "–"


def measures(systems: Mapping[str, Sequence[PageScore]]) -> list[list[str]]:
    """Return a row for each system: word order, distance, blocks, begin and end."""
    order_head = ["precision in order", "recall in order", "F1 in order", "distance", "relative"]
    block_head = ["blocks found", "blocks wrong", "right begin", "right end"]
    rows = [["", *order_head, *block_head]]
    for name, pages in systems.items():
        parts = [(p.alignment.precision, p.alignment.recall, p.alignment.f1) for p in pages]
        order = [sum(column) / len(pages) for column in zip(*parts, strict=True)]
        mean = means_by_group(pages)[-1]
        distance = [f"{mean.distance:.1f}", f"{mean.distance_share:.3f}"]
        correct, wrong, missed = total_counts(pages).sum(axis=0).tolist()
        blocks = [percent(part, correct + missed) for part in (correct, wrong)]
        blocks += [percent(share, 1) for share in exact_ends(pages)]
        rows.append([name, *(f"{value:.3f}" for value in order), *distance, *blocks])
    return rows


def kind_rows(pages: Sequence[PageScore]) -> list[list[str]]:
    """Return a row for each kind of block: counts, two of them also as shares of the gold."""
    rows = [["blocks", "in gold", "kept", "missed", "wrongly kept", "kept %", "wrong %"]]
    counts = total_counts(pages)
    parts = {kind.name.lower().replace("_", " "): counts[kind] for kind in BlockKind}
    shown = {name: part for name, part in parts.items() if part.any()}
    for name, part in (shown | {"all": counts.sum(axis=0)}).items():
        correct, wrong, missed = part.tolist()
        gold = correct + missed
        cells = [str(count) for count in (gold, correct, missed, wrong)]
        rows.append([name, *cells, percent(correct, gold), percent(wrong, gold)])
    return rows


def label_rows(pages: Sequence[PageScore]) -> list[list[str]]:
    """Return a row for each label: precision, recall, F1, and its row of the confusion matrix."""
    matrix = total_confusion(pages)
    rows = [["labels", "precision", "recall", "F1", *(f"as {name}" for name in Label.__members__)]]
    for name, scores in label_scores(matrix).items():
        values = [f"{value:.3f}" for value in (scores.precision, scores.recall, scores.f1)]
        rows.append([name, *values, *(str(count) for count in matrix[Label[name]])])
    return rows


def compare_text(old: Sequence[PageScore], new: Sequence[PageScore], group_by: str = "") -> str:
    """New minus old F1 by source, kind and language, then the pages that changed most.

    Of tables with a single group, only the first is shown. `group_by` is as in `Evaluation`. Raises
    `CrfcleanError` if the pages differ.
    """
    both = Evaluation("", {"new": new, "old": paired(old, new)}, group_by=group_by)
    parts: list[str] = []
    for grouping in BY:
        gains = both.differences(grouping)["old"]
        if parts and len(gains) == 2:
            continue
        rows = [[row.group, str(row.pages), *lead_cells(row)] for row in gains]
        parts.append(aligned([[grouping, "pages", "F1 new - old", interval_head(both)], *rows]))
    return "\n".join([*parts, aligned(_changes(both))])


def _changes(evaluation: Evaluation) -> list[list[str]]:
    pairs = list(zip(evaluation.systems["new"], evaluation.systems["old"], strict=True))
    changed = [pair for pair in pairs if pair[0].words.f1 != pair[1].words.f1]
    changed.sort(key=lambda pair: (-abs(pair[0].words.f1 - pair[1].words.f1), pair[0].id))
    rows = [[f"{plural(len(changed), 'page')} changed", "old F1", "new F1", "change"]]
    for new, old in changed[:_MAX_CHANGED_PAGES]:
        gain = new.words.f1 - old.words.f1
        rows.append([new.id, f"{old.words.f1:.3f}", f"{new.words.f1:.3f}", f"{gain:+.3f}"])
    return rows
