"""Run crfclean and its peers on the pages of a leaderboard, and print what it measures."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from pathlib import Path
from statistics import mean
from typing import Any

from crfclean.decision.rules import CutChoice
from crfclean.pipeline import open_model, run
from crfclean.products.teach.gold import GoldPage
from crfclean.products.teach.peers import EXTRACTIONS, guarded
from crfclean.systems.capabilities import with_choice
from crfclean.systems.comments import with_comments
from crfclean.types.choices import AUTO
from eval.lib.corpora import corpus, data_parser
from eval.lib.record import environment, record

Extract = Callable[[GoldPage], str]
Peer = Callable[[str, str], str]  # HTML, code of its language -> text
Texts = Mapping[str, str]  # name of a page -> its text
Figures = Mapping[str, float]

OURS = "crfclean"
SYSTEMS = (OURS, "trafilatura", "resiliparse", "justext", "readability-lxml")


@dataclass(frozen=True)
class Setting:
    """How a board runs systems: our convention and comments, and how some peers are called.

    It holds what a board's own scripts set; all else is at the systems' defaults. With `markdown`,
    crfclean and the peers named here give main HTML, and that makes Markdown of it.
    """

    convention: str = AUTO
    comments: str = ""
    peers: Mapping[str, Peer] = field(default_factory=dict)
    markdown: Callable[[str], str] | None = None


def write_texts(out: Path, name: str, _: Sequence[GoldPage], texts: Texts) -> None:
    """`NAME.json`: name of a page -> its text."""
    (out / f"{name}.json").write_text(json.dumps(texts, ensure_ascii=False), "utf-8")


@dataclass(frozen=True)
class Board:
    """A leaderboard: how its directory is read, how texts are scored and written.

    `development` is the set of annotated pages (`eval/README.md`) that serves as an example for
    those who do not have the board's own data; `gold` makes the board's gold of them.
    """

    name: str
    read: Callable[[Path], Iterable[GoldPage]]
    score: Callable[[Sequence[GoldPage], Texts], Figures]
    development: str
    setting: Setting = field(default_factory=Setting)
    write: Callable[[Path, str, Sequence[GoldPage], Texts], None] = write_texts
    gold: Callable[[Iterable[GoldPage]], Iterable[GoldPage]] = list


def _by_crfclean(setting: Setting) -> Extract:
    """The shipped model as a board's setting wants it."""
    tagger = with_choice(open_model("default"), CutChoice(setting.convention))

    def extract(gold: GoldPage) -> str:
        document = run(gold.page, tagger)
        if setting.comments:
            document = with_comments(document, tagger, setting.comments)
        return setting.markdown(document.html()) if setting.markdown else document.text

    return extract


def _by_peer(name: str, setting: Setting, gold: GoldPage) -> str:
    """A peer's text, or Markdown of its HTML; "" for a page that it fails on."""
    extract = {**EXTRACTIONS, **setting.peers}[name]
    convert = setting.markdown if name in setting.peers else None

    def text() -> str:
        made = extract(gold.page.html, gold.lang)
        return convert(made) if convert else made

    return guarded(text)[0]


def trafilatura_with(**options: Any) -> Peer:
    """Trafilatura's text with options of its `extract`."""

    def extract(html: str, _lang: str) -> str:
        import trafilatura

        return str(trafilatura.extract(html, **options) or "")

    return extract


def system(name: str, setting: Setting) -> Extract:
    """A system by its name, with a board's setting."""
    return _by_crfclean(setting) if name == OURS else partial(_by_peer, name, setting)


def chosen(pages: Iterable[GoldPage], count: int) -> list[GoldPage]:
    """So many pages (0: all) by a digest of their names, in order of names."""
    listed = sorted(pages, key=lambda gold: hashlib.sha256(gold.id.encode()).digest())
    return sorted(listed[: count or None], key=lambda gold: gold.id)


def means(rows: Iterable[tuple[str, Figures]]) -> dict[str, float]:
    """The mean of each figure over pages of any kind, then the mean F1 of each kind ("" has none).

    >>> means([("forum", {"f1": 1.0}), ("", {"f1": 0.5})])
    {'f1': 0.75, 'forum': 1.0}
    """
    listed = list(rows)
    overall = {name: mean(row[name] for _, row in listed) for name in listed[0][1]}
    kinds = sorted({kind for kind, _ in listed if kind})
    return overall | {
        kind: mean(row["f1"] for other, row in listed if other == kind) for kind in kinds
    }


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
    own, data = args.directory, args.data
    source = board.read(Path(own)) if own else board.gold(corpus(board.development, data))
    pages = chosen(source, args.pages)
    if not pages:
        sys.exit(f"{args.directory}: no pages of {board.name}")
    figures = {}
    for name in args.systems:
        extract = system(name, board.setting)
        texts = {gold.id: extract(gold) for gold in pages}
        if args.out:
            Path(args.out).mkdir(parents=True, exist_ok=True)
            board.write(Path(args.out), name, pages, texts)
        figures[name] = {key: round(value, 4) for key, value in board.score(pages, texts).items()}
        print(name, json.dumps(figures[name]), flush=True)
    if args.record:
        about = {"set": own or board.development, "pages": len(pages), "figures": figures}
        versions = {"versions": {name: version(name) for name in figures}}
        record(f"boards/{board.name}", about | environment() | versions)
