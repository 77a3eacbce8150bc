"""Tests of `corpus/signatures.py`: what is compared of a text, in every format; params."""

from __future__ import annotations

import json

import pytest

from crfclean.corpus.signatures import (
    BANDS,
    EXACT,
    KEY_BYTES,
    MIN_LINE_WORDS,
    NEAR,
    PARAGRAPHS,
    DuplicateParams,
    Signer,
    signature,
    written_text,
)
from crfclean.document.formats import WRITERS, write
from crfclean.page.align import tokens
from crfclean.pipeline import clean

HTML = """<html lang=en><head><title>Ferry &amp; ice</title>
<meta name=author content="Ann Lee"></head><body><article><h1>Ferry &amp; ice</h1>
<p>The ferry stayed in its harbour on Monday morning, since ice had covered the whole
lake &lt;again&gt;, and the passengers walked over the bridge.</p></article></body></html>"""

ENTITIES = {"amp", "lt", "gt"}


def test_words_count_not_how_they_are_written() -> None:
    assert signature("The ferry, again.", EXACT) == signature("the  FERRY\nagain", EXACT)
    assert signature("The ferry again", EXACT) != signature("The ferry", EXACT)


def test_sizes() -> None:
    text = "a b c d e f\nshort\ng h i j k"
    assert len(signature(text, EXACT)) == KEY_BYTES
    assert len(signature(text, NEAR)) == (1 + BANDS) * KEY_BYTES + 128
    assert len(signature(text, PARAGRAPHS)) == 3 * KEY_BYTES


def test_short_lines_have_no_key() -> None:
    short, long = " ".join("abcd"), " ".join("abcde")
    assert len(tokens(long)) == MIN_LINE_WORDS
    keys = signature(f"{short}\n{long}", PARAGRAPHS)
    assert keys[:KEY_BYTES] == bytes(KEY_BYTES)
    assert any(keys[KEY_BYTES:])


def test_characters_are_words_in_scripts_without_spaces() -> None:
    assert any(signature("渡轮停在港口里", PARAGRAPHS))


@pytest.mark.parametrize("form", WRITERS)
def test_the_words_of_every_format_are_those_of_the_text(form: str) -> None:
    document = clean(HTML, url="https://example.org/1")
    text = written_text(write(document, form), form)
    assert [word for word in tokens(text) if word not in ENTITIES] == tokens(document.text)
    assert "Ann" not in text


def test_rows_and_texts_have_one_signature() -> None:
    signer = Signer(DuplicateParams(EXACT), "txt")
    row = json.dumps({"id": "1", "text": "The ferry"}).encode()
    assert signer.of_row(row) == signer.of_text("The ferry") != b""
    assert signer.of_row(b'{"text": null}') == b""


def test_a_hostile_text_takes_no_time() -> None:
    """Markup that never ends, in a file that another program has made."""
    for text in ("<" * 10**6, "<head>" * 10**5, "---\n" * 10**5):
        assert Signer(DuplicateParams(EXACT), "html").of_text(text) is not None
        assert Signer(DuplicateParams(EXACT), "md").of_text(text) is not None


def test_options_of_a_run() -> None:
    assert DuplicateParams().options == {}
    assert DuplicateParams(EXACT, 9).options == {
        "deduplicate": "exact",
        "deduplicate_limit": 9,
    }
