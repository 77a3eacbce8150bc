"""Tests of `io.py`: digests are of values, as taggers' fingerprints; no old TOML is read."""

from __future__ import annotations

import os
import runpy
import shutil
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field, fields, make_dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from doubles import KeepLong

from crfclean import io
from crfclean.decision.rules import CutParams
from crfclean.io import canonical, digest_of, read_toml, write_atomically
from crfclean.products.papers.expert import ExpertTagger
from crfclean.products.papers.main_text import MainParams
from crfclean.products.papers.segment_params import EnergyParams, LinkParams, SegmentParams
from crfclean.systems.capabilities import fingerprint
from crfclean.systems.crf import CrfTagger
from crfclean.systems.load import named


@dataclass(frozen=True)
class Fixed:
    """A tagger's place, with a fingerprint and no more."""

    fingerprint: str = "abc"


@dataclass(frozen=True)
class Inner:
    """Parameters inside others."""

    rate: float = 0.5
    words: frozenset[str] = frozenset("cab")


@dataclass(frozen=True)
class Outer:
    """Parameters that hold others."""

    inner: Inner = field(default_factory=Inner)
    names: tuple[str, ...] = ("ž", "a")


def renamed(params: Any) -> Any:
    """The same fields and values in a dataclass of another name; those inside as well."""
    values = {one.name: getattr(params, one.name) for one in fields(params)}
    values = {
        name: renamed(one) if hasattr(one, "__dataclass_fields__") else one
        for name, one in values.items()
    }
    return make_dataclass("Renamed", list(values), frozen=True)(**values)


def test_canonical_json_is_of_values() -> None:
    text = '{"inner":{"rate":0.5,"words":["a","b","c"]},"names":["\\u017e","a"]}'
    assert canonical(Outer()) == text
    assert canonical({"b": 1, "a": True}) == canonical({"a": True, "b": 1})
    assert canonical([1, 2]) == canonical((1, 2)) != canonical((2, 1))


NO_JSON = {
    "object": object(),
    "class": Outer,
    "bytes": b"x",
    "complex": 1j,
    "nested": {"x": {1: object()}},
}


@pytest.mark.parametrize("value", NO_JSON.values(), ids=NO_JSON)
def test_what_json_cannot_hold_has_no_digest(value: object) -> None:
    with pytest.raises(TypeError):
        digest_of(value)


def tagger_class(parent: type) -> type:
    """The class under another name."""
    return dataclass(frozen=True)(type("Renamed", (parent,), {"__doc__": parent.__doc__}))


TAGGERS = [
    (named("energy"), {"segments": SegmentParams(energy=EnergyParams(dissipation=5.0))}),
    (named("energy"), {"segments": SegmentParams("links", EnergyParams(dissipation=4.0))}),
    (named("energy"), {"main": MainParams(kept=0.7)}),
    (named("links"), {"segments": SegmentParams("links", links=LinkParams(large_chars=121))}),
    (ExpertTagger(), {"main": MainParams(kept=0.7)}),
]


@pytest.mark.parametrize(("tagger", "change"), TAGGERS, ids=lambda one: type(one).__name__)
def test_a_taggers_fingerprint_is_of_its_values(tagger: Any, change: dict[str, Any]) -> None:
    values = {one.name: getattr(tagger, one.name) for one in fields(tagger)}
    again = tagger_class(type(tagger))(**values)
    assert type(again).__name__ == "Renamed"
    assert again.fingerprint == tagger.fingerprint
    assert replace(tagger, **change).fingerprint != tagger.fingerprint
    assert len(tagger.fingerprint) == 16


def test_a_models_fingerprint_is_of_its_values(tagger: CrfTagger) -> None:
    again = tagger_class(CrfTagger)(Path("elsewhere"), renamed(tagger.cut), tagger.bundle)
    assert again.fingerprint == tagger.fingerprint
    changed = [
        replace(tagger.bundle, elements=("p",)),
        replace(tagger.bundle, weights=b"x"),
        replace(tagger.bundle, kind="mlp"),
        replace(tagger.bundle, encoder=replace(tagger.bundle.encoder, common=())),
    ]
    found = {replace(tagger, bundle=one).fingerprint for one in changed}
    found.add(tagger.with_cut(CutParams(threshold=0.9)).fingerprint)
    assert len(found | {tagger.fingerprint}) == 6


def test_a_tagger_without_a_fingerprint_claims_none(forum_folder: Path) -> None:
    assert fingerprint(KeepLong()) == ""


# the TOML files of the package

Compile = Callable[[Path], None]


@pytest.fixture
def package(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the TOML files of the package, from which compiled ones are read."""
    for path in (root / "crfclean").rglob("*.toml"):
        copy = tmp_path / path.relative_to(root / "crfclean")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    monkeypatch.setattr(io, "_COMPILED", tmp_path / "toml.json")
    monkeypatch.setattr(io, "_compiled", io._compiled.__wrapped__)
    return tmp_path


@pytest.fixture
def compile_toml(root: Path) -> Compile:
    """The function of the build."""
    function: Compile = runpy.run_path(str(root / "packaging/build_core.py"))["compile_toml"]
    return function


def test_compiled_files_are_those_that_were_parsed(
    package: Path, compile_toml: Compile, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = sorted(package.rglob("*.toml"))
    parsed = [tomllib.loads(path.read_text("utf-8")) for path in paths]
    assert len(parsed) > 50
    compile_toml(package)
    compiled = (package / "toml.json").read_bytes()
    compile_toml(package)
    assert (package / "toml.json").read_bytes() == compiled
    monkeypatch.delattr(tomllib, "loads")
    assert [read_toml(path) for path in paths] == parsed


CHANGES = {
    "other words": ("lexicon/eo.toml", 'code = "eo"\nnames = "esperanto"'),
    "no build": ("toml.json", None),
    "a build that broke off": ("toml.json", '{"a": {'),
}


@pytest.mark.parametrize(("name", "text"), CHANGES.values(), ids=CHANGES)
def test_a_file_that_is_not_compiled_as_it_stands_is_parsed(
    name: str, text: str | None, package: Path, compile_toml: Compile
) -> None:
    path = package / "lexicon/eo.toml"
    path.write_text('code = "eo"', "utf-8")
    compile_toml(package)
    assert read_toml(path) == {"code": "eo"}
    (package / name).unlink()
    if text is not None:
        (package / name).write_text(text, "utf-8")
    assert read_toml(path) == tomllib.loads(path.read_text("utf-8"))


# writing


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are of POSIX")
def test_a_pipe_or_a_device_is_written_and_not_replaced(tmp_path: Path) -> None:
    """`crfclean clean page.html /dev/null`, run by root."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_atomically(pipe, b"text")
    assert (os.read(reader, 9), pipe.is_fifo()) == (b"text", True)
    os.close(reader)


def test_a_full_disk_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fdopen", full)
    with pytest.raises(OSError, match="No space left") as error:
        write_atomically(tmp_path / "a.txt", b"text")
    assert error.value.filename == str(tmp_path / "a.txt")
    assert list(tmp_path.iterdir()) == []
