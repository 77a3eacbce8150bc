"""Tests of `features/beginnings.py`."""

from __future__ import annotations

import random
import sys

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from crfclean.core import native
from crfclean.features import beginnings as module
from crfclean.features.beginnings import (
    MAX_KIND_WORDS,
    MAX_NETWORKS_CHARS,
    MAX_NETWORKS_WORDS,
    MAX_PHRASE_CHARS,
    beginnings,
    names_networks,
    opening_group,
    phrase_kind,
)
from crfclean.features.openings import MAX_PHRASE_WORDS
from crfclean.lexicon import lexicon
from crfclean.lexicon.groups import PHRASE_GROUPS
from crfclean.lexicon.markup import NETWORKS
from crfclean.page.blocks import split
from crfclean.page.measures import Measures
from crfclean.types import Kind, Page
from eval.lib.cores import by_both

PHRASES = lexicon().block_phrases
PIECES = ["©", " ", "_", "-", "•", "²", "Σ", "é", "a", "1", "Page 7", "Fot.", "By ", "Comment"]
PIECES += [phrase for phrases in PHRASES.values() for phrase in phrases.split("|")]
EVERY = settings(max_examples=500, deadline=None, database=None, derandomize=True)

needs_core = pytest.mark.skipif(native.CORE is None, reason="there is nothing to compare")


def measures(*texts: str) -> Measures:
    return Measures(split(Page("".join(f"<p>{text}</p>" for text in texts))))


@EVERY
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=5).map("".join))
def test_phrases_are_those_of_one_pattern(text: str) -> None:
    parts = (f"(?P<{name}>{phrases})" for name, phrases in PHRASES.items())
    hit = regex.match(rf"[\W_]*(?:{'|'.join(parts)})", text.lower())
    assert opening_group(text.lower()) == (str(hit.lastgroup) if hit else "")


def test_the_longest_phrase_of_a_kind_counts() -> None:
    assert phrase_kind("\u2022 subscribe now to read") == Kind.NOTICE
    assert phrase_kind("subscribe to our letter") == Kind.PROMO
    assert phrase_kind("subscriber") == 0


def test_names_of_networks_and_nothing_else() -> None:
    assert names_networks("| facebook_twitter ...")
    assert not any(map(names_networks, ("", "...", "facebooks", "facebook and x", "on facebook")))


def test_all_that_a_block_begins_with() -> None:
    page = measures("Subscribe now", "Read more", "Facebook", "Sand")
    said = beginnings(page)
    groups = [PHRASE_GROUPS[group] if group >= 0 else "" for group in said.groups.tolist()]
    assert groups == ["subscribe", "related", "share", ""]
    assert said.kinds.tolist() == [Kind.PROMO, 0, 0, 0]
    assert said.networks.tolist() == [False, False, True, False]
    assert [len(row) for row in beginnings(measures())] == [0, 0, 0]


def test_no_kind_has_longer_phrases() -> None:
    assert max(MAX_PHRASE_WORDS.values()) == MAX_KIND_WORDS


def read(texts: list[str]) -> list[list[list[int]]]:
    """What both ways say of texts."""
    page = measures(*(text.replace("<", "") for text in texts))
    both = by_both(lambda: beginnings(Measures(page.blocks)))
    assert all(a.dtype == b.dtype for a, b in zip(*both, strict=True))
    return [[row.tolist() for row in said] for said in both]


@needs_core
def test_the_core_reads_the_same() -> None:
    rng = random.Random(3)
    kinds = [phrase for phrases in lexicon().kind_phrases.values() for phrase in phrases]
    names = [*NETWORKS.split(), "Facebook", "TWITTER", "x", " | ", "_"]
    names += ["\u00b7", "\u0307", "\u212a"]
    odd = ["\u0130", "\u017f", "\u203f", "\u0663", "\u6f22", "\u200d", "\U0001f600", "\u2040x"]
    pieces = [*PIECES, *kinds, *names, *odd]
    texts = ["".join(rng.choices(pieces, k=rng.randrange(1, 5))) for _ in range(6_000)]
    texts += [text.upper() for text in texts[:2_000]]
    marks = ["", "* ", "\u2022", "\u00a9 ", "\u00bb"]
    phrases = [*kinds, *NETWORKS.split(), *"|".join(PHRASES.values()).replace("\\", "").split("|")]
    for mark in marks:
        texts += [f"{mark}{text}{end}" for text in phrases for end in ("", " x", "xyz")]
    by_core, by_python = read(texts)
    assert by_core == by_python
    assert len(set(by_core[0])) == len(PHRASE_GROUPS) + 1
    assert len(set(by_core[1])) == 5
    assert sum(by_core[2]) > 50


@needs_core
def test_limits_are_the_same() -> None:
    texts = [f"{'-' * count}comments" for count in range(MAX_PHRASE_CHARS - 9, MAX_PHRASE_CHARS)]
    texts += [f"{'.' * (MAX_NETWORKS_CHARS - count)}facebook" for count in range(10)]
    texts += [f"facebook{' twitter' * count}" for count in range(MAX_NETWORKS_WORDS + 2)]
    texts += [f"We use cookies{' on' * count}" for count in range(MAX_KIND_WORDS)]
    texts += [f"comments{' on' * count}" for count in range(15)]
    by_core, by_python = read(texts)
    assert by_core == by_python


@needs_core
def test_letters_are_the_same_in_lower_case() -> None:
    """All that changes in lower case, or may be a mark, before and inside phrases and names."""
    codes = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
    chars = [char for char in codes if char.lower() != char]
    chars += [char for char in codes[0x80:0x3000] if char.lower() == char]
    for frame in ("{}", "{}comments", "{}facebook", "facebook{}", "Lin{}edIn", "\u00a9{}"):
        by_core, by_python = read([frame.format(char) for char in chars])
        assert by_core == by_python, frame


@needs_core
@pytest.mark.parametrize("change", [0, 1, 2, 3, 4, 5, 6])
def test_wrong_calls_raise(change: int) -> None:
    arguments = [("a", "b"), bytes(16), *module._core_params()]
    native.CORE.beginnings(*arguments)
    arguments[change] = ("a", 1) if not change else 1
    with pytest.raises(TypeError):
        native.CORE.beginnings(*arguments)


@needs_core
def test_words_of_other_texts_are_refused() -> None:
    with pytest.raises(ValueError, match="other texts"):
        native.CORE.beginnings(("a",), bytes(16), *module._core_params())
