"""Tests of `document/html.py`: the sanitiser's work is bounded, its output stays the same."""

from __future__ import annotations

import random
from html import escape

import pytest
from doubles import KeepAll
from hypothesis import given
from hypothesis import strategies as st

from crfclean.document import html as module
from crfclean.document.html import MAX_ATTRIBUTE, HeldText, to_html
from crfclean.page.decode import decode
from crfclean.pipeline import run

pytest.importorskip("nh3")
from crfclean.document.html import sanitised

TEXTS = st.text("ab &<>\"'\xa0\t\n;#x1\x01\x02é漢", max_size=30)
DEAR = "&\xa0"
"""Characters whose runs the sanitiser reads in quadratic time."""


@given(st.lists(TEXTS, max_size=6))
def test_held_texts_come_back_as_the_sanitiser_writes_them(texts: list[str]) -> None:
    def markup(spell: object) -> str:
        parts = "".join(f"<em>{spell(text)}</em>{spell(text)}" for text in texts)  # type: ignore[operator]
        table = f"<table><tr><td>{parts}</td></tr></table>"
        return f"<p>{parts}</p>\n{table}<pre><code>{parts}</code></pre>"

    held = HeldText()
    marks = str.maketrans("", "", "\x01\x02")
    plain = sanitised(markup(lambda text: escape(text.translate(marks), quote=False)))
    assert held.restored(sanitised(markup(held.text))) == plain


ATTACKS = {
    "text": "<p>{}</p>",
    "runs": "<p><span>{}</span></p>",
    "alternative": '<p>a<img src="/a.png" alt="{}"> b</p>',
    "title": '<p><a href="/a" title="{}">words of a link</a></p>',
    "address": '<p><a href="/a?{}">words of a link</a></p>',
    "language": '<p lang="{}">words</p>',
    "code": '<pre><code class="language-{}">{}</code></pre>',
}


@pytest.mark.parametrize("char", DEAR)
@pytest.mark.parametrize("name", ATTACKS)
def test_the_sanitiser_reads_few_of_them_in_a_row(
    name: str, char: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its work is the characters of a text or attribute times those among them that are dear."""
    seen: list[str] = []

    def note(markup: str) -> str:
        seen.append(markup)
        return markup

    monkeypatch.setattr(module, "sanitised", note)
    spelled = char.replace("&", "&amp;") * 100_000
    page = decode(f"<html><body>{ATTACKS[name].replace('{}', spelled)}</body></html>")
    assert to_html(run(page, KeepAll()))
    (markup,) = seen
    pieces = markup.replace(">", "<").split("<")
    work = sum(len(piece) * (piece.count("&") + piece.count("\xa0")) for piece in pieces)
    assert work <= 6 * MAX_ATTRIBUTE**2


def test_pages_are_written_as_before() -> None:
    chance = random.Random(1)
    words = [
        "a &amp; b",
        "&nbsp;",
        "<b>c</b>",
        "&lt;d&gt;",
        "e\xa0f",
        "<i>&amp;</i>",
        "<br>",
        "'g\"",
    ]
    html = "".join(f"<p>{''.join(chance.choices(words, k=9))}</p>" for _ in range(50))
    document = run(decode(html), KeepAll())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(HeldText, "text", lambda _, text: escape(text, quote=False))
        patch.setattr(HeldText, "attribute", lambda _, text: escape(text))
        before = to_html(document)
    assert to_html(document) == before
