"""The texts in the state that a page's scripts start with: Next.js, Nuxt and the like.

State is JSON, or JavaScript that holds it; only its string literals are read, from left to right.
So depth costs nothing, and text that is not quite JSON is read as well.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from crfclean.carried.texts import CarriedText, is_markup

MAX_STATE_CHARS = 5_000_000  # of scripts that are read; the largest pages have 2,000,000
MIN_STRING_CHARS = 400  # shorter texts are labels, teasers and descriptions
MIN_PARAGRAPHS = 3
_DEPTH = 2  # JSON in a string of JSON is read as well

_SCRIPT_START = re.compile(r"<script\b([^<>]{0,2000})>", re.IGNORECASE)
_SCRIPT_END = re.compile(r"</script", re.IGNORECASE)
_STATE_TYPE = re.compile(r"application/json|__NEXT_DATA__|__NUXT_DATA__", re.IGNORECASE)
_ASSIGNED = re.compile(r"__NUXT__|STATE__|State\s*=|Fusion\.globalContent|__DATA__")
_NOT_STATE = re.compile(r"translations?|i18n|locales?|messages|consent|cookie", re.IGNORECASE)
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_PARAGRAPH_END = re.compile(r"</p>|<br\s*/?>\s*<br|\n\s*\n", re.IGNORECASE)
_CLAUSE = re.compile(r"[^.!?。！？<>{}]+([.!?。！？<>{}]|$)")
_SENTENCE_ENDS = frozenset(".!?。！？")
_MIN_SENTENCE_CHARS = 20


def state_texts(html: str) -> list[CarriedText]:
    """The texts of articles in the state of a page's scripts, the longest first; linear."""
    strings = {text for script in _scripts(html) for text in _long_strings(script) if is_text(text)}
    ranked = sorted(strings, key=lambda text: (-len(text), text))
    return [CarriedText("state", "", text) for text in ranked]


def is_text(text: str) -> bool:
    """Whether a string is the text of an article: several paragraphs, most of it sentences.

    >>> is_text("<p>It rained all day in the north of the country.</p>" * 3)
    True
    >>> is_text('{"a": "It rained all day in the north of the country."}' * 3)
    False
    """
    if len(_PARAGRAPH_END.findall(text)) < MIN_PARAGRAPHS:
        return False
    if text.lstrip()[:1] in ("{", "[") or (not is_markup(text) and "{" in text):
        return False
    sizes = [
        clause.end() - clause.start()
        for clause in _CLAUSE.finditer(text)
        if clause[1] in _SENTENCE_ENDS and clause.end() - clause.start() > _MIN_SENTENCE_CHARS
    ]
    return len(sizes) >= MIN_PARAGRAPHS and 3 * sum(sizes) >= len(text)


def _scripts(html: str) -> Iterator[str]:
    """The scripts that hold state, up to `MAX_STATE_CHARS`."""
    start, left = _SCRIPT_START.search(html), MAX_STATE_CHARS
    while start and left > 0:
        end = _SCRIPT_END.search(html, start.end())
        if end is None:
            return
        script = html[start.end() : min(end.start(), start.end() + left)]
        if _holds_state(start[1], script):
            left -= len(script)
            yield script
        start = _SCRIPT_START.search(html, end.end())


def _holds_state(attributes: str, script: str) -> bool:
    if len(script) < MIN_STRING_CHARS or _NOT_STATE.search(attributes):
        return False
    return bool(_STATE_TYPE.search(attributes) or _ASSIGNED.search(script, 0, 2_000))


def _long_strings(script: str) -> Iterator[str]:
    """The long string literals of a script, decoded; a string of JSON gives its own."""
    scripts = [(script, 0)]
    while scripts:
        script, depth = scripts.pop()
        for literal in _literals(script):
            text = _decoded(literal)
            if text.lstrip()[:1] in ("{", "[") and depth < _DEPTH:
                scripts.append((text, depth + 1))
            elif text:
                yield text


def _literals(script: str) -> Iterator[str]:
    """The long string literals of a script; reading ends at one without an end."""
    at = script.find('"')
    while at >= 0:
        literal = _STRING.match(script, at)
        if literal is None:
            return
        if literal.end() - at >= MIN_STRING_CHARS:
            yield literal[0]
        at = script.find('"', literal.end())


def _decoded(literal: str) -> str:
    """The text of a string literal, "" for one that is not JSON's."""
    try:
        text = json.loads(literal, strict=False)
    except ValueError:
        return ""
    return text if isinstance(text, str) else ""
