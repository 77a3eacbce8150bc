"""Tests of `corpus/pickled.py`: values come back equal."""

from __future__ import annotations

import pickle
from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from crfclean.corpus.jobs import Folders, Job
from crfclean.corpus.operation import PageInput, Result
from crfclean.corpus.record import Record
from crfclean.corpus.records import Fields

JOB = Job(Path("a/x.jsonl"), Path("out/x.jsonl"), shard="jsonl", folders=Folders("a", Path("out")))
VALUES = {
    "job": JOB,
    "fields": Fields(id_field="name"),
    "record": Record("x", b"<p>", "https://e.org", "2026", "utf-8", "length"),
    "input": PageInput(JOB, Record("x", "<p>"), b"data", done=True, retried=True),
    "result": Result(JOB, "ok", line=b"{}", before=Counter(ok=3), page=Record("x")),
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_values_come_back_equal(value: object) -> None:
    assert pickle.loads(pickle.dumps(value)) == value
    assert pickle.loads(pickle.dumps([value, value]))[1] == value


def test_what_reads_a_record_comes_with_it() -> None:
    record = Record("", length=3, read=partial(Record, "x", b"<p>"))
    assert pickle.loads(pickle.dumps(record)).opened == Record("x", b"<p>")
