"""Tests of `page/decode.py`: encodings that pages do not declare."""

from __future__ import annotations

import pytest

from crfclean.page import decode as decode_module
from crfclean.page.decode import WEB_ENCODINGS, decode, guess_codec

TEXTS = {
    "windows-1251": "Паром снова ходит через реку. Утром на пристани ждали двадцать человек, и все "
    "они попали на работу вовремя.",
    "koi8-r": "Паром снова ходит через реку. Утром на пристани ждали двадцать человек, и все они "
    "попали на работу вовремя.",
    "windows-1250": "Přívoz zase jezdí přes řeku. Ráno čekalo u přístaviště dvacet lidí a všichni "
    "přišli do práce včas, což je letos poprvé.",
    "gbk": "渡船今天早上又开始过河了。二十个人在码头等候，"
    "大家都准时到了办公室，这在今年还是第一次。",
    "big5": "渡船今天早上又開始過河了。二十個人在碼頭等候，"
    "大家都準時到了辦公室，這在今年還是第一次。",
    "shift_jis": "渡し船は今朝また川を渡り始めました。"
    "桟橋では二十人が待っていて、みんな時間どおりに会社に着きました。",
    "euc-kr": "나룻배가 오늘 아침 다시 강을 건너기 시작했습니다. "
    "선착장에서 스무 명이 기다렸고 모두 제시간에 출근했습니다.",
    "iso-8859-7": "Το πορθμείο περνά πάλι το ποτάμι. Το πρωί περίμεναν στην αποβάθρα είκοσι "
    "άνθρωποι και όλοι έφτασαν εγκαίρως στη δουλειά τους.",
    "windows-1252": "Die Fähre fährt wieder über den Fluss. Am Morgen warteten zwanzig Leute am "
    "Anleger, und alle kamen pünktlich ins Büro.",
}
"""Encoding -> a text that is written in it."""

WESTERN = {
    "German": "<p>Schöne Grüße</p>",
    "French": "<p>Le bac a repris son service à midi, après l’été. Ça ira mieux.</p>",
    "Spanish": "<p>El transbordador volvió a cruzar el río esta mañana. ¿Y mañana?</p>",
    "Portuguese": "<p>A balsa não atravessa o rio às segundas; começará amanhã.</p>",
    "Swedish": "<p>Färjan går åter över älven sedan i morse.</p>",
    "English": "<p>The ferry’s first trip – “on time” – cost £3.</p>",
    "symbols": "<p>Dalecraft® Garden Furniture © 2012</p><p>»</p><p>Café</p><p>Señor</p>",
}

NOISE = f"<p class=lead>{'The ferry crosses the river. ' * 20}</p><script>{'f(1);' * 500}</script>"


def page_of(text: str) -> str:
    return f"<html><head><title>1</title></head><body>{NOISE}<p>{text}</p></body></html>"


@pytest.mark.parametrize("name", TEXTS)
def test_encodings_are_guessed(name: str) -> None:
    html = page_of(TEXTS[name])
    page = decode(html.encode({"euc-kr": "cp949", "shift_jis": "cp932"}.get(name, name)))
    assert (page.html, page.encoding_guessed) == (html, True)
    assert page.encoding == WEB_ENCODINGS[name]


@pytest.mark.parametrize("language", WESTERN)
def test_western_pages_stay_windows_1252(language: str) -> None:
    page = decode(WESTERN[language].encode("cp1252"))
    assert (page.html, page.encoding) == (WESTERN[language], "cp1252")


def test_nothing_is_guessed_without_need() -> None:
    text = f"<p>{TEXTS['windows-1251']}</p>"
    for data in (text.encode(), text.encode("utf-8-sig"), b"<p>ferry</p>"):
        assert not decode(data).encoding_guessed
    declared = '<meta charset="windows-1251">' + text
    assert not decode(declared.encode("cp1251")).encoding_guessed
    assert not decode(text.encode("cp1251"), charset="windows-1251").encoding_guessed


def test_pages_of_lines_in_korean_are_not_chinese() -> None:
    text = ("┌" + "─" * 58 + "┐ ") * 3 + TEXTS["euc-kr"] * 20
    assert guess_codec(f"<pre>{text}</pre>".encode("cp949")) == "cp949"


def test_texts_in_scripts_and_tags_do_not_decide() -> None:
    other = "Паром снова ходит через реку. " * 20
    html = f"<script>var a = '{{}}';</script><p title='{{}}'>{TEXTS['windows-1252'] * 3}</p>"
    raw = html.encode("cp1252").replace(b"{}", other.encode("koi8-r"))
    assert guess_codec(raw) == "cp1252"


HOSTILE = [b"<", b"<a\xff", b"\xff>", b"\xff", b"<script>", b"<a>\xe1", b"\xe1\xe1<!--", b"\x82<"]


@pytest.mark.parametrize("piece", HOSTILE)
def test_the_guess_is_bounded(piece: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library reads a sample, however long a page is."""
    sizes: list[int] = []
    detected = decode_module._detected

    def measured(sample: bytes) -> object:
        sizes.append(len(sample))
        return detected(sample)

    monkeypatch.setattr(decode_module, "_detected", measured)
    guess_codec(b"\xff" + piece * (16 * 2**20 // len(piece)))
    assert max(sizes) <= decode_module.SAMPLE_BYTES + len(decode_module.LONE_LETTER)
