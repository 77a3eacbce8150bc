"""Tests of `modelfiles/folder.py`: what is written, and every kind of damage."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import re
import shutil
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crfclean.decision.params import CutParams
from crfclean.features import columns as evidence
from crfclean.features import first_pass as firstpass
from crfclean.features import table
from crfclean.features.columns import SECOND_PASS_NAMES
from crfclean.features.first_pass import FIRST_PASS_NAMES
from crfclean.features.table import FEATURES
from crfclean.io import (
    DIGEST,
    with_digest,
    write_atomically,
)
from crfclean.modelfiles import folder as bundle_module
from crfclean.modelfiles.binning import Encoder
from crfclean.modelfiles.folder import (
    MANIFEST,
    NETWORK,
    SECOND,
    Bundle,
    find_model,
    load_bundle,
    save_bundle,
)
from crfclean.modelfiles.probe import fingerprints
from crfclean.nn.files import labels_to_bytes
from crfclean.nn.layers import Layer
from crfclean.nn.mlp import Network
from crfclean.nn.scaling import Scaling
from crfclean.page.blocks import split
from crfclean.taggers import load as taggers
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
    with pytest.raises(ModelError, match="malformed manifest"):
        load_bundle(made)


def test_round_trip_of_a_trained_model(model: Path, bundle: Bundle) -> None:
    again = load_bundle(model)
    assert again.encoder == bundle.encoder
    assert again.weights == bundle.weights
    assert {**again.cut, "keep": (), "also": (), "without": ()} == bundle.cut
    assert again.sets == bundle.sets
    assert {**again.parameters, "elements": ()} == bundle.parameters


def test_a_folder_holds_two_files(made: Path) -> None:
    assert sorted(path.name for path in made.iterdir()) == [MANIFEST, "weights.crf"]
    assert (made / "weights.crf").read_bytes() == WEIGHTS


def test_manifest_describes_the_weights(made: Path) -> None:
    told = {
        "file": "weights.crf",
        "bytes": len(WEIGHTS),
        "sha256": hashlib.sha256(WEIGHTS).hexdigest(),
    }
    assert read(made)["files"] == [told]


def test_manifest_is_plain_text(tmp_path: Path) -> None:
    save_bundle(replace(MADE, sets=[{"name": "dějiny"}]), tmp_path)
    text = (tmp_path / MANIFEST).read_text("utf-8")
    assert "dějiny" in text
    assert text.endswith("}\n")


def test_equal_bundles_give_equal_bytes(made: Path, tmp_path: Path) -> None:
    other = tmp_path / "deep" / "other"
    save_bundle(copy.deepcopy(MADE), other)
    for path in made.iterdir():
        assert path.read_bytes() == (other / path.name).read_bytes()


def test_another_bundle_gives_another_manifest(made: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    save_bundle(replace(MADE, scores={"f1": 0.8}), other)
    assert (made / MANIFEST).read_bytes() != (other / MANIFEST).read_bytes()


def test_saving_replaces_a_model(made: Path) -> None:
    newer = replace(MADE, weights=b"newer", cut={})
    save_bundle(newer, made)
    assert load_bundle(made) == newer
    assert len(list(made.iterdir())) == 2


def test_model_cannot_be_written_where_a_file_is(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    for folder in (file, file / "below"):
        with pytest.raises(ModelError, match=r"file.*: cannot write the model"):
            save_bundle(MADE, folder)
    assert file.read_text() == "x"


def test_unknown_feature_cannot_be_saved(tmp_path: Path) -> None:
    encoder = replace(MADE.encoder, names=("words", "colour"))
    with pytest.raises(ModelError, match="no feature 'colour'"):
        save_bundle(replace(MADE, encoder=encoder), tmp_path)


# damage: the weights


@pytest.fixture
def trained(model_copy: Path) -> Path:
    return model_copy


def test_weights_cut_short_are_refused(trained: Path) -> None:
    file = trained / "weights.crf"
    whole = file.read_bytes()
    lengths = [*range(60), *range(60, len(whole), len(whole) // 50), len(whole) - 1]
    for length in lengths:
        file.write_bytes(whole[:length])
        with pytest.raises(ModelError, match=rf"weights\.crf: {length} bytes, the manifest says"):
            taggers.load(trained)


def test_weights_with_more_bytes_are_refused(trained: Path) -> None:
    with (trained / "weights.crf").open("ab") as stream:
        stream.write(b"\0")
    with pytest.raises(ModelError, match=r"weights\.crf: \d+ bytes"):
        taggers.load(trained)


@pytest.mark.parametrize("place", [0, 4, 8, 100, 5_000, -100, -1])
def test_flipped_byte_is_seen(trained: Path, place: int) -> None:
    file = trained / "weights.crf"
    weights = bytearray(file.read_bytes())
    weights[place] ^= 1
    file.write_bytes(weights)
    with pytest.raises(ModelError, match=r"weights\.crf: SHA-256 differs"):
        taggers.load(trained)


def test_missing_weights_are_named(trained: Path) -> None:
    (trained / "weights.crf").unlink()
    with pytest.raises(ModelError, match=r"weights\.crf: No such file"):
        load_bundle(trained)


def test_weights_that_are_a_directory_are_named(trained: Path) -> None:
    (trained / "weights.crf").unlink()
    (trained / "weights.crf").mkdir()
    with pytest.raises(ModelError, match=r"weights\.crf: "):
        load_bundle(trained)


@pytest.mark.parametrize("told", ["../secret", "/etc/../secret", "sub/../../secret", "{absolute}"])
def test_weights_are_read_from_the_folder_alone(made: Path, told: str) -> None:
    (made.parent / "secret").write_bytes(WEIGHTS)
    name = told.format(absolute=made.parent / "secret")
    edit(made, assign(name, "files", 0, "file"))
    with pytest.raises(ModelError, match="made/secret: No such file"):
        load_bundle(made)
    (made / "secret").write_bytes(WEIGHTS)
    assert load_bundle(made).weights == WEIGHTS


@pytest.mark.parametrize("told", ["..", ".", "", "/", "a\0b", 5, None, ["weights.crf"]])
def test_names_that_are_no_file_are_refused(made: Path, told: object) -> None:
    edit(made, assign(told, "files", 0, "file"))
    with pytest.raises(ModelError, match="made"):
        load_bundle(made)


# damage: the manifest

UNREADABLE = {
    "empty": b"",
    "cut": b'{"format": 1, "kind": "cr',
    "no JSON": b"format: 1",
    "two objects": b"{}{}",
    "binary": b"\x80\x81\xff\0",
    "latin-1": '{"format": "é"}'.encode("latin-1"),
    "list": b"[1, 2]",
    "number": b"1",
    "null": b"null",
    "string": b'"format"',
    "no key": b"{}",
    "nested too deep": b"[" * 200_000,
}


@pytest.mark.parametrize("data", UNREADABLE.values(), ids=UNREADABLE)
def test_manifest_that_cannot_be_read_is_named(made: Path, data: bytes) -> None:
    (made / MANIFEST).write_bytes(data)
    with pytest.raises(ModelError, match=r"made/manifest\.json: "):
        load_bundle(made)


def test_manifest_cut_anywhere_is_refused(made: Path) -> None:
    file = made / MANIFEST
    whole = file.read_bytes().rstrip()
    for length in range(0, len(whole), 17):
        file.write_bytes(whole[:length])
        with pytest.raises(ModelError, match=r"manifest\.json: no JSON"):
            load_bundle(made)


def test_missing_manifest_is_named(made: Path) -> None:
    (made / MANIFEST).unlink()
    with pytest.raises(ModelError, match=r"manifest\.json: No such file"):
        load_bundle(made)
    with pytest.raises(ModelError, match="made"):
        taggers.load(made)


KEYS = ["format", "labels", "files", "features", "kind", "encoder", "elements", "parameters"]
KEYS += ["cut", "sets", "scores", "network"]


@pytest.mark.parametrize("key", KEYS)
def test_every_key_is_needed(made: Path, key: str) -> None:
    edit(made, lambda manifest: manifest.pop(key))
    with pytest.raises(ModelError, match=rf"manifest\.json: malformed manifest: .*{key}"):
        load_bundle(made)


@pytest.mark.parametrize("key", ["names", "edges", "common", "windows"])
def test_every_key_of_the_encoder_is_needed(made: Path, key: str) -> None:
    edit(made, lambda manifest: manifest["encoder"].pop(key))
    with pytest.raises(ModelError, match=key):
        load_bundle(made)


@pytest.mark.parametrize("key", ["file", "bytes", "sha256"])
def test_every_key_of_the_weights_is_needed(made: Path, key: str) -> None:
    edit(made, lambda manifest: manifest["files"][0].pop(key))
    with pytest.raises(ModelError, match=key):
        load_bundle(made)


WRONG = {
    "format of the past": (assign(2, "format"), "model format 2, expected 3"),
    "format of the future": (assign(4, "format"), "model format 4, expected 3"),
    "format a string": (assign("1", "format"), "model format"),
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


def test_many_changed_features_are_named_in_part(trained: Path) -> None:
    edit(trained, lambda manifest: manifest.update(features=dict.fromkeys(FEATURES, "0")))
    with pytest.raises(ModelError) as error:
        load_bundle(trained)
    assert str(error.value).count(",") == 4


JUNK: list[object] = [None, -1, 2.5, "x", "", [], ["x"], [[["x"]]], {}, {"x": 1}, True]
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
        tagger = taggers.load(folder)
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


def test_a_manifest_has_a_digest_of_its_own(made: Path) -> None:
    manifest = read(made)
    assert list(manifest)[-1] == DIGEST
    assert len(manifest[DIGEST]) == 64
    assert with_digest(manifest) == manifest


def test_spaces_and_order_of_keys_are_not_in_the_digest(made: Path) -> None:
    turned = dict(reversed(read(made).items()))
    (made / MANIFEST).write_text(json.dumps(turned), "utf-8")
    assert load_bundle(made) == MADE


CHANGED: dict[str, Edit] = {
    "edges shifted": assign([1.5, 3.0], "encoder", "edges", 0),
    "edges next to nothing shifted": assign([1.0000000000000002, 2.5], "encoder", "edges", 0),
    "wider window": assign([-2, -1, 0, 1, 2], "encoder", "windows", 0),
    "other bin": assign(2, "encoder", "common", 0),
    "other elements": assign(["h1", "li"], "elements"),
    "other threshold": assign(0.5, "cut", "threshold"),
    "other rule": assign("viterbi", "cut", "rule"),
    "other scores": assign(1.0, "scores", "f1"),
    "other licence": assign("mine", "sets", 0, "licence"),
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


def test_shifted_edges_do_not_change_scores_silently(trained: Path) -> None:
    manifest = read(trained)
    edges = manifest["encoder"]["edges"]
    manifest["encoder"]["edges"] = [[edge + 0.5 for edge in one] for one in edges]
    (trained / MANIFEST).write_text(json.dumps(manifest), "utf-8")
    with pytest.raises(ModelError, match="the file was changed"):
        taggers.load(trained)


NAN, INFINITY = float("nan"), float("inf")
EDGES = "bin edges of words are not finite, rising"
WINDOWS = "windows of words are not rising and within"
IMPOSSIBLE = {
    "edge no number": (assign([1.0, NAN], "encoder", "edges", 0), EDGES),
    "only edge no number": (assign([NAN], "encoder", "edges", 0), EDGES),
    "edge infinite": (assign([1.0, INFINITY], "encoder", "edges", 0), EDGES),
    "edges unsorted": (assign([2.5, 1.0], "encoder", "edges", 0), EDGES),
    "edges equal": (assign([1.0, 1.0], "encoder", "edges", 0), EDGES),
    "too many edges": (assign(list(range(1_001)), "encoder", "edges", 0), EDGES),
    "window far": (assign([0, 10**9], "encoder", "windows", 0), WINDOWS),
    "window far before": (assign([-101, 0], "encoder", "windows", 0), WINDOWS),
    "window unsorted": (assign([1, 0], "encoder", "windows", 0), WINDOWS),
    "window twice": (assign([0, 0], "encoder", "windows", 0), WINDOWS),
    "window infinite": (assign([INFINITY], "encoder", "windows", 0), "malformed manifest"),
    "huge edge": (assign([10**400], "encoder", "edges", 0), "malformed manifest"),
    "bin below": (assign(-1, "encoder", "common", 0), "frequent bin of words is none"),
    "bin above": (assign(3, "encoder", "common", 0), "frequent bin of words is none"),
    "unknown element": (assign(["h1", "colour"], "elements"), "HTML has no element 'colour'"),
    "element no name": (assign(["h1", 5], "elements"), "HTML has no element '5'"),
}


@pytest.mark.parametrize(("change", "message"), IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_a_manifest_of_what_no_training_makes_is_refused(
    made: Path, change: Edit, message: str
) -> None:
    edit(made, change)
    with pytest.raises(ModelError, match=rf"made/manifest\.json: .*{message}"):
        load_bundle(made)


def test_a_feature_named_twice_is_refused(made: Path) -> None:
    def twice(manifest: Manifest) -> None:
        for part in manifest["encoder"].values():
            part.append(part[0])

    edit(made, twice)
    with pytest.raises(ModelError, match=r"made/manifest\.json: the encoder names words twice"):
        load_bundle(made)


def test_what_cannot_be_read_is_not_written(tmp_path: Path) -> None:
    encoder = replace(MADE.encoder, edges=((NAN,), (0.1,)))
    for wrong in (replace(MADE, encoder=encoder), replace(MADE, elements=("colour",))):
        with pytest.raises(ModelError, match="cannot write the model: "):
            save_bundle(wrong, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_elements_of_ones_own_may_be_blocks(tmp_path: Path) -> None:
    made = replace(MADE, elements=("h1", "x-card"))
    save_bundle(made, tmp_path)
    assert load_bundle(tmp_path) == made


ENCODERS = {
    "unknown feature": assign(["colour"], "encoder", "names"),
    "no features": assign({"names": [], "edges": [], "common": [], "windows": []}, "encoder"),
    "features in another order": lambda manifest: manifest["encoder"]["names"].reverse(),
    "feature left out": lambda manifest: manifest["encoder"]["names"].pop(),
    "edges left out": lambda manifest: manifest["encoder"]["edges"].pop(),
    "common bins left out": lambda manifest: manifest["encoder"]["common"].pop(),
    "windows left out": lambda manifest: manifest["encoder"]["windows"].pop(),
}


@pytest.mark.parametrize("change", ENCODERS.values(), ids=ENCODERS)
def test_encoder_that_does_not_fit_is_refused(trained: Path, change: Edit) -> None:
    edit(trained, change)
    with pytest.raises(ModelError, match="copied-model"):
        taggers.load(trained)


def test_unknown_kind_is_refused(trained: Path) -> None:
    edit(trained, assign("forest", "kind"))
    with pytest.raises(ModelError, match="copied-model: no tagger of kind 'forest'"):
        taggers.load(trained)


@pytest.mark.parametrize(
    "cut",
    [
        *({"rule": "nonsense"}, {"more": 1}, {"threshold": "0.5"}, {"flatten": None}),
        *({"precision": 2}, {"threshold": INFINITY}, {"flatten": INFINITY}, {"flatten": NAN}),
    ],
    ids=str,
)
def test_unknown_cut_is_refused(trained: Path, cut: Manifest) -> None:
    edit(trained, lambda manifest: manifest["cut"].update(cut))
    with pytest.raises(ModelError, match="copied-model"):
        taggers.load(trained)


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


def renew(folder: Path, data: bytes) -> None:
    """Put other bytes in the place of the networks, and their digest into the manifest."""
    (folder / NETWORK).write_bytes(data)
    told = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    edit(folder, lambda manifest: manifest["files"][1].update(told))


SECOND_INPUTS = ("words", *FIRST_PASS_NAMES)
TWICE = replace(
    OVER,
    second=Network(
        SECOND_INPUTS,
        Scaling(
            *(np.zeros(len(SECOND_INPUTS), np.bool_), np.zeros(len(SECOND_INPUTS))),
            np.ones(len(SECOND_INPUTS)),
        ),
        ((replace(LAYER, weights=np.ones((len(SECOND_INPUTS), 3), np.float32)),),),
    ),
)
"""The same with a second network over a feature and the first pass."""


def test_round_trip_with_a_second_network(tmp_path: Path) -> None:
    save_bundle(TWICE, tmp_path / "twice")
    again = load_bundle(tmp_path / "twice")
    assert again.second is not None
    assert TWICE.second is not None
    assert again.second.names == SECOND_INPUTS
    assert labels_to_bytes(again.second) == labels_to_bytes(TWICE.second)
    assert again.columns == ("words", "pass", *SECOND_PASS_NAMES)
    assert again.passes.first is again.network
    save_bundle(OVER, tmp_path / "twice")
    assert load_bundle(tmp_path / "twice").second is None
    assert not (tmp_path / "twice" / SECOND).exists()


def test_models_of_earlier_versions_have_no_second_network(over: Path) -> None:
    edit(over, lambda manifest: manifest.pop("second"))
    assert load_bundle(over).second is None


@pytest.mark.parametrize(
    "names",
    [("words",), FIRST_PASS_NAMES[1:], ("colour", *FIRST_PASS_NAMES), ("pass", *FIRST_PASS_NAMES)],
)
def test_a_second_network_stands_on_the_first(tmp_path: Path, names: tuple[str, ...]) -> None:
    save_bundle(TWICE, tmp_path / "twice")
    edit(tmp_path / "twice", lambda manifest: manifest.update(second=list(names)))
    with pytest.raises(ModelError, match="twice"):
        load_bundle(tmp_path / "twice")


def test_a_damaged_second_network_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "twice"
    save_bundle(TWICE, folder)
    (folder / SECOND).write_bytes(b"no network")
    said = {"bytes": 10, "sha256": hashlib.sha256(b"no network").hexdigest()}
    edit(folder, lambda manifest: manifest["files"][2].update(said))
    with pytest.raises(ModelError, match=SECOND):
        load_bundle(folder)


def test_round_trip_with_networks(over: Path) -> None:
    again = load_bundle(over)
    assert again.network is not None
    assert OVER.network is not None
    assert replace(again, network=None) == replace(OVER, network=None)
    assert again.network.names == OVER.network.names
    assert labels_to_bytes(again.network) == labels_to_bytes(OVER.network)
    columns = np.array([[0.5, 3.0]])
    assert np.array_equal(again.network(columns), OVER.network(columns))


def test_a_folder_with_networks_holds_three_files(over: Path) -> None:
    assert sorted(path.name for path in over.iterdir()) == [MANIFEST, NETWORK, "weights.crf"]
    manifest = read(over)
    assert [one["file"] for one in manifest["files"]] == ["weights.crf", NETWORK]
    assert manifest["network"] == ["link_density", "words"]
    assert list(manifest["features"]) == ["words", "pass", "link_density"]


def test_equal_bundles_with_networks_give_equal_bytes(over: Path, tmp_path: Path) -> None:
    save_bundle(copy.deepcopy(OVER), tmp_path / "other")
    for path in over.iterdir():
        assert path.read_bytes() == (tmp_path / "other" / path.name).read_bytes()


def test_a_model_without_networks_replaces_one_with(over: Path) -> None:
    save_bundle(MADE, over)
    assert sorted(path.name for path in over.iterdir()) == [MANIFEST, "weights.crf"]
    assert load_bundle(over) == MADE


def test_a_manifest_without_networks_has_no_names_of_theirs(made: Path) -> None:
    assert read(made)["network"] == []
    assert list(read(made)["features"]) == ["words", "link_density"]


def test_missing_networks_are_named(over: Path) -> None:
    (over / NETWORK).unlink()
    with pytest.raises(ModelError, match=r"network\.npz: No such file"):
        load_bundle(over)


@pytest.mark.parametrize("place", [0, 100, -1])
def test_flipped_byte_of_networks_is_seen(over: Path, place: int) -> None:
    data = bytearray((over / NETWORK).read_bytes())
    data[place] ^= 1
    (over / NETWORK).write_bytes(data)
    with pytest.raises(ModelError, match=r"network\.npz: SHA-256 differs"):
        load_bundle(over)


@pytest.mark.parametrize("data", [b"", b"junk", b"PK\x03\x04", labels_to_bytes(OVER.network)[:-50]])
def test_damaged_networks_with_their_digest_are_refused(over: Path, data: bytes) -> None:
    renew(over, data)
    with pytest.raises(ModelError, match=r"over/network\.npz: damaged network"):
        load_bundle(over)


@pytest.mark.parametrize("name", [MANIFEST, NETWORK, "weights.crf"])
def test_files_that_are_too_large_are_refused_unread(over: Path, name: str) -> None:
    with (over / name).open("ab") as file:
        file.truncate(2**40)  # without taking room on the disk
    with pytest.raises(
        ModelError, match=re.escape(f"{name}: more than 256 MB, no file of a model")
    ):
        load_bundle(over)


def test_networks_of_other_shapes_are_refused(over: Path) -> None:
    layer = Layer(np.zeros((3, 3), np.float32), np.zeros(3, np.float32), "linear")
    renew(over, labels_to_bytes(Network(("words",), SCALING, ((layer,),))))
    with pytest.raises(ModelError, match=r"network\.npz: damaged network: its layers do not fit"):
        load_bundle(over)


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
    "more features": lambda manifest: manifest["features"].update(fingerprints(["chars"])),
}


@pytest.mark.parametrize("change", NETWORKS.values(), ids=NETWORKS)
def test_manifest_that_does_not_fit_its_networks_is_refused(over: Path, change: Edit) -> None:
    edit(over, change)
    with pytest.raises(ModelError, match="over"):
        load_bundle(over)


def test_first_pass_without_a_network_is_refused(made: Path) -> None:
    edit(made, assign(["words", "pass"], "encoder", "names"))
    edit(made, assign(fingerprints(["words", "pass"]), "features"))
    with pytest.raises(ModelError, match=r"malformed manifest: .*without its network"):
        load_bundle(made)


@pytest.mark.parametrize(
    "cut", [{"keep": ["title", "headers"]}, {"keep": []}, {}], ids=["two", "none", "older"]
)
def test_conventions_come_back_as_they_were(trained: Path, cut: Manifest) -> None:
    edit(trained, assign(cut, "cut"))
    tagger = taggers.load(trained)
    assert tagger.cut == CutParams(keep=tuple(cut.get("keep", ())))  # type: ignore[attr-defined]
    assert hash(tagger.cut) == hash(tagger.cut)  # type: ignore[attr-defined]


@pytest.mark.parametrize("keep", ["title", ["titles"], [1], {"colour": 1}, None, 3], ids=str)
def test_unknown_conventions_are_refused(trained: Path, keep: object) -> None:
    edit(trained, assign(keep, "cut", "keep"))
    with pytest.raises(ModelError, match="copied-model: unknown parameter of the cut"):
        taggers.load(trained)


# fingerprints


def test_changed_feature_changes_its_fingerprint(
    monkeypatch: pytest.MonkeyPatch, made: Path
) -> None:
    before, old = fingerprints(tuple(FEATURES)), FEATURES["words"]
    monkeypatch.setitem(FEATURES, "words", lambda page: old(page) * 1.001)
    table._plan.cache_clear()
    try:
        after = fingerprints(tuple(FEATURES))
        assert [name for name in before if before[name] != after[name]] == ["words"]
        with pytest.raises(ModelError, match=r"made: made for other features \(words changed\)"):
            load_bundle(made)
    finally:
        table._plan.cache_clear()


def test_changed_first_pass_changes_its_fingerprints(
    monkeypatch: pytest.MonkeyPatch, over: Path
) -> None:
    before = fingerprints(FIRST_PASS_NAMES)
    monkeypatch.setattr(firstpass, "LEAST", 1e-3)
    after = fingerprints(FIRST_PASS_NAMES)
    changed = [name for name in before if before[name] != after[name]]
    assert changed == ["pass[-2]", "pass[-1]", "pass", "pass[+1]", "pass[+2]"]
    with pytest.raises(ModelError, match=r"over: made for other features \(pass changed\)"):
        load_bundle(over)


def test_removed_feature_is_named(monkeypatch: pytest.MonkeyPatch, made: Path) -> None:
    monkeypatch.setattr(evidence, "COLUMN_NAMES", evidence.COLUMN_NAMES - {"link_density"})
    with pytest.raises(ModelError, match=r"made: .*no feature 'link_density'"):
        load_bundle(made)


def test_feature_that_a_model_does_not_use_may_come_and_change(
    monkeypatch: pytest.MonkeyPatch, made: Path
) -> None:
    monkeypatch.setitem(FEATURES, "new", FEATURES["words"])
    monkeypatch.setitem(FEATURES, "chars", FEATURES["words"])
    assert load_bundle(made) == MADE


# finding models


@pytest.fixture
def shipped(monkeypatch: pytest.MonkeyPatch, made: Path, tmp_path: Path) -> Path:
    places = (tmp_path / "package", tmp_path / "checkout")
    monkeypatch.setattr(bundle_module, "_PLACES", places)
    return Path(shutil.copytree(made, places[1] / "news"))


def test_model_is_found_by_path(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_model(made) == made
    assert find_model(str(made)) == made
    monkeypatch.chdir(made.parent)
    assert find_model("made") == Path("made")


def test_model_is_found_by_name(shipped: Path) -> None:
    assert find_model("news") == shipped
    assert load_bundle(find_model("news")) == MADE


def test_package_comes_before_checkout(shipped: Path, made: Path, tmp_path: Path) -> None:
    copied = Path(shutil.copytree(made, tmp_path / "package" / "news"))
    assert find_model("news") == copied


@pytest.mark.parametrize("name", ["absent", "", ".", "..", "../checkout/news", "news/../news", "/"])
def test_other_names_find_nothing(
    shipped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / "empty" / "inner").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "empty" / "inner")
    with pytest.raises(ModelError, match="no shipped model"):
        find_model(name)


# writing files


def listed(folder: Path) -> list[str]:
    """Names of all files, temporary ones too."""
    return sorted(path.name for path in folder.iterdir())


def test_file_is_written(tmp_path: Path) -> None:
    write_atomically(tmp_path / "x", b"\0\xff\n")
    assert (tmp_path / "x").read_bytes() == b"\0\xff\n"
    assert listed(tmp_path) == ["x"]


def test_file_is_replaced(tmp_path: Path) -> None:
    write_atomically(tmp_path / "x", b"a long first text")
    write_atomically(tmp_path / "x", b"second")
    assert (tmp_path / "x").read_bytes() == b"second"
    assert listed(tmp_path) == ["x"]


def test_mode_follows_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_atomically(tmp_path / "x", b"")
        after = os.umask(0o027)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == 0o640
    assert after == 0o027


def test_nothing_is_left_where_renaming_fails(tmp_path: Path) -> None:
    (tmp_path / "x" / "full").mkdir(parents=True)
    with pytest.raises(OSError, match="x"):
        write_atomically(tmp_path / "x", b"data")
    assert listed(tmp_path) == ["x"]


def test_old_file_survives_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x").write_bytes(b"old")

    def full(handle: int, mode: str) -> object:
        os.close(handle)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fdopen", full)
    with pytest.raises(OSError, match="No space"):
        write_atomically(tmp_path / "x", b"new")
    assert (tmp_path / "x").read_bytes() == b"old"
    assert listed(tmp_path) == ["x"]


def test_nothing_is_left_after_an_interrupt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(path: Path, target: Path) -> Path:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(tmp_path / "x", b"data")
    assert listed(tmp_path) == []


def test_missing_directory_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_atomically(tmp_path / "absent" / "x", b"")


@pytest.mark.parametrize("name", ["a" * 251, "ř" * 125, "漢" * 84], ids=["1", "2", "3"])
def test_names_as_long_as_the_system_allows(tmp_path: Path, name: str) -> None:
    write_atomically(tmp_path / name, b"x")
    assert listed(tmp_path) == [name]
