"""Tests of `teach/report.py`: what two texts share, and what each has alone."""

from __future__ import annotations

import pytest

from crfclean.teach import report
from crfclean.teach.report import (
    CONTEXT_WORDS,
    SAME_WORDS,
    Run,
    word_diff,
)

CASES = {
    "equal": ("a b", "a b", " a b"),
    "both empty": ("", "", ""),
    "text empty": ("a b", "", "-a b"),
    "gold empty": ("", "a b", "+a b"),
    "missing": ("a b c", "a c", " a|-b| c"),
    "added": ("a c", "a b c", " a|+b| c"),
    "replaced": ("a b c", "a x c", " a|-b|+x| c"),
    "case counts": ("A b", "a b", "-A|+a| b"),
    "lines": ("a\nb", "a\nb", " a ¶ b"),
    "joined lines": ("a\nb", "a b", " a|-¶| b"),
    "blank lines and blanks": (" a\n\n b  c", "a\nb c\n", " a ¶ b c"),
}


def spelled(gold: str, text: str) -> str:
    return "|".join(run.sign + " ".join(run.words) for run in word_diff(gold, text)[0])


@pytest.mark.parametrize(("gold", "text", "expected"), CASES.values(), ids=CASES)
def test_word_diff(gold: str, text: str, expected: str) -> None:
    assert spelled(gold, text) == expected


def test_long_runs_that_are_the_same_are_shortened() -> None:
    words = [f"w{number}" for number in range(100)]
    (run,), left_out = word_diff(" ".join(words), " ".join(words))
    assert run == Run(
        SAME_WORDS, (*words[:CONTEXT_WORDS], *words[-CONTEXT_WORDS:]), 100 - 2 * CONTEXT_WORDS
    )
    assert left_out == 0


def test_what_is_left_out_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "_MAX_COMPARED_WORDS", 3)
    runs, left_out = word_diff("a b c d e", "a b c d")
    assert (runs, left_out) == ([Run(SAME_WORDS, ("a", "b", "c"))], 3)
