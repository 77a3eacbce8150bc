"""Tests of `corpus/sample.py`."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from crfclean.corpus.jobs import Job
from crfclean.corpus.operation import Result
from crfclean.corpus.records import Record
from crfclean.corpus.sample import MAX_PAGE_BYTES, Sample


def results(scores: Sequence[float], data: bytes | str = b"<p>Words.") -> list[Result]:
    return [
        Result(Job(Path(f"{place}.html"), None), "ok", score=score, page=Record(str(place), data))
        for place, score in enumerate(scores)
    ]


def sampled(given: Sequence[Result], size: int) -> Sample:
    sample = Sample(size)
    passed = list(sample.noted(iter(given)))
    assert [result.job for result in passed] == [result.job for result in given]
    assert not [result for result in passed if result.page is not None]
    return sample


def scores_of(sample: Sample) -> tuple[list[float], list[float]]:
    return [page.score for page in sample.least_sure], [page.score for page in sample.surest]


@pytest.mark.parametrize("seed", range(5))
def test_the_surest_and_the_least_sure(seed: int) -> None:
    scores = [place / 100 for place in range(100)]
    random.Random(seed).shuffle(scores)
    sample = sampled(results(scores), 6)
    assert scores_of(sample) == ([0.0, 0.01, 0.02], [0.99, 0.98, 0.97])
    assert sample.pages == 100
    assert max(len(sample.low), len(sample.high)) == 6


def test_equal_scores_are_chosen_by_name_whatever_the_order() -> None:
    equal = results([0.5] * 50)
    first = sampled(equal, 4)
    random.Random(1).shuffle(equal)
    second = sampled(equal, 4)
    names = [
        [page.name for page in [*sample.least_sure, *sample.surest]] for sample in (first, second)
    ]
    assert names[0] == names[1]
    assert len(set(names[0])) == 4


def test_large_pages_are_counted_and_left_out() -> None:
    given = [*results([0.1], b"a" * (MAX_PAGE_BYTES + 1)), *results([0.9])]
    sample = sampled(given, 2)
    assert (sample.pages, sample.too_large) == (2, 1)
    assert scores_of(sample) == ([], [0.9]) or scores_of(sample) == ([0.9], [])
