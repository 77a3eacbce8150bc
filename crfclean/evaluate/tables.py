"""Tables of page scores as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from crfclean.evaluate.metrics import BlockKind, label_scores
from crfclean.evaluate.plurals import plural
from crfclean.evaluate.result import (
    BY,
    CurvePoint,
    Difference,
    Evaluation,
    Row,
    exact_ends,
    f1_interval,
    groups,
    means_by_group,
    paired,
    total_confusion,
    total_counts,
    total_snippets,
)
from crfclean.evaluate.runner import PageScore
from crfclean.types import Label

OURS = "crfclean"
_WITHIN = "A model a source, trained on other pages of it; All: one model for all sources\n"
_TOGETHER = "One model for all sources, trained on pages of all of them\n"
_MAX_CHANGED_PAGES = 10  # pages that `compare_text` lists


def scores_text(pages: Sequence[PageScore], by: str = "source", name: str = OURS) -> str:
    """The table of the CRF paper (L, P, R, F by group and All), its interval, and block tables."""
    parts = [paper_table(means_by_group(pages, BY[by])), _interval_line(pages)]
    return "\n".join([*parts, *_other_tables(Evaluation("", {name: pages}))])


def _other_tables(evaluation: Evaluation) -> list[str]:
    parts = [aligned(measures(evaluation.systems))]
    pages = evaluation.pages
    if any(page.blocks is not None for page in pages):
        parts += [aligned(kind_rows(pages)), aligned(label_rows(pages))]
    return parts


def evaluation_text(evaluation: Evaluation) -> str:
    """All tables of an evaluation; within a group the systems are consecutive rows."""
    parts = [evaluation.note] if evaluation.note else []
    if evaluation.source_rows:
        parts.append(_WITHIN + paper_table(evaluation.source_rows))
    caption = _TOGETHER if evaluation.source_rows else ""
    if evaluation.peers:
        parts.append(caption + aligned(interleaved(evaluation), left=2))
        parts += _other_tables(evaluation)
    else:
        (name,) = evaluation.systems
        parts.append(caption + scores_text(evaluation.pages, evaluation.by, name))
    if evaluation.curve:
        parts.append(aligned(curve_rows(evaluation.curve)))
    return "\n".join(parts)


def paper_table(rows: Sequence[Row]) -> str:
    """Rows as the columns of the CRF paper's table 1: L, P, R, F by group and All."""
    lines = {
        "pages": [str(row.pages) for row in rows],
        "L": [f"{row.distance:.1f}" for row in rows],
        "L norm.": [f"{row.distance_share:.3f}" for row in rows],
        "P": [f"{row.precision:.3f}" for row in rows],
        "R": [f"{row.recall:.3f}" for row in rows],
        "F": [f"{row.f1:.3f}" for row in rows],
    }
    return aligned([["", *(row.source for row in rows)], *([k, *v] for k, v in lines.items())])


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


def interleaved(evaluation: Evaluation) -> list[list[str]]:
    """A row a group and system: means, and the first system's lead with its interval."""
    leads = evaluation.differences(evaluation.by)
    rows = [[evaluation.by, "system", "pages", "L", "L norm.", "P", "R", "F", "our lead", "95 %"]]
    tables = {
        name: means_by_group(pages, BY[evaluation.by]) for name, pages in evaluation.systems.items()
    }
    for place, group in enumerate(groups(evaluation.pages, BY[evaluation.by])):
        for number, (name, group_rows) in enumerate(tables.items()):
            lead = ["", ""] if name not in leads else lead_cells(leads[name][place])
            rows.append(["" if number else group, name, *_cells(group_rows[place]), *lead])
    return rows


def _cells(row: Row) -> list[str]:
    shares = (row.distance_share, row.precision, row.recall, row.f1)
    return [str(row.pages), f"{row.distance:.1f}", *(f"{share:.3f}" for share in shares)]


def lead_cells(row: Difference) -> list[str]:
    """Cells for a difference and its interval, a dash for the interval of a single site."""
    ends = f"{row.low:+.3f} to {row.high:+.3f}" if row.sites > 1 else "–"
    return [f"{row.mean:+.3f}", ends]


def _interval_line(pages: Sequence[PageScore]) -> str:
    low, high = f1_interval(pages)
    sites = plural(len({page.site for page in pages}), "site")
    return f"F over all pages, 95 % interval over {sites}: {low:.3f} to {high:.3f}\n"


def percent(part: float, total: float) -> str:
    """A share as a percentage, a dash where the total is 0."""
    return f"{100 * part / total:.1f} %" if total else "–"


def measures(systems: Mapping[str, Sequence[PageScore]]) -> list[list[str]]:
    """A row a system: F1 in order, blocks found and wrong, exact begins and ends, snippets."""
    head = ["", "P in order", "R in order", "F in order"]
    rows = [[*head, "found", "wrong", "begin", "end", "with", "without"]]
    for name, pages in systems.items():
        parts = [(p.alignment.precision, p.alignment.recall, p.alignment.f1) for p in pages]
        order = [sum(column) / len(pages) for column in zip(*parts, strict=True)]
        cells = [name, *(f"{value:.3f}" for value in order), *_block_cells(pages)]
        snippets = total_snippets(pages)
        cells.append(percent(snippets.found, snippets.wanted))
        rows.append([*cells, percent(snippets.kept_out, snippets.unwanted)])
    return rows


def _block_cells(pages: Sequence[PageScore]) -> list[str]:
    correct, wrong, missed = total_counts(pages).sum(axis=0).tolist()
    gold = correct + missed
    shares = [percent(correct, gold), percent(wrong, gold)]
    return shares + [percent(share, 1) for share in exact_ends(pages)]


def kind_rows(pages: Sequence[PageScore]) -> list[list[str]]:
    """A row a kind of block: gold, found, wrong and missed, and shares of the gold."""
    rows = [["blocks", "gold", "found", "wrong", "missed", "found %", "wrong %"]]
    counts = total_counts(pages)
    parts = {kind.name.lower().replace("_", " "): counts[kind] for kind in BlockKind}
    for name, part in (parts | {"all": counts.sum(axis=0)}).items():
        correct, wrong, missed = part.tolist()
        gold = correct + missed
        cells = [str(count) for count in (gold, correct, wrong, missed)]
        rows.append([name, *cells, percent(correct, gold), percent(wrong, gold)])
    return rows


def label_rows(pages: Sequence[PageScore]) -> list[list[str]]:
    """A row a label: precision, recall, F1, and the row of the confusion matrix."""
    matrix = total_confusion(pages)
    rows = [["labels", "P", "R", "F", *(f"as {name}" for name in Label.__members__)]]
    for name, scores in label_scores(matrix).items():
        values = [f"{value:.3f}" for value in (scores.precision, scores.recall, scores.f1)]
        rows.append([name, *values, *(str(count) for count in matrix[Label[name]])])
    return rows


def curve_rows(curve: Sequence[CurvePoint]) -> list[list[str]]:
    """A row a point of a learning curve."""
    head = ["training pages", "F", "95 %"]
    steps = ([str(s.pages), f"{s.f1:.3f}", f"{s.low:.3f} to {s.high:.3f}"] for s in curve)
    return [head, *steps]


def compare_text(old: Sequence[PageScore], new: Sequence[PageScore]) -> str:
    """New minus old F1 by source, kind and language, then the pages that changed most.

    Of tables with a single group only the first is shown. Raises `CrfcleanError` where the pages
    differ.
    """
    both = Evaluation("", {"new": new, "old": paired(old, new)})
    parts: list[str] = []
    for grouping in BY:
        gains = both.differences(grouping)["old"]
        if parts and len(gains) == 2:
            continue
        rows = [[row.group, str(row.pages), *lead_cells(row)] for row in gains]
        parts.append(aligned([[grouping, "pages", "F new - old", "95 %"], *rows]))
    return "\n".join([*parts, aligned(_changes(both))])


def _changes(evaluation: Evaluation) -> list[list[str]]:
    pairs = list(zip(evaluation.systems["new"], evaluation.systems["old"], strict=True))
    changed = [pair for pair in pairs if pair[0].words.f1 != pair[1].words.f1]
    changed.sort(key=lambda pair: (-abs(pair[0].words.f1 - pair[1].words.f1), pair[0].id))
    rows = [[f"{plural(len(changed), 'page')} changed", "F old", "F new", "change"]]
    for new, old in changed[:_MAX_CHANGED_PAGES]:
        gain = new.words.f1 - old.words.f1
        rows.append([new.id, f"{old.words.f1:.3f}", f"{new.words.f1:.3f}", f"{gain:+.3f}"])
    return rows
