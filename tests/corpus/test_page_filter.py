"""Tests of what leaves pages of a corpus out: language, type, length."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crfclean.corpus.clean import PageFilter
from crfclean.model.pagetype import page_type
from crfclean.pipeline import clean
from crfclean.types import CrfcleanError, Document, Presence
from crfclean.types.choices import PAGE_TYPES

CZECH = (
    "Trajekt zůstal v pondělí ráno v přístavu, protože celé jezero pokryl led. Nikdo nepamatuje, "
    "že by voda zamrzla tak brzy, řekl kapitán cestujícím, a ti šli domů pěšky přes most."
)


def document(text: str = CZECH, lang: str = "cs") -> Document:
    head = f"<html lang={lang}><head><title>Trajekt</title></head>"
    return clean(f"{head}<body><article><h1>Trajekt</h1><p>{text}</p></article></body></html>")


@pytest.mark.parametrize(
    ("languages", "refusal"),
    [
        (("cs",), ""),
        (("sk", "cs-CZ"), ""),
        (("cz",), ""),  # a mistake that tags have, too
        (("de", "en"), "its language is cs"),
    ],
)
def test_languages(languages: tuple[str, ...], refusal: str) -> None:
    assert PageFilter(languages).refusal(document()) == refusal


def test_types() -> None:
    page = document()
    has = page_type(page)
    assert has is not None
    assert PageFilter(page_types=(has.name,)).refusal(page) == ""
    others = tuple(sorted({*PAGE_TYPES} - {has.name}))
    assert PageFilter(page_types=others).refusal(page) == f"its type is {has.name}"


def test_words() -> None:
    count = len(document().text.split())
    assert PageFilter(min_words=count).refusal(document()) == ""
    expected = f"{count} words, fewer than {count + 1}"
    assert PageFilter(min_words=count + 1).refusal(document()) == expected


def test_characters_are_words_in_scripts_without_spaces() -> None:
    page = document(
        "渡轮星期一早上停在港口里，因为整个湖面都结了冰。船长对乘客说，没有人记得水结冰得这么早。",
        "zh",
    )
    assert PageFilter(min_words=30).refusal(page) == ""


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"languages": ("klingonese!",)}, "no language 'klingonese!'"),
        ({"page_types": ("blog",)}, "no type of pages 'blog'; there are article, "),
    ],
)
def test_names_are_checked(values: dict[str, tuple[str, ...]], message: str) -> None:
    with pytest.raises(CrfcleanError, match=message):
        PageFilter(**values)  # type: ignore[arg-type]


def test_pages_whose_content_is_not_in_the_html() -> None:
    page = clean("<title>Just a moment</title><div id=root></div><script src=app.js></script>")
    wall = replace(page, presence=Presence("not-in-this-html", "needs-script", 0.9))
    assert PageFilter().refusal(wall) == ""
    refusal = "its content is not in the HTML (needs-script)"
    assert PageFilter(requires_content=True).refusal(wall) == refusal
    data = replace(page, presence=Presence("carried", "", 0.9))
    refusal = "its content is only in its structured data"
    assert PageFilter(requires_content=True).refusal(data) == refusal
    assert PageFilter(requires_content=True).refusal(document()) == ""
