"""Tests of `citations/cite.py`."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crfclean.citations.cite import sentence_spans

CASES = {
    "plain": ["It rained.", "It rained again!", "Did it?", "Yes…", "No"],
    "quotes": ["“Rain?” she asked.", "“No.”", "He left (at last).", "See No. 5 there."],
    "numbers": ["It cost 3.50 pounds.", "The 10.40 left at 10.45.", "None came."],
    "abbreviations": ["Dr. Lee met Mr. Roe, e.g. in Rome.", "They talked, etc. as before."],
    "initials": ["J. R. Roe of the U.S. Army spoke.", "Nobody listened."],
    "ordinals": ["Am 3. Mai fuhr sie ab.", "Es regnete."],
    "days": ["He left on May 3.", "It rained."],
    "lower case": ["He works at example.org. it is new."],
    "Czech": ["Hráli 2. května na hřišti č. 5.", "Vyhráli."],
    "Chinese": ["今天下雨。", "明天呢？", "「晴。」", "好"],
    "Hindi": ["बारिश हुई।", "वह गया।"],
    "Arabic": ["هل أمطرت؟", "نعم."],
}


@pytest.mark.parametrize("name", CASES)
def test_sentences_end_at_their_marks(name: str) -> None:
    text = ("" if name == "Chinese" else " ").join(CASES[name])  # its marks need no white space
    assert [text[start:end] for start, end in sentence_spans(text)] == CASES[name]


@given(st.text(alphabet="ab A.!?。”) \n3", max_size=60))
def test_sentences_cover_all_but_white_space(text: str) -> None:
    spans = sentence_spans(text)
    assert all(start < end for start, end in spans)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
    assert "".join("".join(text[start:end].split()) for start, end in spans) == "".join(
        text.split()
    )
    assert all(text[start:end] == text[start:end].strip() for start, end in spans)
