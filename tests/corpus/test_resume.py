"""Tests of `corpus/resume.py`: which parameters go together."""

from __future__ import annotations

import pytest

from crfclean.corpus.resume import ResumeParams


@pytest.mark.parametrize(
    ("params", "continues"),
    [
        (ResumeParams(), False),
        (ResumeParams(overwrite=True), False),
        (ResumeParams(resume=True), True),
        (ResumeParams(retry_failed=True), True),
        (ResumeParams(resume=True, retry_failed=True), True),
    ],
)
def test_what_continues(params: ResumeParams, continues: bool) -> None:  # noqa: FBT001
    assert params.continues is continues
