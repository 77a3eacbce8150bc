"""Tests of `web/inspection.py`: what the API describes beside labels."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from crfclean.page.decode import decode
from crfclean.pipeline import run
from crfclean.systems.by_rules import ExpertTagger
from crfclean.types import Page
from crfclean.web import inspection
from crfclean.web.inspection import Inspection, inspect
from crfclean.web.service import open_offered

METHODS = ("energy", "links")
TAGGERS = (*METHODS, "expert", "forum")


@pytest.fixture(scope="module")
def article(demo: Path) -> Page:
    return decode((demo / "hafenblick" / "elektrofaehre-wattlerche.html").read_bytes())


@pytest.fixture(scope="module")
def portal(root: Path) -> Page:
    return decode((root / "data" / "portals" / "blog.html").read_bytes())


def answer_of(page: Page, name: str, **choices: Any) -> Any:
    return inspect(page, open_offered(name), Inspection(**choices))


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
