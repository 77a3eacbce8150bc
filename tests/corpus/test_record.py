"""Tests of `corpus/record.py`."""

from __future__ import annotations

from dataclasses import replace

from crfclean.corpus.record import Record, damaged_record
from crfclean.corpus.streams import Damage


def test_a_record_without_its_page_is_still_known() -> None:
    record = Record("urn:1", b"<p>", "https://example.org/", "2026", "utf-8", "length")
    assert replace(record, data=b"") == Record(
        "urn:1", b"", "https://example.org/", "2026", "utf-8", "length"
    )


def test_damage_names_its_place_and_no_page() -> None:
    record = damaged_record(Damage(12_000, 12_345, "damaged gzip data"))
    assert record.problem == "damaged gzip data, at byte 12,345 of what is unpacked"
    assert (record.id, record.data, record.url) == ("", b"", None)
