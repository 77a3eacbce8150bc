"""The pictures of `crfclean serve` in a real browser: coherent texts, roles, posts.

Needs what `test_browser.py` needs, and `crfclean[forum]`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs crfclean[web]")
pytest.importorskip("dateparser", reason="needs crfclean[forum]")
pytest.importorskip("selenium.webdriver", reason="needs crfclean[browser]")
from browser import NEEDED, started
from contrast import CONTRAST
from selenium.webdriver.common.keys import Keys
from servetab import Tab

pytestmark = NEEDED
ATTACK = "&lt;img src=x onerror=alert(1)&gt;&lt;script&gt;alert(2)&lt;/script&gt;"
HOSTILE = f"""<title>{ATTACK}</title><h1>{ATTACK}</h1><h2>{ATTACK} too</h2>
<p>Words {ATTACK} that are long enough to be the main text of this page, and more of them.
<p>Others <a href="javascript:alert(3)">{ATTACK}</a> that are long enough to be text as well.</p>
<ul><li><a href=a>{ATTACK}</a><li><a href=b>{ATTACK}</a></ul>"""
POST = """<li class="post"><div class="head"><a href="/user/{0}">{0}</a>
<span class="date">12 May 2021, 07:14</span></div><div class="body">
<blockquote>{1} asked</blockquote>
<p>{1} The harbour is closed, and nobody knows for how long it will stay closed.</p></div>
{2}</li>"""


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    browser = started(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.quit()


@pytest.fixture(scope="module")
def address(root: Path) -> Iterator[str]:
    """The address of a server without options."""
    process = subprocess.Popen(
        [sys.executable, "-m", "crfclean", "serve", "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(root)},
    )
    assert process.stdout is not None
    yield process.stdout.readline().strip()
    process.kill()
    process.communicate()


@pytest.fixture
def tab(driver: Any, address: str) -> Iterator[Tab]:
    opened = Tab(driver)
    opened.size(1280, 800)
    opened.colours("light")
    driver.get_log("browser")
    opened.open(address)
    yield opened
    assert not driver.get_log("browser"), "nothing is refused by the policy, and nothing fails"


@pytest.fixture(scope="module")
def pages(root: Path) -> dict[str, str]:
    """Tagger -> a page that has its picture."""
    data = root / "data"
    portal = (data / "portals" / "blog.html").read_text("utf-8")
    article = (data / "demo" / "hafenblick" / "elektrofaehre-wattlerche.html").read_text("utf-8")
    thread = (data / "forum" / "bastubadarna" / "1.html").read_text("utf-8")
    return {"links": portal, "energy": portal, "expert": article, "forum": thread}


def clean(tab: Tab, tagger: str, html: str) -> None:
    tab.choose("[data-side=a] .name", tagger)
    tab.paste(html)
    assert not tab.error()


def texts(tab: Tab, selector: str) -> list[str]:
    """The texts of all elements, also of those that are out of sight."""
    script = "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)"
    return list(tab.run(script, selector))


def test_all_taggers_without_a_restart(tab: Tab, pages: dict[str, str]) -> None:
    names = [one.get_attribute("value") for one in tab.all("[data-side=a] .name option")]
    assert names == ["default", "mlp", "energy", "links", "expert", "forum"]
    tab.paste(pages["expert"])
    titles = {}
    for name in names:
        tab.choose("[data-side=a] .name", name)
        assert not tab.error()
        assert tab.rows()
        titles[name] = tab.at("#picture-title").text
    texts, roles = "Coherent texts", "Roles and rules"
    assert titles == {
        "default": "",
        "mlp": "",
        "energy": texts,
        "links": texts,
        "expert": roles,
        "forum": "Posts",
    }


def test_conventions(tab: Tab, pages: dict[str, str]) -> None:
    tab.paste(pages["expert"])
    whole = tab.text()
    title = whole.splitlines()[0]
    tab.choose("[data-side=a] .convention", "body")
    assert title not in tab.text().splitlines()
    tab.rows()[tab.labels().index("T")].find_element("css selector", "summary").click()
    tab.wait(lambda: texts(tab, "#blocks .why h3"))  # drawn twice: no element is held
    assert "by the tagger’s own rule, as body" in texts(tab, "#blocks .why h3")[0]
    tab.choose("[data-side=a] .name", "links")
    assert not tab.error()
    convention = tab.at("[data-side=a] .convention")
    assert (convention.is_enabled(), convention.get_attribute("value")) == (False, "auto")
    tab.choose("[data-side=a] .name", "default")
    assert tab.at("[data-side=a] .convention").is_enabled()
    assert tab.text() == whole


def test_kinds_of_blocks(tab: Tab, pages: dict[str, str]) -> None:
    tab.paste(pages["expert"])
    assert {"navigation", "byline", "comment"} <= set(texts(tab, "#blocks .is"))


# coherent texts


@pytest.mark.parametrize("name", ["links", "energy"])
def test_texts_in_their_colours(tab: Tab, pages: dict[str, str], name: str) -> None:
    clean(tab, name, pages[name])
    script = """return [...document.querySelectorAll("#blocks > li")].map((row) =>
      [...row.querySelectorAll(".piece")].map((one) => [one.title, one.className]))"""
    pieces = [tuple(one) for row in tab.run(script) for one in row]
    assert len(dict(pieces)) == len(set(pieces)) > 5, "one colour a text"
    colour = dict(pieces)
    numbers = sorted(int(text.split()[1]) for text in colour)
    for one, other in pairwise(numbers):
        assert colour[f"text {one}"] != colour[f"text {other}"]
    words = texts(tab, "#blocks .words")
    assert len(words) == len(tab.rows())
    clean(tab, name, pages[name])
    assert [tuple(one) for row in tab.run(script) for one in row] == pieces
    tab.choose("[data-side=a] .name", "default")
    assert not tab.all("#blocks .piece, #blocks .mark")
    assert texts(tab, "#blocks .words") == words


def test_the_legend(tab: Tab, pages: dict[str, str]) -> None:
    clean(tab, "links", pages["links"])
    count = int(tab.at("#picture-summary").text.split()[0])
    facts = texts(tab, ".legend .facts")
    assert len(facts) == 12 < count
    sizes = [int(one.split()[0].replace(",", "")) for one in facts]
    assert sizes == sorted(sizes, reverse=True)
    assert all("% in links" in one for one in facts)
    assert "kept" in facts[0]
    tab.at("#picture > button").send_keys(Keys.ENTER)
    assert len(tab.all(".legend li")) == count
    tab.press(Keys.ENTER)  # the first of the others has the focus
    number = tab.all(".legend .jump")[12].text
    assert number in tab.at("#blocks details[open] .what").text


def test_a_block_of_several_texts(tab: Tab) -> None:
    words = "Words that are no link stand around them, and there are many of these words here. "
    html = f"<div>{words * 3}</div><div><a href=a>Mail</a> | <a href=b>Fares</a> and others</div>"
    clean(tab, "links", html)
    row = tab.rows()[1]
    pieces = row.find_elements("css selector", ".piece")
    assert len(pieces) > 1
    assert row.find_element("css selector", ".words").text == "Mail | Fares and others"
    assert "".join(one.get_attribute("textContent") for one in pieces) == "Mail | Fares and others"
    assert row.find_element("css selector", ".mark").text.startswith("texts ")


# roles


def test_roles_and_rules(tab: Tab, pages: dict[str, str]) -> None:
    clean(tab, "expert", pages["expert"])
    assert texts(tab, ".conclusions dt") == ["Main heading", "Main article", "Comments", "Pictures"]
    marks = set(texts(tab, "#blocks .mark"))
    assert {"main heading", "main article", "comment"} <= marks
    assert any(mark.startswith("removed: ") for mark in marks)
    step = tab.at(".trace details")
    step.find_element("css selector", "summary").send_keys(Keys.ENTER)
    why = step.find_element("css selector", "li")
    assert "it speaks of comments" in why.text
    why.find_element("css selector", ".jump").click()
    assert tab.at("#blocks details[open] .words").text.startswith("Leserkommentare")


def test_what_is_open_stays_open(tab: Tab, pages: dict[str, str]) -> None:
    clean(tab, "expert", pages["expert"])
    tab.at(".trace summary").click()
    tab.choose("#format", "md")
    assert tab.text().startswith("# ")
    assert tab.all(".trace details[open]")
    tab.at(".trace li li .jump").click()
    assert tab.at("#blocks details[open] .words").text.startswith("Leserkommentare")
    clean(tab, "expert", pages["energy"])
    assert not tab.all(".trace details[open]")


def test_a_conclusion_leads_to_its_block(tab: Tab, pages: dict[str, str]) -> None:
    clean(tab, "expert", pages["expert"])
    tab.at("[name=show][value=kept]").click()
    tab.at(".conclusions .comment .jump").click()
    assert "comment" in tab.at("#blocks details[open] .mark").text
    assert tab.at("[name=show][value=all]").is_selected()


# posts


def test_posts(tab: Tab, pages: dict[str, str]) -> None:
    clean(tab, "forum", pages["forum"])
    posts = tab.all(".entry")
    assert tab.at("#picture-summary").text.startswith(f"{len(posts)} posts")
    assert len(posts) > 1
    assert texts(tab, ".entry-head .jump") == [f"post {one + 1}" for one in range(len(posts))]
    assert all(texts(tab, ".entry .author"))
    assert all(texts(tab, ".entry .own"))
    assert "opens the thread" in posts[0].text
    marks = texts(tab, "#blocks .mark")
    assert set(marks) == {f"post {one + 1}" for one in range(len(posts))}
    posts[1].find_element("css selector", ".jump").send_keys(Keys.ENTER)
    assert "post 2" in tab.at("#blocks details[open] .what").text


def test_quotes_and_answers(tab: Tab) -> None:
    def post(name: str, *inner: str) -> str:
        return POST.format(name, f"To {name}.", f"<ul>{''.join(inner)}</ul>")

    thread = post("Anna Frost", post("Jan Eisen"), post("Petra Kahn", post("Uwe Boot")))
    html = f"<title>Ice</title><h1>Ice</h1><ul>{thread}{post('Mia Netz')}{post('Ole Tau')}</ul>"
    clean(tab, "forum", html)
    assert len(texts(tab, ".entry blockquote")) == len(texts(tab, ".entry")) == 6
    assert not set(texts(tab, ".entry blockquote")) & set(texts(tab, ".entry .own"))
    depths = [one.get_attribute("className").split("depth-")[1] for one in tab.all(".entry")]
    assert depths == list("011200")
    assert "answers post 3" in tab.all(".entry")[3].text
    lefts = [one.rect["x"] for one in tab.all(".entry")]
    assert lefts[0] < lefts[1] == lefts[2] < lefts[3]


def test_no_posts(tab: Tab) -> None:
    clean(tab, "forum", "<p>Some words.")
    assert "No posts" in tab.at("#picture").text


# two taggers


def test_the_picture_of_each_side(tab: Tab, pages: dict[str, str]) -> None:
    clean(tab, "links", pages["expert"])
    tab.at("#compare").click()
    tab.choose("[data-side=b] .name", "expert")
    assert tab.at("#picture-title").text == "Coherent texts (A)"
    assert tab.all("#blocks .piece")
    tab.choose("#side", "b")
    assert tab.at("#picture-title").text == "Roles and rules (B)"
    assert not tab.all("#blocks .piece")
    assert tab.all("#blocks .mark.article")


# trouble


@pytest.mark.parametrize("name", ["links", "energy", "expert", "forum"])
def test_hostile_text_stays_text(tab: Tab, name: str) -> None:
    posts = "".join(POST.format(ATTACK, ATTACK, "") for _ in range(4))
    clean(tab, name, f"<title>{ATTACK}</title><ul>{posts}</ul>" if name == "forum" else HOSTILE)
    assert "<script>alert(2)</script>" in tab.at("#picture").get_attribute("textContent")
    for details in tab.all("#picture details"):
        details.find_element("css selector", "summary").click()
    bad = "#result script, #result img, #result a, #result [onerror], #result [style]"
    assert not tab.all(bad)


# for everybody


@pytest.mark.parametrize("width", [390, 768, 1280])
@pytest.mark.parametrize("name", ["links", "expert", "forum"])
def test_nothing_is_wider_than_the_screen(
    tab: Tab, pages: dict[str, str], width: int, name: str
) -> None:
    tab.size(width)
    clean(tab, name, pages[name])
    for summary in tab.all(".trace summary"):
        summary.click()
    wide = "(one) => one.getBoundingClientRect().right > innerWidth + 1"
    elements = f"[...document.querySelectorAll('main *')].filter({wide})"
    assert tab.run(f"return {elements}.map((one) => one.outerHTML.slice(0, 80))") == []


@pytest.mark.parametrize("compare", [False, True])
@pytest.mark.parametrize("name", ["links", "expert", "forum"])
def test_marks_leave_room_for_labels(
    tab: Tab,
    pages: dict[str, str],
    name: str,
    compare: bool,  # noqa: FBT001
) -> None:
    tab.size(390)
    clean(tab, name, pages[name])
    if compare:
        tab.at("#compare").click()
        tab.settle()
    squeezed = "(one) => one.clientWidth < 40 || one.clientHeight > 40"
    scores = f"[...document.querySelectorAll('#blocks .score')].filter({squeezed})"
    assert tab.run(f"return {scores}.length") == 0
    over = "(one) => one.scrollWidth > one.clientWidth + 1"
    heads = f"[...document.querySelectorAll('#blocks .verdict, #blocks .what')].filter({over})"
    assert tab.run(f"return {heads}.map((one) => one.textContent)") == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["links", "expert", "forum"])
def test_texts_stand_out(tab: Tab, pages: dict[str, str], scheme: str, name: str) -> None:
    tab.colours(scheme)
    clean(tab, name, pages[name])
    for summary in tab.all(".trace summary")[:3]:
        summary.click()
    tab.settle()
    assert tab.run(CONTRAST) == {}


@pytest.mark.parametrize("name", ["links", "expert", "forum"])
def test_everything_has_a_name(tab: Tab, pages: dict[str, str], name: str) -> None:
    clean(tab, name, pages[name])
    controls = tab.all("#settings select, #settings input, #picture-part *:is(button, summary)")
    shown = [one for one in [*controls, tab.at("#picture")] if one.is_displayed()]
    assert len(shown) > 5
    assert not [one.get_attribute("outerHTML")[:80] for one in shown if not one.accessible_name]
