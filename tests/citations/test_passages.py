"""Tests of passages: what is never divided, sizes, headings, places, and the lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import crfclean
import crfclean as page
from crfclean.document.block_types import count_words
from crfclean.page.align import tokens
from crfclean.types import CrfcleanError, Document, Passage

RAIN = "It rained in the north all day. The river rose by two metres, and a bridge broke."
PAGE = f"""<html lang=en><body><main><h1>Rain</h1><h2>In the north</h2><p>{RAIN} {RAIN}</p>
<pre><code>first = 1
# a comment, no heading
second = 2</code></pre>
<h2>Days</h2><table><tr><th>Day</th><th>Rain</th></tr>
{"".join(f"<tr><td>Day {day}</td><td>{day} mm in the whole valley</td></tr>" for day in range(8))}
</table><h3>Work</h3><ol>{"".join(f"<li>Step {n}: {RAIN}</li>" for n in range(1, 4))}</ol>
<p>The energy is <math><mi>E</mi><mo>.</mo> <mi>A</mi></math> now. <a href=/x>One. Two. Three.</a>
Then <code>a. B. c</code> ran. {RAIN}</p><h3>Last</h3></main></body></html>"""


def document() -> Document:
    return crfclean.clean(PAGE, "https://example.org/1", threshold=0.0)


def passages(most: int, **options: Any) -> list[Passage]:
    return document().passages(most, **options)


def holding(words: str, most: int) -> list[Passage]:
    """The passages with some words, with all their lines as one."""
    return [one for one in passages(most) if words in one.text]


@pytest.mark.parametrize("most", [1, 8, 20, 45, 90, 1000])
def test_nothing_is_lost_and_nothing_is_torn(most: int) -> None:
    found = passages(most)
    assert set(tokens(document().markdown())) <= {
        word for one in found for word in tokens(one.text)
    }
    for whole in (
        "```\nfirst = 1\n# a comment, no heading\nsecond = 2\n```",
        "| Day 7 | 7 mm in the whole valley |",
        f"2. Step 2: {RAIN}",
        "[One. Two. Three.]",
        "`a. B. c`",
    ):
        assert len(holding(whole, most)) == 1, whole
    for one in found:
        lines = one.text.rstrip().split("\n")
        is_bare = all(line.startswith("#") or not line for line in lines)
        assert is_bare or not lines[-1].startswith("#")
        assert one.words == count_words(one.text)


@pytest.mark.parametrize(
    ("most", "sizes"),
    [
        (1000, [46, 67, 96, 1]),
        (45, [38, 8, 43, 26, 41, 20, 35, 1]),
    ],
)
def test_passages_have_at_most_so_many_words(most: int, sizes: list[int]) -> None:
    assert [one.words for one in passages(most)] == sizes


def test_headings_and_types() -> None:
    rows = [(one.headings, one.type) for one in passages(1000)]
    assert rows == [
        (("Rain", "In the north"), "paragraph"),
        (("Rain", "Days"), "table"),
        (("Rain", "Days", "Work"), "list"),
        (("Rain", "Days", "Last"), "heading"),
    ]
    assert all(one.headings[:2] == ("Rain", "Days") for one in passages(20) if "| Day" in one.text)


def test_pieces_of_a_table_have_its_head() -> None:
    pieces = holding("mm in the whole", 30)
    assert len(pieces) > 1
    assert all("| Day | Rain |\n| --- | --- |\n" in one.text for one in pieces)


def test_places() -> None:
    text = document().text
    for one in passages(45):
        assert one.start is not None
        assert one.end is not None
        assert one.url.startswith("https://example.org/1#:~:text=")
        plain = text[one.start : one.end]
        last = [word for word in tokens(one.text) if word not in {"day", "rain"}][-1]
        assert plain.lower().rstrip(".").endswith(last)
    repeated = [one for one in passages(20) if one.text.startswith("The river rose")]
    assert len({one.start for one in repeated}) == 2
    assert all(text[one.start :].startswith("The river rose") for one in repeated)


def test_a_caller_may_count() -> None:
    found = passages(300, count=len)
    assert all(len(one.text) <= 300 for one in found if one.type != "list")
    assert len(found) > len(passages(300))


def test_a_size_below_one_is_refused() -> None:
    with pytest.raises(CrfcleanError, match="most must be at least 1, not 0"):
        passages(0)
    with pytest.raises(CrfcleanError, match="no switch 'link'"):
        passages(9, link=False)


def test_switches() -> None:
    assert not any(
        "](" in one.text or "|" in one.text for one in passages(99, links=False, tables=False)
    )


def test_lines_of_json(crfclean: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(PAGE, "utf-8")
    arguments = "--format", "passages", "--passage-words", 45, "--threshold", 0
    out = crfclean("clean", tmp_path / "a.html", *arguments).out
    rows = [json.loads(line) for line in out.splitlines()]
    assert [row["words"] for row in rows] == [
        one.words for one in page.clean(PAGE, threshold=0.0).passages(45)
    ]
    assert list(rows[0]) == "id text headings type words span url score".split()
    assert rows[0]["id"].endswith("a.html")
    crfclean("clean", tmp_path / "a.html", tmp_path / "out" / "b.passages")
    assert (tmp_path / "out" / "b.passages").exists()


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("On which day fell 7 mm?", "| Day 7 |"),
        ("What is the comment in the code?", "# a comment"),
        ("steps of the work", "Step 1"),  # by its heading
        ("ENERGY now", "The energy is"),
    ],
)
def test_passages_for_a_question(query: str, first: str) -> None:
    ranked = passages(25, query=query)
    assert first in ranked[0].text
    sizes = [one.relevance or 0.0 for one in ranked]
    assert sizes == sorted(sizes, reverse=True)
    assert min(sizes) > 0
    assert ranked[0].to_dict()["relevance"] == sizes[0]


def test_no_passage_shares_a_word() -> None:
    assert passages(25, query="Xylophon?") == passages(25, query="") == []
