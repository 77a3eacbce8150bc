"""Read and write judgements of blocks as CSV, for terminals and spreadsheets alike."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from crfclean.audit.rows import AuditedBlock
from crfclean.audit.sample import Sample
from crfclean.io import write_atomically
from crfclean.types import CrfcleanError
from crfclean.writers.spreadsheet import cell

COLUMNS = ("number", "keep", "text", "before", "after", "title", "url", "page", "sample")
"""The columns; what the run itself decided is not among them, nor its probabilities."""

ANSWERS: Mapping[str, bool | None] = {
    **dict.fromkeys(("yes", "y", "1", "true", "keep"), True),
    **dict.fromkeys(("no", "n", "0", "false", "drop"), False),
    **dict.fromkeys(("", "?"), None),
}
"""What the column `keep` may hold, in any case -> the judgement; None for none."""

Judgements = Mapping[int, bool]
"""Number of a block, from 0 -> whether it belongs to the text."""


def write_judgements(
    path: Path, sample: Sample, judgements: Judgements, blocks: Sequence[AuditedBlock]
) -> None:
    """Write blocks to judge, with the judgements that there are; raises `CrfcleanError`."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    for number, block in enumerate(blocks):
        answer = {True: "yes", False: "no", None: ""}[judgements.get(number)]
        texts = (block.text, block.before, block.after, block.title, block.url, block.page)
        writer.writerow([number + 1, answer, *map(cell, texts), sample.key])
    try:
        write_atomically(path, stream.getvalue().encode("utf-8", "replace"))
    except OSError as error:
        raise CrfcleanError(f"{path}: cannot be written: {error.strerror}") from error


def read_judgements(path: Path, sample: Sample) -> dict[int, bool]:
    """Read the judgements of a sample's blocks; those of blocks that are not judged are left out.

    Raises `CrfcleanError` for a file that cannot be read, lines that are no judgements,
    judgements of another sample, and two that contradict each other.
    """
    csv.field_size_limit(sys.maxsize)
    judgements: dict[int, bool] = {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream, dialect=_dialect(stream.readline()))
            stream.seek(0)
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


def _dialect(header: str) -> type[csv.Dialect]:
    """Commas, or the semicolons that spreadsheets write in some languages."""

    class Dialect(csv.excel):
        delimiter = ";" if header.count(";") > header.count(",") else ","

    return Dialect


def _add(
    judgements: dict[int, bool], row: Mapping[str, str | None], sample: Sample, place: str
) -> None:
    """Add the judgement of a line, if it has one."""
    if (row["sample"] or "").strip() != sample.key:
        raise CrfcleanError(f"{place}: a judgement of another run or another seed")
    answer = (row["keep"] or "").strip().lower()
    if answer not in ANSWERS:
        raise CrfcleanError(f"{place}: {answer[:20]!r} is no judgement: write yes, no or nothing")
    number = (row["number"] or "").strip()
    if not (number.isdecimal() and 1 <= int(number[:9]) <= len(sample.blocks)):
        raise CrfcleanError(f"{place}: no block has the number {number[:20]!r}")
    judgement, place_of = ANSWERS[answer], int(number) - 1
    if judgement is None:
        return
    if judgements.setdefault(place_of, judgement) != judgement:
        raise CrfcleanError(f"{place}: contradicts an earlier judgement of the block {number}")
