"""The cards of models (models/*/README.md) say what their manifests say."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from checkout import ROOT

MODELS = ROOT / "models"


def card(name: str) -> str:
    return " ".join((MODELS / name / "README.md").read_text("utf-8").split())


def manifest(name: str) -> Any:
    return json.loads((MODELS / name / "manifest.json").read_text("utf-8"))


@pytest.mark.parametrize("name", ["default", "mlp", "kinds", "pagetype", "forum"])
def test_training_pages(name: str) -> None:
    text, sets = card(name), manifest(name)["sets"]
    cells = r"(\d+) pages of (?:data/forum|31 forums)|web-forum-52: (\d+) pages"
    told = re.findall(cells if name == "forum" else r"\| ([\d,]+)() \| [^|]+ \|", text)
    named = sorted(max(pages) for pages in told)
    pages = [f"{entry['pages']:,}" for entry in sets]
    if name == "pagetype":  # its last row sums up ten sets
        assert len(pages) - len(named) == 10
        pages = pages[: len(named)]
    assert named == sorted(pages)


def facts() -> Iterator[tuple[str, str]]:
    """Each model, and what its card says of it."""
    default, mlp, kinds = manifest("default"), manifest("mlp"), manifest("kinds")
    pagetype, weights = manifest("pagetype"), (MODELS / "forum" / "weights.json").read_text("utf-8")
    first, second = (default["parameters"][name] for name in ("first_units", "second_units"))
    settings = default["parameters"]
    yield "default", f"network of {first} and {second} rectified units"
    yield "default", f"by {len(default['network'])} features"
    yield "default", f"L2 {settings['l2']:g}, {settings['iterations']} iterations"
    yield "default", f"the network weighs {settings['first_pass']}"
    units = mlp["parameters"]["units"]
    yield "mlp", f"perceptron of {units[0]} and {units[1]} rectified units"
    yield "mlp", f"the {len(mlp['features'])} features"
    yield "kinds", f"one hidden layer of {kinds['parameters']['units'][0]} units"
    yield "kinds", f"the {len(default['network'])} features of a block"
    yield "kinds", f"counts {kinds['parameters']['gold_share']} times"
    yield "pagetype", f"over {len(pagetype['features'])} numbers"
    groups = json.loads(weights)
    yield "forum", f"({len(groups['bodies'][0])} features)"
    yield "forum", f"({len(groups['groups'][0])} features)"


@pytest.mark.parametrize(("name", "fact"), [*facts()])
def test_facts(name: str, fact: str) -> None:
    assert fact in card(name)
