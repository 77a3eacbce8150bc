"""Tests of `decision/wholes.py`: what is one thing is kept or left whole; selectors are final."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from decided import ARTICLE, decided, is_kept, knowing
from htmlpages import measures_of

import crfclean
from crfclean.decision.verdict import ruled_words
from crfclean.decision.wholes import completed
from crfclean.types import CrfcleanError, Rule

PROSE = "The ferry stayed in its harbour, and nobody on the island could buy bread for a week. "
BEFORE, AFTER = f"<p>First. {PROSE * 3}</p>", f"<p>Last. {PROSE * 3}</p>"


def listed(html: str, *texts: str) -> dict[str, Any]:
    """What is known of an article whose blocks with these texts surely belong to a list."""
    page = measures_of(html)
    has = [any(text in block for text in texts) for block in page.texts]
    return {**ARTICLE, "listed": np.where(has, 0.95, 0.02).__getitem__}


# lists

ITEMS = ("eggs", "flour", "butter")
RECIPE = "<ul>" + "".join(f"<li>{item} from the village shop</li>" for item in ITEMS) + "</ul>"
COOK = f"<article><h1>Bread</h1>{BEFORE}{RECIPE}{AFTER}</article>"
UNSURE = {"": 0.95, **dict.fromkeys(ITEMS, 0.1)}


def test_a_list_between_kept_blocks_is_kept() -> None:
    made = decided(COOK, UNSURE, listed(COOK, *ITEMS))
    assert all(is_kept(made, item) for item in ITEMS)
    assert made.rule("eggs") == Rule.LIST
    assert made.probability("eggs") >= 0.5


LISTS_LEFT: dict[str, tuple[str, dict[str, float]]] = {
    "the model is sure that it is none": (COOK, {**UNSURE, **dict.fromkeys(ITEMS, 0.001)}),
    "nothing is kept after it": (COOK, {**UNSURE, "Last.": 0.001}),
    "nothing is kept before it": (COOK, {**UNSURE, "First.": 0.001, "Bread": 0.001}),
    "it is a menu": (COOK.replace("<ul>", "<ul class=menu>"), UNSURE),
    "it is related to the text": (COOK.replace("<ul>", "<ul class=related-posts>"), UNSURE),
}


@pytest.mark.parametrize(("html", "likely"), LISTS_LEFT.values(), ids=LISTS_LEFT)
def test_other_lists_are_left_as_they_are(html: str, likely: dict[str, float]) -> None:
    made = decided(html, likely, listed(html, *ITEMS))
    assert not any(is_kept(made, item) for item in ITEMS)
    assert made.rule("eggs") == Rule.NONE


QUESTIONS = ("Which island has bread?", "Who sails on Monday?")


@pytest.mark.parametrize(
    ("button", "likely", "kept"),
    [
        ("<button aria-expanded=false>{}</button>", 0.2, True),
        ("<summary>{}</summary>", 0.2, True),
        ("<button>{}</button>", 0.2, False),
        ("<button aria-expanded=false>{}</button>", 0.05, False),
    ],
)
def test_questions_in_controls_are_kept_with_their_answers(
    button: str, likely: float, *, kept: bool
) -> None:
    asked = "".join(f"<div>{button.format(one)}<p>To {one} {PROSE}</p></div>" for one in QUESTIONS)
    made = decided(
        f"<h1>Ferry</h1>{BEFORE}{asked}",
        {"": 0.95, **{f"To {one}": 0.95 for one in QUESTIONS}, **dict.fromkeys(QUESTIONS, likely)},
        ARTICLE,
    )
    assert [is_kept(made, one) for one in QUESTIONS] == [kept] * 2


def test_a_button_that_only_acts_is_no_question() -> None:
    html = f"<h1>Ferry</h1>{BEFORE}<button aria-expanded=true>Learn more of it</button>{AFTER}"
    assert not is_kept(decided(html, {"": 0.95, "Learn": 0.2}, ARTICLE), "Learn")


def test_a_list_far_from_a_short_text_has_no_more_words_than_stand_by_it() -> None:
    """A report of a few lines, a long menu, then teasers of which the model keeps one."""
    items = "".join(f"<li>{item}. {PROSE}</li>" for item in ITEMS)
    html = f"<article>{BEFORE}<div>Menu. {PROSE * 4}</div><ul>{items}</ul></article>"
    likely = {"": 0.95, "Menu": 0.01, **dict.fromkeys(ITEMS, 0.1), "butter": 0.9}
    near = html.replace(PROSE * 4, PROSE)
    for page, kept in ((html, False), (near, True)):
        made = decided(page, likely, listed(page, *ITEMS))
        assert [is_kept(made, item) for item in ITEMS] == [kept, kept, True]


def test_what_is_no_list_by_the_model_of_kinds_is_left() -> None:
    assert not is_kept(decided(COOK, UNSURE, listed(COOK, "nothing")), "eggs")


SHOPS = "<ul><li><a href=/a>Shop A 9 EUR</a></li><li><a href=/b>Shop B 8 EUR</a></li></ul>"
PRICES = "<ul><li>Shop A 9 EUR</li><li>Shop B 8 EUR</li></ul>"


@pytest.mark.parametrize(
    ("between", "kept"),
    [
        (SHOPS, True),
        (f"<p>A lamp for the boat</p>{SHOPS}", True),  # a box of its own
        (f"<div><p>A lamp for the boat</p>{SHOPS}</div>", False),
        (f"<div><p>A lamp for the boat</p>{PRICES}</div>", True),
    ],
)
def test_links_stay_with_what_is_left_out_in_their_box(between: str, *, kept: bool) -> None:
    """A card of a product within an article was left without the name of the product."""
    html = f"<article><h1>Swan</h1>{BEFORE}{between}{AFTER}</article>"
    made = decided(html, {"": 0.95, "lamp": 0.3, "Shop": 0.27}, listed(html))
    assert is_kept(made, "Shop A") == is_kept(made, "Shop B") == kept


CELLS = "<tr><th>Swan</th><th>Built</th></tr><tr><td>Ada</td><td>1898</td></tr>"
TERMS = {
    "dl": "<dl><dt>Swan</dt><dd>the largest ferry of the lake</dd></dl>",
    "table": f"<table>{CELLS}</table>",
}


@pytest.mark.parametrize("terms", TERMS.values(), ids=TERMS)
def test_the_heading_of_a_kept_table_is_kept(terms: str) -> None:
    html = f"<h1>Ferry</h1>{BEFORE}<h2>The ships</h2>{terms}{AFTER}"
    made = decided(html, {"": 0.95, "The ships": 0.32}, ARTICLE)
    assert made.rule("The ships") == Rule.LIST


def test_a_single_item_is_no_list() -> None:
    html = COOK.replace(RECIPE, "<ul><li>eggs from the village shop</li></ul>")
    assert not is_kept(decided(html, UNSURE, listed(html, "eggs")), "eggs")


def test_the_rule_of_precision_completes_nothing() -> None:
    assert not is_kept(decided(COOK, UNSURE, listed(COOK, *ITEMS), rule="precision"), "eggs")


# records

NAMES = ("Reed", "Vogel", "Moreau", "Nowak", "Silva")
"""Rulings of a court: a name, a number, a date."""


def rulings(names: tuple[str, ...] = NAMES) -> str:
    rows = "".join(
        f"<div class=row><p>{name} against the county of Norwick</p><p>No. {name} 1947</p></div>"
        for name in names
    )
    return f"<h1>Rulings</h1>{BEFORE}<div>{rows}</div>{AFTER}"


TORN = {"": 0.95, "No.": 0.3}


def test_a_record_is_kept_whole() -> None:
    made = decided(rulings(), TORN)
    assert all(is_kept(made, f"No. {name}") for name in NAMES)
    assert made.rule("No. Reed") == Rule.RECORD


def test_a_record_that_is_left_out_among_kept_ones_is_kept() -> None:
    made = decided(rulings((*NAMES, "Berg")), {"Berg": 0.2, **TORN})
    assert is_kept(made, "Berg against")
    assert is_kept(made, "No. Berg")


RECORDS_LEFT: dict[str, tuple[str, dict[str, float], Mapping[str, Any]]] = {
    "two are no list": (rulings(NAMES[:2]), TORN, ARTICLE),
    "of a forum": (rulings(), TORN, {"types": {"article": 0.1, "forum": 0.8}}),
    "most are left out": (rulings(), {"": 0.95, **dict.fromkeys(NAMES[1:], 0.03)}, ARTICLE),
    "surely left out": (rulings((*NAMES, "Berg")), {"Berg": 0.01, **TORN}, ARTICLE),
}


@pytest.mark.parametrize(("html", "likely", "known"), RECORDS_LEFT.values(), ids=RECORDS_LEFT)
def test_other_records_are_left_as_they_are(
    html: str, likely: dict[str, float], known: dict[str, Any]
) -> None:
    made = decided(html, likely, known, rule="threshold")
    last = "Berg" if "Berg" in html else NAMES[1]
    assert not is_kept(made, f"No. {last}")


# every choice


NAMED = "<a class=job href=/{0}><h3>{0}</h3><span>Full time</span></a>"
JOBS = ("Mason", "Miller", "Sailor")
POSITIONS = "".join(map(NAMED.format, JOBS))
WORK = f"<h1>Work</h1>{BEFORE}<section><h2>Positions</h2>{POSITIONS}</section>"


@pytest.mark.parametrize(
    ("html", "miller", "forum", "kept"),
    [
        (WORK, 0.32, 0.0, True),
        (WORK, 0.2, 0.0, False),
        (WORK, 0.32, 0.9, False),
        (
            WORK.replace("<a class=job href=/Miller>", "<a class=news href=/Miller>"),
            0.32,
            0.0,
            False,
        ),
        (WORK.replace("</h3><span>", f"</h3><span>{PROSE * 7}"), 0.32, 0.0, False),  # no cards
        (WORK.replace("<h3>Sailor</h3>", "<b>Sailor</b>"), 0.32, 0.0, False),
    ],
)
def test_headings_of_cards_in_a_row(html: str, miller: float, forum: float, *, kept: bool) -> None:
    likely = {"": 0.1, "Miller": miller, "Mason": 0.7} | dict.fromkeys(("Work", "First."), 0.95)
    made = decided(html, likely, {"types": {"article": 0.0, "forum": forum}})
    assert is_kept(made, "Mason")
    assert is_kept(made, "Miller") == kept


@pytest.mark.parametrize(
    ("html", "cards", "forum", "kept"),
    [
        (WORK, 0.25, 0.0, True),
        (WORK, 0.15, 0.0, False),
        (WORK, 0.25, 0.9, False),
        (WORK.replace("</h3><span>", f"</h3><span>{PROSE * 3}"), 0.25, 0.0, False),  # too long
        (WORK.replace("</section>", "<p>First to know.</p></section>"), 0.25, 0.0, False),
    ],
)
def test_a_heading_is_kept_with_its_short_section(
    html: str, cards: float, forum: float, *, kept: bool
) -> None:
    """Of the last section of a firm's page, only "Open positions" was kept (.65)."""
    likely = {"": cards} | dict.fromkeys(("Work", "First", "Positions"), 0.95)
    made = decided(html, likely, {"types": {"article": 0.0, "forum": forum}})
    assert is_kept(made, "Positions")
    assert is_kept(made, "Miller") == kept


def test_nothing_is_completed_where_nothing_is_kept() -> None:
    evidence = knowing(measures_of(COOK), **listed(COOK, *ITEMS))
    none, likely = np.zeros(len(evidence), np.bool_), np.full(len(evidence), 0.6)
    kept, _, rules = completed(evidence, none, likely)
    assert not kept.any()
    assert not rules.any()


# the user's selectors in the decision: they are final, told and counted

LINES = {
    "head": "The river rose by two metres at the old bridge near the mill on Friday night.",
    "ad": "Our partner sells the best umbrellas of the valley, and they never break in the wind.",
    "foot": "The mayor thanked everyone who had carried sand, and asked them to stay at home.",
    "other": "In the south it was dry, and farmers waited for rain that had not come since May.",
}
PAGE = f"""<html lang=en><title>Rain in the north</title><body><nav><a href=/>Home</a></nav>
<div class=post><h1>Rain in the north <span class=edit>[edit]</span></h1><p>{LINES["head"]}</p>
<p class=ad>{LINES["ad"]}</p>
<figure class=ad><img src=a.png><figcaption>Umbrellas</figcaption></figure>
<table class=t><tr><th>Day<th class=no>Rain<tr><td>Monday<td class=no>2 mm</table>
<p>{LINES["foot"]}</p></div><div class=more><p>{LINES["other"]}</p></div></body></html>"""


@pytest.mark.parametrize(
    ("options", "words", "absent"),
    [
        ({"within": ".post"}, ["north [edit]", "river", "mayor"], ["Home", "south"]),
        ({"within": ".more"}, ["south"], ["river", "Rain in"]),  # not even the title
        ({"within": ".more", "as_": "article"}, ["south"], ["river", "Rain in"]),
        ({"within": ".more", "keep": "title"}, [], ["river", "Rain in"]),
        ({"within": "nav", "as_": "body"}, ["Home"], ["river"]),
        ({"drop": ".ad, .edit"}, ["river", "north"], ["umbrellas", "[edit]", "Umbrellas", "a.png"]),
        ({"drop": ".no"}, ["Monday"], ["2 mm"]),  # a table is not made whole again
        ({"drop": ".post", "comments": "keep"}, ["south"], ["river"]),
        ({"drop": ".post", "precision": 0.5}, [], ["river"]),
        ({"drop": ".post", "threshold": 0.0}, ["south"], ["river"]),
        ({"drop": ".post p", "model": "mlp"}, ["south"], ["river", "mayor"]),
        ({"drop": ".post p", "also": "paragraph"}, ["south"], ["river", "mayor"]),
    ],
)
def test_selectors_are_final(options: Any, words: list[str], absent: list[str]) -> None:
    for text in (crfclean.extract(PAGE, format=form, **options) for form in ("txt", "md")):
        unescaped = text.replace("\\", "")
        assert [word for word in words if word not in unescaped] == []
        assert [word for word in absent if word in unescaped] == []


def test_the_rule_is_told() -> None:
    document = crfclean.clean(PAGE, within=".post, .none")
    rules = document.tags.rules
    assert rules is not None
    names = {
        block.text: Rule(rule).name for block, rule in zip(document.blocks, rules, strict=True)
    }
    assert (names["Home"], names[LINES["other"]]) == ("SELECTOR", "SELECTOR")
    assert ruled_words(document)["selector"][0] == len(LINES["other"].split())
    assert document.tags.unmatched == (".none",)


def test_a_wrong_selector_is_an_error() -> None:
    for call in (crfclean.clean, crfclean.extract):
        with pytest.raises(CrfcleanError, match=r"drop: no CSS selector: .*\n  p\.\.x\n    \^"):
            call(PAGE, drop="p..x")


@pytest.mark.parametrize("command", ["clean", "metadata", "segment"])
def test_commands_count_pages_without_a_match(
    crfclean: Callable[..., Any], tmp_path: Path, command: str
) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "a.html").write_text(PAGE, "utf-8")
    (pages / "b.html").write_text(PAGE.replace("class=post", ""), "utf-8")
    out = tmp_path / "out.jsonl"
    more = ["--blocks"] if command == "clean" else []
    done = crfclean(command, pages, out, *more, "--within", ".post", "--drop", ".ad,.none")
    for count, words in ((1, ".post"), (2, ".none")):
        assert f"{count} without an element that matches {words}" in done.err
    row = json.loads(out.read_text("utf-8").splitlines()[0])
    if command == "clean":
        assert [rule["rule"] for rule in row["rules"]] == ["selector"]
    if command == "segment":
        assert all("umbrellas" not in text["text"] for text in row["segments"])


@pytest.mark.parametrize(
    "arguments", [["clean"], ["metadata"], ["segment"], ["explain"], ["clean", "--tagger", "mlp"]]
)
def test_commands_show_a_wrong_selector(
    crfclean: Callable[..., Any], tmp_path: Path, arguments: list[str]
) -> None:
    (tmp_path / "a.html").write_text(PAGE, "utf-8")
    done = crfclean(arguments[0], str(tmp_path / "a.html"), *arguments[1:], "--drop", "a[b")
    assert done.code == 2
    assert "drop: no CSS selector: operator expected, got the end\n  a[b\n     ^" in done.err


def test_explain_names_the_rule(crfclean: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(PAGE, "utf-8")
    text = crfclean("explain", str(tmp_path / "a.html"), "--drop", ".ad, .none").out
    assert 'The rule "selector" dropped' in text
    assert "No element of the page matches .none" in text
    assert "rule.selector=0" in text
