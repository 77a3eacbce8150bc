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


class WorkerError(CrfcleanError):
    """Worker processes that cannot start or die: the machine is at fault, so call again later."""


class OldParserWarning(UserWarning):
    """The parser inside lxml is so old that it loses text of broken pages."""


def how_to_install(extra: str) -> str:
    """Return how to install an extra, for the messages that name one.

    >>> how_to_install("warc")
    "pip install 'crfclean[warc]' (in a checkout: pip install '.[warc]')"
    """
    return f"pip install 'crfclean[{extra}]' (in a checkout: pip install '.[{extra}]')"
