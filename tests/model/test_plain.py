"""Tests of `model/folder.py`: what is written is read again, what was changed is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from crfclean.model.folder import reading
from crfclean.model.json_model import WEIGHTS, read_manifest, read_weights, write_plain
from crfclean.types import ModelError

VALUES = {"ž": [0.5, -1.0]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_plain(tmp_path / "model", "ice", {"names": ["ž"]}, VALUES, {"sets": ["lake"]})
    return tmp_path / "model"


def read(folder: Path) -> tuple[dict[str, Any], Any]:
    with reading(folder):
        manifest = read_manifest(folder, "ice", "ice")
        return manifest, read_weights(folder, manifest)


def test_what_is_written_is_read(folder: Path, tmp_path: Path) -> None:
    manifest, weights = read(folder)
    assert list(manifest) == ["format", "kind", "names", "files", "sets", "digest"]
    assert weights == VALUES
    write_plain(tmp_path / "other", "ice", {"names": ["ž"]}, VALUES, {"sets": ["lake"]})
    for path in folder.iterdir():
        assert path.read_bytes() == (tmp_path / "other" / path.name).read_bytes()


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        (WEIGHTS, "{}", "bytes, the manifest says"),
        (WEIGHTS, None, "cannot be read: No such file"),
        ("manifest.json", None, "cannot be read: No such file"),
        ("manifest.json", "[", "malformed model"),
        ("manifest.json", "[]", "malformed model"),
        ("manifest.json", "{}", "malformed model: KeyError"),
        ("manifest.json", '{"kind": "snow", "format": 2}', "no model of ice"),
        ("manifest.json", '{"kind": "ice", "format": 1}', "no model of ice"),
        ("manifest.json", '{"kind": "ice", "format": 2, "files": []}', "malformed model.*digest"),
        ("manifest.json", '{"kind": "ice", "format": 2, "digest": ""}', "json: its digest is"),
    ],
)
def test_what_was_changed_is_refused(
    folder: Path, file: str, text: str | None, message: str
) -> None:
    (folder / file).unlink()
    if text is not None:
        (folder / file).write_text(text, "utf-8")
    with pytest.raises(ModelError, match=message):
        read(folder)
