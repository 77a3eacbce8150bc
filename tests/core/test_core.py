"""Tests of `core/native.py`: a core that is missing, or that was built from other sources."""

from __future__ import annotations

import importlib
import sys

import pytest

from crfclean.core import native
from crfclean.types import CrfcleanError


def reload_error() -> native.CoreError:
    """The error of opening the core; the module has an `CoreError` of its own each time."""
    try:
        with pytest.raises(ImportError) as caught:
            native._opened()
    finally:
        importlib.invalidate_caches()
    assert isinstance(caught.value, CrfcleanError)
    return caught.value


def test_a_missing_core_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "crfclean.core._core", None)  # as if it were not there
    message = str(reload_error())
    assert message.startswith("the compiled part of crfclean cannot be loaded (")
    assert "pip install --force-reinstall" in message
    assert "\n" not in message


def test_a_core_of_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native.CORE, "VERSION", native.VERSION + 1)
    assert "built from other sources" in str(reload_error())
