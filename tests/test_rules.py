"""Tests of `rules.py`: rules narrow candidates, one at a time, and say why."""

from __future__ import annotations

import pytest

from crfclean.rules import (
    MAX_STEPS,
    Production,
    Removals,
    Store,
    System,
    best,
    several,
    some,
    trace_text,
    unless,
)
from crfclean.types import CrfcleanError

EVEN = unless("even", some, lambda page, one: one % 2 == 0, "it is odd")
SMALLEST = Production(
    "smallest",
    several,
    best(lambda _, one: -float(one), lambda value, most: f"{-value:.0f}, not {-most:.0f}"),
)


def test_rules_narrow_in_their_order() -> None:
    found = System("numbers", (EVEN, SMALLEST)).run(None, range(1, 8))
    assert found.candidates == (2,)
    assert found.first == 2
    assert [(step.rule, sorted(step.removed), step.left) for step in found.steps] == [
        ("even", [1, 3, 5, 7], 3),
        ("smallest", [4, 6], 1),
    ]
    assert found.steps[0].removed[3] == "it is odd"
    assert found.steps[1].removed[6] == "6, not 2"


def test_rule_that_removes_nothing_is_not_tried_again() -> None:
    calls = []

    def nothing(_: Store) -> Removals:
        calls.append(1)
        return {}

    found = System("idle", (Production("idle", some, nothing), EVEN)).run(None, [1, 2])
    assert found.candidates == (2,)
    assert len(calls) == 2, "once before and once after the other's step"
    assert [step.rule for step in found.steps] == ["even"]


def test_steps_are_bounded() -> None:
    one_by_one = System(
        "slow", (Production("slow", some, lambda store: {store.candidates[0]: ""}),)
    )
    assert one_by_one.run(None, range(MAX_STEPS - 1)).candidates == ()
    with pytest.raises(CrfcleanError, match=f"slow: no end after {MAX_STEPS} steps"):
        one_by_one.run(None, range(MAX_STEPS + 1))


def test_trace_tells_rule_candidate_and_reason() -> None:
    found = System("numbers", (EVEN, SMALLEST)).run(None, range(1, 8))
    assert trace_text(found.steps, lambda system, one: f"{system[0]}{one}", most=2) == (
        "numbers: even: 4 removed, 3 left\n"
        "    n1: it is odd\n"
        "    n3: it is odd\n"
        "    and 2 more\n"
        "numbers: smallest: 2 removed, 1 left\n"
        "    n4: 4, not 2\n"
        "    n6: 6, not 2\n"
    )
    assert trace_text((), lambda *_: "") == ""
