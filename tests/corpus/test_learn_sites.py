"""Tests of `corpus/learn_sites.py`: sites learned from the pages of files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from sitepages import NAMES, site_page, write_site

from crfclean.corpus.clean import BatchParams
from crfclean.corpus.learn_sites import (
    MAX_EXAMPLE_SIZE,
    MAX_EXAMPLES,
    LearnedSite,
    LearnedSites,
    learn_sites,
)
from crfclean.corpus.limits import PageLimits
from crfclean.corpus.site_notes import unpacked_notes
from crfclean.site_rules.values import PageNotes
from crfclean.taggers.crf import CrfTagger
from crfclean.taggers.load import load
from crfclean.types import CrfcleanError


@pytest.fixture
def operation(tagger: CrfTagger) -> BatchParams:
    return BatchParams(tagger)


def learned_from(
    path: Path, operation: BatchParams, workers: int = 1
) -> tuple[list[LearnedSite], LearnedSites]:
    """What is learned from the pages at a path, and what is counted."""
    sites = list[LearnedSite]()
    return sites, learn_sites([path], operation, sites.append, workers)


def test_sites_of_a_directory(tmp_path: Path, operation: BatchParams) -> None:
    write_site(tmp_path / "ferry")
    write_site(tmp_path / "rail", host="rail.example")
    (tmp_path / "ferry" / "empty.html").write_text("<html></html>")
    (tmp_path / "ferry" / "notes.bin").write_bytes(b"\x00\x01")
    (tmp_path / "lone").mkdir()
    (tmp_path / "lone" / "a.html").write_text("<p>One two three four</p>")
    sites, learned = learned_from(tmp_path, operation)
    assert [site.rules.site for site in sites] == ["ferry.example", "rail.example"]
    assert [site.rules.pages for site in sites] == [len(NAMES)] * 2
    assert sites[0].rules.model == operation.model
    assert [site.examples for site in sites] == [(), ()]
    assert learned.sites == 2
    assert (learned.few, learned.unread, learned.nameless) == ({"lone": 1}, 1, 0)
    assert (learned.left_out, learned.beyond) == (1, 0)


def test_pages_beyond_enough_are_counted(
    tmp_path: Path, operation: BatchParams, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_site(tmp_path / "ferry")
    monkeypatch.setattr("crfclean.corpus.learn_sites.MAX_PAGES", len(NAMES) - 1)
    sites, learned = learned_from(tmp_path, operation)
    assert [site.rules.pages for site in sites] == [len(NAMES) - 1]
    assert learned.beyond == 1


def test_workers_change_nothing(tmp_path: Path, operation: BatchParams) -> None:
    write_site(tmp_path / "ferry")
    sends = replace(operation, sends_pages=True)
    assert learned_from(tmp_path, sends, 2) == learned_from(tmp_path, sends)


def test_first_pages_are_examples_where_pages_are_sent(
    tmp_path: Path, operation: BatchParams
) -> None:
    write_site(tmp_path / "ferry")
    ((site,), _) = learned_from(tmp_path, replace(operation, sends_pages=True))
    assert len(site.examples) == MAX_EXAMPLES < len(NAMES)
    first = tmp_path / "ferry" / "Anna.html"
    assert (site.examples[0].id, site.examples[0].data) == (str(first), first.read_bytes())
    with first.open("a") as page:
        page.write(f"<!--{'x' * MAX_EXAMPLE_SIZE}-->")
    ((site,), _) = learned_from(tmp_path, replace(operation, sends_pages=True))
    assert [Path(page.id).stem for page in site.examples] == NAMES[1 : MAX_EXAMPLES + 1]


def test_sites_are_learned_after_each_other(
    tmp_path: Path, operation: BatchParams, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Notes of a site are unpacked when the rules of the site before are taken."""
    for host in ("a", "b"):
        write_site(tmp_path / host, host=f"{host}.example")
    steps = list[str]()

    def unpacked(site: str, packed: bytes) -> PageNotes:
        steps.append(site)
        return unpacked_notes(site, packed)

    monkeypatch.setattr("crfclean.corpus.learn_sites.unpacked_notes", unpacked)
    learn_sites([tmp_path], operation, lambda site: steps.append(f"{site.rules.site} taken"))
    each = [[f"{host}.example"] * len(NAMES) + [f"{host}.example taken"] for host in "ab"]
    assert steps == each[0] + each[1]


def test_sites_of_a_corpus(tmp_path: Path, operation: BatchParams) -> None:
    rows = [
        {"html": site_page(name), "url": f"https://a.example/{place}", "id": str(place)}
        for place, name in enumerate(NAMES)
    ]
    nameless = {"html": "<p>One two three four five</p>"}
    path = tmp_path / "pages.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in [*rows, nameless]))
    sites, learned = learned_from(path, operation)
    assert [(site.rules.site, site.rules.example) for site in sites] == [
        ("a.example", "https://a.example/0")
    ]
    assert learned.nameless == 1


def test_a_page_over_a_limit_is_left_out(tmp_path: Path, tagger: CrfTagger) -> None:
    write_site(tmp_path / "ferry")
    operation = BatchParams(tagger, limits=PageLimits(max_blocks=1))
    sites, learned = learned_from(tmp_path, operation)
    assert (sites, learned.sites, learned.unread) == ([], 0, len(NAMES))


def test_wrong_calls_are_refused(tmp_path: Path, operation: BatchParams) -> None:
    with pytest.raises(CrfcleanError, match="no such file"):
        learned_from(tmp_path / "missing", operation)
    with pytest.raises(CrfcleanError, match="knows nothing of sites"):
        learned_from(tmp_path, BatchParams(load("default", "expert")))
