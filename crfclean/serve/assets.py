"""Static files of the web pages: those of this room, and those of the page view."""

from __future__ import annotations

from importlib.resources import files

from crfclean.view.assets import read_view_asset

_OF_THE_VIEW = frozenset(["palette.css", "overlay.css", "overlay.js"])


def read_asset(name: str) -> bytes:
    """The content of a static file; the caller checks the name."""
    if name in _OF_THE_VIEW:
        return read_view_asset(name).encode("utf-8")
    return (files("crfclean.serve") / "static" / name).read_bytes()
