"""Static files of the page view."""

from __future__ import annotations

from importlib.resources import files


def read_view_asset(name: str) -> str:
    """The text of a static file of the view."""
    return (files("crfclean.view") / "static" / name).read_text("utf-8")
