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
    one: LabelledGroup, site: Floats, gold: list[GoldPost] | None = None
) -> Iterator[str]:
    """A line a field: record, side, label before and after correction, annotated one, text."""
    records = one.fields.records
    page = records.page
    wanted = field_labels(one.fields, gold) if gold is not None else None
    yield f"# {one.name}\tscore {one.score:.3f}\t{len(records)} records\n"
    yield "record\tside\tlabel\tcorrected\tannotated\t" + "\t".join(LABELS) + "\taddress\ttext\n"
    for field, run in enumerate(one.fields.runs.tolist()):
        before, after = one.probabilities[field], site[field]
        told = [str(records.record[run]), ("before", "inside", "after")[records.side[run]]]
        told += [LABELS[int(before.argmax())], LABELS[int(after.argmax())]]
        known = wanted is not None and wanted[field] != UNKNOWN
        told.append(LABELS[wanted[field]] if wanted is not None and known else "?")
        told += [f"{value:.3f}" for value in before]
        text = " ".join(page.page.runs.texts[run].split())[:MAX_SHOWN]
        yield "\t".join([*told, one.fields.address(field), text]) + "\n"


def address_lines(found: Reading) -> Iterator[str]:
    """A line an address: how often its fields had each label, the label of most, the corrected."""
    labels = dict[str, str]()
    for one, site in zip(found.chosen, found.corrected, strict=True):
        if one is not None:
            for field, label in enumerate(site.argmax(axis=1).tolist()):
                labels[one.fields.address(field)] = LABELS[label]
    yield "\t".join([*LABELS, "majority", "corrected", "address"]) + "\n"
    for address, counts in found.counts.items():
        told = [*map(str, counts.tolist()), LABELS[int(counts.argmax())], labels[address]]
        yield "\t".join([*told, address]) + "\n"


def field_confusion(one: LabelledGroup, site: Floats, posts: list[GoldPost]) -> tuple[Ints, Ints]:
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
