"""Tests of `annotate/keyboard.py`: what every key does."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crfclean.annotate.keyboard import ACTIONS, ALL_LABELLED, HELP, Keyboard
from crfclean.annotate.params import AnnotateParams
from crfclean.annotate.session import open_session
from crfclean.gold.pages import NONE, gold_paths
from crfclean.taggers.crf import CrfTagger
from crfclean.types import Label

H, T, O = Label.HEADER, Label.TEXT, Label.OTHER  # noqa: E741
ARTICLE = "<h1>{0} head</h1>" + "".join(
    f"<p>{{0}} {number} is a paragraph with a good many words, and it ends here.</p>"
    for number in range(4)
)
MENU = "<nav><ul><li><a href=#>{0} a</a></li><li><a href=#>{0} b</a></li></ul></nav>"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a", "b", "c"):
        html = f"<title>{name} head</title>{(MENU + ARTICLE).format(name)}"
        (tmp_path / f"{name}.html").write_text(html, "utf-8")
    return tmp_path


@pytest.fixture
def keyboard(folder: Path, default_model: Path) -> Keyboard:
    from crfclean.taggers.load import load

    return Keyboard(open_session(folder, load(default_model), AnnotateParams("name")))


def press(keyboard: Keyboard, keys: str) -> Keyboard:
    for key in keys.split():
        keyboard.press(key)
    return keyboard


def labels(keyboard: Keyboard, page: int = 0) -> str:
    names = ["?" if x == NONE else Label(x).name[0] for x in keyboard.session.sheet(page).labels]
    return "".join(names)


def saved(folder: Path, name: str) -> str:
    path = gold_paths(folder / f"{name}.html")[0]
    return "".join(line[0] for line in path.read_text("utf-8").splitlines())


def test_guesses_are_as_the_tests_below_want_them(keyboard: Keyboard) -> None:
    sheet = keyboard.session.sheet(0)
    assert "".join(Label(label).name[0] for label in sheet.guesses) == "OOHTTTT"


CASES = {
    "one label each": ("o o h t t", "OOHTT??", 0, 5),
    "the run": ("O H T", "OOHTTTT", 1, 0),
    "Enter takes the guess": ("enter enter enter enter", "OOHT???", 0, 4),
    "r takes the guesses of the run": ("r r", "OOH????", 0, 3),
    "e takes all that are left": ("t e", "TOHTTTT", 1, 0),
    "E: the rest is OTHER": ("t E", "TOOOOOO", 1, 0),
    "moving labels nothing": ("down down up j k pagedown pageup end home g", "???????", 0, 1),
    "the end": ("end", "???????", 0, 6),
    "labels out of order": ("end t", "??????T", 0, 0),
    "on to the next gap": ("down o", "?O?????", 0, 2),
    "past the next gap": ("down o up up g", "?O?????", 0, 2),
    "take a label away": ("o o up x", "O??????", 0, 1),
    "undo": ("o o u", "O??????", 0, 1),
    "undo, undo, redo": ("o o u u y", "O??????", 0, 0),
    "Ctrl-R is redo": ("o u c-r", "O??????", 0, 0),
    "a label anew": ("o up t", "T??????", 0, 1),
    "next page": ("o n", "O??????", 1, 0),
    "previous page": ("n o p", "???????", 0, 0),
    "unknown keys": ("o z F5", "O??????", 0, 1),
}


@pytest.mark.parametrize(("keys", "expected", "page", "block"), CASES.values(), ids=CASES)
def test_keys(keyboard: Keyboard, keys: str, expected: str, page: int, block: int) -> None:
    press(keyboard, keys)
    assert labels(keyboard) == expected
    assert (keyboard.view.page, keyboard.view.block) == (page, block)


def test_all_keys_have_a_test() -> None:
    pressed = {key for keys, *_ in CASES.values() for key in keys.split()} | {"?", "q", "c-c"}
    pressed |= {"w", "W"}  # test_kinds.py
    assert set(ACTIONS) <= pressed


def test_help_names_every_letter() -> None:
    told = set(" ".join(line[:10] for line in HELP))
    assert {key for key in ACTIONS if len(key) == 1} - {"?", "j", "k", "r", "e", "g"} <= told
    assert max(map(len, HELP)) <= 80


def test_the_end_of_the_last_page(keyboard: Keyboard) -> None:
    press(keyboard, "e e e")
    assert keyboard.view.message == ALL_LABELLED
    assert all(card.finished for card in keyboard.session.pages)
    assert labels(keyboard, 2) == "OOHTTTT"
    press(keyboard, "u")
    assert (keyboard.view.page, labels(keyboard, 2)) == (2, "???????")
    press(keyboard, "e n")
    assert keyboard.view.message == ALL_LABELLED


def test_a_finished_page_is_told(keyboard: Keyboard) -> None:
    assert press(keyboard, "e").view.message == "finished: a.html"
    assert press(keyboard, "down").view.message == ""


def test_corrections_on_a_finished_page_stay_there(keyboard: Keyboard) -> None:
    press(keyboard, "e p t")
    assert (keyboard.view.page, keyboard.view.block, labels(keyboard)) == (0, 1, "TOHTTTT")
    press(keyboard, "end t")
    assert (keyboard.view.page, keyboard.view.block) == (0, 6)
    assert press(keyboard, "g").view.message == "every block of this page has a label"


def test_nothing_to_undo(keyboard: Keyboard) -> None:
    assert press(keyboard, "u").view.message == "nothing to undo"
    assert press(keyboard, "y").view.message == "nothing to redo"


def test_help_goes_with_any_key(keyboard: Keyboard) -> None:
    press(keyboard, "?")
    assert keyboard.view.helping
    press(keyboard, "o")
    assert not keyboard.view.helping
    assert labels(keyboard) == "???????"


@pytest.mark.parametrize("key", ["q", "c-c"])
def test_leaving(keyboard: Keyboard, key: str) -> None:
    assert not keyboard.leaving
    assert press(keyboard, key).leaving


def test_without_a_model(folder: Path) -> None:
    keyboard = press(Keyboard(open_session(folder)), "enter")
    assert keyboard.view.message == "no guess to accept: there is no model"
    press(keyboard, "O")  # without guesses all open blocks are alike
    assert labels(keyboard) == "OOOOOOO"


def test_a_label_that_cannot_be_saved_is_told(keyboard: Keyboard, folder: Path) -> None:
    press(keyboard, "o")
    shutil.rmtree(folder)
    press(keyboard, "o")
    assert "cannot be written" in keyboard.view.message
    assert labels(keyboard) == "O??????"


def test_pages_with_a_problem_or_without_text(tmp_path: Path, tagger: CrfTagger) -> None:
    (tmp_path / "a.html").write_text("", "utf-8")
    (tmp_path / "b.html").write_text("<p>text</p>", "utf-8")
    gold_paths(tmp_path / "b.html")[0].write_text("TEXT\tother\n", "utf-8")
    keyboard = Keyboard(open_session(tmp_path, tagger, AnnotateParams("name")))
    assert keyboard.view.message == ALL_LABELLED
    for key in ACTIONS:
        if key not in {"q", "c-c"}:
            press(keyboard, key)
    keyboard.turn(1 - keyboard.view.page)
    assert "b.labels.tsv:1" in keyboard.view.message
    assert keyboard.sheet is None
    press(keyboard, "h H enter r e x end g u")
    assert gold_paths(tmp_path / "b.html")[0].read_text("utf-8") == "TEXT\tother\n"
    assert not gold_paths(tmp_path / "a.html")[0].exists()


@settings(max_examples=25, deadline=None)
@given(keys=st.lists(st.sampled_from([*ACTIONS]), max_size=40))
def test_any_keys(tmp_path_factory: pytest.TempPathFactory, keys: list[str]) -> None:
    folder = tmp_path_factory.mktemp("pages")
    for name in ("a", "b"):
        (folder / f"{name}.html").write_text((MENU + ARTICLE).format(name), "utf-8")
    keyboard = Keyboard(open_session(folder))
    for key in keys:
        keyboard.press(key)
        sheet = keyboard.sheet
        assert sheet is not None
        assert 0 <= keyboard.view.block < len(sheet)
    again = open_session(folder)
    for page in range(2):
        assert again.sheet(page).settled.tolist() == keyboard.session.sheet(page).settled.tolist()
