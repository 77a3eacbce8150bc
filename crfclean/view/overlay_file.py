"""Write the view of a page as one HTML file that needs nothing else and loads nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from string import Template
from typing import Any

from crfclean._version import __version__
from crfclean.types import Page, Tagger
from crfclean.view.assets import read_view_asset
from crfclean.view.overlay import view_of_page
from crfclean.view.paint import frame_script, script_digest


def overlay_html(page: Page, tagger: Tagger) -> str:
    """Clean a page and show it with what was kept, as the content of an HTML file.

    >>> from crfclean.taggers.load import by_name
    >>> page = Page("<h1>Ice</h1><p>The ferry stays in its harbour.")
    >>> html = overlay_html(page, by_name("links"))
    >>> html[:15], html.count("<script")
    ('<!DOCTYPE html>', 2)
    """
    return view_html(view_of_page(page, tagger))


def view_html(view: Mapping[str, Any]) -> str:
    """The file of a view."""
    script = read_view_asset("overlay.js")
    policy = (
        f"default-src 'none'; script-src {script_digest(script)} {script_digest(frame_script())}; "
        "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
    )
    head = (
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="referrer" content="no-referrer">'
        f'<meta name="generator" content="crfclean {escape(__version__)}">'
        f"<style>{read_view_asset('palette.css')}{read_view_asset('overlay.css')}</style>"
    )
    data = f'<script type="application/json" id="data">{_inert(view)}</script>'
    title = view["title"] or view["url"] or "A page"
    return _shell(head, f"{title} – what crfclean keeps", f"{data}<script>{script}</script>")


def served_shell() -> tuple[str, str]:
    """The shell of the view for a server, whose data come by a message, and its policy."""
    head = (
        '<link rel="stylesheet" href="/static/palette.css">'
        '<link rel="stylesheet" href="/static/overlay.css">'
    )
    policy = (
        f"default-src 'none'; script-src 'self' {script_digest(frame_script())}; "
        "style-src 'self' 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'self'"
    )
    script = '<script src="/static/overlay.js"></script>'
    return _shell(head, "What crfclean keeps", script), policy


def _shell(head: str, title: str, scripts: str) -> str:
    template = Template(read_view_asset("overlay.html"))
    return template.substitute(head=head, title=escape(title), scripts=scripts)


def _inert(view: Mapping[str, Any]) -> str:
    """A view as JSON in ASCII that cannot end the element around it."""
    return json.dumps(view).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
