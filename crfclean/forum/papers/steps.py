"""`Reading` -> files that show every step: template, groups, fields before and after correction."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from crfclean.forum.choose import LabelledGroup
from crfclean.forum.fields import LABELS
from crfclean.forum.pairing import UNKNOWN, GoldPost, field_labels
from crfclean.forum.papers.template import induce, show
from crfclean.forum.posts import Reading
from crfclean.types import CrfcleanError, Floats, Ints

MAX_SHOWN = 80  # characters of a field's text


def write_steps(
    found: Reading, names: list[str], folder: Path, gold: list[list[GoldPost]] | None = None
) -> None:
    """Write `template.txt`, `addresses.tsv`, and for every page `NAME.fields.tsv`.

    Raises `CrfcleanError` where nothing can be written.

    With annotated posts of every page, fields have the label that they are paired with, and
    `confusion.txt` counts those of all pages, before and after correction.
    """
    files = {"template.txt": show(induce(found.outlines))}
    files["addresses.tsv"] = "".join(address_lines(found))
    tables = np.zeros((2, len(LABELS), len(LABELS)), np.int64)
    for place, (name, one) in enumerate(zip(names, found.chosen, strict=True)):
        if one is None:
            continue
        site, told = found.corrected[place], gold[place] if gold else None
        files[f"{name}.fields.tsv"] = "".join(field_lines(one, site, told))
        if told is not None:
            tables += np.array(field_confusion(one, site, told))
    if gold:
        parts = [f"macro F1 {macro_f1(one):.4f}\n{confusion_text(one)}" for one in tables]
        files["confusion.txt"] = "before correction: {}\ncorrected: {}".format(*parts)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text, "utf-8", "backslashreplace")
    except OSError as error:
        raise CrfcleanError(f"{folder}: cannot be written: {error.strerror}") from error


def field_lines(
    group: LabelledGroup, corrected: Floats, gold: list[GoldPost] | None = None
) -> Iterator[str]:
    """A line a field: record, side, label before and after correction, annotated one, text."""
    records = group.fields.records
    page = records.page
    gold_labels = field_labels(group.fields, gold) if gold is not None else None
    yield f"# {group.name}\tscore {group.score:.3f}\t{len(records)} records\n"
    yield "record\tside\tlabel\tcorrected\tannotated\t" + "\t".join(LABELS) + "\taddress\ttext\n"
    for field, run in enumerate(group.fields.runs.tolist()):
        before, after = group.probabilities[field], corrected[field]
        cells = [str(records.record[run]), ("before", "inside", "after")[records.side[run]]]
        cells += [LABELS[int(before.argmax())], LABELS[int(after.argmax())]]
        annotated = gold_labels is not None and gold_labels[field] != UNKNOWN
        cells.append(LABELS[gold_labels[field]] if gold_labels is not None and annotated else "?")
        cells += [f"{value:.3f}" for value in before]
        text = " ".join(page.page.runs.texts[run].split())[:MAX_SHOWN]
        yield "\t".join([*cells, group.fields.address(field), text]) + "\n"


def address_lines(reading: Reading) -> Iterator[str]:
    """A line an address: how often its fields had each label, the label of most, the corrected."""
    labels = dict[str, str]()
    for group, corrected in zip(reading.chosen, reading.corrected, strict=True):
        if group is not None:
            for field, label in enumerate(corrected.argmax(axis=1).tolist()):
                labels[group.fields.address(field)] = LABELS[label]
    yield "\t".join([*LABELS, "majority", "corrected", "address"]) + "\n"
    for address, counts in reading.counts.items():
        cells = [*map(str, counts.tolist()), LABELS[int(counts.argmax())], labels[address]]
        yield "\t".join([*cells, address]) + "\n"


def field_confusion(
    group: LabelledGroup, corrected: Floats, posts: list[GoldPost]
) -> tuple[Ints, Ints]:
    """Fields by annotated and found label (4, 4): by the classifier alone, and corrected."""
    gold_labels = field_labels(group.fields, posts)
    annotated = gold_labels != UNKNOWN
    tables = []
    for probabilities in (group.probabilities, corrected):
        pairs = gold_labels[annotated] * len(LABELS) + probabilities[annotated].argmax(axis=1)
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
    occurring = total > 0
    return float(np.mean(2 * right[occurring] / total[occurring])) if occurring.any() else 0.0
