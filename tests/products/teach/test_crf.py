"""Tests of `teach/train.py`: parameters, networks, repeatability, held-out sites."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from crfclean.decision.rules import CutParams
from crfclean.model.columns import FEATURES
from crfclean.model.encoder import fit_edges
from crfclean.model.first_pass import FIRST_PASS_NAMES, first_pass_columns
from crfclean.model.folder import load_bundle, save_bundle
from crfclean.model.network_files import labels_to_bytes
from crfclean.products.teach.gold import GoldPage
from crfclean.products.teach.network_params import NetworkParams
from crfclean.products.teach.train import (
    NEIGHBOUR_FEATURES,
    Example,
    TrainParams,
    first_passes,
    fit,
    make_example,
    no_progress,
    split_sites,
    train,
)
from crfclean.types import CrfcleanError, Label, Page

HTML = "<h1>Ferry returns</h1><p>It sails again from Monday.</p><div>Advertisement</div>"
GOLD = "Ferry returns\nIt sails again from Monday."


def gold_page(html: str = HTML, text: str = GOLD, **fields: str) -> GoldPage:
    return GoldPage(fields.get("id", "p"), Page(html), text, "set", fields.get("site", "s"))


@pytest.fixture(scope="module")
def few(demo_gold: list[GoldPage]) -> list[GoldPage]:
    return demo_gold[::6]


@pytest.fixture(scope="module")
def few_examples(few: list[GoldPage]) -> list[Example]:
    return [make_example(gold) for gold in few]


# what training gives


def test_blocks_in_doubt_train_nothing(few_examples: list[Example], fast: TrainParams) -> None:
    doubtful, other = [], []
    for number, one in enumerate(few_examples):
        certain = np.arange(len(one)) % 5 != number % 5
        doubtful.append(replace(one, certain=certain))
        other.append(replace(doubtful[-1], labels=np.where(certain, one.labels, Label.TEXT)))
    weights = [fit(examples, fast).weights for examples in (few_examples, doubtful, other)]
    assert weights[0] != weights[1]
    assert weights[1] == weights[2]


def test_pages_in_doubt_alone_are_refused(few_examples: list[Example]) -> None:
    doubtful = [replace(one, certain=np.zeros(len(one), bool)) for one in few_examples]
    with pytest.raises(CrfcleanError, match="no block to train on"):
        fit(doubtful)


def test_bundle_tells_what_it_was_trained_on(few: list[GoldPage], fast: TrainParams) -> None:
    cut = CutParams("threshold", 0.3)
    bundle = train(few, fast, cut)
    assert bundle.kind == "crf"
    parameters = asdict(fast) | {"first_pass": 0.0}  # no networks, no first pass
    assert {**bundle.parameters, "features": ()} == parameters
    assert bundle.cut == asdict(cut)
    assert bundle.elements == ()
    assert bundle.scores == {}
    assert list(bundle.sets) == [
        {"name": name, "pages": count}
        for name, count in Counter(gold.source for gold in few).items()
    ]


@pytest.mark.usefixtures("two_threads")
def test_training_is_repeatable(few: list[GoldPage], fast: TrainParams, tmp_path: Path) -> None:
    for name in ("one", "two"):
        save_bundle(train(few, fast), tmp_path / name)
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()


# what cannot be trained


def test_nothing_to_train_on() -> None:
    for pages in ([], [gold_page("<p></p>")], [gold_page("", "")] * 3):
        with pytest.raises(CrfcleanError, match="no block to train on"):
            train(pages)


# networks and a base

TINY = NetworkParams(first_units=4, second_units=3, epochs=2)


def test_networks_make_the_evidence(few_examples: list[Example], fast: TrainParams) -> None:
    bundle = fit(few_examples, replace(fast, networks=2), network=TINY)
    assert bundle.network is not None
    assert bundle.network.names == tuple(FEATURES)
    assert len(bundle.network.members) == 2
    assert bundle.encoder.names == FIRST_PASS_NAMES
    windows = dict(zip(bundle.encoder.names, bundle.encoder.windows, strict=True))
    assert windows.pop("pass_heading") == (-2, -1, 0, 1, 2)
    assert set(windows.values()) == {(0,)}


def test_crf_learns_from_what_networks_say_of_new_sites(
    few_examples: list[Example], fast: TrainParams
) -> None:
    network, passes = first_passes(few_examples, 1, TINY, no_progress)
    pairs = list(zip(few_examples, passes, strict=True))
    fresh = [first_pass_columns(one.frame, said) for one, said in pairs]
    known = [first_pass_columns(one.frame, network(one.columns)) for one in few_examples]
    bundle = fit(few_examples, replace(fast, networks=1), network=TINY)
    edges, common = fit_edges(np.concatenate(fresh).astype(np.float32), fast.bins)
    assert (bundle.encoder.edges, bundle.encoder.common) == (edges, common)
    assert edges != fit_edges(np.concatenate(known).astype(np.float32), fast.bins)[0]


def test_base_gives_its_networks(
    few_examples: list[Example], fast: TrainParams, networked: Path
) -> None:
    bundle = fit(few_examples, replace(fast, base=str(networked)))
    base = load_bundle(networked).network
    assert base is not None
    assert bundle.network is not None
    assert labels_to_bytes(bundle.network) == labels_to_bytes(base)
    assert bundle.encoder.names == (*FIRST_PASS_NAMES, *FEATURES)
    windows = dict(zip(bundle.encoder.names, bundle.encoder.windows, strict=True))
    assert {name for name, one in windows.items() if len(one) > 1} == set(NEIGHBOUR_FEATURES)


# held-out sites


def sites(**numbers: int) -> list[GoldPage]:
    """Pages of sites: name -> number of pages."""
    return [
        gold_page(id=f"{site}/{number}", site=site)
        for site, count in numbers.items()
        for number in range(count)
    ]


SITES = {
    "one page": (sites(a=1), 0.5, 0),
    "one site": (sites(a=10), 0.2, 2),
    "two sites": (sites(a=1, b=1), 0.2, 1),
    "ten sites": (sites(**dict.fromkeys("abcdefghij", 4)), 0.2, 8),
    "half": (sites(**dict.fromkeys("abcdefghij", 4)), 0.5, 20),
    "everything": (sites(**dict.fromkeys("abcdefghij", 4)), 1.0, 36),
    "nothing": (sites(**dict.fromkeys("abcdefghij", 4)), 0.0, 0),
    "less than nothing": (sites(a=3, b=3), -1.0, 0),
    "at least one site": (sites(a=5, b=5, c=5), 0.01, 5),
    "no page": ([], 0.2, 0),
}


@pytest.mark.parametrize(("pages", "share", "held"), SITES.values(), ids=SITES)
def test_split_sites(pages: list[GoldPage], share: float, held: int) -> None:
    training, out = split_sites(pages, share)
    assert len(out) == held
    assert sorted(one.id for one in [*training, *out]) == sorted(one.id for one in pages)
    assert training or not pages
