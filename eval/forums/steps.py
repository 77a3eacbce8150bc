"""Write every step of a reading of forum pages: template, fields before and after correction.

Run `python -m eval.forums.steps PAGES OUT`: the pages of a directory are read as one site. OUT gets

- `NAME.fields.tsv` for every page: each field's record, labels before and after correction,
  probabilities and address; also the annotated label if a `posts.xpath` stands beside the pages
  (docs/forum.md);
- `confusion.txt`, in that case, for the site;
- `addresses.tsv` for the site: how often the fields of an address had each label before correction,
  the most frequent label, and the corrected one;
- `template.txt` for the site: the and/or tree of RoadRunner. `( )+` is a list with its alternatives
  after `|`, `?` an optional part, `#1` a data field; all else is text of the template.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from crfclean.page.decode import decode
from crfclean.products.forum.choose import LabelledGroup
from crfclean.products.forum.fields import FIELD_LABELS, NORM
from crfclean.products.forum.model import load_forum_model
from crfclean.products.forum.posts import SiteReading, read_site
from crfclean.types import Floats, Ints
from eval.forums.template import induce, show
from eval.forums.training import (
    RULES_FILE,
    UNKNOWN,
    GoldPost,
    field_labels,
    read_rules,
    select,
)

MAX_SHOWN = 80  # characters of a field's text


def write_steps(
    reading: SiteReading, names: list[str], folder: Path, gold: list[list[GoldPost]] | None = None
) -> None:
    """Write `template.txt`, `addresses.tsv`, and for every page `NAME.fields.tsv`.

    With annotated posts of every page, fields also have the annotated label, and `confusion.txt`
    counts the labels of all pages, before and after correction.
    """
    files = {"template.txt": show(induce(reading.outlines))}
    files["addresses.tsv"] = "".join(address_lines(reading))
    tables = np.zeros((2, len(FIELD_LABELS), len(FIELD_LABELS)), np.int64)
    for place, (name, group) in enumerate(zip(names, reading.chosen, strict=True)):
        if group is None:
            continue
        corrected, posts = reading.corrected[place], gold[place] if gold else None
        files[f"{name}.fields.tsv"] = "".join(field_lines(group, corrected, posts))
        if posts is not None:
            tables += np.array(field_confusion(group, corrected, posts))
    if gold:
        parts = [f"macro F1 {macro_f1(table):.4f}\n{confusion_text(table)}" for table in tables]
        files["confusion.txt"] = "before correction: {}\ncorrected: {}".format(*parts)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8", "backslashreplace")


def field_lines(
    group: LabelledGroup, corrected: Floats, gold: list[GoldPost] | None = None
) -> Iterator[str]:
    """Yield a line per field: record, side, labels before and after correction, gold, text."""
    records = group.fields.records
    page = records.page
    gold_labels = field_labels(group.fields, gold) if gold is not None else None
    yield f"# {group.name}\tscore {group.score:.3f}\t{len(records)} records\n"
    yield (
        "record\tside\tlabel\tcorrected\tannotated\t"
        + "\t".join(FIELD_LABELS)
        + "\taddress\ttext\n"
    )
    for field, run in enumerate(group.fields.runs.tolist()):
        before, after = group.probabilities[field], corrected[field]
        cells = [str(records.record[run]), ("before", "inside", "after")[records.side[run]]]
        cells += [FIELD_LABELS[int(before.argmax())], FIELD_LABELS[int(after.argmax())]]
        annotated = gold_labels is not None and gold_labels[field] != UNKNOWN
        cells.append(
            FIELD_LABELS[gold_labels[field]] if gold_labels is not None and annotated else "?"
        )
        cells += [f"{value:.3f}" for value in before]
        text = " ".join(page.page.table.run_texts[run].split())[:MAX_SHOWN]
        yield "\t".join([*cells, group.fields.addresses[field], text]) + "\n"


def label_counts(groups: Sequence[LabelledGroup]) -> dict[str, Ints]:
    """Count the labels that the classifier gave to the fields of each address, shape (4,).

    Counts are over all pages, in the order of the addresses' first fields.
    """
    counts = dict[str, Ints]()
    for group in groups:
        for field, label in enumerate(group.probabilities.argmax(axis=1).tolist()):
            address_counts = counts.setdefault(
                group.fields.addresses[field], np.zeros(NORM + 1, np.int64)
            )
            address_counts[label] += 1
    return counts


def address_lines(reading: SiteReading) -> Iterator[str]:
    """Yield a line per address: counts of its labels, the most frequent one, the corrected one."""
    labels = dict[str, str]()
    for group, corrected in zip(reading.chosen, reading.corrected, strict=True):
        if group is not None:
            for field, label in enumerate(corrected.argmax(axis=1).tolist()):
                labels[group.fields.addresses[field]] = FIELD_LABELS[label]
    yield "\t".join([*FIELD_LABELS, "majority", "corrected", "address"]) + "\n"
    groups = [group for group in reading.chosen if group is not None]
    for address, counts in label_counts(groups).items():
        cells = [*map(str, counts.tolist()), FIELD_LABELS[int(counts.argmax())], labels[address]]
        yield "\t".join([*cells, address]) + "\n"


def field_confusion(
    group: LabelledGroup, corrected: Floats, posts: list[GoldPost]
) -> tuple[Ints, Ints]:
    """Count fields by annotated and assigned label (4, 4): before and after correction."""
    gold_labels = field_labels(group.fields, posts)
    annotated = gold_labels != UNKNOWN
    tables = []
    for probabilities in (group.probabilities, corrected):
        pairs = gold_labels[annotated] * len(FIELD_LABELS) + probabilities[annotated].argmax(axis=1)
        counts = np.bincount(pairs, minlength=len(FIELD_LABELS) ** 2)
        tables.append(counts.reshape(len(FIELD_LABELS), len(FIELD_LABELS)))
    return tables[0], tables[1]


def confusion_text(table: Ints) -> str:
    """Write a confusion matrix: a row per annotated label, a column per assigned label."""
    rows = ["\t".join(["", *FIELD_LABELS])]
    rows += [
        "\t".join([name, *map(str, row)])
        for name, row in zip(FIELD_LABELS, table.tolist(), strict=True)
    ]
    return "\n".join(rows) + "\n"


def macro_f1(table: Ints) -> float:
    """Mean F1 of the labels that occur in a confusion matrix, 0 if none does."""
    right = np.diag(table).astype(float)
    total = table.sum(axis=0) + table.sum(axis=1)
    occurring = total > 0
    return float(np.mean(2 * right[occurring] / total[occurring])) if occurring.any() else 0.0


def main() -> None:
    parser = ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("pages", type=Path)
    parser.add_argument("out", type=Path)
    args = parser.parse_args()
    paths = sorted(args.pages.glob("*.html"))
    pages = [decode(path.read_bytes()) for path in paths]
    gold = None
    if (args.pages / RULES_FILE).is_file():
        rules = read_rules(args.pages / RULES_FILE)
        gold = [list(select(page.html, rules)) for page in pages]
    reading = read_site(pages, load_forum_model("forum"))
    write_steps(reading, [path.stem for path in paths], args.out, gold)


if __name__ == "__main__":
    main()
