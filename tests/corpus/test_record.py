"""Tests of `corpus/records.py`."""

from __future__ import annotations

from dataclasses import replace

from crfclean.corpus.records import Record


def test_a_record_without_its_page_is_still_known() -> None:
    record = Record("urn:1", b"<p>", "https://example.org/", "2026", "utf-8", "length")
    assert replace(record, data=b"") == Record(
        "urn:1", b"", "https://example.org/", "2026", "utf-8", "length"
    )
