"""`Reading` -> files that show every step: template, groups, fields before and after correction."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from crfclean.forum.choose import Labelled
from crfclean.forum.fields import LABELS
from crfclean.forum.pairing import UNKNOWN, GoldPost, field_labels
from crfclean.forum.posts import Reading
from crfclean.forum.template import induce, show
from crfclean.types import CrfcleanError, Floats, Ints

MAX_SHOWN = 80  # characters of a field's text


def write_steps(found: Reading, names: list[str], folder: Path) -> None:
    """Write `template.txt`, and for every page `NAME.fields.tsv`; raises `CrfcleanError`."""
    files = {"template.txt": show(induce(found.outlines))}
    for name, one, site in zip(names, found.chosen, found.corrected, strict=True):
        if one is not None:
            files[f"{name}.fields.tsv"] = "".join(field_lines(one, site))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text, "utf-8", "backslashreplace")
    except OSError as error:
        raise CrfcleanError(f"{folder}: cannot be written: {error.strerror}") from error


def field_lines(one: Labelled, site: Floats) -> Iterator[str]:
    """A line a field: record, side, label before and after correction, probabilities, text."""
    records = one.fields.records
    page = records.page
    yield f"# {one.name}\tscore {one.score:.3f}\t{len(records)} records\n"
    yield "record\tside\tlabel\tcorrected\t" + "\t".join(LABELS) + "\taddress\ttext\n"
    for field, run in enumerate(one.fields.runs.tolist()):
        before, after = one.probabilities[field], site[field]
        told = [str(records.record[run]), ("before", "inside", "after")[records.side[run]]]
        told += [LABELS[int(before.argmax())], LABELS[int(after.argmax())]]
        told += [f"{value:.3f}" for value in before]
        text = " ".join(page.page.runs.texts[run].split())[:MAX_SHOWN]
        yield "\t".join([*told, one.fields.address(field), text]) + "\n"


def confusion(one: Labelled, site: Floats, posts: list[GoldPost]) -> tuple[Ints, Ints]:
    """Fields by annotated and found label (4, 4): by the classifier alone, and corrected."""
    wanted = field_labels(one.fields, posts)
    known = wanted != UNKNOWN
    tables = []
    for probabilities in (one.probabilities, site):
        pairs = wanted[known] * len(LABELS) + probabilities[known].argmax(axis=1)
        counts = np.bincount(pairs, minlength=len(LABELS) ** 2)
        tables.append(counts.reshape(len(LABELS), len(LABELS)))
    return tables[0], tables[1]


def confusion_text(table: Ints) -> str:
    """A confusion matrix in the paper's form: a row an annotated label, a column a found one."""
    rows = ["\t".join(["", *LABELS])]
    rows += [
        "\t".join([name, *map(str, row)]) for name, row in zip(LABELS, table.tolist(), strict=True)
    ]
    return "\n".join(rows) + "\n"


def macro_f1(table: Ints) -> float:
    """Mean F1 of the labels that occur in a confusion matrix, 0 if none does."""
    right = np.diag(table).astype(float)
    total = table.sum(axis=0) + table.sum(axis=1)
    known = total > 0
    return float(np.mean(2 * right[known] / total[known])) if known.any() else 0.0
