"""Tests of `extras/dolma.py`: with dolma where it is installed, else a stand-in."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from checkout import ROOT
from standins import stand_in

import crfclean

pytestmark = [  # dolma leaves files open when it is imported, warcio when it writes
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

IS_INSTALLED = find_spec("dolma") is not None
NAME = "moorland-gazette/sunday-bus-reprieve.html"
THEIRS = "dolma.warc.linearizers"


class Registry:
    """What dolma's registries do, as far as it is used."""

    _registry_storage: dict[str, type]

    @classmethod
    def add(cls, name: str) -> Callable[[type], type]:
        return lambda kind: cls._registry_storage.setdefault(name, kind)

    @classmethod
    def get(cls, name: str) -> type:
        return cls._registry_storage[name]

    @classmethod
    def remove(cls, name: str) -> None:
        cls._registry_storage.pop(name, None)


@pytest.fixture
def linearizer(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A linearizer as dolma makes it, by its name."""
    if not IS_INSTALLED:
        registry = type("LinearizerRegistry", (Registry,), {"_registry_storage": {}})
        parts = {"BaseLinearizer": type("BaseLinearizer", (), {}), "LinearizerRegistry": registry}
        stand_in(monkeypatch, THEIRS, **parts)
    monkeypatch.delitem(sys.modules, "crfclean.extras.dolma", raising=False)
    registry = import_module(THEIRS).LinearizerRegistry
    registry.remove("crfclean")
    import_module("crfclean.extras.dolma")
    yield registry.get("crfclean")()
    registry.remove("crfclean")
    sys.modules.pop("crfclean.extras.dolma", None)


def test_bytes_and_text_are_linearized(linearizer: Any, demo: Path) -> None:
    data = (demo / NAME).read_bytes()
    text = crfclean.extract(data)
    assert text
    assert linearizer.linearize(data, "utf-8") == text
    assert linearizer.linearize(content=data.decode("utf-8")) == text


@pytest.mark.skipif(not IS_INSTALLED, reason="dolma needs numpy 1")
def test_the_command_knows_the_name(demo: Path, tmp_path: Path) -> None:
    """Its two processes are new ones, which import the main script alone."""
    writer = import_module("warcio.warcwriter").WARCWriter
    heads = import_module("warcio.statusandheaders").StatusAndHeaders
    pages = sorted((demo / "moorland-gazette").glob("*.html"))
    with (tmp_path / "a.warc.gz").open("wb") as file:
        warc = writer(file, gzip=True)
        warc.write_record(warc.create_warcinfo_record("a.warc.gz", {}))
        for page in pages:
            warc.write_record(
                warc.create_warc_record(
                    f"https://example.org/{page.stem}",
                    "response",
                    payload=BytesIO(page.read_bytes()),
                    http_headers=heads(
                        "200 OK",
                        [("Content-Type", "text/html; charset=utf-8")],
                        protocol="HTTP/1.0",
                    ),
                    warc_headers_dict={"WARC-Identified-Payload-Type": "text/html"},
                )
            )
    options = {
        "documents": tmp_path / "*.warc.gz",
        "destination": tmp_path / "clean",
        "source_name": "crawl",
        "linearizer": "crfclean",
        "processes": 2,
    }
    words = [str(word) for name, value in options.items() for word in (f"--{name}", value)]
    subprocess.run(
        [sys.executable, "-m", "crfclean.extras.dolma", "warc", *words],
        check=True,
        capture_output=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ["PYTHONPATH"]])},
    )
    rows = gzip.decompress((tmp_path / "clean" / "a.jsonl.gz").read_bytes()).splitlines()
    texts = {row["metadata"]["url"]: row["text"] for row in map(json.loads, rows)}
    assert texts == {
        f"example.org/{page.stem}": crfclean.extract(page.read_bytes()) for page in pages
    }
