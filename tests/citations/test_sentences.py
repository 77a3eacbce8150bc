"""Tests of `citations/cite.py`."""

from __future__ import annotations

import pytest

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
