"""Install the example packages of `tests/packages` without pip and without the network."""

from __future__ import annotations

import os
import shutil
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from crfclean import door

PACKAGES = Path(__file__).parents[1] / "packages"


def install(name: str, site: Path, version: str = "") -> None:
    """Write what pip would write of a package into a directory: its module and its metadata."""
    source = PACKAGES / name
    project = tomllib.loads((source / "pyproject.toml").read_text("utf-8"))["project"]
    site.mkdir(exist_ok=True)
    for old in site.glob(f"{name.replace('-', '_')}-*.dist-info"):
        shutil.rmtree(old)
    for module in source.glob("*.py"):
        (site / module.name).write_bytes(module.read_bytes())
    version = version or project["version"]
    info = site / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(exist_ok=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    groups = (
        "\n".join([f"[{group}]", *(f"{key} = {place}" for key, place in entries.items()), ""])
        for group, entries in project["entry-points"].items()
    )
    (info / "entry_points.txt").write_text("\n".join(groups))


@contextmanager
def installed(site: Path, *names: str, version: str = "") -> Iterator[None]:
    """A context in which packages are installed, here and in the processes that it starts."""
    for name in names:
        install(name, site, version)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(site)
        paths = [str(site), os.environ.get("PYTHONPATH", "")]
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
        door._foreign.cache_clear()
        yield
    door._foreign.cache_clear()
