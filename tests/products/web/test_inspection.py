"""Tests of `web/inspection.py`."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crfclean.document.columns import ROW_NAMES
from crfclean.document.parts import Show
from crfclean.page.decode import decode
from crfclean.pipeline import run
from crfclean.products.papers.expert import ExpertTagger
from crfclean.products.web import inspection
from crfclean.products.web.inspection import MAX_REASONS, Inspection, ServeParams, adjusted, inspect
from crfclean.systems.crf import CrfTagger
from crfclean.systems.load import load
from crfclean.types import Blocks, CrfcleanError, Page, Tags

PLAIN = Inspection(blocks=True)


@pytest.fixture(scope="module")
def page(demo: Path) -> Page:
    path = next(iter(sorted(demo.rglob("*.html"))))
    return decode(path.read_bytes(), "https://example.org/1")


def test_every_block_is_told(page: Page, tagger: CrfTagger) -> None:
    view = inspect(page, tagger, PLAIN)
    document = run(page, tagger)
    assert [one["text"] for one in view["blocks"]] == list(document.blocks.texts)
    assert [one["index"] for one in view["blocks"]] == list(range(len(document.blocks)))
    assert [one["xpath"] for one in view["blocks"]] == [one.xpath for one in document.blocks]
    assert [one["tag"] for one in view["blocks"]] == [one.tag for one in document.blocks]
    labels = [one.label.name for one in document.tags]
    assert [one["label"] for one in view["blocks"]] == labels
    assert view["kept"] == len(document.kept) == len(labels) - labels.count("OTHER") > 0
    found = np.array([one["probability"] for one in view["blocks"]])
    assert np.abs(found - document.tags.probabilities).max() < 1e-4
    assert not any(one["steps"] or one["reasons"] for one in view["blocks"])


def test_the_row_alone_unless_more_is_asked_for(page: Page, tagger: CrfTagger) -> None:
    document = run(page, tagger)
    assert inspect(page, tagger, Inspection()) == document.to_dict()
    evident = inspect(page, tagger, Inspection(show=Show(evidence=True), formats=("md",)))
    assert set(evident) - {*ROW_NAMES} == {"evidence", "texts"}


def test_a_threshold_takes_the_place_of_the_models_rule(page: Page, tagger: CrfTagger) -> None:
    chosen = [Inspection(threshold=at, blocks=True) for at in (0, 0.3, 0.6, 1)]
    kept = [inspect(page, tagger, one)["kept"] for one in chosen]
    assert kept == sorted(kept, reverse=True)
    assert kept[0] == len(inspect(page, tagger, PLAIN)["blocks"])
    view = inspect(page, tagger, Inspection(threshold=0.6, blocks=True))
    for block in view["blocks"]:
        assert (block["label"] != "OTHER") == (block["probability"] >= 0.6)


def test_reasons_are_those_of_the_tagger(page: Page, tagger: CrfTagger) -> None:
    document = run(page, tagger)
    blocks = inspect(page, tagger, Inspection(reasons=3))["blocks"]
    for block, why in zip(blocks, tagger.explain(document.blocks, 3), strict=True):
        assert [one["feature"] for one in block["reasons"]] == [one.feature for one in why]
        for told, reason in zip(block["reasons"], why, strict=True):
            assert told["weight"] == pytest.approx(reason.weight, rel=1e-3)
    many = inspect(page, tagger, Inspection(reasons=10_000))["blocks"]
    assert {len(one["reasons"]) for one in many} == {MAX_REASONS}


def test_of_very_many_blocks_the_rest_is_counted(
    tagger: CrfTagger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inspection, "_MAX_SHOWN_BLOCKS", 7)
    view = inspect(Page("<p>Some words." * 20), tagger, Inspection(threshold=0.0, blocks=True))
    assert (len(view["blocks"]), view["left_out"], view["kept"]) == (7, 13, 20)
    assert view["text"].count("Some words.") == 20


class Stubborn:
    """A tagger that knows neither thresholds nor reasons."""

    def tag(self, blocks: Blocks) -> Tags:
        count = len(blocks)
        return Tags(np.ones(count, np.int32), np.tile([0.0, 1.0, 0.0], (count, 1)), 1.0)


def test_taggers_without_thresholds_or_reasons(page: Page) -> None:
    assert inspect(page, Stubborn(), PLAIN)["score"] == 1.0
    with pytest.raises(CrfcleanError, match="threshold: tagger `Stubborn` does not support"):
        adjusted(Stubborn(), Inspection(threshold=0.5))
    with pytest.raises(CrfcleanError, match="gives no reasons"):
        inspect(page, Stubborn(), Inspection(reasons=1))


# parameters


@pytest.mark.parametrize(
    "token", ["short", "with a blank", "a" * 20 + "&", "žluťoučký", "a/b/c/d/e"]
)
def test_tokens_that_fit_no_address(token: str) -> None:
    with pytest.raises(CrfcleanError, match="token: 8 or more") as caught:
        ServeParams(token=token)
    assert token not in str(caught.value)


# what the API describes beside labels

METHODS = ("energy", "links")
TAGGERS = (*METHODS, "expert", "forum")


@pytest.fixture(scope="module")
def article(demo: Path) -> Page:
    return decode((demo / "hafenblick" / "elektrofaehre-wattlerche.html").read_bytes())


@pytest.fixture(scope="module")
def portal(root: Path) -> Page:
    return decode((root / "data" / "portals" / "blog.html").read_bytes())


def answer_of(page: Page, name: str, **choices: Any) -> Any:
    return inspect(page, load(name), Inspection(**{"blocks": True, "picture": True} | choices))


# all taggers


@pytest.mark.parametrize("name", TAGGERS)
@pytest.mark.parametrize(
    "data",
    [b"", b"\x00" * 99, b"<rss><p>", b"<p>", b"<p>\xff\xfe", b"a" * 999, b"<li>" * 600 + b"a"]
    + [random.Random(size).randbytes(size) for size in (10, 1_000, 10_000)],
)
def test_bad_pages(name: str, data: bytes) -> None:
    answer = answer_of(decode(b"<html>" + data), name)
    assert json.loads(json.dumps(answer, allow_nan=False)) == answer
    assert json.loads(json.dumps(answer_of(decode(data), name), allow_nan=False))


@pytest.mark.parametrize("name", TAGGERS)
def test_blocks_beyond_the_answers_are_left_out(
    name: str, portal: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inspection, "_MAX_SHOWN_BLOCKS", 7)
    answer = answer_of(portal, name)
    assert len(answer["blocks"]) == 7
    texts = answer["segments"] or []
    assert all(part["block"] < 7 for text in texts for part in text["parts"])
    assert all(text["parts"] for text in texts)


# roles


def test_roles_are_those_of_the_trace(article: Page) -> None:
    answer = answer_of(article, "expert")
    roles, trace = answer["roles"], ExpertTagger().trace(run(article, ExpertTagger()).blocks)
    assert f"main heading is {roles['heading']['xpath']}" in trace
    assert f"main article is {roles['article']['xpath']}" in trace
    lines = [
        f"{step['system']}: {step['rule']}: {step['removed_count']} removed, {step['left']} left"
        for step in roles["steps"]
    ]
    assert lines == [line for line in trace.splitlines() if line.endswith(" left")]
    for step in roles["steps"]:
        for removed in step["removed"][:5]:
            start = f"    {removed['xpath']} {removed['text'][:40]!r}: {removed['why']}"
            assert start in trace.splitlines()


# posts


def forum_page(words: str, author: str, inner: str = "") -> str:
    return (
        f'<li class="post"><div class="head"><a href="/user/{author}">{author}</a> '
        f'<span class="date">12 May 2021, 07:14</span></div><div class="body">{words}</div>'
        f"<ul>{inner}</ul></li>"
    )


def test_answers_inside_the_posts_they_answer() -> None:
    names = iter(["Anna Frost", "Jan Eisen", "Petra Kahn", "Uwe Boot", "Mia Netz", "Ole Tau"])

    def post(*inner: str) -> str:
        words = "The harbour is closed, and nobody knows for how long it will stay closed. " * 3
        return forum_page(f"<p>{words}</p>", next(names), "".join(inner))

    body = f"<ul>{post(post(), post(post()))}{post(post())}</ul>"
    html = f"<title>Ice in the harbour</title><h1>Ice in the harbour</h1>{body}"
    found = answer_of(Page(html), "forum")["thread"]["posts"]
    assert [one["replyTo"] for one in found] == [None, 0, 0, 2, None, 4]
