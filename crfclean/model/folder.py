"""Read and write model folders: a manifest, and the weights in the format of their engine."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from crfclean._version import __version__
from crfclean.io import check_digest, naming_path, read_file, with_digest, write_atomically
from crfclean.model.columns import FEATURES
from crfclean.model.encoder import Encoder, check_encoder
from crfclean.model.feature_prints import check_features, check_packages, fingerprints_of
from crfclean.model.first_pass import FIRST_PASS_PLACES
from crfclean.model.network_files import labels_from_bytes, labels_to_bytes
from crfclean.model.networks import Network
from crfclean.model.page_digests import pack_digests, unpack
from crfclean.page.effects import is_element
from crfclean.types import Label, ModelError

__all__ = ["save_bundle"]

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
