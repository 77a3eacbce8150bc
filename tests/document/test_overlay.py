"""Tests of `document/overlay.py`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crfclean.document.overlay import MAX_BLOCKS, MAX_PAGE_CHARS, view_of_page
from crfclean.page.decode import decode
from crfclean.systems.load import by_name
from crfclean.types import Page, Tagger

LIST = "<p>Words of the text, which are rather many here.</p>"


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return by_name("default")


@pytest.fixture(scope="module")
def view(demo: Path, tagger: Tagger) -> dict[str, Any]:
    data = (demo / "moorland-gazette" / "sunday-bus-reprieve.html").read_bytes()
    return view_of_page(decode(data), tagger)


def test_every_block_has_a_reason_in_words(view: dict[str, Any]) -> None:
    assert len(view["blocks"]) == view["total"] > 100
    assert sum(block["kept"] for block in view["blocks"]) == view["kept"] > 5
    without = [block["text"] for block in view["blocks"] if not block["because"]]
    assert len(without) < 0.05 * view["total"], without
    assert all(block["figures"] for block in view["blocks"])


def test_a_menu_is_explained_as_one(view: dict[str, Any]) -> None:
    (villages,) = [block for block in view["blocks"] if block["text"] == "Skip to content"]
    assert (villages["kept"], villages["kind"]) == (False, "navigation")
    assert villages["kind_probability"] > 0.8
    assert villages["size"] == "3 words, all inside links"
    assert any("a class or id says" in reason for reason in villages["because"])


def test_the_page_is_painted(view: dict[str, Any]) -> None:
    painted = [
        f'id="crf-{number}" data-crf-paint="{"k" if block["kept"] else "d"}'
        for number, block in enumerate(view["blocks"])
    ]
    assert not [mark for mark in painted if mark not in view["page"]]
    assert view["page"].count('data-crf-kind="title ') == 1
    assert 'data-crf-kind="paragraph' not in view["page"]


def test_many_blocks_are_cut(tagger: Tagger) -> None:
    view = view_of_page(Page(LIST * 20_000), tagger)
    total = view["total"]
    assert total > MAX_BLOCKS == len(view["blocks"])
    assert (
        view["notes"][0]
        == f"The view shows the first {MAX_BLOCKS:,} of {total:,} blocks, without reasons."
    )
    assert f'id="crf-{MAX_BLOCKS - 1}"' in view["page"]
    assert f'id="crf-{MAX_BLOCKS}"' not in view["page"]
    assert len(view["page"]) < MAX_PAGE_CHARS
    assert len(json.dumps(view)) < 12_000_000
