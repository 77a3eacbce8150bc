"""The demo pages: their encodings and gold, and what a model learns from them across sites."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from crfclean.page.blocks import split
from crfclean.page.decode import WEB_ENCODINGS
from crfclean.systems.crf import from_bundle
from crfclean.teach.gold import GoldPage
from crfclean.teach.runner import PageScore, evaluate
from crfclean.teach.train import TrainParams, train
from crfclean.types import Label

ENCODINGS = {
    "hafenblick": "utf-8",
    "kurjer-nadwislanski": "iso8859-2",
    "moorland-gazette": "utf-8",
    "podhorsky-denik": "cp1250",
    "severnik": "utf-8",
    "vestnik-zarechya": "cp1251",
}
FLOORS = {
    "hafenblick": 0.5,
    "kurjer-nadwislanski": 0.75,
    "moorland-gazette": 0.55,
    "podhorsky-denik": 0.75,
    "severnik": 0.75,
    "vestnik-zarechya": 0.7,
}
"""Mean F1 of a site's pages that the others must teach: well below what they do."""

every_site = pytest.mark.parametrize("site", ENCODINGS)


def pages_of(gold: list[GoldPage], site: str) -> list[GoldPage]:
    return [page for page in gold if page.site == site]


def test_sites_and_pages(demo_gold: list[GoldPage]) -> None:
    assert len(demo_gold) == 24
    for site in ENCODINGS:
        assert len(pages_of(demo_gold, site)) == 4
    assert all(page.source == page.site for page in demo_gold)


@every_site
def test_pages_decode_as_they_declare(demo: Path, demo_gold: list[GoldPage], site: str) -> None:
    for page in pages_of(demo_gold, site):
        raw = (demo / page.id).read_bytes()
        declared = re.search(rb"charset=[\"']?([\w-]+)", raw, re.IGNORECASE)
        assert declared is not None, page.id
        codec = WEB_ENCODINGS[declared.group(1).decode().lower()]
        assert page.page.encoding == codec == ENCODINGS[site]
        assert page.page.html == raw.decode(codec)
        assert (page.page.status, page.page.truncated) == ("ok", "")


@every_site
def test_gold_is_in_its_form(demo: Path, site: str) -> None:
    for file in (demo / site).glob("*.txt"):
        text = file.read_bytes().decode("utf-8")
        lines = text.split("\n")
        assert lines.pop() == "", "the last line is ended"
        assert all(line == " ".join(line.split()) != "" for line in lines), file.name
        assert "\r" not in text
        assert len(lines) >= 4


@every_site
def test_gold_stands_in_the_page_in_order(demo_gold: list[GoldPage], site: str) -> None:
    for page in pages_of(demo_gold, site):
        whole, place = " ".join(split(page.page).texts), 0
        for line in page.text.splitlines():
            found = whole.find(line, place)
            assert found >= 0, f"{page.id}: {line}"
            place = found + len(line)


@every_site
def test_label_files_agree_with_the_texts(demo_gold: list[GoldPage], site: str) -> None:
    for page in pages_of(demo_gold, site):
        if page.labels is not None:
            assert tuple(text for _, text in page.labels) == split(page.page).texts
            kept = " ".join(text for label, text in page.labels if label != Label.OTHER)
            assert kept.split() == page.text.split(), page.id


# learning


@pytest.fixture(scope="module")
def across_sites(demo_gold: list[GoldPage], tmp_path_factory: pytest.TempPathFactory) -> dict:
    """Site -> scores of its pages by a model that was trained on the other sites."""
    scores: dict[str, list[PageScore]] = {}
    for site in ENCODINGS:
        others = [page for page in demo_gold if page.site != site]
        bundle = train(others, TrainParams(iterations=50))
        tagger = from_bundle(tmp_path_factory.mktemp(site), bundle)
        scores[site] = list(evaluate(pages_of(demo_gold, site), tagger))
    return scores


def mean_f1(scores: list[PageScore]) -> float:
    return sum(page.words.f1 for page in scores) / len(scores)


@every_site
def test_sites_teach_each_other(across_sites: dict, site: str) -> None:
    assert mean_f1(across_sites[site]) > FLOORS[site]


def test_shipped_model_cleans_the_demo(default_model: Path, demo_gold: list[GoldPage]) -> None:
    from crfclean.systems.load import load

    assert mean_f1(list(evaluate(demo_gold, load(default_model)))) > 0.7
