"""Page scores -> plain tables: text and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from crfclean.evaluate.block_metrics import BlockKind, label_scores
from crfclean.evaluate.plurals import plural
from crfclean.evaluate.result import CurvePoint, Evaluation, paired, score_dict
from crfclean.evaluate.runner import PageScore
from crfclean.evaluate.statistics import (
    BY,
    Difference,
    Row,
    exact_ends,
    f1_interval,
    groups,
    means_by_group,
    total_confusion,
    total_counts,
    total_snippets,
)
from crfclean.types import Label

OURS = "crfclean"
_MAX_CHANGED_PAGES = 10  # pages that `compare_text` lists


def scores_text(pages: Sequence[PageScore], by: str = "source", name: str = OURS) -> str:
    """The table of the paper (L, P, R, F by source and All), the interval, and of blocks."""
    parts = [paper_table(means_by_group(pages, BY[by])), _interval_line(pages)]
    return "\n".join([*parts, *_more(Evaluation("", {name: pages}))])


def _more(evaluation: Evaluation) -> list[str]:
    """The other measures of every system, then our blocks by kind and by label."""
    parts = [aligned(measures(evaluation.systems))]
    ours = evaluation.pages
    if any(page.blocks is not None for page in ours):
        parts += [aligned(kind_rows(ours)), aligned(label_rows(ours))]
    return parts


def evaluation_text(evaluation: Evaluation) -> str:
    """All tables of an evaluation; several systems stand below each other, group by group."""
    parts = []
    if evaluation.source_rows:
        parts.append(paper_table(evaluation.source_rows))
    if evaluation.peers:
        parts.append(aligned(interleaved(evaluation), left=2))
        parts += _more(evaluation)
    else:
        (name,) = evaluation.systems
        parts.append(scores_text(evaluation.pages, evaluation.by, name))
    if evaluation.curve:
        parts.append(aligned(curve_rows(evaluation.curve)))
    return "\n".join(parts)


def paper_table(rows: Sequence[Row]) -> str:
    """Rows as the columns of the paper's table 1: L, P, R, F by source and All."""
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
    """Rows of cells as text: the first columns begin together, the others end together."""
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
    """A row a group and system: means, and our lead with its interval."""
    leads = evaluation.differences(evaluation.by)
    rows = [[evaluation.by, "system", "pages", "L", "L norm.", "P", "R", "F", "our lead", "95 %"]]
    tables = {
        name: means_by_group(pages, BY[evaluation.by]) for name, pages in evaluation.systems.items()
    }
    for place, group in enumerate(groups(evaluation.pages, BY[evaluation.by])):
        for number, (name, found) in enumerate(tables.items()):
            lead = ["", ""] if name not in leads else lead_cells(leads[name][place])
            rows.append(["" if number else group, name, *_cells(found[place]), *lead])
    return rows


def _cells(row: Row) -> list[str]:
    shares = (row.distance_share, row.precision, row.recall, row.f1)
    return [str(row.pages), f"{row.distance:.1f}", *(f"{share:.3f}" for share in shares)]


def lead_cells(row: Difference) -> list[str]:
    """A difference and its interval, a dash for that of a single site."""
    ends = f"{row.low:+.3f} to {row.high:+.3f}" if row.sites > 1 else "–"
    return [f"{row.mean:+.3f}", ends]


def _interval_line(pages: Sequence[PageScore]) -> str:
    low, high = f1_interval(pages)
    sites = plural(len({page.site for page in pages}), "site")
    return f"F over all pages, 95 % interval over {sites}: {low:.3f} to {high:.3f}\n"


def percent(part: float, whole: float) -> str:
    """A share as a percentage, a dash where there is nothing to divide."""
    return f"{100 * part / whole:.1f} %" if whole else "–"


def measures(systems: Mapping[str, Sequence[PageScore]]) -> list[list[str]]:
    """A row a system: scores in order, blocks found and wrong, exact begins and ends, snippets."""
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
    """Shares of the gold's blocks found and wrong, of pages whose begin and end are exact."""
    found, wrong, missed = total_counts(pages).sum(axis=0).tolist()
    gold = found + missed
    shares = [percent(found, gold), percent(wrong, gold)]
    return shares + [percent(share, 1) for share in exact_ends(pages)]


def kind_rows(pages: Sequence[PageScore]) -> list[list[str]]:
    """A row a kind of block: how many are gold, found, wrong, missed, and shares of the gold."""
    rows = [["blocks", "gold", "found", "wrong", "missed", "found %", "wrong %"]]
    counts = total_counts(pages)
    parts = {kind.name.lower().replace("_", " "): counts[kind] for kind in BlockKind}
    for name, part in (parts | {"all": counts.sum(axis=0)}).items():
        found, wrong, missed = part.tolist()
        gold = found + missed
        cells = [str(count) for count in (gold, found, wrong, missed)]
        rows.append([name, *cells, percent(found, gold), percent(wrong, gold)])
    return rows


def label_rows(pages: Sequence[PageScore]) -> list[list[str]]:
    """A row a label: precision, recall, F1, and the confusion matrix."""
    matrix = total_confusion(pages)
    rows = [["labels", "P", "R", "F", *(f"as {name}" for name in Label.__members__)]]
    for name, scores in label_scores(matrix).items():
        values = [f"{value:.3f}" for value in (scores.precision, scores.recall, scores.f1)]
        rows.append([name, *values, *(str(count) for count in matrix[Label[name]])])
    return rows


def curve_rows(curve: Sequence[CurvePoint]) -> list[list[str]]:
    """A row a number of training pages."""
    head = ["training pages", "F", "95 %"]
    steps = ([str(s.pages), f"{s.f1:.3f}", f"{s.low:.3f} to {s.high:.3f}"] for s in curve)
    return [head, *steps]


def compare_text(old: Sequence[PageScore], new: Sequence[PageScore]) -> str:
    """New minus old F1 by source, kind and language, and the pages that changed most.

    A table of one group alone is left out. Raises `CrfcleanError` where the pages differ.
    """
    before = Evaluation("", {"new": new, "old": paired(old, new)})
    parts: list[str] = []
    for one in BY:
        leads = before.differences(one)["old"]
        if parts and len(leads) == 2:
            continue
        rows = [[row.group, str(row.pages), *lead_cells(row)] for row in leads]
        parts.append(aligned([[one, "pages", "F new - old", "95 %"], *rows]))
    return "\n".join([*parts, aligned(_changes(before))])


def _changes(both: Evaluation) -> list[list[str]]:
    """The pages whose F1 changed most, best and worst alike."""
    pairs = list(zip(both.systems["new"], both.systems["old"], strict=True))
    moved = [pair for pair in pairs if pair[0].words.f1 != pair[1].words.f1]
    moved.sort(key=lambda pair: (-abs(pair[0].words.f1 - pair[1].words.f1), pair[0].id))
    rows = [[f"{plural(len(moved), 'page')} changed", "F old", "F new", "change"]]
    for new, old in moved[:_MAX_CHANGED_PAGES]:
        gain = new.words.f1 - old.words.f1
        rows.append([new.id, f"{old.words.f1:.3f}", f"{new.words.f1:.3f}", f"{gain:+.3f}"])
    return rows


def evaluation_csv(evaluation: Evaluation) -> str:
    """A line a page and system, then every system's means by group and over all (`id` empty)."""
    out = io.StringIO()
    fields = ["system", *score_dict(evaluation.pages[0])]
    writer = csv.DictWriter(out, fields, lineterminator="\n", restval="", extrasaction="ignore")
    writer.writeheader()
    for name, pages in evaluation.systems.items():
        writer.writerows({"system": name, **score_dict(page)} for page in pages)
    for name, pages in evaluation.systems.items():
        rows = means_by_group(pages, BY[evaluation.by])
        writer.writerows({"system": name, **asdict(row)} for row in rows)
    return out.getvalue()
