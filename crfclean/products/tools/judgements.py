"""Read and write judgements as CSV."""

from __future__ import annotations

import csv
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from crfclean.io import csv_text, write_text
from crfclean.products.tools.audit import Sample
from crfclean.products.tools.audited import AuditedBlock
from crfclean.types import CrfcleanError

JUDGEMENT_COLUMNS = ("number", "keep", "text", "before", "after", "title", "url", "page", "sample")
"""The columns; the run's own decision and probability are not shown to a judge."""

KEEP_ANSWERS: Mapping[str, bool | None] = {
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
    rows: list[Sequence[str]] = [JUDGEMENT_COLUMNS]
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
    if answer not in KEEP_ANSWERS:
        raise CrfcleanError(
            f"{place}: {answer[:20]!r} is not a judgement: write yes, no or nothing"
        )
    number = (row["number"] or "").strip()
    if not (number.isdecimal() and 1 <= int(number[:9]) <= len(sample.blocks)):
        raise CrfcleanError(f"{place}: no block has the number {number[:20]!r}")
    judgement, place_of = KEEP_ANSWERS[answer], int(number) - 1
    if judgement is None:
        return
    if judgements.setdefault(place_of, judgement) != judgement:
        raise CrfcleanError(f"{place}: contradicts an earlier judgement of the block {number}")
