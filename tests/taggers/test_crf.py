"""Tests of `taggers/`: the contract that every tagger keeps, and what the CRF adds to it."""

from __future__ import annotations

import hashlib
import itertools
import json
import pickle
import re
import shutil
import tracemalloc
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import cache
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pycrfsuite
import pytest
from taggerpages import LONG, PAGES, same, tag_page

from crfclean.decision.params import CutParams
from crfclean.features.table import FEATURES, matrix
from crfclean.gold.pages import GoldPage
from crfclean.io import with_digest
from crfclean.modelfiles.folder import MANIFEST, Bundle, save_bundle
from crfclean.page.blocks import split
from crfclean.page.latest import measured
from crfclean.page.measures import Measures
from crfclean.pipeline import run
from crfclean.taggers.chain import marginals, viterbi
from crfclean.taggers.crf import CrfTagger
from crfclean.taggers.crfsuite_file import read_crfsuite
from crfclean.taggers.load import MODEL_KINDS, load
from crfclean.taggers.mlp import MlpTagger
from crfclean.taggers.pooling import last_pass, pooled
from crfclean.taggers.post import with_post
from crfclean.train.crf import fit, train
from crfclean.train.examples import make_example
from crfclean.train.params import ALGORITHMS, TrainParams
from crfclean.types import Blocks, Label, ModelError, Page, Tagger, Tags
from crfclean.types.choices import RULES

TAGGERS = {"model": "crf", "based": "crf", "perceptron": "mlp"}
"""The fixture with a model folder -> its kind of tagger."""


@pytest.fixture(params=TAGGERS)
def folder(request: pytest.FixtureRequest) -> Path:
    found: Path = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def any_tagger(folder: Path) -> Tagger:
    """The tagger of a folder, without a post-analysis: its labels are those of its rule."""
    return opened(folder)


@cache
def opened(folder: Path) -> Tagger:
    """The folders of the session's models do not change: one tagger serves many tests."""
    return with_post(load(folder), choice=False)


@pytest.fixture(params=RULES)
def cut_tagger(any_tagger: Tagger, request: pytest.FixtureRequest) -> Tagger:
    return with_rule(any_tagger, request.param)


def with_rule(tagger: Tagger, rule: str, threshold: float = 0.5, precision: float = 0.9) -> Tagger:
    params = CutParams(rule, threshold, precision=precision)
    changed: Tagger = tagger.with_cut(params)  # type: ignore[attr-defined]
    return changed


@pytest.fixture(params=PAGES)
def blocks(request: pytest.FixtureRequest) -> Blocks:
    return blocks_of(request.param)


@cache
def blocks_of(name: str) -> Blocks:
    return split(Page(PAGES[name]))


# the contract


def test_one_label_a_block(cut_tagger: Tagger, blocks: Blocks) -> None:
    tags = cut_tagger.tag(blocks)
    assert tags.labels.shape == (len(blocks),)
    assert tags.marginals.shape == (len(blocks), 3)
    assert set(tags.labels.tolist()) <= set(Label)


def test_probabilities_are_probabilities(any_tagger: Tagger, blocks: Blocks) -> None:
    tags = any_tagger.tag(blocks)
    assert np.all((tags.marginals >= 0) & (tags.marginals <= 1))
    assert np.all((tags.probabilities >= 0) & (tags.probabilities <= 1))
    assert tags.marginals.sum(1) == pytest.approx(np.ones(len(blocks)))


def test_score_is_a_share_and_0_where_nothing_is_kept(cut_tagger: Tagger, blocks: Blocks) -> None:
    tags = cut_tagger.tag(blocks)
    assert isinstance(tags.score, float)
    assert 0 <= tags.score <= 1
    assert (tags.score > 0) == bool(tags.kept.any())


def test_same_page_same_tags(folder: Path, blocks: Blocks) -> None:
    tagger = load(folder)
    first = tagger.tag(blocks)
    tag_page(tagger, PAGES["article"])
    assert same(first, tagger.tag(blocks))
    assert same(first, load(folder).tag(blocks))


def test_earlier_tags_stay_as_they_were(any_tagger: Tagger) -> None:
    first = tag_page(any_tagger, PAGES["article"])
    marginals, labels = first.marginals.copy(), first.labels.copy()
    tag_page(any_tagger, PAGES["links"])
    assert same(first, Tags(labels, marginals, first.score))


def test_pickled_tagger_works(cut_tagger: Tagger) -> None:
    unused = pickle.loads(pickle.dumps(cut_tagger))
    expected = [tag_page(cut_tagger, html) for html in PAGES.values()]
    used = pickle.loads(pickle.dumps(cut_tagger))
    for html, tags in zip(PAGES.values(), expected, strict=True):
        assert same(tag_page(unused, html), tags)
        assert same(tag_page(used, html), tags)


@pytest.fixture(params=["fork", "spawn"], scope="module")
def other_process(request: pytest.FixtureRequest) -> Iterator[ProcessPoolExecutor]:
    with ProcessPoolExecutor(1, get_context(request.param)) as pool:
        yield pool


def test_tagger_works_in_another_process(
    cut_tagger: Tagger, other_process: ProcessPoolExecutor
) -> None:
    expected = tag_page(cut_tagger, PAGES["article"])
    tags = other_process.submit(tag_page, cut_tagger, PAGES["article"]).result()
    assert same(tags, expected)


def test_tagger_crosses_processes_by_its_folder(folder: Path) -> None:
    tagger = load(folder)
    tag_page(tagger, PAGES["article"])
    assert len(pickle.dumps(tagger)) < 1_000


def test_kept_blocks_are_the_pages_own(cut_tagger: Tagger, demo_gold: list[GoldPage]) -> None:
    for gold in demo_gold[::4]:
        document = run(gold.page, cut_tagger)
        assert document.kept == sorted(set(document.kept)), gold.id
        texts = [document.blocks.texts[index] for index in document.kept]
        assert document.text.split() == " ".join(texts).split()  # sub-headings have own lines


def test_nothing_below_the_threshold_is_kept(any_tagger: Tagger, demo_gold: list[GoldPage]) -> None:
    """Not even to complete a list or a record, which may make a block likelier."""
    for gold in demo_gold[::4]:
        blocks = split(gold.page)
        for step in range(11):
            tags = with_rule(any_tagger, "threshold", step / 10).tag(blocks)
            assert (tags.probabilities[tags.kept] >= step / 10).all()
            assert tags.kept.all() or step > 0, "from probability 0 on everything is kept"
        assert not tags.kept.all()


def test_threshold_is_inclusive(any_tagger: Tagger) -> None:
    blocks = split(Page(PAGES["article"]))
    for probability in any_tagger.tag(blocks).probabilities:
        tags = with_rule(any_tagger, "threshold", float(probability)).tag(blocks)
        assert tags.kept.tolist() == (tags.probabilities >= probability).tolist()


def test_what_the_model_says_is_the_same_by_every_rule(
    any_tagger: Tagger, demo_gold: list[GoldPage]
) -> None:
    blocks = split(demo_gold[0].page)
    made = [with_rule(any_tagger, rule).tag(blocks).model for rule in RULES]
    assert made[0] is not None
    assert all(one is not None and np.array_equal(one, made[0]) for one in made)


def test_rules_differ_somewhere(any_tagger: Tagger, demo_gold: list[GoldPage]) -> None:
    pages = [split(gold.page) for gold in demo_gold[::2]]
    found = set()
    for rule in RULES:
        tagger = with_rule(any_tagger, rule)
        found.add(tuple(int(label) for page in pages for label in tagger.tag(page).labels))
    likeliest = isinstance(any_tagger, MlpTagger)  # those from 0.5 on, where nothing is completed
    assert len(found) >= len(RULES) - likeliest


def test_precision_is_kept_and_monotone(any_tagger: Tagger, demo_gold: list[GoldPage]) -> None:
    steps = [with_rule(any_tagger, "precision", precision=step / 10) for step in range(11)]
    for gold in demo_gold[::4]:
        blocks = split(gold.page)
        words = Measures(blocks).words
        before = np.ones(len(blocks), np.bool_)
        for step, tagger in enumerate(steps):
            tags = tagger.tag(blocks)
            right = (tags.probabilities * words)[tags.kept].sum()
            assert right >= step / 10 * words[tags.kept].sum() - 1e-9
            assert np.all(tags.kept <= before)
            before = tags.kept
        assert not before.all()


# the rule "precision" fills its allowance with a few improbable words
@pytest.mark.parametrize("rule", [rule for rule in RULES if rule != "precision"])
def test_tagger_has_learned_something(any_tagger: Tagger, rule: str) -> None:
    html = "<ul>" + "<li><a href='/'>Home</a></li>" * 8 + "</ul><h1>A title of some words</h1>"
    tags = tag_page(with_rule(any_tagger, rule), html + f"<p>{LONG * 3}</p>" * 4)
    found = tags.labels.tolist()
    if not isinstance(any_tagger, MlpTagger):  # main headings are none of its lessons
        assert found[8] == Label.HEADER
    assert found[:8] + found[9:] == [Label.OTHER] * 8 + [Label.TEXT] * 4


# explanations


@pytest.mark.parametrize("most", [1, 3, 1_000])
def test_every_block_has_reasons(tagger: CrfTagger, demo_gold: list[GoldPage], most: int) -> None:
    blocks = split(demo_gold[0].page)
    told = tagger.explain(blocks, most)
    assert len(told) == len(blocks)
    assert all(0 < len(reasons) <= most for reasons in told)
    for reasons in told:
        weights = [abs(reason.weight) for reason in reasons]
        assert weights == sorted(weights, reverse=True)


def test_reasons_name_features_and_neighbours(tagger: CrfTagger, demo_gold: list[GoldPage]) -> None:
    told = tagger.explain(split(demo_gold[0].page), 1_000)
    names = {reason.feature for reasons in told for reason in reasons}
    assert {re.sub(r"\[[+-]\d\]$", "", name) for name in names} <= set(FEATURES)
    assert {"words", "words[+1]", "words[-2]"} <= names


def test_reasons_carry_values_where_they_stand(
    tagger: CrfTagger, demo_gold: list[GoldPage]
) -> None:
    blocks = split(demo_gold[0].page)
    names, columns = list(FEATURES), matrix(Measures(blocks))
    for index, reasons in enumerate(tagger.explain(blocks, 1_000)):
        for reason in reasons:
            name, _, distance = reason.feature.rstrip("]").partition("[")
            assert reason.value == columns[index + int(distance or 0), names.index(name)]


def test_reasons_speak_for_the_blocks_that_are_kept(
    tagger: CrfTagger, demo_gold: list[GoldPage]
) -> None:
    blocks = split(demo_gold[0].page)
    kept = tagger.tag(blocks).kept
    sums = np.array([sum(one.weight for one in told) for told in tagger.explain(blocks, 1_000)])
    assert sums[kept].mean() > 0 > sums[~kept].mean()


def test_reasons_add_up_to_the_scores(tagger: CrfTagger, demo_gold: list[GoldPage]) -> None:
    blocks = split(demo_gold[0].page)
    columns = matrix(Measures(blocks))
    scores = tagger.scores(columns)
    likelier = tagger.predict(columns)[0][:, : Label.OTHER].argmax(1)
    sums = [sum(one.weight for one in told) for told in tagger.explain(blocks, 1_000)]
    rows = np.arange(len(blocks))
    assert sums == pytest.approx(scores[rows, likelier] - scores[:, Label.OTHER])


@pytest.mark.parametrize("name", ["no page", "no block", "one block", "marks alone"])
def test_small_pages_are_explained(tagger: CrfTagger, name: str) -> None:
    blocks = split(Page(PAGES[name]))
    assert len(tagger.explain(blocks)) == len(blocks)


# the CRF


def test_cut_comes_from_the_manifest(bundle: Bundle, tmp_path: Path) -> None:
    save_bundle(replace(bundle, cut={"rule": "threshold", "threshold": 0.9}), tmp_path)
    tagger = load(tmp_path)
    assert isinstance(tagger, CrfTagger)
    assert tagger.cut == CutParams("threshold", 0.9)


def test_new_cut_leaves_the_tagger_alone(tagger: CrfTagger) -> None:
    changed = tagger.with_cut(CutParams("viterbi"))
    assert changed.cut.rule == "viterbi"
    assert tagger.cut == CutParams()
    assert changed.folder == tagger.folder


def test_elements_come_from_the_manifest(bundle: Bundle, tmp_path: Path) -> None:
    save_bundle(replace(bundle, elements=("h1", "p")), tmp_path)
    tagger = load(tmp_path)
    document = run(Page(f"<h1>Title</h1><p>{LONG}</p><div>Stray text of a div</div>"), tagger)
    assert document.blocks.texts == ("Title", LONG.strip())


TWO_LABELS = {
    "no header": ("<p>{0}</p><div><a href='/'>Home</a></div>", [Label.TEXT, Label.OTHER]),
    "no text": ("<h1>{0}</h1><div><a href='/'>Home</a></div>", [Label.HEADER, Label.OTHER]),
    "no other": ("<h1>Title</h1><p>{0}</p>", [Label.HEADER, Label.TEXT]),
}


@pytest.mark.parametrize(("html", "labels"), TWO_LABELS.values(), ids=TWO_LABELS)
@pytest.mark.parametrize("rule", RULES)
def test_two_labels_are_enough(html: str, labels: list[Label], rule: str, tmp_path: Path) -> None:
    blocks = split(Page(html.format(LONG)))
    one = make_example(GoldPage("p", Page(html.format(LONG)), "", "set", "site"))
    one = replace(one, labels=np.array(labels, np.int32))
    save_bundle(fit([one] * 5, TrainParams(iterations=20)), tmp_path)
    tags = with_rule(load(tmp_path), rule, precision=0.79).tag(blocks)
    assert tags.labels.tolist() == labels
    (missing,) = set(Label) - set(labels)
    assert not tags.marginals[:, missing].any()
    assert tags.marginals.sum(1) == pytest.approx([1.0, 1.0])


@pytest.fixture(params=ALGORITHMS, scope="module")
def trained_by(
    request: pytest.FixtureRequest,
    demo_gold: list[GoldPage],
    tmp_path_factory: pytest.TempPathFactory,
) -> CrfTagger:
    folder = tmp_path_factory.mktemp(request.param)
    save_bundle(train(demo_gold[::2], TrainParams(request.param, iterations=30)), folder)
    tagger = load(folder)
    assert isinstance(tagger, CrfTagger)
    return tagger


def test_models_of_every_algorithm_tag(trained_by: CrfTagger, demo_gold: list[GoldPage]) -> None:
    for gold in demo_gold:
        tags = trained_by.tag(split(gold.page))
        assert np.isfinite(tags.marginals).all(), gold.id
        assert tags.marginals.sum(1) == pytest.approx(np.ones(len(tags)))
        assert tags.kept.any(), gold.id


def crfsuite(tagger: CrfTagger, blocks: Blocks) -> tuple[list[Label], np.ndarray]:
    """Viterbi's labels and the marginals of python-crfsuite itself."""
    encoder = tagger.bundle.encoder
    engine = pycrfsuite.Tagger()
    engine.open_inmemory(tagger.bundle.weights)
    attributes = encoder.encode(tagger.columns(Measures(blocks))[:, : len(encoder.names)])
    labels = [Label[name] for name in engine.tag(pycrfsuite.ItemSequence(attributes))]
    rows = [[engine.marginal(label.name, i) for label in Label] for i in range(len(blocks))]
    return labels, np.array(rows)


def test_tags_are_those_of_crfsuite(trained_by: CrfTagger, demo_gold: list[GoldPage]) -> None:
    for gold in demo_gold:
        blocks = split(gold.page)
        labels, expected = crfsuite(trained_by, blocks)
        made, best = with_rule(trained_by, "viterbi").judge(measured(blocks))
        assert best.tolist() == labels, gold.id
        if np.isfinite(expected).all():  # CRFsuite's overflow where weights are large
            assert made == pytest.approx(expected, abs=1e-6), gold.id


@pytest.mark.parametrize("whose", ["trained", "shipped"])
def test_marginals_are_those_of_crfsuite(
    tagger: CrfTagger, demo_gold: list[GoldPage], whose: str
) -> None:
    compared = load("default") if whose == "shipped" else tagger
    assert isinstance(compared, CrfTagger)
    for gold in demo_gold:
        blocks = split(gold.page)
        labels, expected = crfsuite(compared, blocks)
        columns = compared.columns(Measures(blocks))
        found, best = compared.predict(columns)
        assert best.tolist() == labels, gold.id
        if weight := compared.network_weight:
            opinion = last_pass(columns, compared.bundle.columns)
            expected = pooled(np.array(expected), opinion, weight)
        assert found == pytest.approx(expected, abs=1e-5 if weight else 1e-9), gold.id


# networks


@pytest.fixture(scope="module", params=["networked", "based"])
def over_networks(request: pytest.FixtureRequest) -> CrfTagger:
    opened = load(request.getfixturevalue(request.param))
    assert isinstance(opened, CrfTagger)
    assert opened.bundle.network is not None
    return opened


def test_pickled_tagger_has_its_networks(
    over_networks: CrfTagger, demo_gold: list[GoldPage]
) -> None:
    again = pickle.loads(pickle.dumps(over_networks))
    for gold in demo_gold[::8]:
        blocks = split(gold.page)
        assert same(again.tag(blocks), over_networks.tag(blocks))
    assert len(pickle.dumps(over_networks)) < 1_000


def test_tagger_with_networks_works_in_another_process(over_networks: CrfTagger) -> None:
    expected = tag_page(over_networks, PAGES["article"])
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        assert same(pool.submit(tag_page, over_networks, PAGES["article"]).result(), expected)


def test_networks_decide_with_the_crf(over_networks: CrfTagger, demo_gold: list[GoldPage]) -> None:
    """The same CRF over networks that take text for the rest says another thing."""
    network = over_networks.bundle.network
    assert network is not None
    turned = tuple(
        (*layers, replace(last, weights=last.weights[:, [0, 2, 1]], bias=last.bias[[0, 2, 1]]))
        for *layers, last in network.members
    )
    bundle = replace(over_networks.bundle, network=replace(network, members=turned))
    other = CrfTagger(over_networks.folder, over_networks.cut, bundle)
    blocks = split(demo_gold[0].page)
    assert not np.allclose(over_networks.tag(blocks).marginals, other.tag(blocks).marginals)


def test_marginals_over_networks_are_those_of_crfsuite(
    over_networks: CrfTagger, demo_gold: list[GoldPage]
) -> None:
    for gold in demo_gold[::6]:
        page = Measures(split(gold.page))
        encoder, engine = over_networks.bundle.encoder, pycrfsuite.Tagger()
        engine.open_inmemory(over_networks.bundle.weights)
        attributes = encoder.encode(over_networks.columns(page)[:, : len(encoder.names)])
        labels = engine.tag(pycrfsuite.ItemSequence(attributes))
        rows = [[engine.marginal(one.name, i) for one in Label] for i in range(len(page))]
        columns = over_networks.columns(page)
        found, best = over_networks.predict(columns)
        weight = over_networks.network_weight
        expected = pooled(np.array(rows), last_pass(columns, over_networks.bundle.columns), weight)
        assert found == pytest.approx(expected, abs=1e-5), gold.id
        assert [Label(one).name for one in best] == labels


def test_reasons_name_columns_of_the_first_pass(
    over_networks: CrfTagger, demo_gold: list[GoldPage]
) -> None:
    blocks = split(demo_gold[0].page)
    columns = over_networks.columns(Measures(blocks))
    places = {name: place for place, name in enumerate(over_networks.bundle.encoder.names)}
    told = over_networks.explain(blocks, 1_000)
    for index, reasons in enumerate(told):
        own = {reason.feature: reason.value for reason in reasons}
        assert own["pass"] == columns[index, places["pass"]]
        assert own["pass[-1]"] == columns[index, places["pass[-1]"]]


@pytest.mark.parametrize("name", ["no page", "no block", "one block", "marks alone", "Chinese"])
def test_small_pages_pass_the_networks(over_networks: CrfTagger, name: str) -> None:
    blocks = split(Page(PAGES[name]))
    tags = over_networks.tag(blocks)
    assert tags.marginals.shape == (len(blocks), 3)
    assert np.isfinite(tags.marginals).all()
    assert len(over_networks.explain(blocks)) == len(blocks)


# what the judge says


def test_judge_finds_the_best_sequence_where_it_is_wanted(
    tagger: CrfTagger, demo_gold: list[GoldPage]
) -> None:
    page = Measures(split(demo_gold[0].page))
    found, best = tagger.judge(page)
    sure, sequence = tagger.with_cut(CutParams("viterbi")).judge(page)
    assert np.array_equal(found, sure)
    assert best.shape == (0,)
    assert sequence.tolist() == tagger.predict(tagger.columns(page))[1].tolist()


# the chain


def brute_force(scores: np.ndarray, transitions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Marginals and the best sequence by way of every sequence."""
    count = len(scores)
    sequences = np.array(list(itertools.product(range(3), repeat=count)))
    totals = scores[np.arange(count), sequences].sum(1)
    totals += transitions[sequences[:, :-1], sequences[:, 1:]].sum(1)
    weights = np.exp(totals - totals.max())
    shares = [[weights[sequences[:, i] == k].sum() for k in range(3)] for i in range(count)]
    return np.array(shares) / weights.sum(), sequences[totals.argmax()]


@pytest.mark.parametrize("count", [1, 2, 3, 7])
@pytest.mark.parametrize("scale", [0.1, 1.0, 20.0])
def test_chain_agrees_with_brute_force(count: int, scale: float) -> None:
    random = np.random.default_rng(count)
    scores = random.normal(0, scale, (count, 3))
    transitions = random.normal(0, scale, (3, 3))
    shares, best = brute_force(scores, transitions)
    assert marginals(scores, transitions) == pytest.approx(shares, abs=1e-9)
    assert viterbi(scores, transitions).tolist() == best.tolist()


def test_chain_bars_labels() -> None:
    scores = np.array([[-np.inf, 0.0, 0.5]] * 4)
    transitions = np.array([[0.0, 0.0, 0.0], [0.0, 1.0, -1.0], [0.0, -1.0, 1.0]])
    shares, best = brute_force(scores, transitions)
    assert marginals(scores, transitions) == pytest.approx(shares)
    assert viterbi(scores, transitions).tolist() == best.tolist() == [2, 2, 2, 2]


@pytest.mark.parametrize("scale", [100.0, 700.0, 5_000.0])
def test_chain_takes_large_scores(scale: float) -> None:
    scores = np.array([[scale, -scale, 0.0], [-scale, scale, 0.0], [0.0, -scale, scale]] * 50)
    found = marginals(scores, np.eye(3) * 10)
    assert np.isfinite(found).all()
    assert found.argmax(1).tolist() == [0, 1, 2] * 50
    assert found.max(1) == pytest.approx(np.ones(150))


def test_chain_takes_long_pages() -> None:
    scores = np.tile([[1.0, 0.5, -0.5]], (50_000, 1))
    found = marginals(scores, np.zeros((3, 3)))
    assert found == pytest.approx(np.exp(scores) / np.exp(scores).sum(1, keepdims=True))


def test_chain_of_nothing() -> None:
    assert marginals(np.zeros((0, 3)), np.zeros((3, 3))).shape == (0, 3)
    assert viterbi(np.zeros((0, 3)), np.zeros((3, 3))).shape == (0,)


# the weights


def test_weights_are_those_that_crfsuite_tells(bundle: Bundle) -> None:
    engine = pycrfsuite.Tagger()
    engine.open_inmemory(bundle.weights)
    told, found = engine.info(), read_crfsuite(bundle.weights)
    assert set(found.labels) == set(Label.__members__) == set(told.labels)
    assert len(found.state) == len(told.attributes)
    for (attribute, label), weight in told.state_features.items():
        place = found.labels.index(label)
        assert found.state[attribute][place] == pytest.approx(weight, abs=1e-5)
    for (source, target), weight in told.transitions.items():
        places = found.labels.index(source), found.labels.index(target)
        assert found.transitions[places] == pytest.approx(weight, abs=1e-5)


@pytest.mark.parametrize(
    "weights", [b"", b"junk", b"\0" * 1_000, b"lCRF", b"\xff" * 100, b"lCRF" * 50]
)
def test_what_is_no_model_is_refused(weights: bytes) -> None:
    with pytest.raises(ModelError, match="CRF"):
        read_crfsuite(weights)


def test_weights_cut_anywhere_are_refused(bundle: Bundle) -> None:
    whole = bundle.weights
    for length in [*range(100), *range(100, len(whole), 997), len(whole) - 1]:
        with pytest.raises(ModelError, match="CRF"):
            read_crfsuite(whole[:length])


def is_readable(weights: bytes) -> bool:
    try:
        read_crfsuite(weights)
    except ModelError:
        return False
    return True


def test_flipped_bytes_are_refused_or_read(bundle: Bundle) -> None:
    readable = set()
    for place in [*range(150), *range(150, len(bundle.weights), 501)]:
        weights = bytearray(bundle.weights)
        weights[place] ^= 0xFF
        if is_readable(bytes(weights)):
            readable.add(place)
    assert not readable & {0, 1, 2, 3, 8, 9, 10, 11}, "the magic words"
    assert max(readable) > 150, "weights themselves carry no check: SHA-256 does"


def test_refused_weights_name_the_folder(model_copy: Path) -> None:
    junk = b"lCRF" + b"\0" * 100
    manifest = json.loads((model_copy / MANIFEST).read_text("utf-8"))
    manifest["files"][0].update(bytes=len(junk), sha256=hashlib.sha256(junk).hexdigest())
    (model_copy / MANIFEST).write_text(json.dumps(with_digest(manifest)), "utf-8")
    (model_copy / "weights.crf").write_bytes(junk)
    with pytest.raises(ModelError, match=r"copied-model.*CRF"):
        tag_page(load(model_copy), PAGES["article"])


def test_bytes_of_a_block_while_it_is_tagged() -> None:
    """The columns once, a part of them for the network, and little beside."""
    tagger, count = load("default"), 10_000
    tag_page(tagger, "<p>a")  # tables that are made once
    blocks = split(Page(f"<html><body>{'<p>a word</p>' * count}</body></html>"))
    tracemalloc.start()
    try:
        tagger.tag(blocks)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak / count < 3_600  # a fixed part of about 13 MB is in it


# folders


def test_unpickling_checks_the_folder(model_copy: Path) -> None:
    pickled = pickle.dumps(load(model_copy))
    (model_copy / "weights.crf").write_bytes(b"short")
    with pytest.raises(ModelError, match=r"weights\.crf: 5 bytes"):
        pickle.loads(pickled)
    shutil.rmtree(model_copy)
    with pytest.raises(ModelError, match="copied-model"):
        pickle.loads(pickled)


def test_every_kind_has_a_model_to_test() -> None:
    assert set(TAGGERS.values()) == set(MODEL_KINDS)


def test_shipped_model_opens(default_model: Path) -> None:
    tagger = load("default")
    assert len(tag_page(tagger, PAGES["article"])) == 4
    assert same(tag_page(tagger, PAGES["article"]), tag_page(load(default_model), PAGES["article"]))
