"""Read and write the kinds of a page's blocks, `x.kinds.tsv` beside `x.html`.

A line is `KIND<TAB>text`, one a block, `?` for a block without a kind. Kinds are a second answer
about a block: whoever reads `x.labels.tsv` does without them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from crfclean.gold.pages import NONE, UNLABELLED, read_text
from crfclean.page.file_names import stem
from crfclean.types import GoldError, Kind

KINDS_SUFFIX = ".kinds.tsv"


def kinds_path(file: Path) -> Path:
    """`x.html` -> the path of its kinds, `x.kinds.tsv`."""
    return file.with_name(stem(file) + KINDS_SUFFIX)


def read_kinds(file: Path) -> Iterator[tuple[Kind | None, str]]:
    """Kinds and texts of a file of kinds; a kind is None for `?`.

    Raises `GoldError` with the line's number.
    """
    for number, line in enumerate(read_text(file).splitlines(), 1):
        name, tab, text = line.partition("\t")
        if not tab or name not in {*Kind.__members__, UNLABELLED}:
            names = ", ".join(Kind.__members__)
            raise GoldError(f"{file}:{number}: expected KIND<TAB>text with {names}: {line[:60]!r}")
        yield None if name == UNLABELLED else Kind[name], text


def kinds_text(kinds: Iterable[int], texts: Iterable[str]) -> str:
    """The text of a file of kinds, `NONE` for a block without one."""
    names = (UNLABELLED if kind == NONE else Kind(kind).name for kind in kinds)
    return "".join(f"{name}\t{text}\n" for name, text in zip(names, texts, strict=True))
