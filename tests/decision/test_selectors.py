"""Tests of the user's selectors in the decision: they are final, told and counted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import crfclean
from crfclean.decision.verdict import ruled_words
from crfclean.types import CrfcleanError, Rule

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
    done = crfclean(command, pages, out, "--within", ".post", "--drop", ".ad,.none")
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
