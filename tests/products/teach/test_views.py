"""Tests of `teach/annotate_web.py`."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from crfclean.products.teach.annotate_web import LabelRequest, Views
from crfclean.products.teach.session import open_session

MENU = "<ul><li>Home</li><li>News</li></ul>"
PAGES = {
    "a.html": f"{MENU}<h1>First</h1><p>One.</p><p>Two.</p>",
    "b.html": f"{MENU}<h1>Second</h1><p>Three.</p>",
    "c.html": "<p>Broken.</p>",
    "d.html": "<img>",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, html in PAGES.items():
        (tmp_path / name).write_text(html, "utf-8")
    (tmp_path / "c.labels.tsv").write_text("TEXT\tother text\n", "utf-8")
    return tmp_path


@pytest.fixture
def views(folder: Path) -> Views:
    return Views(open_session(folder))


def saved(folder: Path, name: str = "a") -> str:
    lines = (folder / f"{name}.labels.tsv").read_text("utf-8").splitlines()
    return "".join(line[0] for line in lines)


def give(
    views: Views, first: int, label: Any, last: int | None = None, reach: Any = "blocks"
) -> dict[str, Any]:
    return views.label(0, LabelRequest(first, first if last is None else last, reach, label))


def test_overview(views: Views) -> None:
    told = views.overview()
    assert [card["name"] for card in told["pages"]] == list(PAGES)
    assert "other text" in told["pages"][2]["problem"]
    assert (told["begin"], told["labelled"], told["blocks"]) == (0, 0, 9)


def test_the_rest_is_above_and_below(views: Views, folder: Path) -> None:
    give(views, 3, "TEXT")
    told = give(views, 4, "OTHER", reach="rest")
    assert saved(folder) == "OOOTO"
    assert told["next"] is None


def test_undo_leads_to_the_page(views: Views) -> None:
    give(views, 3, "TEXT")
    views.label(1, LabelRequest(2, 2, "blocks", "HEADER"))
    told = views.undo()
    assert (told["page"], told["block"]) == (1, 2)
    told = views.undo()
    assert (told["page"], told["block"]) == (0, 3)
    assert views.undo() == {"page": None}
    views.redo()
    views.redo()
    assert views.redo() == {"page": None}


def test_steps_of_many_threads_are_all_taken(views: Views, folder: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda block: give(views, block % 5, "TEXT"), range(40)))
    assert saved(folder) == "TTTTT"
    assert sum(views.undo()["page"] is not None for _ in range(41)) == 40
