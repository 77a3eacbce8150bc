"""Write the view of a page as one HTML file that loads nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from crfclean.document.page_view import view_of_page
from crfclean.shell import (
    file_page,
    read_asset,
    script_digest,
    served_page,
)
from crfclean.types import Page, Tagger


def overlay_html(page: Page, tagger: Tagger) -> str:
    """Clean a page, and return an HTML file that shows it painted.

    >>> from crfclean.systems.load import load
    >>> page = Page("<h1>Ice</h1><p>The ferry stays in its harbour.")
    >>> html = overlay_html(page, load("links"))
    >>> html[:15], html.count("<script")
    ('<!DOCTYPE html>', 2)
    """
    return view_html(view_of_page(page, tagger))


def view_html(view: Mapping[str, Any]) -> str:
    """Return the HTML file of a view."""
    script = read_asset("overlay.js")
    inert = json.dumps(view)  # in ASCII; it must not end the element around it
    inert = inert.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    data = f'<script type="application/json" id="data">{inert}</script>'
    body = f"{read_asset('overlay.html')}{data}<script>{script}</script>"
    title = f"{view['title'] or view['url'] or 'A page'} – what crfclean keeps"
    return file_page(title, body, ["overlay.css"], script, read_asset("frame.js"))


def served_view() -> tuple[str, str]:
    """Return the page of the view for a server, without its data, and its policy."""
    allowed = (
        f"default-src 'none'; script-src 'self' {script_digest(read_asset('frame.js'))}; "
        "style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'self'"
    )
    page = served_page("What crfclean keeps", "overlay.html", ["overlay.css"], ["overlay.js"])
    return page, allowed
