"""Tests that arrays of a table that change places are refused, or change what is decided."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from htmlpages import tree_arrays, worded

from crfclean.core import words
from crfclean.core.table import Table
from crfclean.core.words import Vocabulary, Wording
from crfclean.decision.borders import borders_of
from crfclean.decision.sums import torn_lists, torn_records
from crfclean.model import markup
from crfclean.model import page_features as pagetype
from crfclean.model.columns import FEATURES, matrix
from crfclean.model.zoning import apart_of, of_names, of_tags, of_words, zones_of
from crfclean.page.blocks import split
from crfclean.types import Blocks, Page

TEXT = "The river rose again this morning, and nobody of the old village slept: “We wait.” "
PAGE = f"""<html><head><title>The river rose | Sand - The Probe</title>
<meta name=description content="The river rose again this morning"></head><body>
<nav><ul><li><a href=/>Ice</a><li><a href=/tag/ice>Ice</a><li><a href=#end>Next »</a></ul></nav>
<main><h1>Sand</h1><h2>The river rose</h2><p id=by rel=author>Jane Roe</p>
<p>{TEXT * 3}See www.example.org</p><h2>Why it rose</h2>
<p>{TEXT * 2}<a href=/rain>Rain</a> fell.</p>
<table><tr><td>Monday<td>4.2 m<tr><td>3 May 2024<td>{TEXT}<tr><td>10:15<td>5 m</table>
<figure><figcaption>Ice on the <b>lake</b></figcaption></figure></main>
<div class=share><p>Share this</p><a href=https://facebook.com/x>Facebook</a>
<a href=https://youtu.be/x>Film</a></div>
<section class=comments><h3>Comments</h3><p>{TEXT}</p><p>Reply 5</p><p>Reply 5</p></section>
<aside class=related><h3>Read also</h3><a href=/a>A story of ice in the harbour</a></aside>
<footer>© The Probe</footer></body></html>"""

PAIRS = [
    ("words", "capitalised"),
    ("words", "sentence_ends"),
    ("capitalised", "sentence_ends"),
    ("by_class", "token_kinds"),
    ("first_codes", "last_codes"),
    ("last_codes", "end_codes"),
    ("end_codes", "before_codes"),
    ("node", "split"),
    ("parent", "end"),
    ("parent", "tag"),
    ("end", "first_block"),
    ("first_block", "end_block"),
    ("end_block", "tag"),
    ("run_node", "run_block"),
]
"""Arrays of the same sort, mostly neighbours in `native/table.h`."""


def decided(page: Blocks, swapped: tuple[str, ...] = ()) -> tuple[bytes, ...]:
    """What all stages give, from a table with two arrays in each other's place."""
    arrays, names = tree_arrays(page), dict(zip(swapped, swapped[::-1], strict=True))
    table = worded(page, {name: arrays[names.get(name, name)] for name in arrays})
    rows = np.zeros((len(FEATURES), len(page)))
    table.fill(np.arange(len(FEATURES), dtype=np.int32), rows)
    heading, wide, zones, in_comments = zones_of(table)
    apart, likely = apart_of(table, zones, heading), np.linspace(0.9, 0.2, len(page))
    kept = likely > 0.4
    torn = str((torn_lists(table, kept, likely, apart, _true), torn_records(table, kept, likely)))
    of_page = (of_tags(table), of_names(table), of_words(table), table.page_figures)
    stages = (rows, wide, zones, in_comments, apart, *of_page)
    *ends, _ = borders_of(table, likely, kept, apart)
    return bytes(str(heading) + torn, "ascii"), *(each.tobytes() for each in (*stages, *ends))


WORDINGS = [
    ("names", "types"),
    ("hosts", "networks"),
    ("tagged", "sharing"),
    ("phrases", "kind_phrases"),
    ("typed_groups", "named_groups"),
    ("named_groups", "all_phrases"),
    ("split_bits", "name_groups"),
    ("name_groups", "phrase_groups"),
    ("titles", "descriptions"),
    ("descriptions", "bodies"),
    ("titles", "weights"),
    ("marks", "counted"),
]
"""Arguments of the same sort, with which the core learns words or reads those of a page."""


@pytest.mark.parametrize("swap", WORDINGS, ids="-".join)
def test_arguments_in_each_others_place_are_noticed(
    monkeypatch: pytest.MonkeyPatch, swap: tuple[str, str]
) -> None:
    others = dict(zip(swap, swap[::-1], strict=True))

    class Swapping:
        """Words whose arguments change places."""

        def __init__(self, **given: Any) -> None:
            self.words = Wording(**{others.get(key, key): given[key] for key in given})

        def read(self, table: Table, **given: Any) -> None:
            self.words.read(table, **{others.get(key, key): given[key] for key in given})

    def vocabulary(**given: Any) -> Vocabulary:
        return Vocabulary(**{others.get(key, key): given[key] for key in given})

    right = said()
    monkeypatch.setattr(words, "Wording", Swapping)
    monkeypatch.setattr(words, "Vocabulary", vocabulary)
    try:
        assert said() != right
    except (TypeError, ValueError):
        return


def said() -> list[bytes]:
    """What a page's words say, with caches that are empty before and after."""
    caches = (pagetype._vocabulary, markup.wording)
    for cached in caches:
        cached.cache_clear()
    try:
        page = split(Page(PAGE))
        columns, table = matrix(page), page.table
        return [
            *(columns.tobytes(), table.phrase_kind.tobytes(), table.networks.tobytes()),
            *(table.link_bits.tobytes(), table.title_weighted.tobytes()),
            pagetype.row_without_address(page).tobytes(),
        ]
    finally:
        for cached in caches:
            cached.cache_clear()


def _true(_start: int, _end: int) -> bool:
    return True


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_arrays_in_each_others_place_are_noticed(pair: tuple[str, str]) -> None:
    page = split(Page(PAGE))
    right = decided(page)
    try:
        swapped = decided(page, pair)
    except ValueError:
        return
    assert swapped != right
