"""Tests of `model/kinds.py`."""

from __future__ import annotations

import json
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest

from crfclean.io import with_digest
from crfclean.model import kind_model
from crfclean.model.block_kinds import kinds_of
from crfclean.model.columns import singles
from crfclean.model.kind_columns import evidence_names, kind_columns
from crfclean.model.kind_model import KIND_OUTPUTS, by_kind, load_kind_model, open_kind_model
from crfclean.page.blocks import split
from crfclean.types import Kind, ModelError, Page

WIDTH = len(open_kind_model().features) + len(evidence_names())
TEXT = "The river rose again this morning, and nobody in the village slept well. " * 3


@pytest.fixture
def folder(root: Path, tmp_path: Path) -> Path:
    return Path(copytree(root / "models" / "kinds", tmp_path / "model"))


def test_what_is_of_no_kind_is_a_paragraph_and_posts_are_comments() -> None:
    shares = np.zeros((1, len(KIND_OUTPUTS)))
    shares[0, [Kind.PARAGRAPH, KIND_OUTPUTS.index("OTHER")]] = 0.1, 0.2
    shares[0, [Kind.COMMENT, Kind.POST, Kind.TITLE]] = 0.3, 0.25, 0.15
    kinds = by_kind(shares)[0]
    assert kinds[[Kind.PARAGRAPH, Kind.COMMENT, Kind.POST, Kind.TITLE]] == pytest.approx(
        [0.3, 0.55, 0.0, 0.15]
    )
    assert kinds.sum() == pytest.approx(1.0)


# the folder


def rewrite(folder: Path, **changes: object) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps(with_digest({**json.loads(path.read_text()), **changes})))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "crf"}, "no model of kinds"),
        ({"format": 99}, "another format"),
        ({"features": {"words": "0"}}, r"other features \(words, kinds by evidence changed\)"),
        ({"features": {"none_such": "0"}}, "has no feature 'none_such'"),
        ({"outputs": ["PARAGRAPH"]}, "other kinds"),
        ({"files": []}, "malformed"),
    ],
)
def test_a_wrong_manifest_is_refused(
    folder: Path, changes: dict[str, object], message: str
) -> None:
    rewrite(folder, **changes)
    with pytest.raises(ModelError, match=message):
        load_kind_model(folder)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("mean", [0.0]),
        ("deviation", [0.0] * WIDTH),
        ("log", None),
        ("layers", []),
        ("layers", [{"weights": [[1.0]], "bias": [0.0]}]),
        (
            "layers",
            [
                {
                    "weights": [[float("nan")] * len(KIND_OUTPUTS)] * WIDTH,
                    "bias": [0.0] * len(KIND_OUTPUTS),
                }
            ],
        ),
        (
            "layers",
            [{"weights": [[3e38] * len(KIND_OUTPUTS)] * WIDTH, "bias": [0.0] * len(KIND_OUTPUTS)}],
        ),
        (
            "layers",
            [
                {
                    "weights": [[1.0] * len(KIND_OUTPUTS)] * (WIDTH - 1),
                    "bias": [0.0] * len(KIND_OUTPUTS),
                }
            ],
        ),
    ],
)
def test_wrong_weights_are_refused(
    monkeypatch: pytest.MonkeyPatch, folder: Path, name: str, value: object
) -> None:
    weights = json.loads((folder / "weights.json").read_text())
    assert len(weights["mean"]) == WIDTH
    monkeypatch.setattr(kind_model, "read_weights", lambda *_: weights | {name: value})
    with pytest.raises(ModelError, match="malformed"):
        load_kind_model(folder)


# the columns of the model

HTML = f"<title>A</title><h1>A</h1><p>{TEXT}<h2>B</h2><p>{TEXT}<nav><a href=/x>Home</a></nav>"
NAMES = ("words", "link_density")


def test_columns_are_those_of_the_table_and_the_evidence() -> None:
    page = split(Page(HTML))
    columns = kind_columns(page, NAMES)
    assert columns.shape == (5, len(NAMES) + len(evidence_names()))
    assert columns.dtype == np.float32
    assert (columns[:, :2] == singles(page, NAMES)).all()
    rows = [dict(zip(evidence_names(), row[2:].tolist(), strict=True)) for row in columns]
    assert [kind.name for kind in map(Kind, kinds_of(page))] == [
        *("TITLE", "PARAGRAPH", "HEADING", "PARAGRAPH", "NAVIGATION")
    ]
    heading = {name for name, value in rows[2].items() if value == 1.0}
    assert heading == {"kind=heading", "kind[-1]=paragraph", "kind[+1]=paragraph"}
    assert rows[2]["kind_around3=paragraph"] == pytest.approx(2 / 5)
    assert rows[0]["kind_around3=paragraph"] == pytest.approx(2 / 4)
    assert sum(value for name, value in rows[0].items() if name.startswith("kind[-1]")) == 0
    assert sum(value for name, value in rows[4].items() if name.startswith("kind[+1]")) == 0
