"""Test that the places named in `docs/architecture.md` are where things happen: each is broken."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from checkout import ROOT

import crfclean
from crfclean.model.columns import Frame
from crfclean.types import Label, Tags

GUIDE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
PLACES = {
    what: (f"crfclean.{path.replace('/', '.')}", name)
    for what, path, name in re.findall(
        r"^\| (.*) \| `crfclean/([\w/]+)\.py`: `(\w+)`", GUIDE, re.MULTILINE
    )
}
"""What the guide says -> module and name of the place."""

SENTENCE = "Lávka nad řekou je od pondělí zavřená, dělníci vyměňují prkna a natírají zábradlí."
PARAGRAPHS = "".join(f"<p>{SENTENCE} Práce potrvají {days} dní.</p>" for days in range(4, 12))
ARTICLE = f"""<html lang="cs"><head><meta charset="windows-1250"><title>Lávka zavřená</title>
<meta name="author" content="Jana Nováková"></head><body>
<nav><a href="/">Domů</a> <a href="/sport">Sport</a> <a href="/kontakt">Kontakt</a></nav>
<h1>Lávka zavřená</h1>{PARAGRAPHS}<p>Objížďka <b>vede</b> přes<br>most.<a href="#n1">[1]</a></p>
<ul><li>pěší přes most</li><li>cyklisté přes lom</li></ul>
<p id="n1">1. Podle radnice.</p><footer>Všechna práva vyhrazena</footer></body></html>"""
HIDDEN = f"<title>Lávka</title><h1>Lávka</h1><div style='display:none'>{PARAGRAPHS * 3}</div>"
PAGES = ARTICLE.encode("windows-1250"), HIDDEN.encode()


def outputs() -> list[str]:
    """What a user gets for the two pages."""
    documents = [crfclean.clean(page, "https://example.org/2024/05/lavka") for page in PAGES]
    forms = ("txt", "md", "json")
    return [crfclean.write(document, form) for document in documents for form in forms]


def dropped(tags: Tags) -> Tags:
    return replace(tags, labels=np.full_like(tags.labels, Label.OTHER))


def upside_down(rows: Any) -> Any:
    return rows[::-1].copy()


def returns(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Break a function: what it returns is changed."""

    def broken(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*arguments: Any, **options: Any) -> Any:
            return change(function(*arguments, **options))

        return call

    return broken


BREAKS: Mapping[str, Callable[[Any], Any]] = {
    "which encoding decodes a page": returns(lambda read: (read[0].replace("ř", "ø"), *read[1:])),
    "which elements break a line, and which never show": lambda rules: (
        lambda elements, dropped: rules(("h1",), dropped)
    ),
    "the columns of the table that a model reads": returns(upside_down),
    "the words, wider elements and groups that columns of the first pass read": returns(
        lambda table: SimpleNamespace(
            **{name: getattr(table, name) for name in (*Frame._fields, "page_figures")}
            | {"words": upside_down(table.words)}
        )
    ),
    "the step from probabilities to labels": returns(dropped),
    "what a block is on its page, from title to legal notice": returns(upside_down),
    "how probable each kind of a block is": returns(upside_down),
    "the type of a page": returns(lambda read: None),
    "the choice between what a page shows and what it carries": lambda function: (
        lambda document, *others: document
    ),
    "whether a page has its content": returns(lambda presence: None),
    "the output formats": lambda writers: {**writers, "md": writers["txt"]},
    "the choice of title, authors and dates": returns(lambda ranked: ranked[:0]),
    "the line breaks of plain text": returns(lambda texts: [" ".join(t.split()) for t in texts]),
    "which links are footnotes": returns(lambda notes: type(notes)()),
}
"""What the guide says of a place -> what the place becomes."""


@pytest.fixture(scope="module")
def right() -> list[str]:
    """The outputs while nothing is broken."""
    return outputs()


@pytest.mark.parametrize("what", BREAKS)
def test_a_place_of_the_guide_is_where_it_happens(
    what: str, right: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The place is replaced wherever the package has imported it."""
    module, name = PLACES[what]
    place = getattr(import_module(module), name)
    broken = BREAKS[what](place)
    loaded = [module for path, module in sys.modules.items() if path.startswith("crfclean.")]
    for importer in loaded:
        for own_name in [own_name for own_name, own in vars(importer).items() if own is place]:
            monkeypatch.setattr(importer, own_name, broken)
    assert outputs() != right
