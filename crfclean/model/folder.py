"""Read and write model folders, whose weights and features are checked, and files of settings."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cache, lru_cache
from operator import mul
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from crfclean import door
from crfclean._version import __version__
from crfclean.io import DIGEST, check_digest, naming_path, read_file, with_digest, write_atomically
from crfclean.model.columns import FEATURES, FIRST_PASS_PLACES, added_names, check_names
from crfclean.model.encoder import Encoder, check_encoder
from crfclean.model.network_files import labels_from_bytes, labels_to_bytes
from crfclean.model.networks import Network
from crfclean.page.effects import is_element
from crfclean.types import Floats, Label, ModelError

__all__ = ["save_bundle"]

# digests of the pages that a model was trained on, small enough for its manifest

DIGEST_BYTES = 5  # a new page has the digest of one of 10,000 pages once in 10^8 pages
MAX_DIGESTS = 50_000  # 330 kB of manifest; of more pages, the lowest digests are kept


def page_digest(html: str) -> bytes:
    r"""Return the digest of a page: the start of SHA-256 over its HTML without space and marks.

    The same page has the same digest as a file and in a corpus, in any encoding.

    >>> page_digest("\ufeff<p>One\r\ntwo</p>\n") == page_digest("<p>One two</p>")
    True
    """
    bare = "".join(html.replace("\ufeff", "").split())
    return hashlib.sha256(bare.encode("utf-8", "surrogatepass")).digest()[:DIGEST_BYTES]


def pack_digests(digests: Iterable[bytes]) -> str:
    """Return sorted digests as base64.

    >>> pack_digests([b"bbbbb", b"aaaaa", b"bbbbb"])
    'YWFhYWFiYmJiYg=='
    """
    return base64.b64encode(b"".join(sorted(set(digests))[:MAX_DIGESTS])).decode()


def unpack(packed: str) -> frozenset[bytes]:
    """Return the digests that were packed; raises `ValueError` for other text.

    >>> sorted(unpack("YWFhYWFiYmJiYg=="))
    [b'aaaaa', b'bbbbb']
    """
    data = base64.b64decode(packed, validate=True)
    if len(data) % DIGEST_BYTES:
        raise ValueError(f"{len(data)} bytes are no digests of {DIGEST_BYTES} bytes")
    return frozenset(re.findall(b"." * DIGEST_BYTES, data, re.DOTALL))


# fingerprints of features: what each gives on built-in pages, so that no model reads others
#
# `eval/models/fingerprints.py` writes them, and the tests compare them with the code.

FINGERPRINTS = Path(__file__).with_name("fingerprints.json")


@cache
def fingerprints(kind: str) -> Mapping[str, str]:
    """Feature of a kind of model ("blocks", "pagetype" …) -> its twelve hexadecimal digits."""
    prints: dict[str, str] = json.loads(read_file(FINGERPRINTS))[kind]
    return prints


def fingerprints_of(names: Sequence[str]) -> dict[str, str]:
    """Columns of blocks -> their fingerprints; raises `ModelError` for one that is none.

    The fingerprint of a feature of another package is this package with its version.
    """
    check_names(names)
    ours = fingerprints("blocks")
    return {name: ours.get(name) or door.origin("features", name) for name in names}


def check_packages(expected: Mapping[str, str]) -> None:
    """Compare the packages of a model's features with those that are installed.

    Raises `ModelError` that names the feature and the package.
    """
    for name in added_names(tuple(expected)):
        package, here = expected[name], door.origin("features", name)
        install = f"pip install {package.replace(' ', '==')}"
        if " " in package and not here:
            raise ModelError(f"the feature {name!r} of the package {package} is missing: {install}")
        if " " in package and here != package:
            raise ModelError(
                f"trained with the feature {name!r} of {package}, but {here} is installed: train "
                f"the model again, or {install}"
            )


def check_features(where: object, expected: Mapping[str, str], present: Mapping[str, str]) -> None:
    """Compare the fingerprints in a model with those of this version's features.

    Their order counts, too. Raises `ModelError` that names changed, new and missing features.
    """
    names = dict.fromkeys([*expected, *present])
    changed = [name for name in names if expected.get(name) != present.get(name)]
    if not changed and list(expected) != list(present):
        changed = ["their order"]
    if changed:
        few = ", ".join(changed[:5])
        raise ModelError(f"{where}: made for other features ({few} changed): train it again")


# A folder has `manifest.json`, and the weights in the format of their engine. CRFsuite crashes on
# truncated files and silently ignores unknown attributes. So the manifest has the length and
# SHA-256 of the weights, and a fingerprint of every feature.

_FORMAT = 3
MANIFEST = "manifest.json"
_NEW = ".new"
"""Ending of the files of a model whose manifest is not written yet."""
NETWORK = "network.npz"
_MALFORMED = (
    *(KeyError, IndexError, TypeError, ValueError),
    *(AttributeError, OverflowError, RecursionError),
)
"""The errors of reading a model if a key is missing or has another type."""
_PACKAGE = Path(__file__).parent.parent
_PLACES = (_PACKAGE / "models", _PACKAGE.parent / "models")
"""Places of shipped models: in the installed package, or beside it in a checkout."""


@dataclass(frozen=True)
class Bundle:
    """The content of a model folder.

    `network` is that of the first pass, if there is one. `parameters` are those of training, `cut`
    those of the decision rule. `sets` names the training data with pages and licence. `scores` are
    from held-out sites. `pages` are digests of the training pages (see `page_digest`).
    """

    kind: str
    encoder: Encoder
    weights: bytes
    network: Network | None = None
    elements: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    cut: Mapping[str, Any] = field(default_factory=dict)
    sets: Sequence[Mapping[str, Any]] = ()
    scores: Mapping[str, Any] = field(default_factory=dict)
    pages: frozenset[bytes] = frozenset()


def save_bundle(bundle: Bundle, folder: Path) -> None:
    """Write a model folder; equal bundles give equal bytes.

    Raises `ModelError`, also for a bundle that `load_bundle` would refuse.
    """
    _check_content(f"{folder}: cannot write the model", bundle)
    files = {f"weights.{bundle.kind}": bundle.weights}
    if bundle.network is not None:
        files[NETWORK] = labels_to_bytes(bundle.network)
    write_model(folder, files, _manifest(bundle, files), {NETWORK} - files.keys())


def write_model(
    folder: Path,
    files: Mapping[str, bytes],
    manifest: Mapping[str, Any],
    unused: AbstractSet[str] = frozenset(),
) -> None:
    """Write the files of a model and its manifest with a digest; raises `ModelError`.

    `unused` are files of a previous model that the new model does not have. A kill between any two
    steps leaves the previous model or the new one: the manifest decides, and until it is replaced,
    the new files have names of their own.
    """
    text = json.dumps(with_digest(manifest), indent=1, ensure_ascii=False) + "\n"
    with naming_path(folder, "cannot write the model", ModelError):
        folder.mkdir(parents=True, exist_ok=True)
        _rename_new_files(folder)  # of a save that was killed
        for name, data in files.items():
            write_atomically(folder / (name + _NEW), data)
        write_atomically(folder / MANIFEST, text.encode())
        _rename_new_files(folder)
        for name in unused:
            (folder / name).unlink(missing_ok=True)


def _rename_new_files(folder: Path) -> None:
    """Give the files of the manifest their names, if they still have those of new files."""
    try:
        for entry in json.loads(read_file(folder / MANIFEST))["files"]:
            path = folder / Path(entry["file"]).name
            new = path.with_name(path.name + _NEW)
            if new.is_file() and _differs(read_file(new), entry) is None:
                new.replace(path)
    except (FileNotFoundError, *_MALFORMED):
        return  # no model, or a damaged one


def _manifest(bundle: Bundle, files: Mapping[str, bytes]) -> dict[str, Any]:
    network_names = () if bundle.network is None else bundle.network.names
    return {
        "format": _FORMAT,
        "kind": bundle.kind,
        "version": __version__,
        "labels": list(Label.__members__),
        "elements": list(bundle.elements),
        "cut": dict(bundle.cut),
        "parameters": dict(bundle.parameters),
        "sets": [dict(training_set) for training_set in bundle.sets],
        "scores": dict(bundle.scores),
        "files": [file_entry(name, data) for name, data in files.items()],
        "features": fingerprints_of(_joined(bundle.encoder.names, network_names)),
        "network": list(network_names),
        "encoder": asdict(bundle.encoder),
        "pages": pack_digests(bundle.pages),
    }


def file_entry(name: str, data: bytes) -> dict[str, Any]:
    """Return the entry of a file in a manifest."""
    return {"file": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def load_bundle(folder: Path) -> Bundle:
    """Read and check a model folder; raises `ModelError` that names the fault."""
    with reading(folder / MANIFEST):
        manifest = json.loads(read_file(folder / MANIFEST))
        if manifest["format"] != _FORMAT:
            kind = f"a model of the kind {manifest['kind']}, format {manifest['format']}"
            raise ModelError(f"{folder}: {kind}; expected crf or mlp, format {_FORMAT}")
        check_digest(folder / MANIFEST, manifest)
        if manifest["labels"] != list(Label.__members__):
            raise ModelError(f"{folder}: labels {manifest['labels']} are not ours")
        files = [read_checked(folder, entry) for entry in manifest["files"]]
        with naming(folder):
            check_packages(manifest["features"])
            present = fingerprints_of(tuple(manifest["features"]))
        check_features(folder, manifest["features"], present)
        network_names, encoder = tuple(manifest["network"]), _encoder(manifest["encoder"])
        if manifest.get("second"):
            raise ModelError(f"{folder}: a model with two networks: train it anew")
        _check_names(encoder.names, network_names, tuple(manifest["features"]))
        bundle = Bundle(
            kind=str(manifest["kind"]),
            encoder=encoder,
            weights=files[0],
            network=_network(folder / NETWORK, files[1:2], network_names),
            elements=tuple(map(str, manifest["elements"])),
            parameters=dict(manifest["parameters"]),
            cut=manifest["cut"],
            sets=manifest["sets"],
            scores=manifest["scores"],
            pages=unpack(manifest.get("pages", "")),  # models of earlier versions have none
        )
    _check_content(str(folder / MANIFEST), bundle)
    return bundle


def _check_content(where: str, bundle: Bundle) -> None:
    """Raise `ModelError` for an encoder or elements that training cannot produce."""
    unknown = [name for name in bundle.elements if not is_element(name)]
    if unknown:
        raise ModelError(f"{where}: HTML has no element {unknown[0]!r}")
    try:
        check_encoder(bundle.encoder)
    except ValueError as error:
        raise ModelError(f"{where}: {error}") from error


def read_checked(folder: Path, entry: Mapping[str, Any]) -> bytes:
    """Read the file of an entry of a manifest; raises `ModelError` if it differs."""
    path = folder / Path(entry["file"]).name  # the name alone: no way out of the folder
    new = path.with_name(path.name + _NEW)
    if new.is_file() and _differs(data := read_file(new), entry) is None:
        return data  # its save was killed
    with naming_path(path, "cannot be read", ModelError):
        data = read_file(path)
    if difference := _differs(data, entry):
        raise ModelError(f"{path}: {difference}")
    return data


def _differs(data: bytes, entry: Mapping[str, Any]) -> str | None:
    """Return how the bytes of a file differ from its entry, None if they do not."""
    if len(data) != entry["bytes"]:
        return f"{len(data)} bytes, the manifest says {entry['bytes']}"
    if hashlib.sha256(data).hexdigest() != entry["sha256"]:
        return "SHA-256 differs from the manifest's: the file was changed"
    return None


@contextmanager
def reading(place: Path) -> Iterator[None]:
    """A context that turns errors of missing or malformed model files into `ModelError`."""
    try:
        yield
    except OSError as error:
        raise ModelError(f"{place}: cannot be read: {error.strerror}") from error
    except _MALFORMED as error:
        raise ModelError(f"{place}: malformed model: {error!r}") from error


@contextmanager
def naming(place: Path) -> Iterator[None]:
    """A context that puts a model's folder or file in front of a `ModelError`'s message."""
    try:
        yield
    except ModelError as error:
        raise ModelError(f"{place}: {error}") from error


def _network(file: Path, data: Sequence[bytes], names: tuple[str, ...]) -> Network | None:
    """Read the network of a file, None for one without inputs; raises `ModelError`."""
    with naming(file):
        return labels_from_bytes(data[0], names) if names else None


def _check_names(
    names: Sequence[str], network_names: Sequence[str], features: Sequence[str]
) -> None:
    """Raise `ValueError` unless `features` are the columns of encoder and network.

    The network reads the table's features; the encoder may read first-pass columns only if there
    is a network.
    """
    if _joined(names, network_names) != tuple(features):
        raise ValueError("encoder and network are not of the features")
    has_pass = bool(network_names) or FIRST_PASS_PLACES.keys().isdisjoint(names)
    if not FEATURES.keys() >= set(network_names) or not has_pass:
        raise ValueError("a first pass without its network, or a network over a first pass")


def _joined(*names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the encoder's columns, then of the network's other columns."""
    return tuple(dict.fromkeys(name for part in names for name in part))


def _encoder(parts: Mapping[str, Any]) -> Encoder:
    return Encoder(
        names=tuple(parts["names"]),
        edges=tuple(tuple(float(edge) for edge in edges) for edges in parts["edges"]),
        common=tuple(int(number) for number in parts["common"]),
        windows=tuple(tuple(int(distance) for distance in window) for window in parts["windows"]),
    )


def is_shipped_name(name: str | Path) -> bool:
    """Return whether this is the name of a shipped model, whatever the current folder has.

    A folder is a `Path`, or a text with a separator.

    >>> [is_shipped_name(name) for name in ("kinds", "./kinds", "kinds/", Path("kinds"))]
    [True, False, False, False]
    """
    return isinstance(name, str) and Path(name).name == name


def find_model(name: str | Path) -> Path:
    """Return the folder of a model by its path or shipped name; raises `ModelError`."""
    return find_manifest(name)[0]


def find_manifest(name: str | Path) -> tuple[Path, os.stat_result]:
    """Return the folder of a model as in `find_model`, and the state of its manifest."""
    for folder, manifest in _folders(name, _PLACES):
        try:
            state = os.stat(manifest)  # noqa: PTH116 - this is asked for every page
        except (OSError, ValueError):
            continue
        if stat.S_ISREG(state.st_mode):
            return folder, state
    if is_shipped_name(name):
        raise ModelError(f"{name}: no shipped model has this name; write ./{name} for a folder")
    raise ModelError(f"{name}: no model folder")


@lru_cache(maxsize=64)
def _folders(name: str | Path, places: tuple[Path, ...]) -> tuple[tuple[Path, str], ...]:
    folders = [place / name for place in places] if is_shipped_name(name) else [Path(name)]
    return tuple((folder, str(folder / MANIFEST)) for folder in folders)


# read and write models whose weights are numbers in JSON

# read and write model folders whose weights are one JSON file
#
# The manifest has the weights' length and SHA-256 and its own digest; equal weights give equal
# bytes.

FORMAT, WEIGHTS = 2, "weights.json"


def write_plain(
    folder: Path, kind: str, checked: Mapping[str, Any], weights: object, about: Mapping[str, Any]
) -> None:
    """Write a model folder; raises `ModelError`.

    Readers check the part `checked` of the manifest, and ignore the part `about`.
    """
    data = (json.dumps(weights, ensure_ascii=False, separators=(",", ":")) + "\n").encode()
    files = [file_entry(WEIGHTS, data)]
    manifest = {"format": FORMAT, "kind": kind, **checked, "files": files, **about}
    write_model(folder, {WEIGHTS: data}, manifest)


def read_manifest(folder: Path, kind: str, name: str) -> dict[str, Any]:
    """Read the manifest of a model of a kind, `name` in messages; call it in `reading`."""
    manifest: dict[str, Any] = json.loads(read_file(folder / MANIFEST))
    if (manifest["kind"], manifest["format"]) != (kind, FORMAT):
        raise ModelError(f"{folder}: no model of {name}, or of another format: train it again")
    check_digest(folder / MANIFEST, manifest)
    return manifest


def read_weights(folder: Path, manifest: Mapping[str, Any]) -> Any:
    """Read the weights that the manifest describes; call it in `reading`."""
    return json.loads(read_checked(folder, manifest["files"][0]))


MOST_WEIGHT = 1e6
"""Bound of weights: a sum of more would overflow in single precision."""


def finite(values: object, shape: tuple[int, ...]) -> Floats:
    """Return numbers as an array; raises `ValueError` for another shape, NaN or huge numbers."""
    array = np.array(values, np.float64)
    if array.shape != shape or not (np.abs(array) <= MOST_WEIGHT).all():
        raise ValueError(f"weights are not {shape} numbers within +-{MOST_WEIGHT:g}")
    return array


# small logistic regressions, whose weights are one JSON file beside the code that uses them

BIAS = "bias"
"""The last input of each regression; its value is 1."""

_MOST = 30.0  # log-odds: beyond it the probability is 0 or 1, and `exp` overflows

Weights = Mapping[str, float]
"""Input -> its weight, `BIAS` last."""


def probability(weights: Weights, inputs: Sequence[float]) -> float:
    """Return the probability (0..1) for the values of all inputs but the bias, in order.

    >>> probability({"a": 2.0, "bias": -1.0}, [0.5])
    0.5
    """
    total = sum(map(mul, weights.values(), (*inputs, 1.0)))
    return 1.0 / (1.0 + math.exp(-max(-_MOST, min(_MOST, total))))


def load_logistic(
    path: Path, kind: str, inputs: Mapping[str, Sequence[str]]
) -> dict[str, dict[str, float]]:
    """Read the weights of regressions with these inputs; raises `ModelError`."""
    with reading(path):
        parts = json.loads(read_file(path))
        if (parts["kind"], parts["format"]) != (kind, FORMAT):
            raise ModelError(f"{path}: no weights of {kind}, or of another format: train it again")
        check_digest(path, parts)
        weights = {
            name: {key: float(weight) for key, weight in parts["weights"][name].items()}
            for name in inputs
        }
        for name, names in inputs.items():
            if tuple(weights[name]) != (*names, BIAS):
                raise ModelError(f"{path}: {name} has other inputs: train it again")
            if not all(abs(weight) <= MOST_WEIGHT for weight in weights[name].values()):
                raise ModelError(f"{path}: {name} has a weight beyond +-{MOST_WEIGHT:g}")
        return weights


# read and write a file of settings: a model by name, with other decisions
#
# It is JSON that people read and edit. `model` is the name of a shipped model, or a folder: beside
# the file, as in "./my-model", or an absolute path. The parameters of the decision rule stand under
# their names. All other entries are notes for readers.

SUFFIX = ".json"
SETTINGS_FORMAT = 1
_KEY = "settings"
"""Key of the format's number, which identifies a file of settings."""
_NOTES = ("understood", "f1", "pages", DIGEST)


@dataclass(frozen=True, slots=True)
class Settings:
    """A model, by folder or shipped name, and the decisions that differ from its own.

    `cut` has parameters of `CutParams` by name. The rest are notes: `understood` says in words what
    the settings do; `f1` are scores (0..1) on the `pages` pages that they were learned from.
    """

    model: str | Path = "default"
    cut: Mapping[str, Any] = field(default_factory=dict)
    understood: tuple[str, ...] = ()
    f1: Mapping[str, float] = field(default_factory=dict)
    pages: int = 0


def is_settings(name: str | Path) -> bool:
    """Return whether a model's name is the name of a file of settings.

    >>> is_settings("news.json"), is_settings("default")
    (True, False)
    """
    return str(name).endswith(SUFFIX)


def read_settings(path: Path) -> Settings:
    """Read the settings of a file without the notes; find the model's folder beside the file.

    Raises `ModelError`.
    """
    with reading(path):
        values = json.loads(read_file(path))
        if not isinstance(values, dict) or values.pop(_KEY, None) != SETTINGS_FORMAT:
            raise ModelError(f"{path}: no settings of crfclean, or of another format")
        model = values.pop("model", "default")
        if not isinstance(model, str) or not model or is_settings(model):
            raise ModelError(f"{path}: model is {model!r}, but it is a folder or a shipped name")
        if not isinstance(values.get("names", {}), dict):
            raise ModelError(f'{path}: names is no table of weights, as in {{".score": -2.5}}')
    cut = {name: value for name, value in values.items() if name not in _NOTES}
    for name in ("threshold", "precision"):
        if name in cut:
            cut.setdefault("rule", name)
    lists = {name: tuple(value) for name, value in cut.items() if isinstance(value, list)}
    pairs = {name: tuple(value.items()) for name, value in cut.items() if isinstance(value, dict)}
    place = model if is_shipped_name(model) else path.parent / model
    return Settings(place, {**cut, **lists, **pairs})


def write_settings(path: Path, settings: Settings) -> None:
    """Write a file of settings; raises `CrfcleanError`."""
    notes = {"understood": settings.understood, "f1": settings.f1, "pages": settings.pages}
    names = {"names": dict(settings.cut["names"])} if settings.cut.get("names") else {}
    values = {_KEY: SETTINGS_FORMAT, "model": str(settings.model), **settings.cut, **names, **notes}
    text = json.dumps(with_digest(values), indent=1, ensure_ascii=False) + "\n"
    with naming_path(path, "cannot be written"):
        write_atomically(path, text.encode())


def is_unedited(path: Path) -> bool:
    """Return whether a file is as `write_settings` wrote it; people edit such files."""
    try:
        values = json.loads(read_file(path))
        return bool(values[DIGEST] == with_digest(values)[DIGEST])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return False


# open a model once, until its manifest or its file of settings changes

Model = TypeVar("Model")


def opened(name: str | Path, load: Callable[[Path], Model]) -> Model:
    """Open a model by `load`: a folder, a file of settings or a shipped name.

    Raises `ModelError`.
    """
    if is_settings(name):
        folder = Path(name)
        with reading(folder):
            state = os.stat(name)  # noqa: PTH116 - this is asked for every page
    else:
        folder, state = find_manifest(name)
    model: Model = _loaded(load, folder, state.st_mtime_ns, state.st_ino)
    return model


@lru_cache(maxsize=8)
def _loaded(load: Callable[[Path], Any], folder: Path, _changed: int, _file: int) -> Any:
    return load(folder)
