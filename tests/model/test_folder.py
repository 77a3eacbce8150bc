"""Tests of `model/folder.py`."""

from __future__ import annotations

import copy
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from killing import killed_before

from crfclean import extract
from crfclean.io import (
    DIGEST,
    with_digest,
)
from crfclean.model import folder as folder_module
from crfclean.model import page_digests
from crfclean.model.encoder import Encoder
from crfclean.model.feature_prints import check_features, fingerprints_of
from crfclean.model.folder import MANIFEST, NETWORK, Bundle, find_model, load_bundle, save_bundle
from crfclean.model.layers import Layer, Scaling
from crfclean.model.network_files import labels_to_bytes
from crfclean.model.networks import Network
from crfclean.model.page_digests import DIGEST_BYTES, pack_digests, page_digest, unpack
from crfclean.page.blocks import split
from crfclean.systems import load
from crfclean.types import ModelError, Page

Manifest = dict[str, Any]
Edit = Callable[[Manifest], object]
WEIGHTS = b"lCRF" + bytes(range(100))
MADE = Bundle(
    kind="crf",
    encoder=Encoder(("words", "link_density"), ((1.0, 2.5), (0.1,)), (0, 1), ((-1, 0, 1), (0,))),
    weights=WEIGHTS,
    elements=("h1", "p"),
    parameters={"algorithm": "lbfgs", "l2": 0.5},
    cut={"rule": "threshold", "threshold": 0.4},
    sets=[{"name": "demo", "pages": 24}],
    scores={"f1": 0.9, "interval": [0.8, 1.0]},
    pages=frozenset([b"page1", b"page2"]),
)


@pytest.fixture
def made(tmp_path: Path) -> Path:
    folder = tmp_path / "made"
    save_bundle(MADE, folder)
    return folder


def read(folder: Path) -> Manifest:
    manifest: Manifest = json.loads((folder / MANIFEST).read_text("utf-8"))
    return manifest


def edit(folder: Path, change: Edit) -> None:
    """Change a manifest in place, and its digest with it: other checks have to see the change."""
    manifest = read(folder)
    change(manifest)
    (folder / MANIFEST).write_text(json.dumps(with_digest(manifest)), "utf-8")


def assign(value: object, *path: str | int) -> Edit:
    """An edit that puts a value at a place of the manifest."""

    def change(manifest: Any) -> None:
        *parents, last = path
        for name in parents:
            manifest = manifest[name]
        manifest[last] = value

    return change


# writing


def test_round_trip(made: Path) -> None:
    assert load_bundle(made) == MADE


def test_a_manifest_without_training_pages(made: Path) -> None:
    """Models of earlier versions have none, and load as they did."""
    edit(made, lambda manifest: manifest.pop("pages"))
    assert load_bundle(made) == replace(MADE, pages=frozenset())


@pytest.mark.parametrize("pages", ["!", "YQ==", 5, None])
def test_damaged_training_pages(made: Path, pages: object) -> None:
    edit(made, assign(pages, "pages"))
    with pytest.raises(ModelError, match="malformed model"):
        load_bundle(made)


def test_saving_replaces_a_model(made: Path) -> None:
    newer = replace(MADE, weights=b"newer", cut={})
    save_bundle(newer, made)
    assert load_bundle(made) == newer
    assert len(list(made.iterdir())) == 2


def test_unknown_feature_cannot_be_saved(tmp_path: Path) -> None:
    encoder = replace(MADE.encoder, names=("words", "colour"))
    with pytest.raises(ModelError, match="no feature 'colour'"):
        save_bundle(replace(MADE, encoder=encoder), tmp_path)


# damage: the weights


@pytest.fixture
def trained(model_copy: Path) -> Path:
    return model_copy


@pytest.mark.parametrize("place", [0, 4, 8, 100, 5_000, -100, -1])
def test_flipped_byte_is_seen(trained: Path, place: int) -> None:
    file = trained / "weights.crf"
    weights = bytearray(file.read_bytes())
    weights[place] ^= 1
    file.write_bytes(weights)
    with pytest.raises(ModelError, match=r"weights\.crf: SHA-256 differs"):
        load.load(trained)


@pytest.mark.parametrize("told", ["../secret", "/etc/../secret", "sub/../../secret", "{absolute}"])
def test_weights_are_read_from_the_folder_alone(made: Path, told: str) -> None:
    (made.parent / "secret").write_bytes(WEIGHTS)
    name = told.format(absolute=made.parent / "secret")
    edit(made, assign(name, "files", 0, "file"))
    with pytest.raises(ModelError, match="made/secret: cannot be read: No such file"):
        load_bundle(made)
    (made / "secret").write_bytes(WEIGHTS)
    assert load_bundle(made).weights == WEIGHTS


# damage: the manifest


KEYS = ["format", "labels", "files", "features", "kind", "encoder", "elements", "parameters"]
KEYS += ["cut", "sets", "scores", "network"]


WRONG = {
    "format of the past": (assign(2, "format"), "format 2; expected crf or mlp, format 3"),
    "format of the future": (assign(4, "format"), "kind crf, format 4; expected"),
    "two labels": (assign(["TEXT", "OTHER"], "labels"), "labels .* are not ours"),
    "labels in another order": (assign(["OTHER", "TEXT", "HEADER"], "labels"), "are not ours"),
    "length": (assign(1, "files", 0, "bytes"), "weights.crf: 104 bytes, the manifest says 1"),
    "digest": (assign("0" * 64, "files", 0, "sha256"), "weights.crf: SHA-256"),
    "changed feature": (assign("0123456789ab", "features", "words"), r"\(words changed\): train"),
    "unknown feature": (assign("0123456789ab", "features", "colour"), "no feature 'colour'"),
}


@pytest.mark.parametrize(("change", "message"), WRONG.values(), ids=WRONG)
def test_wrong_manifest_is_refused(made: Path, change: Edit, message: str) -> None:
    edit(made, change)
    with pytest.raises(ModelError, match=rf"made.*{message}"):
        load_bundle(made)


JUNK: list[object] = [None, -1, "x", [[["x"]]], {"x": 1}]
PLACES = [
    *[(key,) for key in [*KEYS, "version"]],
    *[("files", 0, key) for key in ("file", "bytes", "sha256")],
    *[("encoder", key) for key in ("names", "edges", "common", "windows")],
    *[("cut", key) for key in ("rule", "threshold", "flatten", "precision", "keep", "more")],
    ("features", "words"),
]
every_place = pytest.mark.parametrize(
    "place", PLACES, ids=lambda place: ".".join(str(step) for step in place)
)
PROBE = Page("<h1>Some heading</h1><p>Some text of the page.</p><p><a href='/'>Home</a></p>")


def is_refused_or_harmless(folder: Path) -> bool:
    """Whether a model tags a page, or is refused with an error that names it."""
    try:
        tagger = load.load(folder)
        return len(tagger.tag(split(PROBE))) == 3
    except ModelError as error:
        return folder.name in str(error)
    except Exception:  # noqa: BLE001
        return False


@every_place
def test_junk_in_the_manifest_is_refused_or_harmless(
    trained: Path, place: tuple[str | int, ...]
) -> None:
    whole, wrong = read(trained), []
    for value in JUNK:
        manifest = copy.deepcopy(whole)
        assign(value, *place)(manifest)
        (trained / MANIFEST).write_text(json.dumps(with_digest(manifest)), "utf-8")
        if not is_refused_or_harmless(trained):
            wrong.append(value)
    assert wrong == []


# damage: what the manifest says of features


CHANGED: dict[str, Edit] = {
    "edges next to nothing shifted": assign([1.0000000000000002, 2.5], "encoder", "edges", 0),
    "one key more": assign(1, "more"),
    "other version": assign("9.9", "version"),
    "other digest": assign("0" * 64, DIGEST),
    "digest no text": assign(None, DIGEST),
}


@pytest.mark.parametrize("change", CHANGED.values(), ids=CHANGED)
def test_a_changed_manifest_is_refused(made: Path, change: Edit) -> None:
    manifest = read(made)
    change(manifest)
    (made / MANIFEST).write_text(json.dumps(manifest), "utf-8")
    with pytest.raises(ModelError, match=r"made/manifest\.json: its digest .* was changed"):
        load_bundle(made)


# networks

LAYER = Layer(np.arange(6, dtype=np.float32).reshape(2, 3), np.ones(3, np.float32), "linear")
SCALING = Scaling(np.array([True, False]), np.array([0.5, 1.0]), np.array([1.0, 2.0]))
OVER = replace(
    MADE,
    encoder=replace(MADE.encoder, names=("words", "pass")),
    network=Network(("link_density", "words"), SCALING, ((LAYER,), (LAYER,))),
)
"""A model whose CRF sees what two networks of one layer say."""


@pytest.fixture
def over(tmp_path: Path) -> Path:
    folder = tmp_path / "over"
    save_bundle(OVER, folder)
    return folder


def test_a_model_of_two_networks_is_refused_by_name(over: Path) -> None:
    """Models of version 0.1 had a second network; without it, their labels would be others."""
    manifest = json.loads((over / MANIFEST).read_text("utf-8"))
    manifest["second"] = ["words", "pass"]
    (over / MANIFEST).write_text(json.dumps(with_digest(manifest)), "utf-8")
    with pytest.raises(ModelError, match="two networks"):
        load_bundle(over)


def test_round_trip_with_networks(over: Path) -> None:
    again = load_bundle(over)
    assert again.network is not None
    assert OVER.network is not None
    assert replace(again, network=None) == replace(OVER, network=None)
    assert again.network.names == OVER.network.names
    assert labels_to_bytes(again.network) == labels_to_bytes(OVER.network)
    columns = np.array([[0.5, 3.0]])
    assert np.array_equal(again.network(columns), OVER.network(columns))


@pytest.mark.parametrize("name", [MANIFEST, NETWORK, "weights.crf"])
def test_files_that_are_too_large_are_refused_unread(over: Path, name: str) -> None:
    with (over / name).open("ab") as file:
        file.truncate(2**40)  # without taking room on the disk
    with pytest.raises(ModelError, match=f"{name}: cannot be read: more than 256 MB"):
        load_bundle(over)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are of POSIX")
@pytest.mark.parametrize("name", [NETWORK, "weights.crf"])
def test_a_pipe_in_place_of_a_file_is_not_waited_for(over: Path, name: str) -> None:
    (over / name).unlink()
    os.mkfifo(over / name)
    with pytest.raises(ModelError, match=f"{name}: cannot be read: not a regular file"):
        load_bundle(over)


def test_a_killed_save_leaves_a_whole_model(tmp_path: Path) -> None:
    """Weights of one model beside the manifest of another are no model."""
    over, later = replace(OVER, weights=WEIGHTS[1:]), replace(MADE, weights=WEIGHTS[::-1])
    known = {bundle.weights: bundle for bundle in (MADE, over, later)}
    assert len(known) == 3
    for step in count():
        folder = tmp_path / f"{step}"
        save_bundle(MADE, folder)
        killed = killed_before(step, partial(save_bundle, over, folder))
        for again in range(step % 5, 99, 5):  # the next save may be killed, too
            copied = Path(shutil.copytree(folder, tmp_path / f"{step}-{again}"))
            assert load_bundle(copied).weights in known
            killed_again = killed_before(again, partial(save_bundle, later, copied))
            assert load_bundle(copied).weights in known
            if not killed_again:
                break
        assert load_bundle(copied) == later
        if not killed:
            break
    assert step > 5


NETWORKS = {
    "names left out": assign([], "network"),
    "one name": assign(["words"], "network"),
    "another feature": assign(["link_density", "chars"], "network"),
    "unknown feature": assign(["link_density", "colour"], "network"),
    "a name of the first pass": assign(["link_density", "pass"], "network"),
    "a name as text": assign("words", "network"),
    "numbers": assign([1, 2], "network"),
    "nothing": assign(None, "network"),
    "no file": lambda manifest: manifest["files"].pop(),
    "encoder without the first pass": assign(["words", "link_density"], "encoder", "names"),
    "encoder's names turned": lambda manifest: manifest["encoder"]["names"].reverse(),
    "more features": lambda manifest: manifest["features"].update(fingerprints_of(["chars"])),
}


@pytest.mark.parametrize("change", NETWORKS.values(), ids=NETWORKS)
def test_manifest_that_does_not_fit_its_networks_is_refused(over: Path, change: Edit) -> None:
    edit(over, change)
    with pytest.raises(ModelError, match="over"):
        load_bundle(over)


# features

PRINTS = {"words": "a", "links": "b", "depth": "c"}


@pytest.mark.parametrize(
    ("expected", "names"),
    [
        ({**PRINTS, "links": "x"}, "links"),
        ({**PRINTS, "colour": "x"}, "colour"),
        ({"words": "a", "links": "b"}, "depth"),
        ({}, "words, links, depth"),
        ({str(place): "x" for place in range(9)}, "0, 1, 2, 3, 4"),
        ({"links": "b", "words": "a", "depth": "c"}, "their order"),
    ],
    ids=["changed", "gone", "new", "all new", "many", "order"],
)
def test_other_features_are_named(expected: dict[str, str], names: str) -> None:
    message = rf"my-model: made for other features \({names} changed\): train it again"
    with pytest.raises(ModelError, match=message):
        check_features("my-model", expected, PRINTS)


# finding models


@pytest.fixture
def shipped(monkeypatch: pytest.MonkeyPatch, made: Path, tmp_path: Path) -> Path:
    places = (tmp_path / "package", tmp_path / "checkout")
    monkeypatch.setattr(folder_module, "_PLACES", places)
    return Path(shutil.copytree(made, places[1] / "news"))


def test_model_is_found_by_name(shipped: Path) -> None:
    assert find_model("news") == shipped
    assert load_bundle(find_model("news")) == MADE


def test_package_comes_before_checkout(shipped: Path, made: Path, tmp_path: Path) -> None:
    copied = Path(shutil.copytree(made, tmp_path / "package" / "news"))
    assert find_model("news") == copied


def test_a_name_is_no_folder_and_a_folder_no_name(
    shipped: Path, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(made.parent)
    here = Path(shutil.copytree(made, "news"))
    assert find_model("news") == shipped
    for written in ("./news", "news/", str(here.resolve()), here):
        assert find_model(written) == Path(written)
    shutil.rmtree(shipped)
    with pytest.raises(ModelError, match=r"^news: .* has this name; write \./news for a folder$"):
        find_model("news")
    shutil.rmtree(here)
    for written in ("./news", here):
        with pytest.raises(ModelError, match=r"news: no model folder$"):
            find_model(written)


def test_no_shipped_model_comes_from_the_current_folder(
    crfclean: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = crfclean("doctor").out
    for name in ("default", "mlp", "kinds", "pagetype", "forum"):
        Path(name).mkdir()
        Path(name, MANIFEST).write_text('{"manifest_version": 3}', "ascii")
    assert crfclean("doctor").out == before
    assert extract("<h1>Rain</h1><p>It rained in the north.</p>", format="json")


# digests of training pages


@pytest.mark.parametrize(
    "same", ["<p>One two</p>\n", "\ufeff<p>One two</p>", "<p>One\r\n\ttwo</p>", "<p>One\xa0two</p>"]
)
def test_white_space_and_marks_make_no_other_page(same: str) -> None:
    assert page_digest(same) == page_digest("<p>One two</p>")


def test_many_pages_have_a_bounded_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_digests, "MAX_DIGESTS", 3)
    pages = [bytes([number]) * DIGEST_BYTES for number in (9, 1, 5, 7)]
    assert unpack(pack_digests(pages)) == frozenset(pages) - {pages[0]}


@pytest.mark.parametrize("packed", ["!", "YQ==", "YWFhYWFi"])
def test_what_was_not_packed(packed: str) -> None:
    with pytest.raises(ValueError, match=r"digest|base64|Non"):
        unpack(packed)
