"""Tests of `eval/cost/fuzz.py`, `growth.py` and their pages: repeatable calls, findings, slopes."""

from __future__ import annotations

import json
import sys
from multiprocessing import get_context
from typing import Any

import pytest

from eval.cost import fuzz, growth
from eval.cost.operations import OPERATIONS


def test_calls_are_made_of_seed_and_number() -> None:
    calls = [fuzz.page_of_call(1, number) for number in range(200)]
    assert calls == [fuzz.page_of_call(1, number) for number in range(200)]
    assert calls != [fuzz.page_of_call(2, number) for number in range(200)]
    assert {type(page) for _, page in calls} == {bytes, str}
    assert len({operation for operation, _ in calls}) > len(OPERATIONS) / 2
    assert sum(len(page) for _, page in calls) / len(calls) < 20_000


def fail_on_stars(page: str | bytes) -> None:
    if isinstance(page, str) and page.count("*") >= 2:
        raise ValueError("stars")


def test_findings_are_told_and_made_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(OPERATIONS, "stars", fail_on_stars)  # type: ignore[arg-type]
    page = "words " * 50 + "*" + "more " * 50 + "*" + "words " * 50
    kind = fuzz.failure("stars", page)
    assert kind.startswith("ValueError at test_campaigns.py:")
    assert fuzz.smaller("stars", page, kind) == "**"
    assert not fuzz.failure("stars", "*")


@pytest.mark.skipif(sys.platform == "win32", reason="processes are forked")
def test_a_crash_is_a_finding_and_the_campaign_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def work(seed: int, first: int, last: int, under_way: Any, answers: Any) -> None:
        if first == 100:
            under_way.value = 103
            raise SystemExit(7)
        made.put((first, last))
        answers.send(None)

    made: Any = get_context("fork").SimpleQueue()
    monkeypatch.setattr(fuzz, "work", work)
    (finding,) = fuzz.batch(1, 100)
    assert (finding["call"], finding["kind"]) == (103, "crashes (7)")
    assert json.dumps(finding)
    assert made.get() == (104, 100 + fuzz.BATCH)


def test_slopes() -> None:
    assert growth.slope_of({1: 1.0, 2: 2.0, 4: 8.0}) == pytest.approx(2.0)
    assert growth.slope_of({100: 1.0, 400: 4.0}) == pytest.approx(1.0)
    assert growth.is_finding({100: 1.0, 200: 4.0})
    assert not growth.is_finding({100: 1.0, 200: 2.2})
    assert not growth.is_finding({100: 0.01, 200: 0.1})
    assert growth.is_finding({100: 9.0})  # too long at the least size
