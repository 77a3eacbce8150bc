"""The texts of the pages of our own making, in ten languages."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Words:
    """What pages of a language show, a text for each part.

    `sentences` make an article. `comment` says below it who may comment. The others are notices.
    """

    lang: str
    title: str
    menu: str
    sentences: tuple[str, ...]
    script: str
    loading: str
    consent: str
    accept: str
    paywall: str
    login: str
    forgot: str
    missing: str
    missing_text: str
    wall: str
    busy: str
    legal: str
    comment: str


_FILE = Path(__file__).with_suffix(".json")
WORDS = tuple(
    Words(**row | {"sentences": tuple(row["sentences"])})
    for row in json.loads(_FILE.read_text("utf-8"))
)
