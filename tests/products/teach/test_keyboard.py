"""Tests of `teach/terminal.py`: what every key does."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from crfclean.products.teach.gold import LABEL_NAMES
from crfclean.products.teach.keyboard import ALL_LABELLED, Keyboard
from crfclean.products.teach.session import open_session
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
    from crfclean.systems.load import load

    return Keyboard(open_session(folder, load(default_model), "name"))


def press(keyboard: Keyboard, keys: str) -> Keyboard:
    for key in keys.split():
        keyboard.press(key)
    return keyboard


def labels(keyboard: Keyboard, page: int = 0) -> str:
    return "".join(LABEL_NAMES[label][0] for label in keyboard.session.sheet(page).labels.tolist())


CASES = {
    "one label each": ("o o h t t", "OOHTT??", 0, 5),
    "the run": ("O H T", "OOHTTTT", 1, 0),
    "Enter takes the guess": ("enter enter enter enter", "OOHT???", 0, 4),
    "r takes the guesses of the run": ("r r", "OOH????", 0, 3),
    "e takes all that are left": ("t e", "TOHTTTT", 1, 0),
    "E: the rest is OTHER": ("t E", "TOOOOOO", 1, 0),
    "the rest is also above": ("down down down t E", "OOOTOOO", 1, 0),
    "e above": ("down down down t e", "OOHTTTT", 1, 0),
    "the rest leaves labels alone": ("d down down t home down E", "DOOTOOO", 1, 0),
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
    "doubt": ("d D", "DD?????", 0, 2),
    "a range": ("down v down down t", "?TTT???", 0, 4),
    "a range upwards": ("end v up up o", "????OOO", 0, 0),
    "a range without labels": ("o o h home v down down x", "???????", 0, 2),
    "a range of guesses": ("v pagedown enter", "OOHTTTT", 1, 0),
    "a range begun anew": ("v down down v down t", "??TT???", 0, 4),
    "a range that ends": ("v down down escape t", "??T????", 0, 3),
    "all alike": ("end a t", "???TTTT", 0, 0),
    "all alike while moving": ("end a up home d", "???DDDD", 0, 1),
    "all alike without a label": ("end t end up a o", "???OOOT", 0, 0),
    "all alike with a label": ("e p end a o", "OOHOOOO", 0, 6),
    "unknown keys": ("o z F5", "O??????", 0, 1),
}


@pytest.mark.parametrize(("keys", "expected", "page", "block"), CASES.values(), ids=CASES)
def test_keys(keyboard: Keyboard, keys: str, expected: str, page: int, block: int) -> None:
    press(keyboard, keys)
    assert labels(keyboard) == expected
    assert (keyboard.view.page, keyboard.view.block) == (page, block)


def test_the_end_of_the_last_page(keyboard: Keyboard) -> None:
    press(keyboard, "e e e")
    assert keyboard.view.message == ALL_LABELLED
    assert all(card.finished for card in keyboard.session.pages)
    assert labels(keyboard, 2) == "OOHTTTT"
    press(keyboard, "u")
    assert (keyboard.view.page, labels(keyboard, 2)) == (2, "???????")
    press(keyboard, "e n")
    assert keyboard.view.message == ALL_LABELLED


def test_corrections_on_a_finished_page_stay_there(keyboard: Keyboard) -> None:
    press(keyboard, "e p t")
    assert (keyboard.view.page, keyboard.view.block, labels(keyboard)) == (0, 1, "TOHTTTT")
    press(keyboard, "end t")
    assert (keyboard.view.page, keyboard.view.block) == (0, 6)
    assert press(keyboard, "g").view.message == "every block of this page has a label"


def test_without_a_model(folder: Path) -> None:
    keyboard = press(Keyboard(open_session(folder)), "enter")
    assert keyboard.view.message == "there is no guess to accept: this session has no model"
    press(keyboard, "O")  # without guesses all open blocks are alike
    assert labels(keyboard) == "OOOOOOO"


def test_a_label_that_cannot_be_saved_is_told(keyboard: Keyboard, folder: Path) -> None:
    press(keyboard, "o")
    shutil.rmtree(folder)
    press(keyboard, "o")
    assert "cannot be written" in keyboard.view.message
    assert labels(keyboard) == "O??????"
