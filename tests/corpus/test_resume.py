"""Tests of `corpus/resume.py`: which parameters go together."""

from __future__ import annotations

import pytest

from crfclean.corpus.resume import ResumeParams
from crfclean.types import CrfcleanError


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


@pytest.mark.parametrize("name", ["resume", "retry_failed"])
def test_overwriting_excludes_continuing(name: str) -> None:
    option = "--" + name.replace("_", "-")
    with pytest.raises(CrfcleanError, match=f"{option} and --overwrite exclude each other"):
        ResumeParams(overwrite=True, **{name: True})
