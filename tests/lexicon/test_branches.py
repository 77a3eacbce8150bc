"""Grouped alternatives match what the alternatives match."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import pytest

from crfclean.lexicon import lexicon
from crfclean.lexicon.branches import branched
from crfclean.lexicon.language import Language

FIELDS: dict[str, Callable[[Language], str]] = {
    "by": lambda language: language.bylines.by,
    "roles": lambda language: language.bylines.roles,
    "end words": lambda language: language.bylines.end_words,
    "sure": lambda language: language.bylines.sure,
    "nouns": lambda language: language.bylines.nouns,
    "modified": lambda language: language.dates.modified,
    "published": lambda language: language.dates.published,
}


@pytest.mark.parametrize("field", FIELDS.values(), ids=FIELDS)
def test_matches_are_equal(field: Callable[[Language], str]) -> None:
    pattern = lexicon().pattern(field)
    plain = re.compile(pattern, re.IGNORECASE)
    grouped = re.compile(branched(pattern), re.IGNORECASE)
    pick = random.Random(0)
    words = [word for word in re.split(r"[^\w ]+", pattern) if word]
    for _ in range(3_000):
        text = "".join(pick.choice(words)[: pick.randint(1, 20)] for _ in range(3))
        text += pick.choice([" by", ": ", " von", "s", "", " Ann Lee"])
        text = pick.choice([text, text.upper(), text.title()])
        assert [found.span() for found in plain.finditer(text)] == [
            found.span() for found in grouped.finditer(text)
        ]


@pytest.mark.parametrize(
    ("alternatives", "text"),
    [
        ("ab|a|abc", "abc"),
        ("a|b?c|ab|c", "ab"),
        ("(?:x|ab)?c|(?:a)+|a", "aac"),
        (r"a\|b|\(x|[(|]y|(?:a|\)b)z", r"a|b(x|y)bz"),
        ("stand|kind", "ſtandKınd"),
    ],
)
def test_order_and_letters(alternatives: str, text: str) -> None:
    plain, grouped = (re.compile(p, re.IGNORECASE) for p in (alternatives, branched(alternatives)))
    assert plain.findall(text) == grouped.findall(text) != []
