"""Tests of `taggers/mlp.py` and `taggers/post.py`, and of the models that they open."""

from __future__ import annotations

import json
import pickle
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crfclean import clean
from crfclean.decision.params import CutParams
from crfclean.decision.verdict import RULE_PREFIX
from crfclean.evaluate.runner import by_tagger, evaluate_systems
from crfclean.features.table import matrix
from crfclean.features.texttractor import TEXTTRACTOR, input_names
from crfclean.gold.pages import GoldPage
from crfclean.modelfiles.folder import MANIFEST, load_bundle, save_bundle
from crfclean.modelfiles.probe import fingerprints
from crfclean.page.blocks import split
from crfclean.page.measures import Measures
from crfclean.page.tree import in_heading
from crfclean.pipeline import run, run_many
from crfclean.taggers.crf import CrfTagger
from crfclean.taggers.load import SHIPPED, load, open_bundle, shipped_model
from crfclean.taggers.mlp import MlpTagger, marginals_from_scores
from crfclean.taggers.post import STEP_PREFIX, PostTagger, with_post
from crfclean.taggers.postanalysis import ANALYSIS_STEPS, PostParams
from crfclean.types import (
    Blocks,
    CrfcleanError,
    Label,
    ModelError,
    Page,
    Reason,
    Rule,
    Tagger,
    Tags,
)

NAMES = tuple(TEXTTRACTOR)
Command = Callable[..., Any]


@pytest.fixture(scope="module")
def posted(perceptron: Path) -> PostTagger:
    found = load(perceptron)
    assert isinstance(found, PostTagger)
    return found


@pytest.fixture(scope="module")
def mlp(posted: PostTagger) -> MlpTagger:
    assert isinstance(posted.tagger, MlpTagger)
    return posted.tagger


# the perceptron


def test_scores_are_those_of_the_network(mlp: MlpTagger, demo_gold: list[GoldPage]) -> None:
    page = Measures(split(demo_gold[0].page))
    own = matrix(page, NAMES)
    found = mlp.tag(page.blocks).probabilities
    for block in (0, 1, len(page) // 2, len(page) - 1):
        before = own[block - 1] if block else np.zeros(26)
        after = own[block + 1] if block + 1 < len(page) else np.zeros(26)
        inputs = np.concatenate([before, own[block], after])[None]
        assert found[block] == pytest.approx(mlp.network(inputs)[0], abs=1e-6)
    assert mlp.network.widths[0] == 78


def test_headings_are_headers(mlp: MlpTagger, demo_gold: list[GoldPage]) -> None:
    seen = set()
    for gold in demo_gold:
        page = Measures(split(gold.page))
        tags = mlp.tag(page.blocks)
        heading = in_heading(page)
        assert np.array_equal(tags.labels[tags.kept] == Label.HEADER, heading[tags.kept])
        seen |= set(tags.labels.tolist())
    assert seen == set(Label)


def test_spread() -> None:
    found = marginals_from_scores(np.array([0.75, 0.25]), np.array([True, False]))
    assert found.tolist() == [[0.75, 0.0, 0.25], [0.0, 0.25, 0.75]]


def test_rule_is_a_threshold(mlp: MlpTagger, demo_gold: list[GoldPage]) -> None:
    tags = mlp.tag(split(demo_gold[0].page))
    assert mlp.cut == CutParams("threshold")
    assert tags.kept.tolist() == (tags.probabilities >= 0.5).tolist()


def test_it_learns_the_demo_pages(mlp: MlpTagger, demo_gold: list[GoldPage]) -> None:
    """Pages of sites that it knows, that it has not seen."""
    scored = evaluate_systems(demo_gold[1::2], {"": by_tagger(mlp)})
    assert np.mean([one.scores[0].words.f1 for one in scored]) > 0.8


# its reasons


def test_reasons_are_inputs_with_their_values(mlp: MlpTagger, demo_gold: list[GoldPage]) -> None:
    blocks = split(demo_gold[0].page)
    inputs = mlp.inputs(Measures(blocks))
    names = input_names(NAMES)
    for row, of_block in enumerate(mlp.explain(blocks, 1_000)):
        reasons = [one for one in of_block if not one.feature.startswith(RULE_PREFIX)]
        assert len(reasons) == 78
        weights = [abs(one.weight) for one in reasons]
        assert weights == sorted(weights, reverse=True)
        for one in reasons[:9]:
            assert one.value == inputs[row, names.index(one.feature)]


def test_reasons_speak_for_the_blocks_that_are_kept(
    mlp: MlpTagger, demo_gold: list[GoldPage]
) -> None:
    blocks = split(demo_gold[0].page)
    kept = mlp.tag(blocks).kept
    sums = np.array([sum(one.weight for one in told) for told in mlp.explain(blocks, 78)])
    assert sums[kept].mean() > 0 > sums[~kept].mean()


@pytest.mark.parametrize("html", ["", "<div></div>", "<p>Alone.</p>", "<p>***</p>"])
def test_small_pages_are_explained(posted: PostTagger, mlp: MlpTagger, html: str) -> None:
    blocks = split(Page(html))
    assert len(mlp.explain(blocks, 3)) == len(posted.explain(blocks, 3)) == len(blocks)


# its folder


def test_folder_is_of_plain_files(perceptron: Path) -> None:
    assert sorted(path.name for path in perceptron.iterdir()) == [MANIFEST, "weights.mlp"]
    manifest = json.loads((perceptron / MANIFEST).read_text("utf-8"))
    assert manifest["kind"] == "mlp"
    assert tuple(manifest["features"]) == NAMES
    assert manifest["parameters"]["units"] == [64, 32]


def test_fingerprints_are_of_one_feature_each(monkeypatch: pytest.MonkeyPatch) -> None:
    before, old = fingerprints((*NAMES, "words")), TEXTTRACTOR["bars_rel"]
    assert len(set(before.values())) > 0.9 * len(before), "the probe moves nearly every column"
    monkeypatch.setitem(TEXTTRACTOR, "bars_rel", lambda page: old(page) * 0.9)
    after = fingerprints((*NAMES, "words"))
    assert list(after) == [*NAMES, "words"]
    assert [name for name in before if before[name] != after[name]] == ["bars_rel"]


def test_model_for_other_features_is_refused(
    monkeypatch: pytest.MonkeyPatch, perceptron: Path
) -> None:
    old = TEXTTRACTOR["place"]
    monkeypatch.setitem(TEXTTRACTOR, "place", lambda page: old(page) / 2)
    with pytest.raises(ModelError, match=r"other features \(place changed\)"):
        load(perceptron)


def test_damaged_weights_name_the_file(perceptron: Path, tmp_path: Path) -> None:
    bundle = load_bundle(perceptron)
    save_bundle(replace(bundle, weights=bundle.weights[:500]), tmp_path / "short")
    tagger = load(tmp_path / "short")
    with pytest.raises(ModelError, match=r"short/weights\.mlp: damaged perceptron"):
        tagger.tag(split(Page("<p>x</p>")))


def test_features_are_seen_alike(perceptron: Path) -> None:
    bundle = load_bundle(perceptron)
    windows = ((0,), *bundle.encoder.windows[1:])
    mixed = replace(bundle, encoder=replace(bundle.encoder, windows=windows))
    with pytest.raises(ModelError, match="same distances"):
        open_bundle(Path("mixed"), mixed)
    none = replace(bundle, encoder=replace(bundle.encoder, names=(), windows=()))
    with pytest.raises(ModelError, match="same distances"):
        open_bundle(Path("none"), none)


def test_unpickling_checks_the_folder(perceptron: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(perceptron, tmp_path / "copy")
    pickled = pickle.dumps(load(copy))
    (copy / "weights.mlp").write_bytes(b"short")
    with pytest.raises(ModelError, match=r"weights\.mlp: 5 bytes"):
        pickle.loads(pickled)


# kinds and shipped models


def test_kinds_name_shipped_models() -> None:
    assert shipped_model("default", None) == "default"
    assert [shipped_model("default", kind) for kind in SHIPPED] == list(SHIPPED.values())
    assert shipped_model("mine", "mlp") == "mine"
    with pytest.raises(ModelError, match="no tagger of kind 'svm'"):
        load(kind="svm")


def test_another_kind_is_refused(perceptron: Path, model: Path) -> None:
    with pytest.raises(ModelError, match="of the kind mlp, not crf"):
        load(perceptron, "crf")
    with pytest.raises(ModelError, match="of the kind crf, not mlp"):
        load(model, "mlp")
    assert isinstance(load(model, "crf"), CrfTagger)


@pytest.mark.parametrize("kind", SHIPPED)
def test_shipped_models_are_of_their_kind(kind: str) -> None:
    assert load(kind=kind) == load(SHIPPED[kind])


def test_shipped_perceptron_cleans() -> None:
    text = "A paragraph of some length, with a comma and a full stop at its end. "
    html = (
        "<html><head><title>A title of some words</title></head><body>"
         "<ul>" + "<li><a href='/'>Home</a></li>" * 8 + "</ul>"
        + "<div><h1>A title of some words</h1>" + f"<p>{text * 3}</p>" * 4 + "</div>"
        + "<footer>© 2024 Us | <a href='/'>Imprint</a></footer></body></html>"
    )  # fmt: skip
    document = clean(html, model="mlp")
    assert document.kept == [8, 9, 10, 11, 12]
    assert document.tags.labels[8] == Label.HEADER
    assert document.score > 0.7


@pytest.mark.parametrize("seed", range(5))
def test_junk_never_raises(posted: PostTagger, seed: int) -> None:
    junk = np.random.default_rng(seed).bytes(3_000)
    for data in (junk, b"<p>" + junk, b"<title>" + junk * 3, junk.hex().encode()):
        document = clean(data, model=posted)
        assert len(document.tags) == len(document.blocks)
        assert len(posted.explain(document.blocks, 2)) == len(document.blocks)


def test_hostile_pages(posted: PostTagger) -> None:
    pages = {
        "many blocks": "<title>x y</title>" + "<h2>x y</h2><p>z</p>" * 10_000,
        "deep": "<title>x y</title>" + "<div>" * 3_000 + "<h1>x y</h1>",
        "long title": f"<title>{'x y ' * 50_000}</title><h1>x y</h1><p>{'z ' * 50_000}</p>",
        "one long word": f"<p>{'|' * 100_000}</p><p>{'©A' * 100_000}</p>",
        "many classes": f"<div class='{'content ' * 20_000}'><p>x</p></div>",
    }
    for name, html in pages.items():
        document = run(Page(html), posted)
        assert len(document.tags) == len(document.blocks) > 0, name
        assert np.isfinite(document.tags.marginals).all(), name


# the post-analysis behind a tagger


class Told:
    """A tagger that gives what it was told, and no reasons."""

    def __init__(self, *probabilities: float) -> None:
        self.probabilities = probabilities

    def tag(self, blocks: Blocks) -> Tags:
        scores = np.array(self.probabilities[: len(blocks)])
        marginals = marginals_from_scores(scores, np.zeros(len(blocks), np.bool_))
        return Tags(np.where(scores >= 0.5, 1, 2).astype(np.int32), marginals, 0.0)


SIBLINGS = "<div>" + "<p>One two.</p>" * 5 + "</div>"


def test_any_tagger_may_stand_before_it() -> None:
    tagger: Tagger = PostTagger(Told(0.9, 0.1, 0.9, 0.9, 0.1))
    tags = run(Page(SIBLINGS), tagger).tags
    assert tags.kept.tolist() == [True] * 5
    assert tags.probabilities == pytest.approx([0.9, 0.1, 0.9, 0.9, 0.1])


def test_steps_are_reasons_even_where_a_tagger_gives_none() -> None:
    told = PostTagger(Told(0.9, 0.1, 0.9, 0.9, 0.1)).explain(split(Page(SIBLINGS)))
    step = [Reason(STEP_PREFIX + "paths", 1.0, 1.0)]
    assert told == [[], step, [], [], step]


def test_steps_stand_before_the_taggers_reasons(
    posted: PostTagger, mlp: MlpTagger, demo_gold: list[GoldPage]
) -> None:
    found = set()
    for gold in demo_gold:
        blocks = split(gold.page)
        changes = posted.analyse(blocks).changes()
        for own, told, steps in zip(
            mlp.explain(blocks, 2), posted.explain(blocks, 2), changes, strict=True
        ):
            assert told[len(steps) :] == own
            assert [one.feature for one in told[: len(steps)]] == [f"post.{s.step}" for s in steps]
            found |= {one.step for one in steps}
    assert found


def test_what_is_not_to_be_kept_stays_out(posted: PostTagger) -> None:
    """Headings are barred by `keep`, and no step brings them back."""
    some = "<p>One two three.</p>" * 6
    html = f"<title>Ice on the lake</title><div>{some}</div>"
    html += f"<div><h1>Ice on the lake</h1><h2>Next</h2>{some}</div>"
    blocks = split(Page(html))
    open_to_all = posted.with_cut(CutParams("threshold", 0.0))
    assert open_to_all.tag(blocks).kept.sum() == 10, "blocks well before the title go"
    body = posted.with_cut(CutParams("threshold", 0.0, keep=("body",)))
    tags = body.tag(blocks)
    assert [blocks[place].tag for place in np.flatnonzero(tags.kept)] == ["p"] * 8


def test_a_new_cut_reaches_the_tagger_inside(posted: PostTagger) -> None:
    changed = posted.with_cut(CutParams("expected_f1"))
    assert changed.cut == CutParams("expected_f1")
    assert posted.cut == CutParams("threshold")
    assert changed.params == posted.params


def test_a_tagger_without_a_cut() -> None:
    tagger = PostTagger(Told(0.5))
    with pytest.raises(CrfcleanError, match="not made by a cut"):
        tagger.with_cut(CutParams())
    with pytest.raises(CrfcleanError, match="not made by a cut"):
        _ = tagger.cut
    assert tagger.elements == ()


def test_with_and_without(posted: PostTagger, mlp: MlpTagger, tagger: CrfTagger) -> None:
    assert with_post(posted, choice=None) is posted
    assert with_post(posted, choice=True) == posted
    assert with_post(posted, choice=False) is mlp
    assert with_post(tagger, choice=None) is tagger
    assert with_post(tagger, choice=False) is tagger
    assert with_post(tagger, choice=True) == PostTagger(tagger)
    params = PostParams(begin=False)
    assert with_post(posted, params) == PostTagger(mlp, params)


def test_it_works_in_other_processes(posted: PostTagger, demo_gold: list[GoldPage]) -> None:
    pages = [gold.page for gold in demo_gold]
    alone = [document.text for document in run_many(pages, posted)]
    assert [document.text for document in run_many(pages, posted, workers=2)] == alone
    assert pickle.loads(pickle.dumps(posted)) == posted


def test_it_changes_something(
    posted: PostTagger, tagger: CrfTagger, demo_gold: list[GoldPage]
) -> None:
    for before in (posted.tagger, tagger):
        after = PostTagger(before)
        texts = [(run(one.page, before).text, run(one.page, after).text) for one in demo_gold]
        assert any(one != other for one, other in texts)


# the command line


def test_commands_take_a_kind(crfclean: Command, perceptron: Path, demo: Path) -> None:
    page = demo / "severnik" / "hokej-derby-finale.html"
    texts = {}
    for name, options in {
        "post": ["--model", perceptron],
        "bare": ["--model", perceptron, "--post", "none"],
        "begin": ["--model", perceptron, "--post", "begin"],
        "kind": ["--tagger", "mlp"],
        "crf": [],
        "crf post": ["--post", "all"],
    }.items():
        done = crfclean("clean", page, "-", *options)
        assert done.code == 0
        texts[name] = done.out
    assert len(texts["kind"]) > 500
    assert len({texts["post"], texts["bare"], texts["begin"]}) > 1
    done = crfclean("explain", page, "--tagger", "mlp", "--features", 3)
    assert done.code == 0
    names = set(re.findall(r"([\w.]+)(?:\[[+-]1\])?=\S+ [+-]", done.out))
    steps = {STEP_PREFIX + step for step in ANALYSIS_STEPS}
    rules = {RULE_PREFIX + rule.name.lower() for rule in Rule}
    assert names <= {*NAMES, *rules, *steps}
    assert len(names) > 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--post", ","], "no step ''; there are begin, paths, lonely, neighbours"),
        (["--post", "start"], "no step 'start'; there are begin, paths, lonely, neighbours"),
        (["--tagger", "mlp", "--model", "{crf}"], "a model of the kind crf, not mlp"),
        (["--tagger", "energy", "--group-by", "site"], "the tagger energy knows nothing of sites"),
    ],
)
def test_options_that_do_not_fit(
    crfclean: Command, model: Path, demo: Path, options: list[str], message: str
) -> None:
    given = [one.format(crf=model) for one in options]
    done = crfclean("clean", demo, "/nowhere/out", *given)
    assert done.code == 2
    assert message in done.err
