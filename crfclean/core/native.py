"""The compiled core, where it was built; without it everything runs in Python."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

VERSION = 6  # of the core's calls; a core of another one, built before, is left alone
SWITCH = "CRFCLEAN_CORE"
"""The variable of the environment that switches the core off by the value "python"."""


def _opened() -> Any:
    """The core, None where there is none."""
    if os.environ.get(SWITCH) == "python":
        return None
    try:
        core = import_module("crfclean.core._core")
    except ImportError:
        return None
    return core if core.VERSION == VERSION else None


CORE: Any = _opened()
"""The compiled core, or None."""


def core_name() -> str:
    """Which core runs: "native" or "python"."""
    return "python" if CORE is None else "native"
