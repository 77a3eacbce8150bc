"""The peers of `crfclean.products.teach.runner` under the names of their results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib.metadata import version

from crfclean.products.teach import peers as runner

NAMES = {
    "trafilatura": "trafilatura",
    "resiliparse": "resiliparse",
    "jusText": "justext",
    "readability-lxml": "readability-lxml",
}
"""Name in results/ -> that of the system."""

EXTRACTIONS: Mapping[str, Callable[[str, str], str]] = {
    name: runner.EXTRACTIONS[system] for name, system in NAMES.items()
}
"""Name of a peer -> its text of a page, unguarded."""


def attempt(name: str, html: str, lang: str = "") -> tuple[str, str]:
    """A peer's text of a page, with "ok" or the name of the exception that left it empty."""
    return runner.extract_guarded(NAMES[name], html, lang)


def text_of(name: str, html: str, lang: str = "") -> str:
    """A peer's text of a page; never raises."""
    return attempt(name, html, lang)[0]


PEERS: Mapping[str, Callable[[str, str], str]] = {name: partial(text_of, name) for name in NAMES}
"""Name of a peer -> (HTML, code of the language or "") -> text."""


def peer_version(name: str) -> str:
    """The version of a peer that is installed."""
    return version(name)
