"""Tests of `train/crf.py`: parameters, networks, repeatability, held-out sites."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, fields, replace
from pathlib import Path

import numpy as np
import pytest

from crfclean.decision.params import CutParams
from crfclean.features.columns import Passes, columns_of_table
from crfclean.features.first_pass import FIRST_PASS_NAMES, first_pass_columns
from crfclean.features.table import FEATURES
from crfclean.gold.pages import GoldPage
from crfclean.modelfiles.binning import fit_edges
from crfclean.modelfiles.folder import Bundle, load_bundle, save_bundle
from crfclean.modelfiles.training_pages import page_digest
from crfclean.nn.files import labels_to_bytes
from crfclean.nn.network_params import NetworkParams
from crfclean.page.blocks import split
from crfclean.page.measures import Measures
from crfclean.taggers.crf import from_bundle
from crfclean.taggers.crfsuite_file import read_crfsuite
from crfclean.train import crf as train_module
from crfclean.train.crf import (
    NEIGHBOUR_FEATURES,
    find_network,
    fit,
    no_progress,
    split_sites,
    train,
)
from crfclean.train.examples import Example, make_example
from crfclean.train.params import ALGORITHMS, TrainParams
from crfclean.train.stacking import first_passes
from crfclean.types import CrfcleanError, GoldError, Label, ModelError, Page

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


def test_bundle_tells_what_it_was_trained_on(few: list[GoldPage], fast: TrainParams) -> None:
    cut = CutParams("threshold", 0.3)
    bundle = train(few, fast, cut)
    assert bundle.kind == "crf"
    assert bundle.parameters == asdict(fast) | {"first_pass": 0.0}  # no networks, no first pass
    assert bundle.cut == asdict(cut)
    assert bundle.elements == ()
    assert bundle.scores == {}
    assert list(bundle.sets) == [
        {"name": name, "pages": count}
        for name, count in Counter(gold.source for gold in few).items()
    ]


def test_encoder_knows_every_feature(bundle: Bundle, fast: TrainParams) -> None:
    encoder = bundle.encoder
    assert encoder.names == tuple(FEATURES)
    assert len(encoder.edges) == len(encoder.common) == len(encoder.windows) == len(FEATURES)
    assert max(len(edges) for edges in encoder.edges) <= fast.bins
    for name, window in zip(encoder.names, encoder.windows, strict=True):
        assert window == ((-2, -1, 0, 1, 2) if name in NEIGHBOUR_FEATURES else (0,))


def test_neighbour_features_are_features() -> None:
    assert set(NEIGHBOUR_FEATURES) <= set(FEATURES)
    assert len(set(NEIGHBOUR_FEATURES)) == len(NEIGHBOUR_FEATURES)


@pytest.mark.parametrize("reach", [0, 1, 3])
def test_reach_is_the_farthest_neighbour(few_examples: list[Example], reach: int) -> None:
    encoder = fit(few_examples, TrainParams(reach=reach, iterations=1)).encoder
    distances = {distance for window in encoder.windows for distance in window}
    assert distances == set(range(-reach, reach + 1))


@pytest.mark.parametrize("bins", [2, 4, 16])
def test_bins_bound_the_edges(few_examples: list[Example], bins: int) -> None:
    encoder = fit(few_examples, TrainParams(bins=bins, iterations=1)).encoder
    longest = max(len(edges) for edges in encoder.edges)
    assert bins / 2 < longest <= bins


@pytest.mark.usefixtures("two_threads")
def test_training_is_repeatable(few: list[GoldPage], fast: TrainParams, tmp_path: Path) -> None:
    for name in ("one", "two"):
        save_bundle(train(few, fast), tmp_path / name)
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()


def test_other_pages_give_another_model(few: list[GoldPage], fast: TrainParams) -> None:
    assert train(few, fast).weights != train(few[:-1], fast).weights


def test_progress_tells_pages_and_iterations(few: list[GoldPage]) -> None:
    told: Counter[str] = Counter()
    train(few, TrainParams(iterations=7), progress=lambda what, more: told.update({what: more}))
    assert told == {"page": len(few), "iteration": 7}


def test_pages_may_come_one_by_one(few: list[GoldPage], fast: TrainParams) -> None:
    assert train(iter(few), fast).weights == train(few, fast).weights


def test_pages_without_blocks_do_no_harm(few: list[GoldPage], fast: TrainParams) -> None:
    empty = gold_page("<p></p>", "")
    assert train([empty, *few, empty], fast).weights == train(few, fast).weights


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_trains(few: list[GoldPage], algorithm: str, tmp_path: Path) -> None:
    bundle = train(few, TrainParams(algorithm, iterations=20))
    save_bundle(bundle, tmp_path)
    assert load_bundle(tmp_path).parameters["algorithm"] == algorithm
    weights = read_crfsuite(bundle.weights)
    assert set(weights.labels) == set(Label.__members__)
    assert np.abs(list(weights.state.values())).max() > 0


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_is_repeatable(few: list[GoldPage], algorithm: str) -> None:
    params = TrainParams(algorithm, iterations=10)
    first = train(few, params).weights
    train(few[:2], params)
    assert train(few, params).weights == first


def test_algorithms_differ(few: list[GoldPage]) -> None:
    weights = {train(few, TrainParams(name, iterations=5)).weights for name in ALGORITHMS}
    assert len(weights) == len(ALGORITHMS)


def test_elements_restrict_the_blocks(few: list[GoldPage], fast: TrainParams) -> None:
    texts = [replace(gold, labels=None) for gold in few]
    bundle = train(texts, replace(fast, elements=("h1", "h2", "p")))
    assert bundle.elements == ("h1", "h2", "p")
    assert bundle.weights != train(texts, fast).weights


SMALLER = {
    "L1": TrainParams(iterations=60, l1=2.0),
    "rare attributes left out": TrainParams(iterations=60, min_freq=20.0),
    "fewer neighbours": TrainParams(iterations=60, reach=0),
    "fewer bins": TrainParams(iterations=60, bins=2),
}


@pytest.mark.parametrize("params", SMALLER.values(), ids=SMALLER)
def test_parameters_reach_crfsuite(few: list[GoldPage], params: TrainParams) -> None:
    whole = read_crfsuite(train(few, TrainParams(iterations=60)).weights)
    smaller = read_crfsuite(train(few, params).weights)
    assert len(smaller.state) < 0.9 * len(whole.state)


@pytest.mark.parametrize("algorithm", ["lbfgs", "l2sgd"])
def test_l2_shrinks_the_weights(few: list[GoldPage], algorithm: str) -> None:
    def norm(l2: float) -> float:
        weights = train(few, TrainParams(algorithm, l2=l2, iterations=50)).weights
        return float(np.square(list(read_crfsuite(weights).state.values())).sum())

    assert norm(10.0) < 0.5 * norm(0.1)


def test_more_iterations_go_on(few: list[GoldPage]) -> None:
    assert (
        train(few, TrainParams(iterations=2)).weights
        != train(few, TrainParams(iterations=20)).weights
    )


def test_every_parameter_has_a_help() -> None:
    for one in fields(TrainParams):
        assert one.metadata["help"], one.name
        assert type(one.default) in {str, int, float, tuple}, one.name
    assert TrainParams().algorithm in ALGORITHMS


# what cannot be trained


def test_nothing_to_train_on() -> None:
    for pages in ([], [gold_page("<p></p>")], [gold_page("", "")] * 3):
        with pytest.raises(CrfcleanError, match="no block to train on"):
            train(pages)


@pytest.mark.parametrize(
    ("html", "text", "name"),
    [
        ("<p>Only text.</p>", "Only text.", "TEXT"),
        ("<p>No text.</p>", "", "OTHER"),
        ("<h1>Only</h1>", "Only", "HEADER"),
    ],
)
def test_one_label_teaches_nothing(html: str, text: str, name: str) -> None:
    with pytest.raises(CrfcleanError, match=f"every block is {name}: nothing to learn"):
        train([gold_page(html, text)] * 3)


def test_unknown_algorithm() -> None:
    with pytest.raises(CrfcleanError, match="no algorithm 'adam'; there are lbfgs, l2sgd, ap"):
        train([gold_page()], TrainParams("adam"))


IMPOSSIBLE = {
    "no bins": TrainParams(bins=0),
    "negative bins": TrainParams(bins=-5),
    "negative reach": TrainParams(reach=-1),
    "no iterations": TrainParams(iterations=0),
    "negative iterations": TrainParams(iterations=-1),
    "negative L1": TrainParams(l1=-1.0),
    "negative L2": TrainParams(l2=-1.0),
    "L1 no number": TrainParams(l1=float("nan")),
    "no L2 where it is needed": TrainParams("l2sgd", l2=0.0),
    "every attribute too rare": TrainParams(min_freq=1e9),
    "too many bins": TrainParams(bins=1_001),
    "neighbours too far": TrainParams(reach=101),
    "more than all held out": TrainParams(held_out=1.5),
    "less than nothing held out": TrainParams(held_out=-0.1),
    "fewer than no networks": TrainParams(networks=-1),
    "too many networks": TrainParams(networks=101),
}


@pytest.mark.parametrize("params", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_impossible_parameters_are_refused(few: list[GoldPage], params: TrainParams) -> None:
    with pytest.raises(CrfcleanError):
        train(few, params)


@pytest.mark.parametrize("error", [TypeError, RuntimeError, OSError])
def test_failure_of_crfsuite_is_an_error(
    monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def fail(trainer: object, path: str) -> None:
        raise error("broken")

    monkeypatch.setattr(train_module._Trainer, "train", fail)
    with pytest.raises(CrfcleanError, match="CRFsuite failed to train: broken"):
        train([gold_page()])


def test_silent_failure_of_crfsuite_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(trainer: object, path: str) -> None:
        Path(path).write_bytes(b"")

    monkeypatch.setattr(train_module._Trainer, "train", nothing)
    with pytest.raises(CrfcleanError, match="empty model"):
        train([gold_page()])


def test_gold_that_does_not_fit_is_named() -> None:
    wrong = replace(gold_page(id="site/x.html"), labels=())
    with pytest.raises(GoldError, match=r"site/x\.html: 0 label lines"):
        train([gold_page(), wrong])


def test_fit_takes_examples(fast: TrainParams) -> None:
    one = make_example(gold_page())
    assert fit([one, one], fast).weights == train([gold_page()] * 2, fast).weights
    with pytest.raises(CrfcleanError, match="no block"):
        fit([make_example(gold_page("<p></p>"))] * 2, fast)


# networks and a base

TINY = NetworkParams(first_units=4, second_units=3, epochs=2)


def test_networks_make_the_evidence(few_examples: list[Example], fast: TrainParams) -> None:
    bundle = fit(few_examples, replace(fast, networks=2), network=TINY)
    assert bundle.network is not None
    assert bundle.network.names == tuple(FEATURES)
    assert len(bundle.network.members) == 2
    assert bundle.encoder.names == FIRST_PASS_NAMES
    assert bundle.second is not None
    assert bundle.second.names == (*FEATURES, *FIRST_PASS_NAMES)
    assert len(bundle.second.members) == 2
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


@pytest.mark.usefixtures("two_threads")
def test_networks_are_repeatable(few: list[GoldPage], fast: TrainParams, tmp_path: Path) -> None:
    for name in ("one", "two"):
        save_bundle(train(few, replace(fast, networks=1), network=TINY), tmp_path / name)
    assert len(list((tmp_path / "one").iterdir())) == 4
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()


def test_progress_tells_networks(few: list[GoldPage]) -> None:
    told: Counter[str] = Counter()
    params = TrainParams(iterations=3, networks=2)
    train(few, params, network=TINY, progress=lambda what, more: told.update({what: more}))
    assert told["page"] == len(few)
    assert told["iteration"] == 3
    assert told["network"] >= 2 * 3
    assert set(told) == {"page", "network", "iteration"}


def test_parameters_of_networks_are_told_where_there_are_some(
    few_examples: list[Example], fast: TrainParams
) -> None:
    params = replace(fast, networks=1)
    assert fit(few_examples, params, network=TINY).parameters == {**asdict(params), **asdict(TINY)}
    assert fit(few_examples, fast, network=TINY).parameters == asdict(fast) | {"first_pass": 0.0}


def test_a_model_knows_its_pages(
    bundle: Bundle, based: Path, networked: Path, demo_gold: list[GoldPage]
) -> None:
    """On top of a base also the base's, which its networks have seen."""
    digests = [page_digest(gold.page.html) for gold in demo_gold]
    assert len(set(digests)) == len(demo_gold)
    assert bundle.pages == set(digests[::2])
    assert load_bundle(networked).pages == set(digests[::3])
    assert load_bundle(based).pages == {*digests[::3], *digests[1::3]}


def test_base_gives_its_networks(
    few_examples: list[Example], fast: TrainParams, networked: Path
) -> None:
    bundle = fit(few_examples, replace(fast, base=str(networked)))
    base = load_bundle(networked).network
    assert base is not None
    assert bundle.network is not None
    assert labels_to_bytes(bundle.network) == labels_to_bytes(base)
    assert bundle.second is None
    assert bundle.encoder.names == (*FIRST_PASS_NAMES, *FEATURES)
    windows = dict(zip(bundle.encoder.names, bundle.encoder.windows, strict=True))
    assert {name for name, one in windows.items() if len(one) > 1} == set(NEIGHBOUR_FEATURES)


def test_bins_of_a_base_are_those_of_tagging(
    few: list[GoldPage], few_examples: list[Example], fast: TrainParams, networked: Path
) -> None:
    """Values at the edges of the bins fall on the same side when the model tags its own pages."""
    bundle = fit(few_examples, replace(fast, base=str(networked)))
    tagger = from_bundle(networked, bundle)
    network, names = bundle.network, bundle.encoder.names
    for gold, one in zip(few, few_examples, strict=True):
        trained = columns_of_table(one.columns, tuple(FEATURES), one.frame, names, Passes(network))
        tagged = tagger.columns(Measures(split(gold.page)))
        assert np.array_equal(bundle.encoder.bins(trained), bundle.encoder.bins(tagged)), gold.id


def test_base_and_networks_exclude_each_other(few_examples: list[Example], networked: Path) -> None:
    with pytest.raises(CrfcleanError, match="exclude each other"):
        fit(few_examples, TrainParams(base=str(networked), networks=1))


def test_base_without_networks(few_examples: list[Example], model: Path) -> None:
    with pytest.raises(ModelError, match="small: has no networks to start from"):
        fit(few_examples, TrainParams(base=str(model)))
    with pytest.raises(ModelError, match="small: has no networks"):
        find_network(str(model))


def test_base_that_is_missing(few_examples: list[Example]) -> None:
    with pytest.raises(ModelError, match="absent: no model folder"):
        fit(few_examples, TrainParams(base="absent"))


def test_pages_without_blocks_do_no_harm_to_networks(
    few_examples: list[Example], fast: TrainParams
) -> None:
    params, empty = replace(fast, networks=1), make_example(gold_page("<p></p>", ""))
    plain = fit(few_examples, params, network=TINY)
    padded = fit([empty, *few_examples, empty], params, network=TINY)
    assert padded.weights == plain.weights


def test_one_page_is_too_few_for_networks(few_examples: list[Example]) -> None:
    with pytest.raises(CrfcleanError, match="two pages with blocks"):
        fit(few_examples[:1], TrainParams(networks=1), network=TINY)


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


@pytest.mark.parametrize("share", [0.1, 0.2, 0.4, 0.8])
def test_no_site_stands_on_both_sides(demo_gold: list[GoldPage], share: float) -> None:
    training, held = split_sites(demo_gold, share)
    assert held
    assert not {gold.site for gold in training} & {gold.site for gold in held}


def test_split_depends_on_names_alone(demo_gold: list[GoldPage]) -> None:
    first, second = split_sites(demo_gold, 0.3), split_sites(demo_gold[::-1], 0.3)
    for one, other in zip(first, second, strict=True):
        assert {gold.id for gold in one} == {gold.id for gold in other}


def test_split_keeps_the_order(demo_gold: list[GoldPage]) -> None:
    for part in split_sites(demo_gold, 0.4):
        assert [gold.id for gold in part] == sorted(gold.id for gold in part)
