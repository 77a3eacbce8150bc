"""Pages of the demo give what was recorded: columns, kinds, labels and figures.

`python tests/model/test_recorded.py` records them anew, for a change that is meant.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crfclean.model.columns import FEATURES, matrix
from crfclean.model.inputs import TEXTTRACTOR
from crfclean.model.pagetype import figure_names, page_row
from crfclean.model.zones import kinds_of, main_heading, zones
from crfclean.page.blocks import split
from crfclean.page.decode import decode
from crfclean.systems.load import load
from crfclean.types import Kind, Label

RECORDED = Path(__file__).with_suffix(".json")
DEMO = Path(__file__).parents[2] / "data" / "demo"
SITES = ("hafenblick", "moorland-gazette", "severnik")
PAGES = [min((DEMO / site).glob("*.html")) for site in SITES]
NAMES = (*FEATURES, *TEXTTRACTOR)


def said_of(path: Path) -> dict[str, Any]:
    """What is recorded of a page; of each column its sum, and its sum by places from 1 on."""
    page = split(decode(path.read_bytes()))
    tags, columns = load("default").tag(page), matrix(page, NAMES)
    places = np.arange(1, len(page) + 1)
    sums = zip(columns.sum(0).tolist(), (places @ columns).tolist(), strict=True)
    row = dict(zip(figure_names(), page_row(page, None).tolist(), strict=True))
    return {
        "labels": " ".join(Label(label).name.lower() for label in tags.labels),
        "kept": [round(float(1 - share), 4) for share in tags.marginals[:, Label.OTHER]],
        "kinds": " ".join(Kind(kind).name.lower() for kind in kinds_of(page)),
        "zones": [int(kind) for kind in zones(page)],
        "heading": main_heading(page),
        "columns": {
            name: [round(value, 4) for value in pair]
            for name, pair in zip(NAMES, sums, strict=True)
            if any(pair)
        },
        "figures": {name: round(value, 4) for name, value in row.items() if value},
    }


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.parent.name)
def test_pages_give_what_was_recorded(path: Path) -> None:
    recorded, said = json.loads(RECORDED.read_text("utf-8"))[path.parent.name], said_of(path)
    for part in ("labels", "kinds", "zones", "heading"):
        assert said[part] == recorded[part], part
    assert said["kept"] == pytest.approx(recorded["kept"], abs=2e-4)
    assert said["figures"] == pytest.approx(recorded["figures"], abs=2e-4)
    assert list(said["columns"]) == list(recorded["columns"])
    for name, sums in recorded["columns"].items():
        assert said["columns"][name] == pytest.approx(sums, rel=1e-5, abs=2e-3), name


def test_the_pages_say_something_of_nearly_every_column() -> None:
    pages = json.loads(RECORDED.read_text("utf-8")).values()
    assert len(set().union(*(page["columns"] for page in pages))) > 0.85 * len(NAMES)


if __name__ == "__main__":
    lines = (f"{json.dumps(path.parent.name)}: {json.dumps(said_of(path))}" for path in PAGES)
    RECORDED.write_text("{" + ",\n".join(lines) + "}\n", "utf-8")
