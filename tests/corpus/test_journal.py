"""Tests of `corpus/shards.py`: states come back, damage does not count."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from crfclean.corpus.shards import State, begin_journal, read_journal, write_state

OPTIONS = {"source": "x", "elements": ["p"], "é": None}
STATES = [
    State(),
    State(1, 64, 1_000, 0, Counter(ok=60, failed=4)),
    State(2, 70, 1_200, 2**40, Counter(ok=66, failed=4), Counter({"HTTP status 404 ž": 6})),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The path of a journal with three states."""
    with begin_journal(tmp_path / "x.journal", OPTIONS, 7, STATES[0]) as stream:
        for state in STATES[1:]:
            write_state(stream, state)
    return tmp_path / "x.journal"


def test_journal_comes_back(path: Path) -> None:
    journal = read_journal(path)
    assert journal is not None
    assert (journal.options, journal.retried, journal.states) == (OPTIONS, 7, STATES)
    assert [file.name for file in path.parent.iterdir()] == ["x.journal"]


@pytest.mark.parametrize("cut", [1, 9, 40])
def test_torn_last_line_does_not_count(path: Path, cut: int) -> None:
    path.write_bytes(path.read_bytes()[:-cut])
    journal = read_journal(path)
    assert journal is not None
    assert journal.states == STATES[:2]


def test_nothing_counts_behind_a_damaged_line(path: Path) -> None:
    lines = path.read_text("utf-8").splitlines()
    path.write_text("\n".join([*lines[:2], '{"records": 1}', *lines[2:], ""]), "utf-8")
    journal = read_journal(path)
    assert journal is not None
    assert journal.states == STATES[:1]


def test_new_journal_replaces_an_older_one_at_once(path: Path) -> None:
    begin_journal(path, {}, 0, State()).close()
    journal = read_journal(path)
    assert journal is not None
    assert (journal.options, journal.retried, journal.states) == ({}, 0, [State()])
