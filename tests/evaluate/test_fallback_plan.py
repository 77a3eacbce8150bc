"""Tests of `evaluate/fallback_plan.py`."""

from __future__ import annotations

from crfclean.evaluate.fallback_plan import SHARES, as_table, plan

SCORES = [number / 100 for number in range(100)]


def test_each_share_has_its_cut() -> None:
    cuts = plan(SCORES)
    assert [cut.share for cut in cuts] == list(SHARES)
    for cut in cuts:
        sent = [score for score in SCORES if score < cut.below]
        assert len(sent) == cut.pages
        assert abs(cut.sent - sum(sent) / len(sent)) < 1e-9
        kept = [score for score in SCORES if score >= cut.below]
        assert abs(cut.kept - sum(kept) / len(kept)) < 1e-9
        assert abs(cut.at_most - (len(sent) + sum(kept)) / 100) < 1e-9


def test_few_pages_have_few_cuts() -> None:
    assert plan([]) == []
    assert plan([0.5]) == []
    assert [cut.pages for cut in plan([0.5, 0.6])] == [1]


def test_the_table_has_a_line_for_each_cut() -> None:
    lines = as_table(SCORES).splitlines()
    assert lines[0] == "100 pages, expected F1 0.495"
    assert len(lines) == 2 + len(SHARES)
    assert lines[-1].split() == ["0.5000", "50", "0.500", "0.245", "0.745", "0.873"]
    assert as_table([]) == "no page could be read: nothing to plan\n"
