"""The pictures of `crfclean serve` in a real browser: coherent texts, roles, posts.

Needs what `test_browser.py` needs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs crfclean[web]")
pytest.importorskip("selenium.webdriver", reason="needs crfclean[browser]")
from browser import NEEDED
from servetab import Tab
from serving import Running

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
def address() -> Iterator[str]:
    """The address of a server without options."""
    with closing(Running("-m", "crfclean", "serve", "--port", "0")) as running:
        yield running.address


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


# posts


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
    assert "replies to post 3" in tab.all(".entry")[3].text
    lefts = [one.rect["x"] for one in tab.all(".entry")]
    assert lefts[0] < lefts[1] == lefts[2] < lefts[3]


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
