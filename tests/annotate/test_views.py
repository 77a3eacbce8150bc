"""Tests of `annotate/views.py`."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from crfclean.annotate.session import open_session
from crfclean.annotate.views import Views
from crfclean.taggers.crf import CrfTagger
from crfclean.types import CrfcleanError, GoldError

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


@pytest.fixture
def guessing(folder: Path, tagger: CrfTagger) -> Views:
    return Views(open_session(folder, tagger))


def saved(folder: Path, name: str = "a") -> str:
    lines = (folder / f"{name}.labels.tsv").read_text("utf-8").splitlines()
    return "".join(line[0] for line in lines)


def give(views: Views, first: int, label: str, last: int | None = None, reach: str = "blocks"):
    return views.label(0, first, first if last is None else last, reach, label)


def test_overview(views: Views) -> None:
    told = views.overview()
    assert [card["name"] for card in told["pages"]] == list(PAGES)
    assert told["pages"][0] == {
        "name": "a.html",
        "blocks": 5,
        "labelled": 0,
        "certainty": told["pages"][0]["certainty"],
        "problem": "",
        "finished": False,
    }
    assert "other text" in told["pages"][2]["problem"]
    assert told["begin"] == 0
    assert (told["labelled"], told["blocks"]) == (0, 9)


def test_page(views: Views) -> None:
    told = views.page(0)
    assert told["texts"] == ("Home", "News", "First", "One.", "Two.")
    assert told["tags"] == ["li", "li", "h1", "p", "p"]
    assert told["guesses"] == told["labels"] == "....."
    assert told["sure"] == [0.0] * 5
    assert (told["page"], told["next"], told["following"]) == (0, 0, 1)


def test_every_view_is_json(guessing: Views) -> None:
    for view in (guessing.overview(), guessing.page(0), give(guessing, 0, "OTHER")):
        assert json.loads(json.dumps(view))["blocks"] == 9


def test_guesses(guessing: Views) -> None:
    told = next(guessing.page(number) for number in range(4) if not _problem(guessing, number))
    assert set(told["guesses"]) <= set("HTO")
    assert all(0 < sure <= 1 for sure in told["sure"])


def _problem(views: Views, number: int) -> str:
    return str(views.overview()["pages"][number]["problem"])


def test_labels_are_saved_at_once(views: Views, folder: Path) -> None:
    told = give(views, 2, "HEADER")
    assert told["labels"] == "..H.."
    assert told["next"] == 3
    assert saved(folder) == "??H??"
    assert told["card"]["labelled"] == 1
    assert told["labelled"] == 1


def test_a_range_is_one_step(views: Views, folder: Path) -> None:
    assert give(views, 0, "OTHER", last=1)["labels"] == "OO..."
    assert views.undo()["labels"] == "....."
    assert saved(folder) == "?????"
    assert views.redo()["labels"] == "OO..."
    assert saved(folder) == "OO???"


def test_a_run_and_the_rest(guessing: Views) -> None:
    number = [card["name"] for card in guessing.overview()["pages"]].index("a.html")
    guesses = guessing.page(number)["guesses"]
    run = len(guesses) - len(guesses.lstrip(guesses[0]))
    told = guessing.label(number, 0, 0, "run", "TEXT")
    assert told["labels"] == "T" * run + "." * (5 - run)
    guessing.undo()
    assert guessing.label(number, 0, 0, "run", "guess")["labels"][:run] == guesses[:run]
    guessing.undo()
    told = guessing.label(number, 1, 1, "rest", "guess")
    assert told["labels"] == "." + guesses[1:]
    assert told["next"] == 0


def test_the_rest_begins_with_the_block_itself(views: Views) -> None:
    give(views, 1, "OTHER")
    give(views, 3, "OTHER")
    assert give(views, 1, "TEXT", reach="rest")["labels"] == ".TTOT"


def test_known_blocks_have_small_letters(views: Views) -> None:
    give(views, 0, "OTHER", last=1)
    told = views.page(1)
    assert told["labels"] == "oo.."
    assert told["next"] == 2


def test_taking_a_label_away(views: Views, folder: Path) -> None:
    give(views, 2, "HEADER")
    told = give(views, 2, "none")
    assert told["labels"] == "....."
    assert told["next"] == 2
    assert saved(folder) == "?????"


def test_where_to_go_on(views: Views) -> None:
    assert give(views, 4, "TEXT")["next"] == 0, "from the begin again"
    assert give(views, 0, "OTHER", last=3)["next"] is None, "finished"
    assert give(views, 1, "TEXT")["next"] == 2, "mending a finished page"
    assert give(views, 4, "OTHER")["next"] == 4


def test_undo_leads_to_the_page(views: Views) -> None:
    give(views, 3, "TEXT")
    views.label(1, 2, 2, "blocks", "HEADER")
    told = views.undo()
    assert (told["page"], told["block"]) == (1, 2)
    told = views.undo()
    assert (told["page"], told["block"]) == (0, 3)
    assert views.undo() == {"page": None}
    views.redo()
    views.redo()
    assert views.redo() == {"page": None}


def test_a_session_goes_on(views: Views, folder: Path) -> None:
    give(views, 1, "OTHER")
    again = Views(open_session(folder))
    assert again.page(0)["labels"] == ".O..."
    assert again.undo() == {"page": None}


@pytest.mark.parametrize(
    ("first", "last"), [(-1, 0), (0, 5), (5, 5), (2, 1), (-3, -1), (10**9,) * 2]
)
def test_blocks_that_do_not_exist(views: Views, first: int, last: int) -> None:
    for reach in ("blocks", "run", "rest"):
        with pytest.raises(CrfcleanError, match="no such block"):
            views.label(0, first, last, reach, "TEXT")


@pytest.mark.parametrize("number", [-1, 4, 10**12])
def test_pages_that_do_not_exist(views: Views, number: int) -> None:
    for ask in (views.page, lambda page: views.document(page, styled=True)):
        with pytest.raises(CrfcleanError, match="no page"):
            ask(number)


def test_pages_with_problems(views: Views) -> None:
    with pytest.raises(GoldError, match="other text"):
        views.page(2)


def test_pages_without_blocks(views: Views) -> None:
    told = views.page(3)
    assert (told["texts"], told["labels"], told["next"]) == ((), "", None)
    with pytest.raises(CrfcleanError, match="no such block"):
        views.label(3, 0, 0, "blocks", "TEXT")


def test_guesses_without_a_model(views: Views, folder: Path) -> None:
    with pytest.raises(CrfcleanError, match="no model"):
        give(views, 0, "guess")
    assert not (folder / "a.labels.tsv").exists()


def test_what_cannot_be_saved_is_not_labelled(
    views: Views, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    give(views, 0, "OTHER")
    with monkeypatch.context() as patched:
        patched.setattr("crfclean.annotate.sheet.write_atomically", full)
        with pytest.raises(CrfcleanError, match="No space left"):
            give(views, 1, "OTHER")
        with pytest.raises(CrfcleanError, match="No space left"):
            views.undo()
    assert views.page(0)["labels"] == "O...."
    assert give(views, 1, "OTHER")["labels"] == "OO..."


def test_documents(views: Views) -> None:
    assert '<h1 id="crf-2">First</h1>' in views.document(0, styled=True)
    assert "max-width" in views.document(0, styled=False)


def test_steps_of_many_threads_are_all_taken(views: Views, folder: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda block: give(views, block % 5, "TEXT"), range(40)))
    assert saved(folder) == "TTTTT"
    assert sum(views.undo()["page"] is not None for _ in range(41)) == 40
