"""Read the bodies of articles in a page's structured data (JSON-LD)."""

from __future__ import annotations

import re
from typing import Any

from crfclean.page.blocks import bounded
from crfclean.page.head import json_objects
from crfclean.types import Blocks, Page

MAX_BODY_CHARS = 1_000_000  # of a text are read; articles have fewer than 200,000

_MARKUP = r"(?i)<(?:p|br|div|li|ul|ol|h[1-6]|span|a|b|i|strong|em|table|img)[\s/>]"
_ESCAPED_MARKUP = r"(?i)&lt;(?:p|br|div|li|ul|ol|h[1-6]|span|strong|b)(?:\s|/|&gt;)"
_LINE_ENDS = re.compile(r"[\r\n]+")


def markup(text: str) -> str:
    r"""Return a text as HTML: markup as it stands, plain text with a paragraph for each line.

    >>> markup("Rain & wind\n\nSnow"), markup("&lt;p&gt;Rain&lt;/p&gt;")
    ('<p>Rain &amp; wind</p><p>Snow</p>', '<p>Rain</p>')
    """
    import html  # with its table of names, which pages without such a body need not

    text = text[:MAX_BODY_CHARS]
    if re.search(_MARKUP, text):
        return text
    if re.search(_ESCAPED_MARKUP, text):
        return html.unescape(text)
    lines = filter(str.strip, _LINE_ENDS.split(html.unescape(text)))
    return "".join(f"<p>{html.escape(line)}</p>" for line in lines)


_NO_CONTENT = frozenset(["comment", "answer", "review", "imageobject", "videoobject", "rating"])
_TEXT_KEYS = ("articleBody", "text", "recipeInstructions")


def longest_text(page: Blocks) -> tuple[str, ...]:
    """Return the paragraphs of the longest text in JSON-LD that may be the content, () for none.

    Comments, answers and reviews are not.
    """
    values = [value for value in json_objects(page) if not _types(value) & _NO_CONTENT]
    texts = (value.get(key) for value in values for key in _TEXT_KEYS)
    text = max((text for text in texts if isinstance(text, str)), key=len, default="")
    return bounded(Page(markup(text), None, "utf-8"))[1].texts if text else ()


def _types(value: dict[str, Any]) -> set[str]:
    types = value.get("@type")
    names = types if isinstance(types, list) else [types]
    return {name.lower() for name in names if isinstance(name, str)}
