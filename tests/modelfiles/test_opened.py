"""Models are opened once, and again when their files have changed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from crfclean.modelfiles.folder import MANIFEST, find_model
from crfclean.modelfiles.settings import opened
from crfclean.types import ModelError


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
