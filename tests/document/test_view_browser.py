"""The page with what was kept in a real browser: Chromium without a window, driven by selenium.

Needs `crfclean[browser]`, Chromium and its driver (`chromium` and `chromium-driver` in Debian).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("selenium.webdriver", reason="needs crfclean[browser]")
from browser import NEEDED
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from servetab import Tab

from crfclean.document.overlay import overlay_html
from crfclean.page.decode import decode
from crfclean.systems.load import load

pytestmark = NEEDED


class View(Tab):
    """A file with the view of a page, as its reader sees it."""

    def show(self, path: Path) -> None:
        self.driver.get(path.as_uri())
        self.wait(lambda: self.at("#summary").text)
        with self.page():
            self.wait(lambda: self.run("return document.readyState === 'complete'"))

    @contextmanager
    def page(self) -> Iterator[None]:
        """Look into the frame."""
        self.driver.switch_to.frame(self.at("iframe"))
        try:
            yield
        finally:
            self.driver.switch_to.default_content()

    def keys(self, *keys: str) -> None:
        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def current(self) -> list[str]:
        """The texts of the block that is marked in the page."""
        with self.page():
            return [mark.text for mark in self.all("[data-crf-current]")]


@pytest.fixture
def view(driver: Any) -> Iterator[View]:
    opened = View(driver)
    opened.size(1280, 800)
    opened.colours("light")
    driver.get_log("browser")
    yield opened
    assert not driver.get_log("browser"), "nothing is refused by the policy, and nothing fails"


def write(folder: Path, html: str | bytes) -> Path:
    target = folder / "view.html"
    target.write_text(overlay_html(decode(html), load("default")), "utf-8", "replace")
    return target


@pytest.fixture(scope="module")
def example(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    page = root / "crfclean" / "static" / "example.html"
    return write(tmp_path_factory.mktemp("example"), page.read_bytes())


# by pointer and by keyboard


def test_a_click_tells_why(view: View, example: Path) -> None:
    view.show(example)
    assert not view.at("#why").is_displayed()
    with view.page():
        view.at("nav li").click()
    view.wait(lambda: view.at("#why").is_displayed())
    assert view.at("#verdict").text.startswith("Dropped · navigation (")
    assert "inside a menu" in [item.text for item in view.all("#because li")]
    assert view.at("#size").text == "<li>, 1 word, all inside links."
    assert view.at("#words").text == "News"
    assert view.current() == ["News"]
    view.at("#figures-part summary").click()
    assert len(view.all("#figures tr")) > 3
    assert "in_nav" in view.at("#figures").text
    assert view.at("#xpath").text.endswith("/li[1]")
    with view.page():
        view.at("h1").click()
    view.wait(lambda: view.at("#verdict").text.startswith("Kept · title ("))


def test_all_by_keyboard(view: View, example: Path) -> None:
    view.show(example)
    view.keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    assert not view.at("#why").is_displayed()
    view.wait(lambda: view.current() == ["Harbour"])
    view.keys(Keys.ENTER)
    view.wait(lambda: view.at("#words").text == "Harbour")
    view.keys(Keys.ARROW_UP)
    view.wait(lambda: view.at("#words").text == "News")
    view.keys(Keys.END)
    view.wait(lambda: "All rights reserved" in view.at("#words").text)
    view.keys(Keys.HOME, Keys.ESCAPE)
    view.wait(lambda: not view.at("#why").is_displayed())
    view.wait(lambda: view.current() == ["The Skerry Post"])


def test_it_begins_with_the_text_below_a_long_menu(view: View, root: Path, tmp_path: Path) -> None:
    menu = "".join(f"<li><a href='/{number}'>Section {number}</a></li>" for number in range(90))
    page = (root / "crfclean" / "static" / "example.html").read_text("utf-8")
    view.show(write(tmp_path, page.replace("<body>", f"<body><nav><ul>{menu}</ul></nav>")))
    with view.page():
        view.wait(lambda: view.run("return scrollY > 500"))
        assert 0 < view.run("return document.querySelector('h1').getBoundingClientRect().top") < 700
    view.keys(Keys.ARROW_DOWN, Keys.ENTER)
    view.wait(lambda: view.at("#verdict").text.startswith("Kept · title ("))
    view.keys(Keys.ARROW_UP)
    view.wait(lambda: view.at("#words").text.startswith("Home"))
