"""Stand-ins for packages that are too large to install for tests."""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType

import pytest


def stand_in(monkeypatch: pytest.MonkeyPatch, name: str, **parts: object) -> None:
    """Let `import name` find these parts, whether the package is installed or not."""
    names = name.split(".")
    for at in range(1, len(names) + 1):
        whole = ".".join(names[:at])
        if whole not in sys.modules:
            monkeypatch.setitem(sys.modules, whole, ModuleType(whole))
    for key, part in parts.items():
        monkeypatch.setattr(sys.modules[name], key, part, raising=False)


def sources(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Let `import name.x` read an installed package's own file.

    No `__init__` of the package runs: it may want libraries that are not there. Skips the test if
    the package is not installed.
    """
    spec = PathFinder.find_spec(name.partition(".")[0])
    if spec is None or not spec.submodule_search_locations:
        pytest.skip(f"pip install --no-deps {name.partition('.')[0].replace('_', '-')}")
    place = Path(spec.submodule_search_locations[0]).parent
    for module in [each for each in sys.modules if each.startswith(f"{name}.")]:
        monkeypatch.delitem(sys.modules, module)
    names = name.split(".")
    for at in range(1, len(names) + 1):
        package = ModuleType(".".join(names[:at]))
        package.__path__ = [str(place.joinpath(*names[:at]))]
        monkeypatch.setitem(sys.modules, package.__name__, package)
