"""Tests of whether and where a page has its content."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from crfclean import extract
from crfclean.decision.verdict import levels, ruled_words
from crfclean.pipeline import clean, labelled, open_model, without_notice
from crfclean.systems.presence import (
    SHORT_WORDS,
    PresenceEvidence,
    presence_features,
    presence_of,
)
from crfclean.types import Page, Presence

TITLE = "Bridge over the mill stream reopens"
SAID = (
    "The old bridge over the mill stream was opened to walkers again on Saturday.",
    "Carpenters from the village had replaced most of its beams during the winter.",
    "The parish paid for the oak, and the work was done by volunteers.",
)
STORY = f"<h1>{TITLE}</h1>" + "".join(f"<p>{text}</p>" for text in SAID)
TEASER = f"<h1>{TITLE}</h1><p>{SAID[0]}</p>"
MENU = "<nav><a href=/a>News</a><a href=/b>Sports</a><a href=/c>Contact</a></nav>"
FOOT = "<footer>© 2026 Example</footer>"
BUNDLE = f"<script>{'window.parts.push([[1], function (page) { page.start(2); }]);' * 40}</script>"
SIGN_IN = "<form><input name=user><input type=password name=word><button>OK</button></form>"
FORGOT = f"{SIGN_IN}<a>Forgot your password?</a>"
SCRIPTS = "You need to enable JavaScript to run this app."
CONSENT = "<p>We value your privacy. We and our partners store information on your device.</p>"
NOTICE = f"{CONSENT}<button>Accept all cookies</button>"
PAYWALL = "<div>Subscribe to continue reading. Already a subscriber?</div>"
GONE = "<p>The page that you are looking for could not be found.</p>"
META = f'<meta name="description" content="{" ".join(SAID)}">'
FRAME = '<iframe src="/plan.html" width="100%" height="900"></iframe>'
BOXES = """<div class="alert alert-info"><p>Important</p><p>This is an informational one.</p></div>
<div class="alert alert-danger" role=alert><p>Danger</p><p>Something went wrong.</p></div>"""
LEGAL = "this content is not available in your country."
ABSENT = [
    ("needs-script", "App", f"<noscript>{SCRIPTS}</noscript><div id=root></div>{BUNDLE}"),
    ("needs-script", TITLE, f"{META}{MENU}<main>Loading...</main>{BUNDLE}"),
    ("needs-script", "", f"{MENU}<div id=root></div>{MENU}"),
    ("needs-script", "App", f"{META}<p>Bitte aktivieren Sie JavaScript.</p>{BUNDLE}"),
    ("consent", TITLE, f"{META}{NOTICE}{BUNDLE}"),
    ("consent", "Cookies", f"<meta http-equiv=refresh content=9>{NOTICE}"),
    ("paywall", TITLE, f"{MENU}{TEASER}{PAYWALL}"),
    ("login", "Please log in", f"<h1>Please log in to continue</h1>{FORGOT}"),
    ("login", TITLE, f"{MENU}{FORGOT}{FOOT}"),
    ("login", TITLE, f"{MENU}<h1>{TITLE}</h1><p>You must log in to read this page.</p>"),
    ("login", "Anmelden", f"<h2>Bitte melden Sie sich an</h2>{SIGN_IN}<a>Passwort vergessen?"),
    ("error-page", "404 - Page not found", f"{MENU}<h1>404</h1>{GONE}"),
    ("error-page", "", f"<h1>404 - Page not found</h1>{GONE}"),
    ("blocked", "Too many requests", "<h1>Too many requests</h1><p>Try again in a few minutes."),
    ("blocked", TITLE, f"{MENU}<main><p>Unavailable for legal reasons: {LEGAL}</p></main>{FOOT}"),
    ("framed", TITLE, FRAME),
    ("framed", TITLE, f"{MENU}<main>{FRAME}</main>{FOOT}"),
    ("framed", TITLE, f"<p>The parish says: this is shown in a frame.</p><a>Close</a>{FRAME}"),
    ("framed", TITLE, "<p>You see another site.</p><a>Close</a><iframe src=/plan.html></iframe>"),
    ("empty", "", ""),
]  # fmt: skip
PRESENT = [
    STORY,
    f"{META}{MENU}{NOTICE}<main>{STORY}</main>{FOOT}{BUNDLE}",
    f"{MENU}{FORGOT}<main>{STORY}</main>{FOOT}",
    f"{MENU}<noscript>{SCRIPTS}</noscript><main>{STORY}</main>{BUNDLE}",
    f"{MENU}<main>{STORY}<p>You must be logged in to post a comment.</p></main>{FOOT}",
    f"{MENU}<h1>{TITLE}</h1><p>{SAID[0]}</p><p>{SAID[1]}</p><p>Here {LEGAL}</p>{FOOT}",
    f"{MENU}<h1>{TITLE}</h1><iframe src=//v.example width=560 height=315></iframe><p>{SAID[1]}",
    f"<h1>{TITLE}</h1><p>{SAID[0]}</p>{FRAME}",
    f"<p>{SAID[0]} {SAID[1]}</p><iframe src=/plan.html width=640 height=400></iframe>",
    f"<p>{TITLE}</p>",
    f"<h1>{TITLE}</h1><p>Some text before the boxes.</p>{BOXES}<p>Some text after them.</p>",
]


def evidence(html: str) -> PresenceEvidence:
    page = Page(html)
    return PresenceEvidence(labelled(page, open_model("default")), page)


FIELDS = "".join(
    f"<div><label for={name}>{name}</label><input type=text id={name}></div>"
    for name in ("Name", "E-mail", "Subject", "Message")
)
PROSE = "The ferry across the bay will run again from Monday, said the harbour master. " * 3
CONTACT = f"""<title>Contact us | Harbour Books</title><nav><a href=/>Home</a></nav>
<h1>Contact us</h1><form action=/send method=post>{FIELDS}<p>Fields with a star are required.</p>
<button>Send</button></form><footer>© 2026 Harbour Books</footer><script src=a.js></script>"""


def test_a_form_has_no_text_unless_it_is_asked_for() -> None:
    document = clean(CONTACT, "https://books.example/contact")
    presence = document.presence
    assert presence
    assert (presence.where, presence.reason) == ("not-in-this-html", "form")
    assert (document.text, document.status, document.score) == ("", "nothing-kept", 0.0)
    assert levels(document)["generous"].text == ""
    assert extract(CONTACT, "https://books.example/contact", comments="keep") == ""
    assert "Contact us" in extract(CONTACT, "https://books.example/contact", as_="page")
    assert not ruled_words(document), "no rule has taken its words"


@pytest.mark.parametrize(
    ("mail", "where"), [("", "not-in-this-html"), ("info@harbour.example", "visible")]
)
def test_an_address_beside_a_form_is_a_text(mail: str, where: str) -> None:
    told = f"<p>Harbour Books, 12 Mill Lane.</p><p>Telephone 01632 960158, e-mail {mail}</p>"
    document = clean(CONTACT.replace("<form", f"{told}<form"), "https://books.example/contact")
    assert document.presence
    assert document.presence.where == where
    assert ("12 Mill Lane" in document.text) == bool(mail)


CHOICES = ({"keep": "table"}, {"within": ".none"}, {"threshold": 1.0}, {"without": "paragraph"})


@pytest.mark.parametrize("choice", CHOICES)
def test_a_presence_is_the_same_whatever_is_kept(choice: Mapping[str, Any]) -> None:
    """Nothing kept of an article was a consent wall, or a page that needs scripts."""
    page = STORY + NOTICE + BUNDLE
    assert clean(page, **choice).presence == clean(page).presence
    hidden = f"<p>{SAID[0]}</p><div style='display:none'>{STORY * 3}</div>"
    assert clean(hidden, **choice).presence == clean(hidden).presence
    assert clean(hidden, **choice).blocks.source == "hidden"


def test_no_page_of_many_words_is_emptied() -> None:
    absent = replace(clean(f"<p>{PROSE * 3}</p>"), presence=Presence("not-in-this-html", "form", 1))
    assert without_notice(absent, open_model("default")).kept
    short = replace(clean(f"<p>{PROSE}</p>"), presence=absent.presence)
    assert short.kept
    assert not without_notice(short, open_model("default")).kept


@pytest.mark.parametrize(("reason", "title", "body"), ABSENT)
def test_shells(reason: str, title: str, body: str) -> None:
    html = f"<html><head><title>{title}</title></head><body>{body}</body></html>"
    document = clean(html, "https://mill.example/")
    presence = document.presence
    assert presence
    assert (presence.where, presence.reason) == ("not-in-this-html", reason)
    assert document.score == 0
    assert bool(presence.frame) == (reason == "framed")
    assert 0.5 < presence.probability <= 1.0


@pytest.mark.parametrize("body", PRESENT)
def test_short_pages(body: str) -> None:
    presence = clean(f"<title>{TITLE}</title>{body}").presence
    assert presence
    assert (presence.where, presence.reason) == ("visible", "")
    assert 0.5 <= presence.probability <= 1.0


def test_features_are_bounded_and_say_nothing_more_of_long_pages() -> None:
    long = "<form><input type=password></form><p>Page not found. </p>" + "<p>Rain. </p>" * 400
    values = presence_features(evidence(f"<div id=root></div>{long}"))
    assert evidence(long).kept_words > SHORT_WORDS
    assert all(0 <= value <= 3 for value in values.values())
    late = ("short", "password", "root", "shows_error", "no_title", "description_missing")
    assert [values[name] for name in late] == [0] * len(late)


def test_noscript_is_hidden_text() -> None:
    lines = "".join(
        f"<p>In the year {at} the brook was dry, and the mill stood.</p>" for at in range(30)
    )
    document = clean(f"<noscript><h1>Mill</h1>{lines}</noscript><div id=app></div>")
    assert document.blocks.source == "noscript"
    assert document.presence
    assert document.presence.where == "hidden"


def test_a_tiny_page_without_script_or_notice_has_its_content() -> None:
    presence = clean("<p>Hello").presence
    assert presence is not None
    assert (presence.where, presence.reason) == ("visible", "")
    shell = clean("<script src=app.js></script><p>Hello").presence
    assert shell is not None
    assert (shell.where, shell.reason) == ("not-in-this-html", "needs-script")


def test_of_a_page_that_could_not_be_read_nothing_is_said() -> None:
    page = Page("<p>a", status="binary")
    document = labelled(page, open_model("default"))
    assert presence_of(replace(document, status="binary"), page) is None
    assert presence_of(
        document if document.status == "ok" else replace(document, status="ok"), page
    )


BODY = "The brook was dry in May, and the mill stood still until the rain came back. " * 8


def with_data(shown: str, **data: str) -> str:
    script = json.dumps({"@type": "NewsArticle", **data})
    return f'<h1>Mill</h1><p>{shown}</p><script type="application/ld+json">{script}</script>'


@pytest.mark.parametrize("key", ["articleBody", "text"])
def test_a_text_that_is_only_in_the_data_is_told_and_not_read(key: str) -> None:
    shown = "Photographs of the mill and the brook in a dry month, by readers of this paper."
    document = clean(with_data(shown, **{key: BODY}))
    assert document.presence
    assert (document.presence.where, document.presence.reason) == ("carried", "")
    assert document.score == 0
    assert "rain" not in document.text


@pytest.mark.parametrize(
    ("shown", "data"),
    [
        pytest.param(BODY, {"articleBody": BODY}, id="shown"),
        pytest.param("Rain in the north, sun in the south.", {"articleBody": "Rain."}, id="short"),
        pytest.param(
            "The mill sells flour.", {"@type": "Review", "articleBody": BODY}, id="review"
        ),
        pytest.param("Another text stands here, word for word. " * 30, {"text": BODY}, id="longer"),
    ],
)
def test_other_data_changes_nothing(shown: str, data: dict[str, str]) -> None:
    presence = clean(with_data(shown, **data)).presence
    assert presence
    assert presence.where != "carried"


POST = (
    "I rebuilt the carburettor of my old moped last week, and now it floods whenever I stop at "
    "a light. The float is new and the needle moves freely."
)


@pytest.mark.parametrize(
    "notice",
    [
        "You must be logged in to view attachments.",
        "Please log in or register to see this link.",
        "This video is not available in your country.",
        "Others see that this account is private, and ask before they can read your posts.",
    ],
)
def test_a_notice_beside_a_text_is_no_wall(notice: str) -> None:
    presence = clean(f"<h1>Carburettor floods</h1><p>{POST}</p><p>{notice}</p>").presence
    assert presence
    assert presence.where == "visible"


@pytest.mark.parametrize("title", ["Peugeot 404", "Area code 404", "Flight 451 to Oslo"])
def test_a_number_in_a_title_is_no_status(title: str) -> None:
    presence = clean(f"<title>{title}</title><h1>{title}</h1><p>It began in 1947.</p>").presence
    assert presence
    assert presence.where == "visible"
