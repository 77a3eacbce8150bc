"""Tests of settings, in `model/folder.py`."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from crfclean import load
from crfclean.io import MAX_FILE
from crfclean.model.folder import MANIFEST, find_model
from crfclean.model.open_once import opened
from crfclean.model.settings import Settings, read_settings, write_settings
from crfclean.pipeline import open_model
from crfclean.systems.capabilities import Decides, need
from crfclean.types import ModelError


def written(path: Path, **values: object) -> Path:
    path.write_text(json.dumps({"settings": 1, **values}), "utf-8")
    return path


def test_settings_are_read_as_they_were_written(tmp_path: Path) -> None:
    names = ((".intro", 1.5), ('"read also"', -2.0))
    cut = {"also": ("lead",), "without": ("title",), "names": names}
    settings = Settings("default", cut, ("title out",), {"default": 0.9, "tuned": 0.95}, 7)
    write_settings(tmp_path / "a.json", settings)
    assert read_settings(tmp_path / "a.json") == Settings("default", cut)


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    file = written(tmp_path / "a.json", without=["title"])
    first = open_model(file)
    assert open_model(str(file)) is open_model(str(file))
    file.unlink()
    written(file, without=["title"], threshold=0.25)
    assert need(first, Decides).cut.threshold != need(open_model(file), Decides).cut.threshold


def test_the_model_is_a_folder_beside_the_file(tmp_path: Path, model: Path) -> None:
    shutil.copytree(model, tmp_path / "in" / "own")
    file = written(tmp_path / "in" / "a.json", model="./own", rule="threshold", threshold=0.9)
    tagger = need(load(file), Decides)
    assert (tagger.cut.rule, tagger.cut.threshold) == ("threshold", 0.9)
    assert getattr(tagger, "folder") == tmp_path / "in" / "own"  # noqa: B009


def test_a_name_is_no_folder_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "default").mkdir()
    load(written(tmp_path / "a.json", model="default", threshold=0.9))
    with pytest.raises(ModelError, match=r"own: no shipped model .* write \./own"):
        load(written(tmp_path / "a.json", model="own"))


@pytest.mark.parametrize("rule", ["threshold", "precision"])
def test_a_limit_names_its_rule(tmp_path: Path, rule: str) -> None:
    tagger = need(load(written(tmp_path / "a.json", **{rule: 0.9})), Decides)
    assert (tagger.cut.rule, getattr(tagger.cut, rule)) == (rule, 0.9)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "malformed"),
        ("{", "malformed"),
        ("[" * 100_000, "malformed"),
        ("[]", "no settings"),
        ("{}", "no settings"),
        ('{"settings": 2}', "another format"),
        ('{"settings": 1, "model": 3}', "model is 3"),
        ('{"settings": 1, "model": "b.json"}', "model is 'b.json'"),
        ('{"settings": 1, "model": "./nowhere"}', "nowhere: no model folder"),
        ('{"settings": 1, "leads": true}', "leads"),
        ('{"settings": 1, "without": ["footer"]}', "no kind 'footer'"),
        ('{"settings": 1, "threshold": "high"}', "a.json"),
        ('{"settings": 1, "also": "lead"}', "a.json"),
        ('{"settings": 1, "model": "expert"}', "expert"),
        ('{"settings": 1, "names": {".intro": "high"}}', "the weight of .intro"),
        ('{"settings": 1, "names": {".intro": 3e38}}', "the weight of .intro"),
        ('{"settings": 1, "names": {".intro": NaN}}', "the weight of .intro"),
        ('{"settings": 1, "names": [".intro"]}', "no table of weights"),
        ('{"settings": 1, "names": []}', "no table of weights"),
        ('{"settings": 1, "names": null}', "no table of weights"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "a.json"
    file.write_text(text, "utf-8")
    with pytest.raises(ModelError, match=message) as raised:
        load(file)
    assert str(file) in str(raised.value)


def test_a_missing_file_and_a_large_one_are_refused(tmp_path: Path) -> None:
    for open_it in (load, open_model):
        with pytest.raises(ModelError, match="cannot be read"):
            open_it(tmp_path / "none.json")
    with (tmp_path / "a.json").open("wb") as file:
        file.truncate(MAX_FILE + 1)
    with pytest.raises(ModelError, match="more than"):
        load(tmp_path / "a.json")


# models that stay open


def test_a_folder_is_opened_once_as_long_as_it_stays_the_same(tmp_path: Path) -> None:
    loads: list[Path] = []

    def load(folder: Path) -> int:
        loads.append(folder)
        return len(loads)

    folder = shutil.copytree(find_model("forum"), tmp_path / "copy")
    assert [opened(folder, load), opened(str(folder), load)] == [1, 1]
    os.utime(folder / MANIFEST, ns=(0, 0))
    assert opened(folder, load) == 2
    assert loads == [folder, folder]
    assert opened("forum", load) == 3
    with pytest.raises(ModelError):
        opened(tmp_path / "none", load)
