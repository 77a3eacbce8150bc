"""The text that a page holds as data, and whether the page also shows it."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

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
