"""Tests of taggers' capabilities: every switch works with every tagger that has what it needs."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crfclean.cli.options import open_tagger
from crfclean.corpus.clean import BatchParams
from crfclean.corpus.engine import run_many
from crfclean.pipeline import run
from crfclean.systems.load import (
    LACKS,
    Decides,
    Explains,
    HasModel,
    Judges,
    MarksComments,
    Traces,
    by_name,
    capability,
    load,
    name_of,
    named,
    need,
    with_comments,
)
from crfclean.systems.perceptron import PostParams, PostTagger, with_post
from crfclean.types import Blocks, CrfcleanError, Document, Page, Tagger, Tags
from crfclean.web.inspection import Inspection, inspect

Command = Callable[..., Any]

TAGGERS = {
    "crf": "",
    "mlp": "--tagger mlp",
    "energy": "--tagger energy",
    "links": "--tagger links",
    "expert": "--tagger expert",
    "forum": "--tagger forum",
}
MODELS = frozenset(["crf", "mlp"])
CUT = (MODELS, Decides)
SWITCHES = {
    "--threshold 0.4": CUT,
    "--precision 0.8": CUT,
    "--keep title": CUT,
}
"""Switch of `clean` -> the taggers that it works with, and the capability that the others lack."""

EXPLAINED = MODELS | {"expert"}
every_tagger = pytest.mark.parametrize("name", TAGGERS)


def refusal(option: str, name: str, lacked: type) -> tuple[int, str]:
    """Exit code and message of a command that a tagger cannot carry out."""
    return 2, f"crfclean: {option}: the tagger {name} {LACKS[lacked]}\n"


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


RUN = ("--threshold 0.4",)
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
    return open_tagger({"model": model, "kind": kind, **cut})


@every_tagger
def test_explain_gives_reasons_or_refuses(crfclean: Command, folder: Path, name: str) -> None:
    done = crfclean("explain", folder / "a.html", *TAGGERS[name].split())
    if name not in EXPLAINED:
        assert (done.code, done.err) == refusal("explain", name, Explains)
        return
    assert done.code == 0
    assert "ok, 5 blocks" in done.out
    assert ("main article is" in done.out) == (name == "expert")


@pytest.mark.parametrize("name", ["default", "mlp", "energy", "links", "expert"])
def test_what_can_be_shown_is_shown_or_refused(folder: Path, name: str) -> None:
    page, tagger = Page((folder / "a.html").read_text("utf-8")), by_name(name)
    for lacked, wanted in {
        Explains: Inspection(reasons=2),
        Decides: Inspection(threshold=0.4),
    }.items():
        if capability(tagger, lacked) is not None:
            assert inspect(page, tagger, wanted)["status"] == "ok"
            continue
        with pytest.raises(CrfcleanError, match=f"^[a-z]+: the tagger {name} {LACKS[lacked]}$"):
            inspect(page, tagger, wanted)


@pytest.mark.parametrize("post", [True, False])
@every_tagger
def test_models_travel_to_a_cluster_with_their_post_analysis(
    tmp_path: Path,
    name: str,
    post: bool,  # noqa: FBT001
) -> None:
    pytest.importorskip("ray")
    cluster = import_module("crfclean.extras.ray")
    params = BatchParams(with_post(opened_with(name), post))
    if name not in MODELS:
        sentence = f"--engine ray: the tagger {name} {LACKS[HasModel]}"
        with pytest.raises(CrfcleanError, match=f"^{sentence}$"):
            cluster.pack_params(params)
        return
    arrived = pickle.loads(pickle.dumps(cluster.pack_params(params))).unpack(tmp_path / "model")
    assert arrived.model == params.model
    assert isinstance(arrived.tagger, PostTagger) == isinstance(params.tagger, PostTagger)
    assert texts(run_many(STORIES, arrived.tagger)) == texts(run_many(STORIES, params.tagger))


NOTICE = "Our shop is open from nine to five, and the newsletter comes every Monday morning."


def story(name: str) -> Page:
    """A page whose own text stands above a notice that all pages of its site have."""
    own = "".join(f"<p>{f'{name} went to place {at} and told us of it. ' * 6}</p>" for at in "xyz")
    return Page(f"<title>{name}</title><article><h1>{name}</h1>{own}<p>{NOTICE * 2}</p></article>")


STORIES = [story(name) for name in ("Anna", "Boris", "Clara", "David", "Emil")]


def texts(documents: Iterable[Document]) -> list[str]:
    return [document.text for document in documents]


# taggers around others


class Plain:
    """A tagger that can do nothing but keep all blocks."""

    def tag(self, blocks: Blocks) -> Tags:
        count = len(blocks)
        return Tags(np.ones(count, np.int32), np.tile([0.0, 1.0, 0.0], (count, 1)), 1.0)


WRAPPERS: dict[str, Callable[[Tagger], Tagger]] = {
    "post": PostTagger,
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


def test_the_tagger_inside_is_named_and_decides() -> None:
    model = load()
    cut = replace(need(model, Decides).cut, rule="threshold", threshold=0.25)
    outer = PostTagger(model, PostParams(begin=False))
    assert (outer.name, outer.elements) == (name_of(model), ())
    assert outer.cut == need(model, Decides).cut
    changed = outer.with_cut(cut)
    assert changed.cut == need(changed.inner, Decides).cut == cut
    assert changed.params == outer.params


def test_what_the_tagger_inside_cannot_do_is_said() -> None:
    outer = PostTagger(named("expert"))
    assert capability(outer, Traces) is not None
    assert capability(outer, MarksComments) is not None
    with pytest.raises(CrfcleanError):
        _ = outer.cut


# asking


def test_a_tagger_that_only_tags_still_cleans() -> None:
    document = run(Page("<p>One two.</p>"), Plain())
    assert document.text == "One two."
    assert BatchParams(Plain()).model is None
    assert with_comments(document, Plain(), "separate").comments == []
