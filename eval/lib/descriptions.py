"""Descriptions of experiments: JSON files that name data, features, tagger and folds."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eval.lib.corpora import data_parser

FOLDER = Path(__file__).parents[1] / "accuracy" / "experiments"
QUICK = FOLDER / "quick.json"
"""Without silver labels: trained in minutes."""
DEFAULT = FOLDER / "default.json"
"""The recipe of models/default."""


@dataclass(frozen=True)
class Description:
    """What an experiment is: data, features, tagger, folds, seed.

    Of the sets `lines`, which tell some lines of each page alone, so many pages train (0: all):
    these lines are gold, and other blocks have silver labels. `masked`: blocks outside a
    set's convention say nothing. `without` are groups or names of features that are blanked out;
    `pages` limits the training pages of a fold (0: all), for learning curves; `seed` orders them.
    """

    note: str = ""
    train: Sequence[str] = ("wcxb-dev",)
    silver: Sequence[str] = ()
    lines: Mapping[str, int] = field(default_factory=dict)
    test: Sequence[str] = ("wcxb-dev",)
    masked: bool = True
    without: Sequence[str] = ()
    pages: int = 0
    params: Mapping[str, Any] = field(default_factory=dict)
    network: Mapping[str, Any] = field(default_factory=dict)
    cut: Mapping[str, Any] = field(default_factory=dict)
    folds: int = 5
    only: Sequence[int] = ()
    seed: int = 1


def describe(args: Namespace) -> Description:
    """The description of a file, with the changes of the command line."""
    values = json.loads(args.description.read_text("utf-8"))
    for change in args.set:
        key, _, value = change.partition("=")
        values[key] = json.loads(value)
    return Description(**values)


def description_parser(text: str | None) -> ArgumentParser:
    """The arguments of every script that takes a description."""
    parser = data_parser(text)
    parser.add_argument("description", type=Path, nargs="?", default=DEFAULT)
    parser.add_argument("--set", nargs="*", default=[], help="KEY=JSON: changes of the description")
    parser.add_argument("--workers", type=int, default=2)
    return parser
