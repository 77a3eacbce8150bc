"""Tests of `systems/carried.py`: hidden articles and panels, frames, bodies in structured data."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import cycle

import pytest

from crfclean.document.formats import to_explanation
from crfclean.document.json import to_dict
from crfclean.document.parts import Show
from crfclean.page.blocks import SplitParams, split
from crfclean.pipeline import clean, open_model, run
from crfclean.systems.carried import is_better
from crfclean.systems.data_bodies import MAX_BODY_CHARS, markup
from crfclean.systems.frames import largest_frame
from crfclean.types import Document, Page

LINES = [
    "The miller of Holm opened the sluice in the early morning, as his father had done before.",
    "Nobody in the village could remember a spring in which the brook had carried so little water.",
    "By noon the wheel stood still, and the farmers who had brought their grain went home again.",
    "The council met in the evening and spoke for three hours about a new channel from the lake.",
    "In the end it was decided to ask the engineers of the district for a plan and for its price.",
    "Until then the mill will work on two days of the week, when the water has been held back.",
    "The miller says that he can live with that for a year, but that his customers may not wait.",
    "Rain is not expected before the middle of next month, according to the service in the city.",
]
ARTICLE = "".join(f"<p>{line}</p>" for line in LINES)
MENU = "<nav><ul><li><a href=/a>News</a><li><a href=/b>Sports</a></ul></nav>"


def page(body: str, head: str = "") -> str:
    return f"<html><head><title>Mill of Holm</title>{head}</head><body>{MENU}{body}</body></html>"


def json_ld(**value: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(value)}</script>'


HIDDEN = page(f"<p>Loading…</p><div style='display: none'><h1>The mill</h1>{ARTICLE}</div>")


def kept(document: Document) -> list[str]:
    return [document.blocks.texts[index] for index in document.kept]


def test_a_shell_has_the_text_that_it_hides() -> None:
    document = clean(HIDDEN)
    assert document.blocks.source == "hidden"
    assert document.status == "ok"
    assert [text for text in kept(document) if text in LINES] == LINES
    assert document.presence
    assert document.presence.where == "hidden"
    assert document.shown is not None
    assert not set(LINES) & set(document.shown.texts)


def test_blocks_of_hidden_elements_have_their_place() -> None:
    rows = to_dict(clean(HIDDEN), Show(blocks=True))["blocks"]
    block = next(row for row in rows if row["text"] == LINES[0])
    assert block["xpath"] == "/html[1]/body[1]/div[1]/p[1]"
    assert block["place"] == [{"path": ".", "start": 0, "end": len("".join(LINES[0].split()))}]


def test_a_page_that_shows_its_text_keeps_it() -> None:
    html = page(f"<main><h1>The mill</h1>{ARTICLE}</main>")
    document = clean(html)
    assert document == replace(document, shown=None)
    assert document.blocks.source == ""
    assert document.presence
    assert document.presence.where == "visible"


def test_text_that_the_page_shows_is_not_taken_from_hidden_elements() -> None:
    listed = "".join(f"<li><a href='/{at}'>{line}</a></li>" for at, line in enumerate(LINES))
    html = page(f"<div hidden>{ARTICLE}</div><footer><ul>{listed}</ul></footer>")
    assert clean(html).blocks.source == ""


def test_limits_hold_for_hidden_text() -> None:
    assert clean(HIDDEN, max_blocks=6).blocks.source == ""


def test_elements_of_the_tagger_hold_for_carried_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crfclean.pipeline.split_params", lambda _: SplitParams(elements=("p",)))
    document = clean(HIDDEN)
    assert "The mill" not in document.blocks.texts
    assert set(LINES) <= set(document.blocks.texts)


def test_hidden_text_replaces_more_where_it_is_most_of_the_page() -> None:
    assert is_better(195, 251, 558)  # decisions of a court, and their search form
    assert not is_better(120, 797, 365)  # an article, and a menu of news
    assert not is_better(168, 168, 300)


@pytest.mark.parametrize(
    "html",
    [
        "<div hidden>" * 10_000 + "<p>a b c",
        "<div style='display:none'><p>" + "word " * 300_000,
        json_ld(articleBody="<p>A word. " * 100_000),
        '<script type="application/ld+json">' + '{"articleBody":' * 60_000,
        "<template shadowrootmode=open>" * 10_000 + "<p>a",
        json_ld(articleBody="\ud800 \u0000 <p>" * 500),
    ],
)
def test_hostile_pages(html: str) -> None:
    assert clean(html).presence


# hidden text: articles beside a placeholder, closed panels, and what stays hidden

ANSWERS = {
    "Who owns the mill of Holm?": "The mill belongs to the parish, which bought it from the heirs "
    "of the last miller for a small sum, and has it repaired every ten years.",
    "When does the wheel turn?": "It turns on two days of the week, when enough water has been "
    "held back behind the weir, and on the feast of the village in September.",
    "What does the new channel cost?": "The engineers of the district have not named a price yet, "
    "and the council is waiting for their plan before it asks for the money.",
}
SHOWN = f"<main><h1>The mill</h1>{ARTICLE}</main>"
PLACEHOLDERS = ["Loading results…", "Please wait while the page is loading.", "Wird geladen …"]


def questions(start: str, end: str = "</div>") -> str:
    """An article with questions, whose answers are in elements with this start and end tag."""
    parts = [f"<h3>{one}</h3>{start}<p>{two}</p>{end}" for one, two in ANSWERS.items()]
    return page(f"<main><h1>The mill</h1>{ARTICLE}{''.join(f'<div>{it}</div>' for it in parts)}")


ARTICLES = {
    "display": f"<div style='display:none'><h1>The mill</h1>{ARTICLE}</div>",
    "attribute": f"<main hidden>{ARTICLE}</main>",
    "for readers aloud": f"<main aria-hidden=true>{ARTICLE}</main>",
    "nested": f"<div style='visibility: hidden'><div hidden>{ARTICLE}</div></div>",
    "beside a menu": f"<div hidden>{MENU}</div><section style='display: none'>{ARTICLE}</section>",
}


@pytest.mark.parametrize(
    ("article", "placeholder"), [*zip(ARTICLES.values(), cycle(PLACEHOLDERS))], ids=ARTICLES
)
def test_an_article_beside_a_placeholder(article: str, placeholder: str) -> None:
    texts = kept(clean(page(f"<p>{placeholder}</p>{article}")))
    assert [text for text in texts if text in LINES] == LINES
    assert placeholder not in texts


def test_a_hidden_table_beside_a_form() -> None:
    rows = "".join(
        f"<tr><td>{at}/3/2026<td>{1200 + at}<td>In the matter of the mill of Holm, part {at}"
        for at in range(1, 40)
    )
    form = f"<h1>Search decisions</h1><p>{LINES[0]}</p>"
    table = f"<table style='display:none'><tr><th>Date<th>Number<th>Title</tr>{rows}</table>"
    texts = kept(clean(page(f"<main>{form}{table}</main>")))
    assert sum(text.startswith("In the matter") for text in texts) == 39


PANELS = {
    "attribute": ("<div hidden>", "</div>"),
    "display": ("<div class=a style='display: none'>", "</div>"),
    "visibility": ("<div style='visibility:hidden; height: 0'>", "</div>"),
    "for readers aloud, too": ("<div hidden aria-hidden=true>", "</div>"),
    "labelled": ("<section hidden aria-labelledby=q>", "</section>"),
    "nested": ("<div hidden><div hidden>", "</div></div>"),
}


@pytest.mark.parametrize(("start", "end"), PANELS.values(), ids=PANELS)
def test_closed_panels_of_an_article_are_read(start: str, end: str) -> None:
    html = questions(start, end)
    document = clean(html)
    texts = kept(document)
    assert [text for text in texts if text in [*LINES, *ANSWERS.values()]] == [
        *LINES,
        *ANSWERS.values(),
    ]
    assert (document.blocks.source, document.status) == ("panels", "ok")
    assert document.presence
    assert document.presence.where == "visible"
    assert document.shown is not None
    assert not set(ANSWERS.values()) & set(document.shown.texts)


@pytest.mark.parametrize("row", ["<div role=tablist>", "<ul class='nav nav-tabs'>"])
def test_panels_of_a_row_of_tabs_are_read(row: str) -> None:
    answers = list(ANSWERS.values())
    hidden = "".join(f"<div class=tab hidden><p>{answer}</p></div>" for answer in answers[1:])
    panels = f"{row}<li>Rain<li>Snow</{row[1:4].rstrip()}><div class=tab>{answers[0]}</div>{hidden}"
    document = clean(page(f"<main><h1>The mill</h1>{ARTICLE}<div>{panels}</div></main>"))
    assert [text for text in kept(document) if text in answers] == answers
    assert document.blocks.source == "panels"


CONTROLS = {
    "button": "<button aria-expanded=false aria-controls=p{at}>{question}</button>",
    "heading": "<h3><button aria-controls='x p{at}' aria-expanded=false>{question}</button></h3>",
    "link": "<p><a href='#p{at}' data-toggle=collapse>{question}</a></p>",
    "target": "<div data-bs-toggle=collapse data-bs-target='#p{at}'>{question}</div>",
    "sign": "<p>{question}<button aria-expanded=false aria-controls=p{at}></button></p>",
}


@pytest.mark.parametrize("control", CONTROLS.values(), ids=CONTROLS)
def test_the_one_answer_that_a_control_opens_is_read(control: str) -> None:
    """Panels were read in pairs: of the only question, the answer was lost."""
    question, answer = next(iter(ANSWERS.items()))
    control = control.format(question=question, at=1)
    panel = f"{control}<div><div id=p1 style='display:none'><p>{answer}</p></div></div>"
    document = clean(page(f"<main><h1>The mill</h1>{ARTICLE}{panel}</main>"))
    assert kept(document)[-2:] == [question, answer]
    assert document.blocks.source == "panels"


def test_tabs_far_from_their_panels() -> None:
    row = "".join(f"<li><a role=tab href='#p{at}'>Part {at}</a>" for at in range(len(ANSWERS)))
    panels = "".join(
        f"<section id=p{at} {'hidden' * (at > 0)}><p>{answer}</p></section>"
        for at, answer in enumerate(ANSWERS.values())
    )
    tabs = f"<div class=head><ul role=tablist>{row}</ul></div><div class=body>{panels}</div>"
    texts = kept(clean(page(f"<main><h1>The mill</h1>{ARTICLE}{tabs}</main>")))
    assert [text for text in texts if text in ANSWERS.values()] == list(ANSWERS.values())


def test_limits_hold_for_panels() -> None:
    html = questions("<div hidden>")
    most = len(clean(html).page_blocks)
    assert clean(html, max_blocks=most).blocks.source == ""
    assert clean(html, max_blocks=most).status == "ok"


COOKIES = (
    "<h2>We use cookies</h2><p>We and our partners use cookies to store data on your device, to "
    "show you advertising that fits your interests, and to measure how often it was seen.</p>"
    "<p>You may accept all cookies, refuse them, or change your choice at any time.</p>"
)
LINKS = "".join(f"<li><a href=/{at}>Department of the parish, number {at}</a>" for at in range(20))
BESIDE = {
    "menu": f"<div hidden><ul>{LINKS}</ul></div>",
    "menu of menus": f"<ul><li>Parish<ul hidden>{LINKS}</ul><li>Mill<ul hidden>{LINKS}</ul></ul>",
    "modal": f"<div role=dialog class=modal style='display:none'>{COOKIES}</div>",
    "dialog": f"<dialog>{COOKIES}</dialog>",
    "two dialogs": f"<p>Cookies</p><dialog>{COOKIES}</dialog><p>Data</p><dialog>{COOKIES}</dialog>",
    "form": "<div hidden><form><p>Your name</p><input><p>Your message</p><textarea></form></div>",
    "menu of a button": "<button aria-expanded=false aria-controls=m>Parish</button>"
    f"<div id=m hidden><ul>{LINKS}</ul></div>",
    "form of a button": "<button aria-expanded=false aria-controls=s>Search</button><div id=s "
    "hidden><form><p>Search the news of the parish, and those of past years, too.</p><input></form>"
    "</div>",
    "cookies of a button": "<button aria-expanded=false aria-controls=c>Choice</button>"
    f"<div id=c class=cookie-settings hidden>{COOKIES}</div>",
    "dialog of a button": "<button data-toggle=modal data-target='#d' aria-expanded=false>Terms"
    f"</button><div id=d hidden><p>{ANSWERS['When does the wheel turn?']}</p></div>",
    "list of a button": "<button aria-haspopup=true aria-expanded=false aria-controls=l>Weir"
    f"</button><div id=l hidden><p>{ANSWERS['When does the wheel turn?']}</p></div>",
    "copy": f"<button aria-expanded=false aria-controls=k>Short</button><div id=k hidden>{ARTICLE}"
    "</div>",
    "script": f"<div hidden><script>{'let mill = 1; ' * 99}</script></div>" * 2,
}


def same(one: Document, other: Document) -> bool:
    return (one.blocks.source, one.text, one.score) == (
        other.blocks.source,
        other.text,
        other.score,
    )


@pytest.mark.parametrize("beside", BESIDE.values(), ids=BESIDE)
@pytest.mark.parametrize("parts", ["{0}{1}", "{1}{0}"], ids=["before", "after"])
def test_what_is_hidden_beside_an_article_stays_hidden(beside: str, parts: str) -> None:
    html = page(parts.format(beside, SHOWN))
    assert same(clean(html), run(Page(html), open_model("default"), carried=False))


TERMS = "".join(
    f"<p>The {thing} on this site are the property of their owners, and you agree not to copy, to "
    "change or to sell them, and to hold us free of all claims that may follow if you do.</p>"
    for thing in ("texts", "pictures", "films", "recordings", "programs")
)
DIALOGS = [
    f"<dialog>{TERMS}</dialog>",
    f"<div role=dialog hidden>{TERMS}</div>",
    f"<div aria-modal=true hidden>{TERMS}</div>",
    f"<div class='modal fade' style='display:none'><div>{TERMS}</div></div>",
    f"<div id=cookie-banner style='display:none'>{TERMS}</div>",
    f"<div class=newsletter_popup hidden>{TERMS}</div>",
]


@pytest.mark.parametrize("dialog", DIALOGS)
def test_a_hidden_dialog_is_no_article(dialog: str) -> None:
    assert clean(page(f"<h1>Page not found</h1><p>Please go back.</p>{dialog}")).blocks.source == ""
    html = page(f"<p>Loading…</p>{dialog}<div hidden>{ARTICLE}</div>")
    assert kept(clean(html)) == LINES


INSIDE = {
    "captions behind buttons": "".join(
        f"<figure><img src=a.jpg><p>Show the caption</p><div hidden><p>{two}</p></div></figure>"
        for two in ANSWERS.values()
    ),
    "for small screens": "".join(
        f"<h3>{at}</h3><p hidden>{line}</p>" for at, line in enumerate(LINES)
    ),
    "one aside": f"<h3>Note</h3><div style='display:none'><p>{LINES[0]}</p></div>",
    "a few words": "<h3>One</h3><p hidden>Yes, it is.</p><h3>Two</h3><p hidden>No, it is not.</p>",
    "far from the text": "<p>a</p>" * 20
    + "".join(f"<div><b>{one}</b><p hidden>{two}</p></div>" for one, two in ANSWERS.items()),
}


@pytest.mark.parametrize("inside", INSIDE.values(), ids=INSIDE)
def test_what_is_hidden_inside_an_article_may_be_none_of_it(inside: str) -> None:
    html = page(f"<main><h1>The mill</h1>{ARTICLE}{inside}</main>")
    assert same(clean(html), run(Page(html), open_model("default"), carried=False))


@pytest.mark.parametrize(
    "html",
    [
        "<p>a<div hidden>b c d</div>" * 100_000,
        f"<main>{ARTICLE}" + "<div hidden>b c d</div>" * 100_000,
        f"<main>{ARTICLE}" + "<div hidden>" * 100_000 + "b",
        f"<main>{ARTICLE}" + "".join(f"<p>{at}?<div hidden>b {at}</div>" for at in range(3_000)),
        f"<main>{ARTICLE}" + "".join(f"<p>{at}?<div hidden {'a' * at}>b" for at in range(400)),
        f"<main>{ARTICLE}<p hidden id=a>b</p>"
        + f"<b role=tab aria-controls='{'a ' * 99}'>" * 9_000,
    ],
    ids=["pairs", "siblings", "nested", "panels", "looks", "controls"],
)
def test_hostile_hidden_elements(html: str) -> None:
    assert clean(html).status in {"ok", "over-blocks", "nothing-kept"}


# whether a page shows a carried text


# the frames that show the content of a page

BAR = "<frame src=menu.html>"


def frame_of(html: str, *, is_empty: bool = False) -> str:
    return largest_frame(split(Page(html)), "https://mill.example/a/b", is_empty=is_empty)


@pytest.mark.parametrize(
    "html",
    [
        "<frameset cols='20%,80%'>{menu}<frame src=text.html></frameset>",
        "<frameset cols='*,180'><frame src=text.html>{menu}</frameset>",
        "<frameset rows='90,*'>{menu}<frameset cols='150,*'>{menu}<frame src=text.html></frameset>",
        "<frameset><frame src=text.html></frameset>",
        "<frameset rows='50%,50%' cols='10%,90%'>{menu}<frame src=text.html></frameset>",
        "<iframe src=text.html width=100% height=600></iframe><iframe src=ad width=600></iframe>",
        "<iframe src=text.html style='width: 100%; height: 900px'></iframe>",
        "<iframe src=text.html style='height:90vh; width:100VW'></iframe><iframe src=ad width=600>",
    ],
)
def test_the_largest_frame(html: str) -> None:
    assert frame_of(html.format(menu=BAR)) == "https://mill.example/a/text.html"


@pytest.mark.parametrize(
    "html",
    [
        "<iframe src=counter.html width=1 height=1></iframe>",
        "<iframe src=banner.html width=728 height=90></iframe>",
        "<iframe src=a.html width=100% height=600 style='display:none'></iframe>",
        "<noscript><iframe src=a.html width=100% height=600></iframe></noscript>",
        "<iframe src=https://www.youtube.com/embed/1 width=600 height=450></iframe>",
        "<iframe src='javascript:void(0)' width=100% height=600></iframe>",
        "<iframe width=100% height=600></iframe>",
        "<iframe src=a.html></iframe>",
    ],
)
def test_frames_that_show_no_page(html: str) -> None:
    assert frame_of(html) == ""


def test_a_frame_without_a_size_counts_only_on_an_empty_page() -> None:
    assert (
        frame_of("<iframe src=a.html></iframe>", is_empty=True) == "https://mill.example/a/a.html"
    )


def test_explain_names_the_frame() -> None:
    page = "<title>Mill</title><frameset cols='20%,80%'><frame src=m><frame src=/t></frameset>"
    explained = to_explanation(clean(page, "https://mill.example/"), ())
    assert explained.endswith(" (framed https://mill.example/t)\n")


def test_a_page_with_a_text_of_its_own_is_not_framed() -> None:
    text = "The timetable below is in force from May, on all days of the week except holidays."
    presence = clean(f"<h1>Bus</h1><p>{text}</p><iframe src=t width=100% height=900>").presence
    assert presence
    assert (presence.where, presence.frame) == ("visible", "")


# the bodies of articles in structured data


def test_plain_text_has_a_paragraph_a_line() -> None:
    text = "Mlýn stojí.\r\n\r\nVoda < 2 m &amp; teče.\n<br-ne>"
    lines = "<p>Mlýn stojí.</p><p>Voda &lt; 2 m &amp; teče.</p><p>&lt;br-ne&gt;</p>"
    assert markup(text) == lines


def test_long_texts_are_cut() -> None:
    assert len(markup("a" * (MAX_BODY_CHARS + 5))) == MAX_BODY_CHARS + len("<p></p>")
