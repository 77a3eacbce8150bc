"""Tests of eval/boards: the layouts of leaderboards are read, their measures and outputs right."""

from __future__ import annotations

import gzip
import json
import re
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from standins import stand_in

import crfclean
from crfclean.teach.gold import GoldPage
from crfclean.types import Page
from eval.boards import aeb, board, trafilatura, wcxb, webmainbench

NAMES = ("sunday-bus-reprieve", "storm-chapel-roof")
BOARDS = (aeb.AEB, trafilatura.TRAFILATURA, wcxb.WCXB, webmainbench.WEBMAINBENCH)


@pytest.fixture
def htmls(demo: Path) -> dict[str, bytes]:
    """Name -> page, of two of the demo pages."""
    return {name: (demo / "moorland-gazette" / f"{name}.html").read_bytes() for name in NAMES}


@pytest.fixture(autouse=True)
def stand_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand-ins: jieba cuts white space and words, as that of English; html2text marks headings."""
    words = re.compile(r"\w+|\s|[^\w\s]")
    stand_in(monkeypatch, "jieba", lcut=words.findall, setLogLevel=lambda _: None)

    class HTML2Text:
        def __init__(self, bodywidth: int) -> None:
            assert bodywidth == 0, "lines are not wrapped"

        def handle(self, html: str) -> str:
            assert self.ignore_links
            assert self.ignore_images
            body = re.sub("<head.*?</head>", "", html, flags=re.DOTALL)
            return re.sub("<[^>]+>", "", body.replace("<h1>", "# "))

    stand_in(monkeypatch, "html2text", HTML2Text=HTML2Text)


def packed(folder: Path, htmls: dict[str, bytes]) -> None:
    """The pages as two of the boards keep them."""
    (folder / "html").mkdir()
    for name, html in htmls.items():
        (folder / "html" / f"{name}.html.gz").write_bytes(gzip.compress(html))


def gold_page(text: str, name: str = "1", **fields: Any) -> GoldPage:
    return GoldPage(name, Page(""), text, "board", name, **fields)


# article-extraction-benchmark


def test_aeb_is_read(tmp_path: Path, htmls: dict[str, bytes]) -> None:
    packed(tmp_path, htmls)
    truth = {name: {"articleBody": f"Body of {name}.", "url": f"https://{name}"} for name in NAMES}
    (tmp_path / "ground-truth.json").write_text(json.dumps(truth), "utf-8")
    pages = list(aeb.read(tmp_path))
    assert [(gold.id, gold.text) for gold in pages] == [(n, f"Body of {n}.") for n in NAMES]
    assert pages[0].page.html == htmls[NAMES[0]].decode("utf-8")
    assert pages[0].page.url == f"https://{NAMES[0]}"


def test_aeb_is_measured_by_shingles() -> None:
    pages = [gold_page("a b c d e", "1"), gold_page("f g h i", "2"), gold_page("", "3")]
    texts = {"1": "a b c d e x", "2": "", "3": ""}
    figures = aeb.score(pages, texts)
    assert figures["precision"] == pytest.approx(2 / 3)  # the page without output does not count
    assert figures["recall"] == pytest.approx(1 / 2)
    assert figures["f1"] == pytest.approx(2 * (2 / 3) * (1 / 2) / (2 / 3 + 1 / 2))
    assert figures["accuracy"] == pytest.approx(1 / 3)


# WCXB


def test_wcxb_is_measured_by_words_of_any_order() -> None:
    pages = [
        gold_page("the cat sat", "1", kind="article", expected_snippets=("CAT", "dog")),
        gold_page("", "2", kind="forum"),
        gold_page("x", "3", kind="forum"),
    ]
    figures = wcxb.score(pages, {"1": "Sat the dog, Cat", "2": "", "3": ""})
    first = 2 * 3 / 7
    assert figures["f1"] == pytest.approx((first + 1 + 0) / 3)
    assert figures["precision"] == pytest.approx((3 / 4 + 1 + 0) / 3)
    assert (figures["article"], figures["forum"]) == pytest.approx((first, 0.5))
    assert (figures["with"], figures["without"]) == (1.0, 1.0)


# trafilatura's evaluation


def test_trafilaturas_evaluation_counts_passages() -> None:
    pages = [
        gold_page(
            "",
            "1",
            expected_snippets=("it sails", "daily"),
            forbidden_snippets=("cookies", "share"),
        ),
        gold_page("", "2", expected_snippets=("rain",), forbidden_snippets=("menu",)),
    ]
    figures = trafilatura.score(pages, {"1": "It sails\n it\n sails daily. share", "2": ""})
    assert figures["precision"] == pytest.approx(2 / 3)
    assert figures["recall"] == pytest.approx(2 / 3)
    assert figures["f1"] == pytest.approx(2 / 3)
    assert figures["accuracy"] == pytest.approx((2 + 2) / 6)
    assert (figures["wanted"], figures["unwanted"], figures["empty"]) == (3, 3, 1)


# WebMainBench


def test_webmainbench_is_measured_by_runs_of_five_words() -> None:
    """White space is a word."""
    assert webmainbench.page_figures("a b c", "a b c d") == {
        "f1": pytest.approx(0.5),
        "precision": 1.0,
        "recall": pytest.approx(1 / 3),
    }
    assert webmainbench.page_figures(" ", "")["f1"] == 1.0
    for text, gold in (("", "a b c"), ("a b c", ""), ("a b", "a b")):
        assert webmainbench.page_figures(text, gold)["f1"] == 0.0
    pages = [gold_page("a b c", "1", kind="hard"), gold_page("", "2", kind="simple")]
    figures = webmainbench.score(pages, {"1": "", "2": ""})
    assert (figures["f1"], figures["hard"], figures["simple"]) == (0.5, 0.0, 1.0)


def test_webmainbench_takes_main_html(htmls: dict[str, bytes]) -> None:
    """Its Markdown is made of HTML by html2text, for us as for the gold."""
    html = htmls[NAMES[0]].decode()
    extract = board.system("crfclean", webmainbench.WEBMAINBENCH.setting)
    text = extract(GoldPage("1", Page(html), "", "board", "1"))
    title, *lines = [line for line in text.splitlines() if line.strip()]
    assert title == f"# {crfclean.clean(html).title}"
    assert len(lines) > 3
    assert not re.search("<[a-z]", text)


def test_webmainbenchs_example_has_the_element_of_the_document() -> None:
    page = "<nav>Menu</nav><div role=main><h1>Ferries</h1><p>It sails daily.</div>"
    golds = [
        GoldPage(text, Page(page), text, "s", "1") for text in ("Ferries It sails daily.", "x")
    ]
    (found,) = webmainbench.with_markdown(golds)
    assert (found.id, found.text.strip()) == (golds[0].id, "# FerriesIt sails daily.")


# the command of all


def test_trafilatura_gets_the_boards_options(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def extract(_: str, **options: object) -> None:
        asked.append(options)
        raise ValueError

    stand_in(monkeypatch, "trafilatura", extract=extract)
    assert [board.system("trafilatura", each.setting)(gold_page("")) for each in BOARDS] == [""] * 4
    assert asked[:2] == [{"include_comments": False}, trafilatura.OPTIONS]
    assert asked[2:] == [{}, {"output_format": "html"}]


def test_a_board_is_run(
    tmp_path: Path,
    htmls: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    packed(tmp_path, htmls)
    truth = {name: {"articleBody": crfclean.extract(htmls[name], as_="body")} for name in NAMES}
    (tmp_path / "ground-truth.json").write_text(json.dumps(truth), "utf-8")
    out = tmp_path / "output"
    words = ["aeb", str(tmp_path), "--systems", "crfclean", "--out", str(out)]
    monkeypatch.setattr(sys, "argv", words)
    aeb.main()
    assert 'crfclean {"f1": 1.0,' in capsys.readouterr().out
    written = json.loads((out / "crfclean.json").read_text("utf-8"))
    assert written == {"version": version("crfclean"), "output": truth}
    monkeypatch.setattr(sys, "argv", [*words, "--pages", "1"])
    aeb.main()
    assert len(json.loads((out / "crfclean.json").read_text("utf-8"))["output"]) == 1
