"""Find the columns of the input that `--carry` takes along to the output."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain

from crfclean import door
from crfclean.document.columns import ROW_NAMES, SWITCHED_COLUMNS, RowColumn
from crfclean.document.formats import CARRYING
from crfclean.document.vert import DOC_ATTRIBUTES
from crfclean.products.corpus.inputs import FileRange, RangeReader, Reading, listed_inputs
from crfclean.products.corpus.job import Job
from crfclean.products.corpus.listing import ListedFile
from crfclean.products.corpus.params import Fields
from crfclean.products.corpus.records import PAGE, PARQUET, Record, parquet_input
from crfclean.products.corpus.texts import has_files, text_form
from crfclean.types import CrfcleanError

MAX_SEARCHED = 2**28  # bytes of pages of JSONL and WARC in which a name is searched
_RANGE_BYTES = 2**24  # of a WARC file that are read at once

_ROWS = ("jsonl", "csv", "parquet")
_OWN: Mapping[str, Collection[str]] = {
    **dict.fromkeys(_ROWS, (*ROW_NAMES, *chain.from_iterable(SWITCHED_COLUMNS.values()))),
    **dict.fromkeys(CARRYING, DOC_ATTRIBUTES),
    "tei": (),
}
"""Format -> the names that it has itself."""

_LOWER = re.compile(r"[a-z][a-z0-9_]*"), "a-z, 0-9 and _"  # CWB has no capital letters
_LEGAL: Mapping[str, tuple[re.Pattern[str], str]] = {
    "vert": _LOWER,
    "vertical": _LOWER,
    "tei": (re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*"), "letters without accents, digits and _ . -"),
}
"""Format -> the names that it allows, and their characters in words."""


def carried(
    names: Sequence[str], jobs: Sequence[Job], fields: Fields, max_bytes: int
) -> tuple[RowColumn, ...]:
    """Return the columns with some names of the input, with their types in Parquet, else texts.

    Raises `CrfcleanError` for names that the formats of the jobs do not take (see `carried_names`),
    and for a name that no input has: no schema of Parquet, and no record in the first
    `MAX_SEARCHED` bytes of other inputs.
    """
    for shard in dict.fromkeys(job.shard for job in jobs if job.shard):
        names = carried_names(names, fields, _form(shard))
    search = _Search(fields._replace(carry=tuple(names)), max_bytes)
    jobs = [job for job in jobs if names and not job.refused]
    for entry in chain.from_iterable(listed_inputs(job, fields) for job in jobs):
        if isinstance(entry, ListedFile) and not (entry.refused or entry.left_out):
            search.file(entry)
    return tuple(RowColumn(name, search.type(name)) for name in names)


def _form(shard: str) -> str:
    """Return the format of an ending; a file of JSON for each page is none of rows."""
    form = text_form(shard) or shard.partition(".")[0]
    return shard if has_files(shard) and form not in CARRYING else form


def carried_names(names: Iterable[str], fields: Fields, form: str) -> tuple[str, ...]:
    """Return the names to carry in a format, without those that it has from the same field.

    Raises `CrfcleanError` for the name of another value that it has, for one that it does not
    allow, and for a format without a place for them.

    >>> carried_names(["url", "crawl_date"], Fields(), "jsonl")
    ('crawl_date',)
    """
    same = {fields.url_field: "url", fields.id_field: "id"}
    if form in _ROWS:
        same["crawled"] = "crawled"
    others = tuple(name for name in dict.fromkeys(names) if same.get(name) != name)
    if others and form not in _OWN:
        raise CrfcleanError(
            f"--carry: {form} has no place for other columns: choose from {', '.join(_OWN)}"
        )
    for name in others:
        if name in _OWN[form]:
            raise CrfcleanError(
                f"--carry {name}: {form} has its own {name}: rename the column of the input"
            )
        if form in _LEGAL and not _LEGAL[form][0].fullmatch(name):
            raise CrfcleanError(f"--carry {name}: a name in {form} has only {_LEGAL[form][1]}")
    return others


class _Search:
    """The types of each name in the files so far; "" if a column has nulls alone."""

    def __init__(self, fields: Fields, max_bytes: int) -> None:
        self._left = MAX_SEARCHED
        self._how = Reading(fields, max_bytes, _RANGE_BYTES)
        self._types: dict[str, set[str]] = {name: set() for name in fields.carry}
        self._has_untyped = False

    def file(self, file: ListedFile) -> None:
        """Look into a file; what cannot be read is reported by the run."""
        with suppress(OSError):
            if file.kind == PARQUET:
                for name, kind in parquet_input().carried_types(file.path).items():
                    self._types.get(name, set()).add(kind)
            elif file.kind != PAGE:
                self._has_untyped = True
                self._records(file)

    def type(self, name: str) -> str:
        """Return the type of a name in all files; raises `CrfcleanError` if it is in none."""
        if not self._types[name]:
            within = "" if self._left >= 0 else f" in the first {MAX_SEARCHED // 2**20} MB"
            raise CrfcleanError(f"--carry {name}: no input has such a column or field{within}")
        kinds = self._types[name] - {""}
        if kinds == {"count", "real"}:
            kinds = {"real"}
        return kinds.pop() if len(kinds) == 1 and not self._has_untyped else "text"

    def _records(self, file: ListedFile) -> None:
        """Look for the names that are not found yet."""
        for record in _read(file, self._how):
            missing = [name for name, types in self._types.items() if not types]
            if not missing or self._left < 0:
                return
            self._left -= record.size
            opened = record.opened
            for name in missing:
                if opened.carried(name) is not None:
                    self._types[name].add("text")


def _read(file: ListedFile, how: Reading) -> Iterator[Record]:
    for value in door.find("inputs", file.kind)(file.path, how):
        if isinstance(value, FileRange):
            yield from RangeReader(value, how.max_bytes).records()
        elif isinstance(value, Record):
            yield value
