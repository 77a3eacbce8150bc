"""Texts for readers have one word each for tagger, model and system, as docs/glossary.md says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from checkout import ROOT

from crfclean import door
from crfclean.cli.main import load_command

BANNED = re.compile(r"(?<![.-])\bextractors?\b", re.IGNORECASE)
"""Not in names of others, such as `datatrove.pipeline.extractors`, or in which-extractor.md."""
MISUSED = re.compile(
    r"\bperceptron systems?\b|\brule-based (?:model|system)s?\b|"
    r"\bmodels? `?(?:energy|links|expert)\b|\bsystems? `?(?:crf|mlp|energy|links)\b",
    re.IGNORECASE,
)
"""A tagger under another name."""
SHOWN = "*.md *.ipynb *.py *.pyx *.html *.js *.css *.toml"


def texts() -> Iterator[Path]:
    """Documentation, and all of the package: its help, messages, docstrings and web pages."""
    yield from (ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CITATION.cff")
    for folder in ("crfclean", "docs", "data", "models", "eval"):
        endings = "*.md" if folder in {"models", "data", "eval"} else SHOWN
        for ending in endings.split():
            yield from (ROOT / folder).rglob(ending)
    yield from (ROOT / "crfclean" / "products" / "web" / "schemas").glob("*.json")


def test_words() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{number}: {line[:120]}"
        for path in texts()
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if BANNED.search(line) or MISUSED.search(line)
    ]
    assert wrong == []


@pytest.mark.parametrize("name", door.names("commands"))
def test_help_says_system_of_programs_that_eval_compares(name: str) -> None:
    command = load_command(name)
    text = command.get_help(click.Context(command, info_name=name))
    assert ("system" in text.lower()) == (name == "eval")


def test_the_glossary_defines_them() -> None:
    glossary = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    meanings = dict(re.findall(r"^## (.*)\n\n(.*)$", glossary, re.MULTILINE))
    assert "labels blocks" in meanings["Tagger"]
    assert "folder that a [tagger](#tagger) loads" in meanings["Model"]
    assert "program that `eval` compares" in meanings["System"]
