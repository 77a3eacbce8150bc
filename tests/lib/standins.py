"""Stand-ins for packages that are too large to install for tests."""

from __future__ import annotations

import sys
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
