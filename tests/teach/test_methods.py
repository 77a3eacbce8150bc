"""Tests of `teach/audit_summary.py`: the paragraph for a paper."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from auditruns import row, write_run

from crfclean import load
from crfclean._version import YEAR, __version__
from crfclean.decision.rules import CutChoice
from crfclean.systems.load import fingerprint, with_choice
from crfclean.teach.audit import (
    draw,
    draw_from,
    output_files,
    read_pages,
    read_sample,
    write_sample,
)
from crfclean.teach.audit_summary import methods, report


@pytest.mark.parametrize(
    ("model", "told"),
    [
        (fingerprint(load()), "with the model default, convention auto (fingerprint "),
        (
            fingerprint(with_choice(load(), CutChoice("body"))),
            "with the model default, convention body (fingerprint ",
        ),
        ("0123456789abcdef", "with a model or options of its own (fingerprint 0123456789abcdef)"),
        (None, "with an unknown model. "),
    ],
)
def test_a_paragraph_for_a_paper(tmp_path: Path, model: str | None, told: str) -> None:
    failed = {"id": "x", "status": "failed", "model": model, "blocks": [], "left_out": []}
    rows = [*(row(number, status="ok", model=model) for number in range(9)), failed]
    write_sample(tmp_path / "s.json", draw(write_run(tmp_path / "texts.jsonl", rows)))
    result = report(read_sample(tmp_path / "s.json"), {0: True, 1: False})
    paragraph, f1 = methods(result), result.estimates["f1"]
    assert f"The texts of 10 pages were extracted by crfclean {__version__} (python 3." in paragraph
    assert told in paragraph
    assert "The pages have the statuses 9 ok, 1 failed." in paragraph
    assert f"an F1 of {f1.estimate:.3f} ({f1.low:.3f} to {f1.high:.3f}) over" in paragraph
    assert paragraph.endswith(f"Version {__version__}.")
    assert f"({YEAR})" in paragraph


def test_a_sample_without_facts_is_read(tmp_path: Path) -> None:
    """A sample of an earlier version: its judgements are not lost."""
    run, path = write_run(tmp_path / "texts.jsonl"), tmp_path / "s.json"
    write_sample(path, draw_from(read_pages(output_files(run))))
    assert "facts" not in json.loads(path.read_text("utf-8"))
    assert "an unknown model. They keep " in methods(report(read_sample(path), {0: True}))
