"""Read the bodies of articles in a page's structured data (JSON-LD)."""

from __future__ import annotations

import html
import json
import re
from typing import Any

from crfclean.page.blocks import bounded
from crfclean.page.head import objects
from crfclean.types import Page

MAX_TEXT_CHARS = 1_000_000  # of a text are read; articles have fewer than 200,000

_MARKUP = re.compile(
    r"<(?:p|br|div|li|ul|ol|h[1-6]|span|a|b|i|strong|em|table|img)[\s/>]", re.IGNORECASE
)
_ESCAPED_MARKUP = re.compile(
    r"&lt;(?:p|br|div|li|ul|ol|h[1-6]|span|strong|b)(?:\s|/|&gt;)", re.IGNORECASE
)
_LINE_ENDS = re.compile(r"[\r\n]+")


def markup(text: str) -> str:
    r"""Return a text as HTML: markup as it stands, plain text with a paragraph for each line.

    >>> markup("Rain & wind\n\nSnow"), markup("&lt;p&gt;Rain&lt;/p&gt;")
    ('<p>Rain &amp; wind</p><p>Snow</p>', '<p>Rain</p>')
    """
    text = text[:MAX_TEXT_CHARS]
    if _MARKUP.search(text):
        return text
    if _ESCAPED_MARKUP.search(text):
        return html.unescape(text)
    lines = filter(str.strip, _LINE_ENDS.split(html.unescape(text)))
    return "".join(f"<p>{html.escape(line)}</p>" for line in lines)


_NO_CONTENT = frozenset(["comment", "answer", "review", "imageobject", "videoobject", "rating"])
_SCRIPT = re.compile(r"<script\b[^<>]*>", re.IGNORECASE)
_END = re.compile(r"</script", re.IGNORECASE)


TEXT_KEYS = ("articleBody", "text", "recipeInstructions")
"""Keys of texts that may be the content of a page."""


def article_bodies(scripts: tuple[str, ...], keys: tuple[str, ...] = ("articleBody",)) -> list[str]:
    """Return the bodies of articles as they stand, plain text or HTML; or the texts of `keys`."""
    values = [value for value in objects(scripts) if not _types(value) & _NO_CONTENT]
    bodies = (value.get(key) for value in values for key in keys)
    return [body for body in bodies if isinstance(body, str) and body.strip()]


def longest_text(scripts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the paragraphs of the longest text that may be the content of the page, () for none.

    Comments, answers and reviews are not.
    """
    text = max(article_bodies(scripts, TEXT_KEYS), key=len, default="")
    return bounded(Page(markup(text), None, "utf-8"))[1].texts if text else ()


def without_bodies(html: str) -> str:
    """Return the page without the article bodies in its structured data, otherwise unchanged.

    >>> without_bodies('<script type="application/ld+json">{"a": 1, "articleBody": "b"}</script>')
    '<script type="application/ld+json">{"a": 1}</script>'
    """
    parts, place = [], 0
    while (start := _SCRIPT.search(html, place)) and (end := _END.search(html, start.end())):
        text = html[start.end() : end.start()]
        parts += [
            html[place : start.end()],
            _without_body(text) if "ld+json" in start[0].lower() else text,
        ]
        place = end.start()
    return "".join([*parts, html[place:]])


def _without_body(text: str) -> str:
    """Return the JSON of a script without `articleBody`; unchanged if it has none or is no JSON."""
    if "articleBody" not in text:
        return text
    try:
        value = json.loads(text, strict=False, object_pairs_hook=_other_pairs)
    except (ValueError, RecursionError):
        return text
    return json.dumps(value, ensure_ascii=False).replace("</", "<\\/")


def _other_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return {key: value for key, value in pairs if key != "articleBody"}


def _types(value: dict[str, Any]) -> set[str]:
    types = value.get("@type")
    names = types if isinstance(types, list) else [types]
    return {name.lower() for name in names if isinstance(name, str)}
