"""Words for readers' comments, in all languages."""

from __future__ import annotations

import re
from functools import cache

from crfclean.core import words
from crfclean.lexicon import lexicon

_STRIPPED = re.compile(r"[\W\d_]+")


def mentions_comments(text: str) -> bool:
    """Return whether a text has a word for comments in any language of the lexicon.

    >>> mentions_comments("Комментарии (12)"), mentions_comments("Commentary")
    (True, False)
    """
    bits = _comment_phrases().within(text.lower())
    if bits & _UNSPACED or _headings().search(text):
        return True
    return bits > 0 and not lexicon().comments.isdisjoint(_STRIPPED.split(text.lower()))


_SPACED, _UNSPACED = 1, 2  # bits of words that count only whole, and of those that count anywhere


@cache
def _comment_phrases() -> words.Phrases:
    spaced, unspaced = lexicon().comments, lexicon().unspaced.comments
    return words.Phrases(dict.fromkeys(spaced, _SPACED) | dict.fromkeys(unspaced, _UNSPACED))


@cache
def _headings() -> re.Pattern[str]:
    """Headings of comments without a word for them, as WordPress's "19 thoughts on ..."."""
    headings = lexicon().pattern(lambda language: language.comment_headings)
    return re.compile(rf"\b(?:{headings})\b", re.IGNORECASE)
