"""The bodies of articles that a page carries in JSON-LD, and whether it shows a text."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable
from itertools import islice
from typing import Any

from crfclean.page.head import objects

# the text that a page holds as data, as markup

MAX_TEXT_CHARS = 1_000_000  # of a text that is read; articles stay below 200,000

_MARKUP = re.compile(
    r"<(?:p|br|div|li|ul|ol|h[1-6]|span|a|b|i|strong|em|table|img)[\s/>]", re.IGNORECASE
)
_ESCAPED_MARKUP = re.compile(
    r"&lt;(?:p|br|div|li|ul|ol|h[1-6]|span|strong|b)(?:\s|/|&gt;)", re.IGNORECASE
)
_LINE_ENDS = re.compile(r"[\r\n]+")


def markup(text: str) -> str:
    r"""A text as HTML: markup as it is, plain text with a paragraph a line.

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


# whether a page shows a text that it also carries

MAX_TOKENS = 50_000  # of each text that are compared
MIN_COVER = 0.5  # of the runs of a text that are on the page, from which it counts as shown
_LENGTH = 4  # words in a run: shorter ones are alike in any two texts

_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+")


def is_shown(carried: Iterable[str], shown: Iterable[str]) -> bool:
    """Whether most runs of words of a carried text stand in the texts that a page shows.

    >>> is_shown(["The rain came late in May."], ["News", "The rain came late in May. Then sun."])
    True
    """
    runs = _runs(carried)
    return bool(runs) and len(runs & _runs(shown)) >= MIN_COVER * len(runs)


def _runs(texts: Iterable[str]) -> set[tuple[str, ...]]:
    """The runs of words of texts, each once; an ideograph is a word."""
    found = (token[0] for text in texts for token in _TOKEN.finditer(text.lower()))
    tokens = list(islice(found, MAX_TOKENS))
    return set(zip(*(tokens[start:] for start in range(_LENGTH)), strict=False))


# the texts in a page's structured data (JSON-LD)

_NO_CONTENT = frozenset(["comment", "answer", "review", "imageobject", "videoobject", "rating"])
_SCRIPT = re.compile(r"<script\b[^<>]*>", re.IGNORECASE)
_END = re.compile(r"</script", re.IGNORECASE)


def article_bodies(scripts: tuple[str, ...]) -> list[str]:
    """The bodies of articles, as they stand; they may be HTML."""
    values = [value for value in objects(scripts) if not _types(value) & _NO_CONTENT]
    bodies = (value.get("articleBody") for value in values)
    return [body for body in bodies if isinstance(body, str) and body.strip()]


def without_bodies(html: str) -> str:
    """The page without the bodies of articles in its structured data; all else is as it was.

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
    """The JSON of a script without `articleBody`; as it was where it has none, or is no JSON."""
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
    """The types of an object, in lower case."""
    types = value.get("@type")
    names = types if isinstance(types, list) else [types]
    return {name.lower() for name in names if isinstance(name, str)}
