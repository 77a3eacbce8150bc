"""Tests of `tune/pages.py`."""

from __future__ import annotations

from crfclean.tune.pages import Verdict, kind_lines, undecided
from crfclean.types import Kind

SAID = {
    Kind.TITLE: Verdict(False, 5, 0.0),
    Kind.LEAD: Verdict(True, 4, 0.975),
    Kind.CAPTION: Verdict(None, 1, 1.0),
}


def test_each_kind_is_told_with_its_evidence() -> None:
    assert list(kind_lines(SAID)) == [
        "title: dropped (your texts keep 0 % of the words, on 5 pages)",
        "leads: kept (your texts keep 98 % of the words, on 4 pages)",
        "captions: unchanged (your texts keep 100 % of the words, on 1 page)",
    ]


def test_what_is_not_applied_is_not_told_as_if_it_were() -> None:
    lines = kind_lines(undecided(SAID))
    assert not [line for line in lines if ": kept" in line or ": dropped" in line]
