"""Texts that a page carries as data: in JSON-LD and in the state of its scripts."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from crfclean.page.head import objects
from crfclean.types import Blocks, Page

# the text that a page holds as data, and the page that is made of it

MAX_TEXT_CHARS = 1_000_000  # of a text that is read; articles stay below 200,000
_MAX_META = 200  # elements `meta` that are copied; pages have about 30

_MARKUP = re.compile(
    r"<(?:p|br|div|li|ul|ol|h[1-6]|span|a|b|i|strong|em|table|img)[\s/>]", re.IGNORECASE
)
_ESCAPED_MARKUP = re.compile(
    r"&lt;(?:p|br|div|li|ul|ol|h[1-6]|span|strong|b)(?:\s|/|&gt;)", re.IGNORECASE
)
_LINE_ENDS = re.compile(r"[\r\n]+")
_NO_NAME = re.compile(r"[^\w:.-]")


@dataclass(frozen=True, slots=True)
class CarriedText:
    """A text that a page holds as data: where (a value of `SOURCES`), and its heading, "" if none.

    `text` is plain text or HTML.
    """

    source: str
    heading: str
    text: str


def is_markup(text: str) -> bool:
    """Whether a text is HTML.

    >>> is_markup("<p>Rain.</p>"), is_markup("1 < 2")
    (True, False)
    """
    return _MARKUP.search(text) is not None


def markup(text: str) -> str:
    r"""A text as HTML: markup as it is, plain text with a paragraph a line.

    >>> markup("Rain & wind\n\nSnow"), markup("&lt;p&gt;Rain&lt;/p&gt;")
    ('<p>Rain &amp; wind</p><p>Snow</p>', '<p>Rain</p>')
    """
    text = text[:MAX_TEXT_CHARS]
    if is_markup(text):
        return text
    if _ESCAPED_MARKUP.search(text):
        return html.unescape(text)
    lines = filter(str.strip, _LINE_ENDS.split(html.unescape(text)))
    return "".join(f"<p>{html.escape(line)}</p>" for line in lines)


def page_of(carried: CarriedText, shown: Blocks, url: str | None) -> Page:
    """A page of a carried text, with the head of the page that carries it.

    The head has its language, title, `meta` elements and structured data.
    """
    title = html.escape(shown.title)
    heading = html.escape(carried.heading or shown.title)
    data = "".join(map(_script, shown.json_ld))
    return Page(
        f"<html{_language(shown)}><head><title>{title}</title>{''.join(_metas(shown))}{data}</head>"
        f"<body><main><article><h1>{heading}</h1>{markup(carried.text)}</article></main></body></html>",
        url,
        "utf-8",
    )


def _script(json_ld: str) -> str:
    return (
        f'<script type="application/ld+json">{json_ld.replace("</", "<" + chr(92) + "/")}</script>'
    )


def _language(shown: Blocks) -> str:
    language = next((node.get("lang") for node in shown.nodes.attributes[:1]), None)
    return f' lang="{html.escape(language)}"' if language else ""


def _metas(shown: Blocks) -> Iterator[str]:
    """The `meta` elements of the head."""
    copied = 0
    for tag, attributes in zip(shown.nodes.tags, shown.nodes.attributes, strict=True):
        if tag == "body" or copied == _MAX_META:
            return
        if tag == "meta":
            copied += 1
            pairs = (
                f' {name}="{html.escape(value or "")}"'
                for name, value in attributes.items()
                if not _NO_NAME.search(name)
            )
            yield f"<meta{''.join(pairs)}>"


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

_BODIES = ("articleBody", "text")
_DESCRIBED = frozenset(
    "product productgroup individualproduct jobposting event course book movie service "
    "softwareapplication realestatelisting apartment house".split()
)
"""Types whose description is what their page is about; that of an article is a summary of it."""
_NO_CONTENT = frozenset(["comment", "answer", "review", "imageobject", "videoobject", "rating"])
_HEADINGS = ("headline", "title", "name")
_SCRIPT = re.compile(r"<script\b[^<>]*>", re.IGNORECASE)
_END = re.compile(r"</script", re.IGNORECASE)


def json_ld_texts(scripts: tuple[str, ...]) -> list[CarriedText]:
    """The bodies of articles and the descriptions of things, the longest first.

    Scripts that are not JSON are left out.
    """
    texts = [text for value in objects(scripts) for text in _texts_of(value)]
    return sorted(texts, key=lambda carried: -len(carried.text))


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


def _texts_of(value: dict[str, Any]) -> Iterator[CarriedText]:
    types = _types(value)
    if types & _NO_CONTENT:
        return
    for key in (*_BODIES, *(["description"] if types & _DESCRIBED else ())):
        text = value.get(key)
        if isinstance(text, str) and text.strip():
            yield CarriedText("json-ld", _heading(value), text)


def _types(value: dict[str, Any]) -> set[str]:
    """The types of an object, in lower case."""
    types = value.get("@type")
    names = types if isinstance(types, list) else [types]
    return {name.lower() for name in names if isinstance(name, str)}


def _heading(value: dict[str, Any]) -> str:
    texts = (value.get(key) for key in _HEADINGS)
    return next((text for text in texts if isinstance(text, str) and text.strip()), "")


# the texts in the state that a page's scripts start with: Next.js, Nuxt and the like
#
# State is JSON, or JavaScript that holds it; only its string literals are read, from left to
# right. So depth costs nothing, and text that is not quite JSON is read as well.

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
