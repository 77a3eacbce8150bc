"""Tests of `metadata/`: what whole pages say of themselves, in eight languages and in all forms."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
import yaml_subset
from hostile import HOSTILE

from crfclean.metadata import Metadata, PageType, Value, read
from crfclean.metadata.ranking import ranking_weights
from crfclean.metadata.read import BY_HOST, DECLARED, VISIBLE
from crfclean.metadata.values import front_matter, metadata_dict
from crfclean.page.blocks import split
from crfclean.page.decode import decode
from crfclean.types import Document, Tags

URL = "https://www.the-leaf.org/tea/green"


def document(html: str | bytes, url: str | None = URL) -> Document:
    """A page without labels: metadata need none."""
    page = decode(html, url)
    return Document(url, split(page), Tags(np.zeros(0, np.int32), np.zeros((0, 3)), 0.0))


def told(html: str, url: str | None = URL) -> Metadata:
    return read(document(html, url))


def texts(values: tuple[Value, ...]) -> list[str]:
    return [one.text for one in values]


def text(value: Value | None) -> str:
    return value.text if value else ""


def article(byline: str, date: str, lang: str = "en", head: str = "") -> str:
    """A page as a newspaper makes it, without any structured data but `head`."""
    words = "The kettle sang on the stove while the rain went on and on outside. " * 6
    return f"""<html lang="{lang}"><head><title>How tea came north | The Leaf</title>{head}</head>
<body><ul><li><a href="/">Home</a></li><li><a href="/shop">Shop</a></li></ul>
<h1>How tea came north</h1><p>{byline}</p><p>{date}</p><p>{words}</p><p>{words}</p>
<div>© 2015 The Leaf</div></body></html>"""


# authors of papers, and people who are no authors

PAPERS = [
    (
        "".join(
            f"<meta name=citation_author content='{name}'>"
            "<meta name=citation_author_institution content='School of Tea, Upper Town'>"
            for name in ("Ada B Moor", "Stone, Leo", "García Márquez, Max José")
        ),
        ["Ada B Moor", "Leo Stone", "Max José García Márquez"],
    ),
    (
        "<meta name=citation_authors content='Moor, Ada B.; van der Stone, Leo'>",
        ["Ada B. Moor", "Leo van der Stone"],
    ),
    (
        "<meta name=author content='Ada Moor'><meta name=author content='Leo Stone'>",
        ["Ada Moor", "Leo Stone"],
    ),
    (
        "<meta name=byl content='By ABBY MOOR, LEO KAPSTONE and ADA ORR'>",
        ["ABBY MOOR", "LEO KAPSTONE", "ADA ORR"],
    ),
]


@pytest.mark.parametrize(("head", "authors"), PAPERS)
def test_authors_of_papers(head: str, authors: list[str]) -> None:
    found = told(article("", "", head=head)).authors
    assert texts(found) == authors
    assert all(value.probability > 0.4 for value in found)


@pytest.mark.parametrize(
    ("byline", "authors"),
    [
        ("BY ADA MOOR, LEO STONE AND MAX ORR", ["ADA MOOR", "LEO STONE", "MAX ORR"]),
        ("7 May 2024, author: Ada Moor", ["Ada Moor"]),
        ("By Ada Moor, fot. L. Stone", ["Ada Moor"]),
        ("Published by Valley University Press", []),
        ("Published by<b>Valley University Press</b>", []),
        ("Published by Ada Moor", ["Ada Moor"]),
    ],
)
def test_lines_of_authors(byline: str, authors: list[str]) -> None:
    assert texts(told(article(byline, "")).authors) == authors


@pytest.mark.parametrize(
    "credit",
    [
        "fot. L. Stone",
        "Foto: L. Stone",
        "Foto Leo Stone",
        "Photo Leo Stone",
        "Photo by L. Stone",
        "(c) L. Stone",
    ],
)
def test_photographers_are_no_authors(credit: str) -> None:
    assert not told(article(f"<span class=author>{credit}</span>", "")).authors
    both = f"<div class=author><p>{credit}</p><p>Ada Moor</p></div>"
    assert texts(told(article(both, "")).authors) == ["Ada Moor"]


# the language of the text, not of the template, orders dates and counts years

POLISH = "Rzeka wylała w nocy i woda stanęła na rynku, a ludzie nie mogli wyjść z domów. " * 3
THAI = "แม่น้ำเอ่อล้นในเวลากลางคืนและน้ำท่วมตลาดเก่า ชาวบ้านไม่สามารถออกจากบ้านได้ " * 3
JAPANESE = "川は夜のうちにあふれ、水は市場まで来たので、町の人々は家から出られなかった。" * 3


@pytest.mark.parametrize(
    ("words", "date", "iso"),
    [
        (POLISH, "3/4/2024", "2024-04-03"),
        ("", "3/4/2024", "2024-03-04"),
        (THAI, "3/4/2567", "2024-04-03"),
        (JAPANESE, "R6.4.3", "2024-04-03"),
        (JAPANESE, "平成元年4月3日", "1989-04-03"),
        (JAPANESE, "<b class=date>令和6年4月3日</b>", "2024-04-03"),
        ("", "R6.4.3", ""),
        ("", "3/4/2567", ""),
    ],
)
def test_days_and_years_follow_the_language_of_the_text(words: str, date: str, iso: str) -> None:
    html = article("", date)
    if words:
        html = html.replace(
            "The kettle sang on the stove while the rain went on and on outside. ", words
        )
    assert text(told(html).published) == iso


# what readers see, in eight languages


CHANGES = [
    ("en", "Updated May 9, 2024"),
    ("de", "Aktualisiert am 9. Mai 2024"),
    ("fr", "Mis à jour le 9 mai 2024"),
    ("es", "Actualizado el 9 de mayo de 2024"),
    ("cs", "Aktualizováno 9. května 2024"),
    ("pl", "Zaktualizowano 9 maja 2024"),
    ("ru", "Обновлено 9 мая 2024"),
    ("zh", "更新时间：2024年5月9日"),
]


@pytest.mark.parametrize(("lang", "changed"), CHANGES)
def test_days_of_change_are_no_days_of_publication(lang: str, changed: str) -> None:
    head = '<meta property="article:published_time" content="2024-05-07T10:00:00Z">'
    found = told(article("", changed, lang, head))
    assert text(found.published) == "2024-05-07T10:00:00Z"
    assert text(found.modified) == "2024-05-09"


@pytest.mark.parametrize(
    "line",
    [
        "Photo: Ann Lee",
        "Foto: Ann Lee",
        "More stories by Ann Lee",
        "<a href=/user/login>Loguj/Rejestruj</a>",
    ],
)
def test_credits_and_teasers_name_no_author(line: str) -> None:
    assert told(article(line, "")).authors == ()


def test_a_form_asks_readers_for_their_names() -> None:
    fields = "<p>Autor:</p><p>Ann Lee</p>"
    page = article("", "", "pl").replace("</body>", f"<form>{fields}</form></body>")
    assert told(page).authors == ()
    in_one_form = article("", "", "pl").replace("<h1>", "<form><h1>")
    assert texts(told(in_one_form.replace("</body>", f"{fields}</form></body>")).authors) == [
        "Ann Lee"
    ]


@pytest.mark.parametrize(
    ("line", "names"),
    [("Bank asks, by nie wypłacały dywidendy »", []), ("posted in tea by ann", ["ann"])],
)
def test_prose_behind_by_names_no_author(line: str, names: list[str]) -> None:
    assert texts(told(article(line, "", "pl")).authors) == names


@pytest.mark.parametrize(("attribute", "source"), [("itemprop", "microdata"), ("property", "rdfa")])
def test_the_source_names_the_syntax(attribute: str, source: str) -> None:
    day = told(
        f"<p {attribute}='schema:datePublished'>2024-05-13</p><p>{'Tea grows. ' * 9}"
    ).published
    assert day is not None
    assert (day.text, day.source) == ("2024-05-13", f"{source} datePublished")


def test_dates_in_the_address() -> None:
    found = told(article("", ""), "https://the-leaf.org/2024/05/07/tea").published
    assert found is not None
    assert (found.text, found.source, found.xpath) == ("2024-05-07", "url", "")


# structured data

ARTICLE: dict[str, Any] = {
    "@context": "https://schema.org",
    "@type": "NewsArticle",
    "headline": "How tea came north",
    "author": {"@type": "Person", "name": "Ann Lee"},
    "datePublished": "2024-05-07T10:30:00+02:00",
    "dateModified": "2024-05-09",
    "publisher": {"@type": "Organization", "name": "The Leaf"},
    "keywords": ["tea", "north"],
    "articleSection": "History",
    "image": {"@type": "ImageObject", "url": "/img/tea.jpg"},
    "description": "A history.",
    "license": "https://creativecommons.org/licenses/by/4.0/",
}


def with_json(script: str, kind: str = "application/ld+json") -> str:
    return article("", "", head=f'<script type="{kind}">{script}</script>')


@pytest.mark.parametrize("script", ['{"@type": "Article", "author": {"name": "Ann Lee"},}', "1; x"])
def test_structured_data_that_is_no_json_is_passed_over(script: str) -> None:
    assert told(with_json(script)).authors == ()


def expected(found: Metadata) -> None:
    assert text(found.title) == "How tea came north"
    assert texts(found.authors) == ["Ann Lee"]
    assert text(found.published) == "2024-05-07T10:30:00+02:00"
    assert text(found.modified) == "2024-05-09"


def test_json_ld() -> None:
    found = told(with_json(json.dumps(ARTICLE)))
    expected(found)
    assert text(found.site) == "The Leaf"
    assert texts(found.tags) == ["tea", "north"]
    assert texts(found.categories) == ["History"]
    assert text(found.image) == "https://www.the-leaf.org/img/tea.jpg"
    assert text(found.description) == "A history."
    assert text(found.licence) == "https://creativecommons.org/licenses/by/4.0/"
    assert found.published is not None
    assert found.published.source == "json-ld datePublished"
    assert found.published.xpath == ""


def test_the_rest_of_the_head() -> None:
    head = """<base href="https://cdn.example/x/"><link rel=canonical href="/tea">
<meta property=og:site_name content="The Leaf"><meta name=description content="Of tea.">
<meta property=og:image content=tea.jpg><meta property=article:tag content=Tea>
<meta property=article:tag content=North><meta property=article:section content=History>
<link rel=license href="https://creativecommons.org/licenses/by/4.0/">"""
    found = told(article("", "", head=head))
    assert text(found.address) == "https://cdn.example/tea"
    assert text(found.site) == "The Leaf"
    assert text(found.description) == "Of tea."
    assert text(found.image) == "https://cdn.example/x/tea.jpg"
    assert texts(found.tags) == ["Tea", "North"]
    assert texts(found.categories) == ["History"]
    assert text(found.licence) == "https://creativecommons.org/licenses/by/4.0/"
    assert found.site is not None
    assert found.site.probability == DECLARED > VISIBLE
    assert found.site.xpath == "/html[1]/head[1]/meta[1]"


def test_the_name_of_the_site_stands_in_the_title() -> None:
    found = told(article("", "")).site
    assert found is not None
    assert (found.text, found.source) == ("The Leaf", "title")


def test_what_the_title_has_beside_the_pages_title_is_the_site() -> None:
    page = "<title>How tea came - Brew</title><h1>How tea came</h1><p>Long ago.</p>"
    assert text(told(page).site) == "Brew"  # the host is the-leaf.org


@pytest.mark.parametrize("behind", ["", " - 3 stycznia 2012"])
def test_the_host_stands_for_a_site_without_a_name(behind: str) -> None:
    found = told(f"<title>How tea came{behind}</title><h1>How tea came</h1>").site
    assert found is not None
    assert (found.text, found.source, found.probability) == ("the-leaf.org", "url", BY_HOST)


def test_the_line_above_a_headline_is_no_part_of_the_title() -> None:
    heading = "<h1><span>Trade and kitchens</span><span>How tea came north at last</span></h1>"
    page = f"<title>How tea came north at last - The Leaf</title>{heading}<p>Long ago.</p>"
    assert text(told(page).title) == "How tea came north at last"


def test_a_change_before_the_publication_is_none() -> None:
    found = told(with_json(json.dumps({**ARTICLE, "dateModified": "2023-01-01"})))
    assert found.modified is None


# bad pages


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pages(name: str) -> None:
    page = HOSTILE[name]
    if isinstance(page, str | bytes):
        assert isinstance(read(document(page)), Metadata)


# what was learned


def test_the_weights_are_numbers() -> None:
    for kind, weights in ranking_weights().items():
        assert all(map(math.isfinite, weights.by_feature.values())), kind
        assert 0.0 < weights.least < 1.0


# output


def test_every_field_is_told() -> None:
    plain = metadata_dict(told(with_json(json.dumps(ARTICLE))))
    assert list(plain) == list(Metadata._fields)
    assert plain["authors"][0]["text"] == "Ann Lee"
    assert set(plain["title"]) == {"text", "source", "probability", "xpath"}
    assert plain["page_type"] is None or "probabilities" in plain["page_type"]
    assert metadata_dict(Metadata(page_type=PageType("forum", {"forum": 1.0})))["page_type"] == {
        "name": "forum",
        "probabilities": {"forum": 1.0},
    }


NASTY = [
    "a: b # c",
    '"quoted"',
    "'x'",
    "- x",
    "a\nb",
    "\u2028 \x85 \x07",
    "---",
    "null",
    "\\n",
    "🍵",
]


@pytest.mark.parametrize("value", NASTY)
def test_front_matter_reads_back(value: str) -> None:
    made = Metadata(title=Value(value, "x", 1.0), authors=(Value(value, "x", 1.0),) * 2)
    page = document("", url=value)
    vars(page)["metadata"] = made
    texts = {"id": value, "title": value, "authors": [value, value], "address": value}
    assert yaml_subset.read(front_matter(page, value)) == texts | {"score": 0.0}
