"""Tests of the language of a document: words, scripts, what pages claim, both together."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hostile import HOSTILE

from crfclean.metadata.language import language
from crfclean.metadata.language_claims import claims
from crfclean.metadata.language_tags import tag_of
from crfclean.page.blocks import split
from crfclean.page.decode import decode
from crfclean.types import Document, Label, Page, Tags

TEXTS = {
    "en": "The ferry stayed in its harbour for three weeks because of the ice on the upper lake, "
    "and nobody in the village was surprised by it.",
    "de": "Die Fähre blieb drei Wochen lang im Hafen, weil das Eis auf dem oberen See zu dick war, "
    "und niemand im Dorf hat sich darüber gewundert.",
    "cs": "Přívoz zůstal tři týdny v přístavu, protože led na horním jezeře byl příliš silný, a "
    "nikdo z vesnice se tomu nedivil, ani ti, kteří se narodili za řekou.",
    "sk": "Prievoz zostal tri týždne v prístave, pretože ľad na hornom jazere bol príliš hrubý, "
    "a nikto z dediny sa tomu nečudoval, ani tí, ktorí sa narodili za riekou.",
    "pl": "Prom stał przez trzy tygodnie w porcie, ponieważ lód na górnym jeziorze był zbyt gruby, "
    "i nikt z wioski się temu nie dziwił.",
    "ru": "Паром три недели стоял в гавани, потому что лёд на верхнем озере был слишком толстым, "
    "и никто в деревне этому не удивился.",
    "uk": "Пором три тижні стояв у гавані, тому що лід на верхньому озері був надто товстим, "
    "і ніхто в селі цьому не здивувався.",
    "fr": "Le bac est resté trois semaines au port parce que la glace du lac était trop épaisse, "
    "et personne dans le village ne s'en est étonné.",
    "es": "El transbordador se quedó tres semanas en el puerto porque el hielo del lago era "
    "demasiado grueso, y nadie en el pueblo se extrañó.",
    "el": "Το πλοίο έμεινε τρεις εβδομάδες στο λιμάνι, επειδή ο πάγος ήταν πολύ παχύς.",
    "he": "המעבורת נשארה בנמל שלושה שבועות בגלל הקרח על האגם העליון, ואיש לא הופתע.",
    "th": "เรือข้ามฟากจอดอยู่ในท่าเรือสามสัปดาห์เพราะน้ำแข็งหนาเกินไป",
    "ko": "호수의 얼음이 너무 두꺼워서 나룻배는 삼 주 동안 항구에 머물렀다.",
    "ja": "湖の氷が厚すぎたので、渡し船は三週間も港にとどまった。",
    "zh": "因为湖上的冰太厚，渡船在港口停了三个星期，村里没有人感到惊讶。",
    "ar": "بقيت العبارة في الميناء ثلاثة أسابيع لأن الجليد على البحيرة كان سميكا جدا.",
}


def document(html: str, url: str | None = None, *, kept: bool = True) -> Document:
    """A page all of whose blocks are text, or none."""
    page = Page(html, url)
    blocks = split(page)
    labels = np.full(len(blocks), Label.TEXT if kept else Label.OTHER, np.int32)
    marginals = np.tile([0.0, float(kept), float(not kept)], (len(blocks), 1))
    return Document(url, blocks, Tags(labels, marginals, 0.5))


# languages by pages of a few sentences

ROWS = Path(__file__).with_name("pages_by_language.txt").read_text("utf-8").splitlines()
PAGES: dict[str, str] = {row.partition("|")[0]: row.partition("|")[2] for row in ROWS}


def language_of(html: str) -> str:
    found = language(document(html))
    return found.text if found else ""


@pytest.mark.parametrize("name", PAGES)
def test_pages_in_many_languages(name: str) -> None:
    assert language_of(f"<p>{PAGES[name]}") == name
    assert language_of(f"<html lang={name}><p>{PAGES[name]}") == name


@pytest.mark.parametrize("name", PAGES)
def test_few_sentences_beat_a_template_that_claims_english(name: str) -> None:
    assert language_of(f"<html lang=en><p>{PAGES[name]}") == name


@pytest.mark.parametrize(
    ("written", "claimed", "wanted"),
    [
        ("hr", "bs", "bs"),
        ("sr", "bs", "bs"),
        ("sr", "sh", "sr"),
        ("sr", "sr-Latn-RS", "sr-Latn-RS"),
        ("no", "nn", "nn"),
        ("es", "ast", "ast"),
        ("fr", "ast", "fr"),  # words contradict
        ("ru", "uk", "ru"),
        ("uk", "ru", "uk"),
        ("el", "de", "el"),
    ],
)
def test_relatives_and_contradictions(written: str, claimed: str, wanted: str) -> None:
    assert language_of(f"<html lang={claimed}><p>{PAGES[written]}") == wanted


@pytest.mark.parametrize(
    ("text", "claimed", "wanted"),
    [
        ("To je bio dan o kom su svi pisali, a most je od tada za sve nas.", "hr", "hr"),
        ("To je bio dan o kom su svi pisali, a most je od tada za sve nas.", "sr", "sr"),
        ("Et lille hus ved vandet stod for sig selv.", "da", "da"),
        ("O mar e o vento da costa son de todos.", "gl", "gl"),
        ("ཆུ་བོ་མཚན་མོ་རྒྱས་སོང་།", "", "bo"),
        ("ཆུ་བོ་མཚན་མོ་རྒྱས་སོང་།", "dz", "dz"),
        ("ކޯރު ރޭގަނޑު ބޮޑުވެ ފެން ބާޒާރަށް އައެވެ", "", "dv"),
    ],
)
def test_claims_decide_between_close_relatives(text: str, claimed: str, wanted: str) -> None:
    assert language_of(f"<html lang='{claimed}'><p>{text}") == wanted


# both together


@pytest.mark.parametrize("name", [name for name in TEXTS if name not in ("en", "sk")])
def test_words_beat_a_template_that_claims_english(name: str) -> None:
    text = TEXTS[name] * 3
    found = language(document(f'<html lang="en"><body><p>{text}</p></body></html>'))
    assert found is not None
    assert (found.text, found.source) == (name, "words")


def test_a_short_page_leans_on_its_claim() -> None:
    found = language(document('<html lang="da"><body><p>Ny bil</p></body></html>'))
    assert found is not None
    assert found.text == "da"
    assert "html lang" in found.source
    assert found.xpath == "/html[1]"


@pytest.mark.parametrize("text", ["nginx 404", "OK", "Foto 3"])
def test_no_language_is_better_than_an_unlikely_one(text: str) -> None:
    found = language(document(f"<p>{text}</p>"))
    assert found is None or found.probability >= 0.5


def test_region_and_script_come_from_the_claim() -> None:
    found = language(
        document(f'<html lang="zh-hant-tw"><body><p>{TEXTS["zh"]}</p></body></html>'),
    )
    assert found is not None
    assert (found.text, found.source) == ("zh-Hant-TW", "words, html lang")


# claims


def test_every_place_of_a_claim() -> None:
    html = """<html lang="en"><head>
    <meta http-equiv="Content-Language" content="de-AT, en">
    <meta property="og:locale" content="fr_FR">
    </head><body><main xml:lang="pl"><p>Text of the page.</p></main><p>x</p></body></html>"""
    found = claims(document(html))
    assert [(one.tag, one.source) for one in found] == [
        ("pl", "main lang"),
        ("de-AT", "meta content-language"),
        ("fr-FR", "meta og:locale"),
    ]
    assert [one.node >= 0 for one in found] == [True, True, True]


@pytest.mark.parametrize(
    "html",
    [
        '<html lang="utf-8"><p>a</p>',
        '<html lang=""><p>a</p>',
        '<meta property="og:locale"><meta name="language" content="????"><p>a</p>',
    ],
)
def test_what_is_no_claim(html: str) -> None:
    assert claims(document(html)) == []


@pytest.mark.parametrize(
    ("written", "tag"),
    [
        ("en", "en"),
        ("EN_us", "en-US"),
        ("sr-latn-rs", "sr-Latn-RS"),
        ("es-419", "es-419"),
        ("de-DE.UTF-8", "de-DE"),
        ("jp", "ja"),
        ("iw", "he"),
        ("haw", "haw"),
        ("english", "en"),
        ("xx", ""),
        ("und", ""),
        ("", ""),
        ("e" * 100_000, ""),
        ("en-" * 50_000, ""),
        ("\ud800", ""),
    ],
)
def test_tags(written: str, tag: str) -> None:
    assert tag_of(written) == tag


# hostile input


@pytest.mark.parametrize("name", HOSTILE)
def test_no_page_is_too_bad(name: str) -> None:
    content = HOSTILE[name]
    page = decode(content) if isinstance(content, bytes) else Page(str(content))
    found = language(document(page.html))
    assert found is None or 0.0 <= found.probability <= 1.0
