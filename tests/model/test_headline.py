"""Tests of `model/markup.py`."""

from __future__ import annotations

import pytest
from htmlpages import column, measures_of

from crfclean.core.words import tokens
from crfclean.model.markup import with_markup


def json_ld(text: str) -> str:
    return f'<script type="application/ld+json">{text}</script>'


# Tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("- . -", []),
        ("Don't e-mail A_B 3.14!", ["don", "t", "e", "mail", "a", "b", "3", "14"]),
        ("It’s “so” — Café…", ["it", "s", "so", "café"]),
        ("Привет, мир", ["привет", "мир"]),
        ("中文 text汉字", ["中", "文", "text", "汉", "字"]),
        ("かなカナ", list("かなカナ")),
        ("ไทย", list("ไทย")),
        ("مرحبا بكم", ["مرحبا", "بكم"]),
        ("한국어 문서", ["한국어", "문서"]),
        ("x² Ⅳ", ["x²", "ⅳ"]),
        ("a\nb\n", ["a", "b"]),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert tokens((text,)) == [expected]
    assert tokens(("é", text, "x")) == [["é"], expected, ["x"]]


# Columns

SITE = "<title>One two three | Some site</title>"
BODY = "word " * 100  # 500 characters

CASES = [
    # of three tokens two are the same, of five one: Dice 2 * 2 / (3 + 3), 2 * 1 / (2 + 2)
    ("title_likeness", SITE + "<p>One two three</p><p>two ONE four</p>", [1, 2 / 3]),
    ("title_likeness", SITE + "<p>some sites</p><p>else</p><p>One</p>", [0.5, 0, 0]),
    ("title_likeness", SITE + "<p>One two three - Some site</p>", [1]),
    ("title_likeness", SITE + "<p>one one two</p>", [2 * 2 / (2 + 3)]),  # tokens count once
    ("title_likeness", "<p>one two</p>", [0]),
    ("title_likeness", "<title>one</title><p>one two</p>", [0]),  # a title of one token
    ("title_likeness", "<title>a_b c|d e</title><p>b c</p><p>d e</p>", [1, 1]),
    ("title_likeness", "<title>一二三</title><p>一二三</p><p>一二四</p>", [1, 2 / 3]),
    ("title_likeness", "<meta property=og:title content='a b'><p>b a</p>", [1]),
    ("title_likeness", json_ld('{"headline": "a b"}') + "<p>A, B</p>", [1]),
    ("description_cover", "<meta name=description content='a b c d'><p>a b c d e</p>", [2 / 3]),
    (
        "description_cover",
        "<meta name=description content='a b c'><p>b c<p>x a b C!",
        [0, 0.5],
    ),
    ("description_cover", "<p>a b c</p>", [0]),
    ("description_cover", "<meta name=description content='a b'><p>a b</p>", [0]),
    ("description_cover", json_ld('{"description": "é中文"}') + "<p>É中文 a</p>", [0.5]),
    ("body_cover", json_ld('{"articleBody": "a b c. D e f"}') + "<p>c d e</p><p>d</p>", [1, 0]),
    ("body_cover", "<meta name=description content='a b c'><p>a b c</p>", [0]),
    ("has_body", json_ld(f'{{"text": "{BODY}"}}') + "<p>a</p><p>b</p>", [1, 1]),
    ("has_body", json_ld(f'{{"text": "{BODY[:-1]}"}}') + "<p>a</p>", [0]),
    ("is_headline", SITE + "<p>x</p><h1>One two three</h1><p>y</p>", [0, 1, 0]),
    ("is_headline", SITE + "<p>x</p><h2>One two three</h2><h1>z</h1>", [0, 1, 0]),
    ("is_headline", "<p>x</p><h1>y</h1><h1>z</h1>", [0, 1, 0]),  # the first of equals
    ("is_headline", "<title>x y z w</title><p>q</p><h2>x u v</h2>", [0, 1]),  # 2/7 + 0.35
    ("is_headline", "<title>x y z w</title><p>x u v</p><h4>x u v</h4>", [0, 0]),
    ("is_headline", "<p>x</p><h2>y</h2>", [0, 0]),  # 0.25 + 0.1 is too little
    ("from_headline", "<p>x</p><h1>y</h1><p>z</p><p>z</p>", [0, 0, 1, 2]),
    ("from_headline", "<p>x</p><p>y</p>", [0, 0]),
    ("to_headline", "<p>x</p><p>x</p><h1>y</h1><p>z</p>", [2, 1, 0, 0]),
    ("to_headline", "<p>x</p><p>y</p>", [0, 0]),
    ("has_headline", "<p>x</p><h1>y</h1>", [1, 1]),
    ("has_headline", "<h1>x</h1><p>y</p>", [1, 1]),
    ("has_headline", "<p>x</p><p>y</p>", [0, 0]),
]


@pytest.mark.parametrize(("name", "html", "expected"), CASES)
def test_columns(name: str, html: str, expected: list[float]) -> None:
    assert column(name, html) == pytest.approx(expected)


def test_a_headline_behind_the_running_text_is_less_likely() -> None:
    running = "<p>" + "word " * 20 + "</p>"
    html = f"<p>a</p>{running}{running}<h1>b</h1>"
    assert column("is_headline", html) == [0, 0, 0, 1]
    late = "<title>x y</title><p>a</p>" + running * 2 + "<p>x y</p>"
    assert column("is_headline", late) == [0, 0, 0, 1]
    early = "<title>x y z w</title><p>x y</p>" + running * 2 + "<p>x z</p>"
    assert column("is_headline", early) == [1, 0, 0, 0]


SCRIPTS = {
    "arabic": ("جليد على البحيرة", "العبارة بقيت في الميناء"),
    "hindi": ("झील पर बर्फ", "नाव बंदरगाह में रही"),
    "korean": ("호수의 얼음", "배는 항구에 머물렀다"),
    "greek": ("ΠΆΓΟΣ ΣΤΗ ΛΊΜΝΗ ΣΑΣ", "Το πλοίο έμεινε στο λιμάνι"),
    "turkish": ("GÖLDE BUZ İSTİYOR", "Feribot limanda kaldı"),
    "deseret": ("\U00010400\U00010401 \U00010402", "\U00010403 \U00010404"),
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_titles_of_every_script(script: str) -> None:
    title, other = SCRIPTS[script]
    html = f"<title>{title} | X</title><p>{title.lower()}</p><p>{other}</p><p>{title} {other}</p>"
    words = len(set(tokens((title,))[0]))
    both = len(set(tokens((f"{title} {other}",))[0]))
    assert column("title_likeness", html) == [1, 0, 2 * words / (words + both)]


def test_likeness_by_weight_and_of_single_words() -> None:
    """A title's last part weighs less; a block of one word may be a whole title."""
    head = "<title>Ice on the lake | The Probe</title><meta property=og:title content=Probe>"
    html = f"{head}<p>the probe</p><p>Lake ice</p><p>Probe</p>"
    likeness = with_markup(measures_of(html))
    assert likeness.title_likeness.tolist() == [1, 2 * 2 / (2 + 4), 0]
    assert likeness.title_weighted.tolist() == [0.6, 2 * 2 / (2 + 4), 0]
    assert likeness.title_single.tolist() == [0, 0, 1]


def test_long_words_are_read_in_linear_time() -> None:
    """A block of one word, but 100,000 tokens, all of them different."""
    text = "-".join(f"{number:x}" for number in range(100_000))
    page = measures_of(f"<title>{text[:400]}</title><p>{text}</p>")
    assert 0 < with_markup(page).title_likeness[0] < 0.01
