"""Tests of taggers' capabilities: every switch works with every tagger that has what it needs."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crfclean.cli.options import open_tagger
from crfclean.corpus.clean import BatchParams
from crfclean.decision.rules import CutParams
from crfclean.forum.tagger import AutoTagger, ForumTagger
from crfclean.page.blocks import split
from crfclean.page.measures import measured
from crfclean.pipeline import run, run_many
from crfclean.serve.inspection import Inspection, inspect
from crfclean.site import Site, SiteTagger, gather, note, run_site
from crfclean.taggers.capabilities import (
    LACKS,
    Decides,
    Explains,
    HasModel,
    Judges,
    MarksComments,
    Traces,
    capability,
    need,
)
from crfclean.taggers.comments import with_comments
from crfclean.taggers.load import by_name
from crfclean.taggers.postanalysis import PostParams, PostTagger, corrected, without_post
from crfclean.types import Blocks, CrfcleanError, Document, Page, Tagger, Tags

Command = Callable[..., Any]

TAGGERS = {
    "crf": "",
    "crf with post": "--post all",
    "mlp": "--tagger mlp",
    "mlp without post": "--tagger mlp --post none",
    "energy": "--tagger energy",
    "links": "--tagger links",
    "expert": "--tagger expert",
    "expert with post": "--tagger expert --post all",
    "forum": "--tagger forum",
    "auto": "--tagger auto",
    "auto with mlp": "--tagger auto --model mlp",
}
MODELS = frozenset(["crf", "crf with post", "mlp", "mlp without post"])
CUT = (MODELS | {"auto", "auto with mlp"}, Decides)
SWITCHES = {
    "--threshold 0.4": CUT,
    "--precision 0.8": CUT,
    "--rule expected_f1": CUT,
    "--keep title": CUT,
    "--group-by site": (MODELS, Judges),
}
"""Switch of `clean` -> the taggers that it works with, and the capability that the others lack."""

EXPLAINED = MODELS | {"expert", "expert with post"}
every_tagger = pytest.mark.parametrize("name", TAGGERS)


def refusal(option: str, name: str, lacked: type) -> tuple[int, str]:
    """Exit code and message of a command that a tagger cannot carry out."""
    return 2, f"crfclean: {option}: the tagger {name.split(maxsplit=1)[0]} {LACKS[lacked]}\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two pages of a site."""
    folder = tmp_path_factory.mktemp("site")
    for name in ("a", "b"):
        text = f"<p>{f'Plain words of page {name}, in a sentence. ' * 9}</p>" * 3
        html = f"<title>Words</title><h1>Words</h1><article>{text}</article><p>The foot."
        (folder / f"{name}.html").write_text(html, "utf-8")
    return folder


# every switch with every tagger


RUN = ("--threshold 0.4", "--group-by site")
"""Switches that are run where they work; the others of `SWITCHES` are made of the same options."""


@pytest.mark.parametrize("switch", SWITCHES)
@every_tagger
def test_clean_does_what_a_switch_says_or_refuses(
    crfclean: Command, folder: Path, tmp_path: Path, name: str, switch: str
) -> None:
    able, lacked = SWITCHES[switch]
    options = [*TAGGERS[name].split(), *switch.split()]
    if name not in able:
        done = crfclean("clean", folder, tmp_path / "out", *options)
        option = switch if lacked is Judges else switch.split(maxsplit=1)[0]
        assert (done.code, done.err) == refusal(option, name, lacked)
    elif switch in RUN:
        done = crfclean("clean", folder, tmp_path / "out", *options)
        assert done.code == 0, done.err
        assert "2 pages: 2 cleaned" in done.err
    else:
        key, value = switch.removeprefix("--").split()
        opened = opened_with(name, **{key: float(value) if key == "precision" else value})
        assert len(run(Page((folder / "a.html").read_text("utf-8")), opened).tags)


def opened_with(name: str, **cut: Any) -> Tagger:
    """A tagger of `TAGGERS` with decisions of the command line."""
    words = TAGGERS[name].split()
    kind = words[words.index("--tagger") + 1] if "--tagger" in words else None
    model = words[words.index("--model") + 1] if "--model" in words else "default"
    post = words[words.index("--post") + 1] if "--post" in words else None
    nothing = {"rule": None, "threshold": None, "precision": None, "keep": None}
    return open_tagger(model=model, kind=kind, post=post, **(nothing | cut))


@every_tagger
def test_explain_gives_reasons_or_refuses(crfclean: Command, folder: Path, name: str) -> None:
    done = crfclean("explain", folder / "a.html", *TAGGERS[name].split())
    if name not in EXPLAINED:
        assert (done.code, done.err) == refusal("explain", name, Explains)
        return
    assert done.code == 0
    assert "ok, 5 blocks" in done.out
    assert ("main article is" in done.out) == name.startswith("expert")


@pytest.mark.parametrize("name", ["default", "mlp", "energy", "links", "expert"])
def test_what_can_be_shown_is_shown_or_refused(folder: Path, name: str) -> None:
    page, tagger = Page((folder / "a.html").read_text("utf-8")), by_name(name)
    for lacked, wanted in {
        Explains: Inspection(reasons=2),
        Decides: Inspection(threshold=0.4, post=True),
    }.items():
        if capability(tagger, lacked) is not None:
            assert inspect(page, tagger, wanted)["status"] == "ok"
            continue
        with pytest.raises(CrfcleanError, match=f"^[a-z]+: the tagger {name} {LACKS[lacked]}$"):
            inspect(page, tagger, wanted)


@every_tagger
def test_models_travel_to_a_cluster_with_their_post_analysis(tmp_path: Path, name: str) -> None:
    pytest.importorskip("ray")
    cluster = import_module("crfclean.extras.ray")
    params = BatchParams(opened_with(name))
    if name not in MODELS:
        sentence = f"--engine ray: the tagger {name.split(maxsplit=1)[0]} {LACKS[HasModel]}"
        with pytest.raises(CrfcleanError, match=f"^{sentence}$"):
            cluster.pack_params(params)
        return
    arrived = pickle.loads(pickle.dumps(cluster.pack_params(params))).unpack(tmp_path / "model")
    assert arrived.model == params.model
    assert isinstance(arrived.tagger, PostTagger) == isinstance(params.tagger, PostTagger)
    assert texts(run_many(STORIES, arrived.tagger)) == texts(run_many(STORIES, params.tagger))


# knowledge of a site


NOTICE = "Our shop is open from nine to five, and the newsletter comes every Monday morning."


def story(name: str) -> Page:
    """A page whose own text stands above a notice that all pages of its site have."""
    own = "".join(f"<p>{f'{name} went to place {at} and told us of it. ' * 6}</p>" for at in "xyz")
    return Page(f"<title>{name}</title><article><h1>{name}</h1>{own}<p>{NOTICE * 2}</p></article>")


STORIES = [story(name) for name in ("Anna", "Boris", "Clara", "David", "Emil")]


@pytest.fixture(scope="module", params=["mlp", "mlp without post", "crf with post"])
def judging(request: pytest.FixtureRequest) -> Tagger:
    """Taggers that give marginals and are no bare CRF; they keep the notice."""
    return need(opened_with(request.param), Decides).with_cut(CutParams("threshold", 0.01))


def texts(documents: Iterable[Document]) -> list[str]:
    return [document.text for document in documents]


def test_what_repeats_on_a_site_is_dropped(judging: Tagger) -> None:
    before, after = list(run_many(STORIES, judging)), list(run_site(STORIES, judging))
    assert all(NOTICE in document.text for document in before)
    least = min(document.tags.probabilities[-1] for document in before)
    most = max(document.tags.probabilities[-1] for document in after)
    assert most < least - 0.1
    between = CutParams("threshold", (least + most) / 2)
    strict = need(without_post(judging), Decides).with_cut(between)
    assert all(NOTICE in document.text for document in run_many(STORIES, strict))
    assert not any(NOTICE in document.text for document in run_site(STORIES, strict))


def test_the_post_analysis_corrects_what_a_site_has_changed(judging: Tagger) -> None:
    bare = without_post(judging)
    site = gather(note(page, bare) for page in STORIES)
    for page in STORIES:
        blocks = split(page)
        before = SiteTagger(bare, site).tag(blocks)
        after = SiteTagger(PostTagger(bare), site).tag(blocks)
        wanted = corrected(measured(blocks), before, PostParams()).tags
        assert after.labels.tolist() == wanted.labels.tolist()
        assert np.array_equal(after.marginals, before.marginals)


# taggers around others


class Plain:
    """A tagger that can do nothing but keep all blocks."""

    def tag(self, blocks: Blocks) -> Tags:
        count = len(blocks)
        return Tags(np.ones(count, np.int32), np.tile([0.0, 1.0, 0.0], (count, 1)), 1.0)


WRAPPERS: dict[str, Callable[[Tagger], Tagger]] = {
    "post": PostTagger,
    "site": lambda inner: SiteTagger(inner, Site()),
    "auto": lambda inner: AutoTagger(ForumTagger(Path("nowhere")), inner),
}
every_wrapper = pytest.mark.parametrize("around", WRAPPERS.values(), ids=WRAPPERS)


@every_wrapper
@pytest.mark.parametrize("wanted", [Decides, Judges, Traces, MarksComments, HasModel])
def test_no_wrapper_claims_what_its_tagger_cannot(
    around: Callable[[Tagger], Tagger], wanted: type
) -> None:
    assert capability(Plain(), wanted) is None
    assert capability(around(Plain()), wanted) is None
    assert capability(around(around(Plain())), wanted) is None


# asking


def test_a_tagger_that_only_tags_still_cleans() -> None:
    document = run(Page("<p>One two.</p>"), Plain())
    assert document.text == "One two."
    assert BatchParams(Plain()).model is None
    assert with_comments(document, Plain(), "separate").comments == []
