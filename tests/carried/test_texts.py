"""Tests of pages made of carried texts."""

from __future__ import annotations

from crfclean.carried.texts import MAX_TEXT_CHARS, CarriedText, markup, page_of
from crfclean.page.blocks import split
from crfclean.types import Blocks, Page

HEAD = (
    '<html lang="cs"><head><title>Mlýn &amp; náhon</title>'
    '<meta property="og:title" content="Mlýn &quot;U potoka&quot;"><meta name="description" '
    'content="O mlýně."><script type="application/ld+json">{"headline": "Mlýn <\\/p>"}</script>'
    "</head><body><meta name='late' content='x'><p>Menu</p></body></html>"
)


def carrying(text: str, heading: str = "") -> Blocks:
    shown = split(Page(HEAD))
    return split(page_of(CarriedText("json-ld", heading, text), shown, None))


def test_plain_text_has_a_paragraph_a_line() -> None:
    blocks = carrying("Mlýn stojí.\r\n\r\nVoda < 2 m &amp; teče.\n<br-ne>")
    assert blocks.texts == ("Mlýn & náhon", "Mlýn stojí.", "Voda < 2 m & teče.", "<br-ne>")


def test_markup_is_cut_as_any_page() -> None:
    blocks = carrying(
        "<h2>Voda</h2><ul><li>čistá</li><li>studená</li></ul><script>x</script>", "Mlýn"
    )
    assert blocks.texts == ("Mlýn", "Voda", "čistá", "studená")
    assert [block.tag for block in blocks] == ["h1", "h2", "li", "li"]


def test_a_script_in_structured_data_does_not_end_it() -> None:
    page = page_of(CarriedText("state", "", "a"), split(Page(HEAD)), None)
    assert page.html.count("</script") == 1


def test_long_texts_are_cut() -> None:
    assert len(markup("a" * (MAX_TEXT_CHARS + 5))) == MAX_TEXT_CHARS + len("<p></p>")
