"""The errors that a wrong call raises."""

from __future__ import annotations


class CrfcleanError(Exception):
    """A call that cannot be carried out; the message names the file (and line) at fault."""


class ModelError(CrfcleanError):
    """A model folder that is missing, damaged, or made for other features."""


class GoldError(CrfcleanError):
    """Annotations that do not fit their page or their format."""


class NoGoldError(GoldError):
    """Pages that nobody has annotated."""
