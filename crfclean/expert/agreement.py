"""The agreement of a text with the page's title, for the candidates of the main heading."""

from __future__ import annotations

import re

_MAX_CHARS = 200  # of title and text in a comparison, whose time is quadratic
_PLAIN = str.maketrans({**dict.fromkeys("‘’‚′`´", "'"), **dict.fromkeys("“”„«»″", '"'), "…": "..."})
_PLAIN |= str.maketrans(dict.fromkeys("‐‑‒–—―−", "-"))
# "Ferry in the ice - Harbour News", "BBC NEWS | Technology | Ferry in the ice"
_PARTS = re.compile(r"\s+[-|:/>·]+\s+|:{2,}|\|+")
SHARE = 0.5  # of the longest part of a title; 0.35 and 0.65 are equal or worse (eval/segments)


def plain(text: str) -> str:
    r"""A text in lower case with single spaces and plain quotes and dashes.

    >>> plain("The  “Ferry” \u2013 back")
    'the "ferry" - back'
    """
    return " ".join(text.translate(_PLAIN).lower().split())[:_MAX_CHARS]


def common_substring(title: str, text: str) -> int:
    """Length of the longest common substring of two texts in `plain` form.

    >>> common_substring("Ferry in the ice - News", "The ferry in  the Ice")
    16
    """
    whole, text, size = plain(title), plain(text), 0
    for start in range(len(text)):
        while start + size < len(text) and text[start : start + size + 1] in whole:
            size += 1
    return size


def longest_part(title: str) -> int:
    """Length of the longest part of a title between lines, dashes and the like.

    >>> longest_part("Ferry in the ice - Harbour News")
    16
    """
    return max(map(len, map(str.strip, _PARTS.split(plain(title)))))


def agrees(title: str, text: str) -> bool:
    """Whether a text shares enough with a title to be the headline that the title repeats.

    Enough is at least half of the longest part of the title: the name of a site or of a section in
    it is less.

    >>> [agrees("Ferry in the ice - News", text) for text in ("The ferry in the ice", "News")]
    [True, False]
    """
    return bool(plain(title)) and common_substring(title, text) >= SHARE * longest_part(title)
