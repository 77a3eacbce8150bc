"""Tests that arrays of a table that change places are refused, or change what is decided."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from crfclean.core import words
from crfclean.decision.sums import borders_of, torn_lists, torn_records
from crfclean.model import pagetype
from crfclean.model.columns import FEATURES
from crfclean.model.inputs import GROUPS, markup_arrays, text_arrays
from crfclean.model.zoning import apart_of, of_names, of_tags, of_words, zones_of
from crfclean.page.blocks import split
from crfclean.page.measures import Measures
from crfclean.types import Page
from tests.lib.htmlpages import table_of_arrays, tree_arrays

TEXT = "The river rose again this morning, and nobody of the old village slept: “We wait.” "
PAGE = f"""<html><head><title>The river rose | Sand - The Probe</title>
<meta name=description content="The river rose again this morning"></head><body>
<nav><ul><li><a href=/>Ice</a><li><a href=/tag/ice>Ice</a><li><a href=#end>Next »</a></ul></nav>
<main><h1>Sand</h1><h2>The river rose</h2><p id=by rel=author>Jane Roe</p>
<p>{TEXT * 3}See www.example.org</p><h2>Why it rose</h2>
<p>{TEXT * 2}<a href=/rain>Rain</a> fell.</p>
<table><tr><td>Monday<td>4.2 m<tr><td>3 May 2024<td>{TEXT}<tr><td>10:15<td>5 m</table>
<figure><figcaption>Ice on the <b>lake</b></figcaption></figure></main>
<div class=share><p>Share this</p><a href=https://facebook.com/x>Facebook</a></div>
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
    ("name", "typed"),
    ("name", "class_number"),
    ("is_inline", "is_author"),
    ("phrase", "phrase_kind"),
    ("title_likeness", "title_weighted"),
    ("title_weighted", "title_single"),
    ("title_likeness", "title_single"),
    ("log_words", "words"),
    ("urls", "dates"),
    ("dates", "times"),
    ("description_cover", "body_cover"),
    ("name_groups", "phrase_groups"),
]
"""Arrays of the same sort, mostly neighbours in `native/table.h`."""


def decided(page: Measures, swapped: tuple[str, ...] = ()) -> tuple[bytes, ...]:
    """What all stages give, from a table with two arrays in each other's place."""
    arrays = tree_arrays(page) | markup_arrays(page) | text_arrays(page)
    parts: list[dict[str, Any]] = [
        dict.fromkeys(part(page)) for part in (tree_arrays, markup_arrays, text_arrays)
    ]
    names = dict(zip(swapped, swapped[::-1], strict=True))
    for part in parts:
        part.update({name: arrays[names.get(name, name)] for name in part})
    table = table_of_arrays(page, parts[0])
    table.add_markup(**GROUPS, **parts[1])
    table.add_texts(**parts[2])
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
    ("pair_bits", "classes", "ids"),
    ("pair_bits", "class_number", "id_number"),
    ("href_bits", "words", "hosts"),
    ("href_bits", "tagged", "sharing"),
    ("href_bits", "most_home", "cut"),
    ("beginnings", "phrases", "kind_phrases"),
    ("beginnings", "kind_phrases", "names"),
    ("beginnings", "most_chars", "most_name_chars"),
    ("beginnings", "most_words", "most_kind_words"),
    ("beginnings", "most_kind_words", "most_names"),
    ("likeness", "sizes", "plain_sizes"),
    ("Vocabulary", "marks", "counted"),
]
"""Functions of words, and two of their arguments of the same sort."""

LIMITS = f"""<p>{"-" * 90} Share this</p><p>Share this {"word " * 20}</p>
<a href="{" " * 120}/">a</a><p>Subscribe to our newsletter {"word " * 20}</p>"""
"""Blocks and an address that a limit leaves out."""


@pytest.mark.parametrize("swap", WORDINGS, ids="-".join)
def test_arguments_in_each_others_place_are_noticed(
    monkeypatch: pytest.MonkeyPatch, swap: tuple[str, str, str]
) -> None:
    name, first, second = swap
    function, others = getattr(words, name), {first: second, second: first}

    def swapping(*arguments: Any, **given: Any) -> Any:
        return function(*arguments, **{others.get(key, key): given[key] for key in given})

    right = worded()
    monkeypatch.setattr(words, name, swapping)
    try:
        assert worded() != right
    except (TypeError, ValueError):
        return


def worded() -> list[bytes]:
    """What a page's words say, with caches that are empty before and after."""
    page, caches = split(Page(PAGE + LIMITS)), (pagetype._vocabulary,)
    for cached in caches:
        cached.cache_clear()
    arrays = [np.asarray(array).tobytes() for array in markup_arrays(page).values()]
    row = pagetype.row_without_address(page).tobytes()
    for cached in caches:
        cached.cache_clear()
    return [*arrays, row]


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
