"""Tests of `teach/runner.py`: other systems are called as their manuals show, and never raise."""

from __future__ import annotations

import time
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from crfclean.products.teach import peers as systems
from crfclean.products.teach.gold import GoldPage, read_gold
from crfclean.types import CrfcleanError, Page
from crfclean.types.choices import PEERS

SENTENCE = "The ferry has been out of service since the ice came in the second week of January. "
PARTS = "".join(f"<p>{number}. {SENTENCE * 4}</p>" for number in range(6))
HTML = f"""<html lang="en"><head><title>Ferry in the ice</title></head><body>
<div id="menu"><a href="/">Home</a> <a href="/news">News</a></div>
<article><h1>Ferry in the ice</h1>{PARTS}</article>
<footer><a href="/about">About us</a></footer></body></html>"""
GOLD = GoldPage("p", Page(HTML), SENTENCE, "s", "s", lang="en")
every_system = pytest.mark.parametrize("name", PEERS)


@pytest.mark.parametrize(
    ("folder", "lang"), [("kurjer-nadwislanski", "pl"), ("vestnik-zarechya", "ru")]
)
def test_a_language_that_no_page_declares_is_guessed(demo: Path, folder: str, lang: str) -> None:
    pages = list(read_gold(demo / folder))
    assert {gold.lang for gold in pages} == {""}
    assert {systems.guess_language(gold) for gold in pages} == {lang}


def test_justext_gets_the_guessed_language(demo: Path) -> None:
    """With the English list it kept nothing of the Polish pages."""
    pytest.importorskip("justext")
    cleaned = [systems.system("justext")(gold) for gold in read_gold(demo / "kurjer-nadwislanski")]
    assert all(len(one.text.split()) > 100 for one in cleaned)


@every_system
def test_systems_find_the_article(name: str) -> None:
    pytest.importorskip({"readability-lxml": "readability"}.get(name, name))
    found = systems.system(name)(GOLD)
    assert found.status == "ok"
    assert found.text.count("since the ice came") == 24
    assert "About us" not in found.text
    assert found.document is None


@every_system
@pytest.mark.parametrize("html", ["", "<p>", "\x00", "<html>" * 50, "no markup"])
def test_systems_never_raise(name: str, html: str) -> None:
    text, status = systems.extract_guarded(name, html)
    assert isinstance(text, str)
    assert status == "ok" or not text


def test_a_crash_gives_an_empty_text_and_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(html: str, lang: str) -> str:
        raise ZeroDivisionError

    monkeypatch.setattr(systems, "EXTRACTIONS", {"justext": crash})
    assert systems.extract_guarded("justext", HTML) == ("", "ZeroDivisionError")


def spin(html: str, lang: str) -> str:
    while True:
        try:
            time.process_time()
        except Exception:  # noqa: BLE001 - what a careless library does
            continue


def test_a_page_that_never_ends_gives_an_empty_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(systems, "EXTRACTIONS", {"justext": spin})
    monkeypatch.setattr(systems, "MAX_PAGE_SECONDS", 0.05)
    assert systems.extract_guarded("justext", HTML) == ("", "OutOfTime")


def test_a_system_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(systems, "version", missing)
    with pytest.raises(CrfcleanError, match=r"justext is not installed: .*crfclean\[peers\]"):
        systems.system("justext")
