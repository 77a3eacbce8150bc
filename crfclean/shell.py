"""The HTML document around every report and page, with the static files that they share."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
from html import escape
from pathlib import Path

from crfclean._version import __version__

_STATIC = Path(__file__).parent / "static"
_MEDIA = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


def html_document(title: str, head: str, body: str, root: str = ' lang="en"') -> str:
    """An HTML document with this markup in its head and as its body."""
    return (
        f'<!DOCTYPE html><html{root}><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title>{head}</head>{body}</html>\n"
    )


def policy(*scripts: str) -> str:
    """The element that lets a document run these scripts and nothing else, and load nothing."""
    digests = " ".join(map(script_digest, scripts)) or "'none'"
    return (
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        f"script-src {digests}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
        "form-action 'none'\">"
    )


def script_digest(script: str) -> str:
    """The name of a script in a Content-Security-Policy."""
    return f"'sha256-{b64encode(sha256(script.encode('utf-8')).digest()).decode('ascii')}'"


def file_page(title: str, body: str, sheets: Iterable[str], *scripts: str) -> str:
    """A page as one file, with style sheets by their names, that runs no script but these."""
    head = (
        f'{policy(*scripts)}<meta name="referrer" content="no-referrer">'
        f'<meta name="generator" content="crfclean {escape(__version__)}">'
        f"<style>{''.join(map(read_asset, ('palette.css', *sheets)))}</style>"
    )
    return html_document(title, head, f"<body>{body}</body>")


def report_page(title: str, subtitle: str, sections: str, *sheets: str) -> str:
    """A report as one file: a heading, sections of markup, and a footer."""
    body = (
        f"<header><h1>{escape(title)}</h1><p>{escape(subtitle)}</p></header>"
        f"<main>{sections}</main><footer><p>crfclean {escape(__version__)}</p></footer>"
    )
    return file_page(title, body, ("report.css", *sheets))


def served_page(title: str, body: str, sheets: Iterable[str], modules: Iterable[str]) -> str:
    """A page of a server, which has style sheets and modules under `/static/`.

    `body` is the name of the static file with its markup; the first module is run.
    """
    first, *others = modules
    links = [("icon", "icon.svg"), ("stylesheet", "palette.css")]
    links += [("stylesheet", name) for name in sheets]
    links += [("modulepreload", name) for name in others]
    head = "".join(f'<link rel="{kind}" href="/static/{name}">' for kind, name in links)
    script = f'<script type="module" src="/static/{first}"></script>'
    return html_document(title, head + script, f"<body>{read_asset(body)}</body>")


def read_asset(name: str) -> str:
    """The text of a static file; the caller checks the name."""
    return (_STATIC / name).read_text("utf-8")


def served_type(name: str) -> str | None:
    """The media type of a static file that is served, None for any other name.

    Markup is part of pages; the example is text until it is cleaned.
    """
    if name == "example.html":
        return "text/plain"
    is_file = name in {path.name for path in _STATIC.iterdir()}
    return _MEDIA.get(Path(name).suffix) if is_file else None
