"""Tests of `corpus/rows.py`."""

from __future__ import annotations

import sys

import pytest

from crfclean.products.corpus.rows import PACKERS, check_ending
from crfclean.types import CrfcleanError


def test_endings(monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(PACKERS) == ["jsonl", "jsonl.gz", "jsonl.xz", "jsonl.zst", "csv", "parquet"]
    check_ending("jsonl.xz")
    monkeypatch.setitem(sys.modules, "crfclean.products.corpus.parquet", None)
    with pytest.raises(CrfcleanError, match=r"pip install 'crfclean\[parquet\]'"):
        check_ending("parquet")
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(CrfcleanError, match=r"pip install 'crfclean\[zst\]'"):
        check_ending("jsonl.zst")
