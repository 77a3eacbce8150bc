"""Run crfclean and its peers on the pages of a leaderboard, and print what it measures."""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from pathlib import Path
from statistics import mean
from typing import Any

from crfclean.evaluate.peers import MAX_SECONDS, OutOfTime, extract_guarded, time_limit
from crfclean.gold.pages import GoldPage
from crfclean.pipeline import open_model, run
from crfclean.taggers.capabilities import with_convention
from crfclean.taggers.comments import with_comments
from crfclean.types.choices import AUTO
from crfclean.writers.formats import write
from eval.lib.corpora import corpus, data_parser
from eval.lib.record import environment, record

Extract = Callable[[GoldPage], str]
Texts = Mapping[str, str]  # name of a page -> its text
Figures = Mapping[str, float]

OURS = "crfclean"
SYSTEMS = (OURS, "trafilatura", "resiliparse", "justext", "readability-lxml")


@dataclass(frozen=True)
class Setting:
    """How a board runs systems: our convention, comments and format, trafilatura's options.

    Options are for what a board's own scripts set; all else is at the systems' defaults.
    """

    convention: str = AUTO
    comments: str = ""
    format: str = ""
    trafilatura: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Board:
    """A leaderboard: how its directory is read, how texts are scored and written.

    `development` is the set of annotated pages (`eval/README.md`) that serves as an example for
    those who do not have the board's own data.
    """

    name: str
    read: Callable[[Path], Iterable[GoldPage]]
    score: Callable[[Sequence[GoldPage], Texts], Figures]
    write: Callable[[Path, str, Sequence[GoldPage], Texts], None]
    development: str
    setting: Setting = field(default_factory=Setting)


def _by_crfclean(setting: Setting) -> Extract:
    """The shipped model as a board's setting wants it."""
    tagger = with_convention(open_model("default"), setting.convention)

    def extract(gold: GoldPage) -> str:
        document = run(gold.page, tagger)
        if setting.comments:
            document = with_comments(document, tagger, setting.comments)
        return write(document, setting.format) if setting.format else document.text

    return extract


def _by_trafilatura(options: Mapping[str, Any], gold: GoldPage) -> str:
    """Trafilatura's text with a board's options; "" for a page that it fails on."""
    import trafilatura

    try:
        with time_limit(MAX_SECONDS):
            return str(trafilatura.extract(gold.page.html, **options) or "")
    except (OutOfTime, Exception):  # noqa: BLE001 - a foreign library may raise anything
        return ""


def _by_peer(name: str, gold: GoldPage) -> str:
    return extract_guarded(name, gold.page.html, gold.lang)[0]


def system(name: str, setting: Setting) -> Extract:
    """A system by its name, with a board's setting."""
    if name == OURS:
        return _by_crfclean(setting)
    if name == "trafilatura":
        return partial(_by_trafilatura, setting.trafilatura)
    return partial(_by_peer, name)


def chosen(pages: Iterable[GoldPage], count: int) -> list[GoldPage]:
    """So many pages (0: all) by a digest of their names, in order of names."""
    listed = sorted(pages, key=lambda gold: hashlib.sha256(gold.id.encode()).digest())
    return sorted(listed[: count or None], key=lambda gold: gold.id)


def pages_of(board: Board, directory: str, data: str) -> list[GoldPage]:
    """The pages of the board's directory, or of its development set without one."""
    return list(board.read(Path(directory)) if directory else corpus(board.development, data))


def means(rows: Iterable[Figures]) -> dict[str, float]:
    """The mean of each figure; nothing for no rows."""
    listed = list(rows)
    return {name: mean(row[name] for row in listed) for name in (listed[0] if listed else ())}


def line(name: str, figures: Figures) -> str:
    """A line of the table that is printed.

    >>> line("crfclean", {"f1": 0.5, "pages": 3})
    'crfclean           f1 0.5000  pages 3'
    """
    values = (
        f"{key} {f'{value:.4f}' if isinstance(value, float) else value}"
        for key, value in figures.items()
    )
    return f"{name:18} {'  '.join(values)}"


def results(
    board: Board, pages: Sequence[GoldPage], names: Sequence[str], out: str
) -> Iterator[tuple[str, Figures]]:
    """The figures of each system; its texts are written to the directory `out`, if one is named."""
    for name in names:
        extract = system(name, board.setting)
        texts = {gold.id: extract(gold) for gold in pages}
        if out:
            Path(out).mkdir(parents=True, exist_ok=True)
            board.write(Path(out), name, pages, texts)
        yield name, board.score(pages, texts)


def options(board: Board, text: str | None) -> argparse.Namespace:
    parser = data_parser(text)
    parser.add_argument(
        "directory", nargs="?", default="", help=f"the board's own data; else {board.development}"
    )
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=SYSTEMS)
    parser.add_argument("--pages", type=int, default=0, help="some of them; 0: all")
    parser.add_argument("--out", default="", help="directory for the texts in the board's format")
    parser.add_argument("--record", action="store_true", help="keep the figures in eval/results")
    return parser.parse_args()


def main(board: Board, text: str | None) -> None:
    """The command of a board; `text` is the docstring of its module."""
    args = options(board, text)
    pages = chosen(pages_of(board, args.directory, args.data), args.pages)
    if not pages:
        sys.exit(f"{args.directory}: no pages of {board.name}")
    figures = {}
    for name, values in results(board, pages, args.systems, args.out):
        figures[name] = {key: round(value, 4) for key, value in values.items()}
        print(line(name, figures[name]), flush=True)
    if args.record:
        about = {"set": args.directory or board.development, "pages": len(pages)}
        versions = {name: version_of(name) for name in figures}
        record(
            f"boards/{board.name}",
            about | {"figures": figures} | environment() | {"versions": versions},
        )


def version_of(name: str) -> str:
    """The version of a system that is installed."""
    return version(name)
