"""The compiled core, a required part of the package."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from crfclean.types import CrfcleanError

VERSION = 14  # of the core's calls, as in `native/module.c`


class CoreError(CrfcleanError, ImportError):
    """The compiled core is missing, or was built from other sources."""


def _opened() -> Any:
    """The core; raises `CoreError` without one that fits."""
    try:
        core = import_module("crfclean.core._core")
    except ImportError as error:
        raise CoreError(
            f"the compiled part of crfclean cannot be loaded ({error}); install crfclean again: "
            "pip install --force-reinstall --no-deps crfclean, in a checkout: pip install -e ."
        ) from None
    if core.VERSION != VERSION:
        raise CoreError(
            "the compiled part of crfclean was built from other sources; build it again: "
            "pip install -e ."
        )
    return core


CORE: Any = _opened()
"""The compiled core."""
