"""Tests of `corpus/learn_sites.py`: sites learned from the pages of files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sitepages import NAMES, site_page, write_site

from crfclean.corpus.clean import BatchParams
from crfclean.corpus.learn_sites import learn_sites
from crfclean.corpus.limits import PageLimits
from crfclean.taggers.crf import CrfTagger
from crfclean.taggers.load import load
from crfclean.types import CrfcleanError


@pytest.fixture
def operation(tagger: CrfTagger) -> BatchParams:
    return BatchParams(tagger)


def test_sites_of_a_directory(tmp_path: Path, operation: BatchParams) -> None:
    write_site(tmp_path / "ferry")
    write_site(tmp_path / "rail", host="rail.example")
    (tmp_path / "ferry" / "empty.html").write_text("<html></html>")
    (tmp_path / "ferry" / "notes.bin").write_bytes(b"\x00\x01")
    (tmp_path / "lone").mkdir()
    (tmp_path / "lone" / "a.html").write_text("<p>One two three four</p>")
    learned = learn_sites([tmp_path], operation, learned="2026-11-23")
    assert [rules.site for rules in learned.rules] == ["ferry.example", "rail.example"]
    assert [rules.pages for rules in learned.rules] == [len(NAMES)] * 2
    assert [rules.learned for rules in learned.rules] == ["2026-11-23"] * 2
    assert learned.rules[0].model == operation.model
    assert (learned.few, learned.unread, learned.nameless) == ({"lone": 1}, 1, 0)
    assert (learned.left_out, learned.beyond) == (1, 0)


def test_pages_beyond_enough_are_counted(
    tmp_path: Path, operation: BatchParams, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_site(tmp_path / "ferry")
    monkeypatch.setattr("crfclean.corpus.learn_sites.MAX_PAGES", len(NAMES) - 1)
    learned = learn_sites([tmp_path], operation)
    assert [rules.pages for rules in learned.rules] == [len(NAMES) - 1]
    assert learned.beyond == 1


def test_workers_change_nothing(tmp_path: Path, operation: BatchParams) -> None:
    write_site(tmp_path / "ferry")
    assert learn_sites([tmp_path], operation, 2) == learn_sites([tmp_path], operation)


def test_sites_of_a_corpus(tmp_path: Path, operation: BatchParams) -> None:
    rows = [
        {"html": site_page(name), "url": f"https://a.example/{place}", "id": str(place)}
        for place, name in enumerate(NAMES)
    ]
    nameless = {"html": "<p>One two three four five</p>"}
    path = tmp_path / "pages.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in [*rows, nameless]))
    learned = learn_sites([path], operation)
    assert [(rules.site, rules.example) for rules in learned.rules] == [
        ("a.example", "https://a.example/0")
    ]
    assert learned.nameless == 1


def test_a_page_over_a_limit_is_left_out(tmp_path: Path, tagger: CrfTagger) -> None:
    write_site(tmp_path / "ferry")
    learned = learn_sites([tmp_path], BatchParams(tagger, limits=PageLimits(max_blocks=1)))
    assert (learned.rules, learned.unread) == ([], len(NAMES))


def test_wrong_calls_are_refused(tmp_path: Path, operation: BatchParams) -> None:
    with pytest.raises(CrfcleanError, match="no such file"):
        learn_sites([tmp_path / "missing"], operation)
    with pytest.raises(CrfcleanError, match="knows nothing of sites"):
        learn_sites([tmp_path], BatchParams(load("default", "expert")))
