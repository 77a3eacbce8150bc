"""Tests of `document/parts.py`: the kinds of parts, their switches, types and budgets."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from doubles import KeepAll
from parttrees import check, keeping, short

import crfclean
from crfclean.document.block_types import BlockType, block_types, count_words
from crfclean.document.content import content
from crfclean.document.formats import WRITERS
from crfclean.document.parts import Part, Show, iter_parts
from crfclean.document.shown import FORMATTING, filter_parts
from crfclean.pipeline import run
from crfclean.types import CrfcleanError, Page


def test_parts_come_in_page_order() -> None:
    tree = Part("list", (Part("item", ("a", Part("strong", ("b",)))), Part("item", ("c",))))
    assert [part.kind for part in iter_parts(tree)] == ["list", "item", "strong", "item"]


def test_parts_are_walked_without_recursion() -> None:
    deep = Part("quote")
    for _ in range(5_000):
        deep = Part("quote", (deep,))
    assert sum(1 for _ in iter_parts(deep)) == 5_001


def test_the_facts_are_those_of_the_schema() -> None:
    from crfclean.document import block_types

    path = Path(block_types.__file__).parents[1] / "document" / "schemas" / "document.json"
    schema = path.read_text("utf-8")
    assert all(f'"{name}": {{"type"' in schema for name in block_types.FACT_TYPES)


# what each switch leaves out, in every format

HTML = (
    "<h1>Ice</h1><p>one <a href=/l>two <b>three</b></a> <img src=/i width=300> <code>four</code>"
    "<figure><img src=/j><figcaption>five</figcaption></figure>"
    "<ul><li><h2>six</h2></ul><table><tr><th>seven<th>eight<tr><td>nine<td>ten</table>"
)
GONE: dict[str, set[str]] = {
    "links": {"link"},
    "images": {"image", "figure"},
    "tables": {"table", "row", "cell"},
    "formatting": set(FORMATTING),
    "headings": {"heading"},
}
NAMES = list(GONE)


def kinds(show: Show) -> set[str]:
    parts = filter_parts(content(keeping(HTML)), show)
    check(parts)
    return {one.kind for part in parts for one in iter_parts(part)}


@pytest.mark.parametrize("name", NAMES)
def test_a_switch_takes_its_kinds_alone(name: str) -> None:
    everything = kinds(Show())
    assert GONE[name] & everything
    left = everything - GONE[name] - ({"list", "item"} if name == "headings" else set())
    left -= {"caption"} if name == "images" else set()
    assert kinds(Show(**{name: False})) == left


def test_words_of_links_and_formatting_stay() -> None:
    (part,) = filter_parts(content(keeping("<p>a <a href=/x>b <b>c</b></a>d")), Show(links=False))
    assert short(part) == ["paragraph", "a b ", ["strong", "c"], "d"]
    (part,) = filter_parts(content(keeping("<p>a<b>b<i>c</i></b>d")), Show(formatting=False))
    assert short(part) == ["paragraph", "abcd"]


# by name


def test_write() -> None:
    document = keeping(HTML)
    assert "[two" in crfclean.write(document, "md")
    without = crfclean.write(document, "md", links=False, formatting=False, tables=False)
    assert "one two three ![](http://x.example/i) four" in without
    assert "seven" not in without


MARKS = {
    "md": {"links": "](http://x.example/l)", "images": "![", "headings": "# Ice"},
    "html": {"links": "<a ", "images": "<img", "headings": "<h1>"},
    "txt": {"headings": "Ice"},
}
MARKS["md"] |= {"tables": "| seven", "formatting": "**three**"}
MARKS["html"] |= {"tables": "<td>", "formatting": "<strong>"}
MARKS["txt"] |= {"tables": "seven"}
MARKS["tei"] = {"links": 'target="http://x.example/l"', "images": "<graphic", "tables": "<table"}
MARKS["tei"] |= {"formatting": "<hi ", "headings": "<head>Ice"}
MARKS["json"] = {"tables": "seven"}


@pytest.mark.parametrize(
    ("form", "name"), [(form, name) for form, known in MARKS.items() for name in known]
)
def test_formats_obey(form: str, name: str) -> None:
    document, mark = keeping(HTML), MARKS[form][name]
    assert mark in WRITERS[form](document)
    assert mark not in WRITERS[form](document, Show(**{name: False}))


# the types of blocks


def part(kind: str, *children: Part | str, block: int = -1, **facts: Any) -> Part:
    return Part(kind, children, facts, blocks=(block,) if block >= 0 else ())


def test_cells_have_row_and_column_as_the_table_shows_them() -> None:
    rows = (
        part("row", part("cell", "a", block=0, header=True, rowspan=2), part("cell", "b", block=1)),
        part("row", part("cell", "c", block=2, colspan=2), part("cell", "d", block=3)),
        part("row", part("cell", "e", block=4)),
    )
    caption = part("caption", "f", block=5)
    found = block_types([part("table", caption, *rows)])
    assert found[0] == BlockType("cell", {"row": 1, "column": 1, "header": True, "rowspan": 2})
    assert [(found[at].facts["row"], found[at].facts["column"]) for at in (1, 2, 3, 4)] == [
        (1, 2),
        (2, 2),
        (2, 4),
        (3, 1),
    ]
    assert found[2].facts == {"row": 2, "column": 2, "header": False, "colspan": 2}
    assert found[5] == BlockType("caption")


def test_many_wide_and_high_cells_are_no_work() -> None:
    rows = [
        part("row", part("cell", "x", block=row, colspan=1_000, rowspan=65_534))
        for row in range(3_000)
    ]
    types = block_types([part("table", *rows)])
    assert types[1].facts["column"] == 1_001
    assert types[2_999].facts["row"] == 3_000


def test_deep_content() -> None:
    deep = part("paragraph", "a", block=0)
    for _ in range(20_000):
        deep = part("quote", deep)
    assert block_types([deep])[0].facts == {"quotes": 20_000}


# budgets: the outline, what matters, marks of gaps, and the size of the written text

DULL = "It was as it had always been and nobody said a word about it. "
PAGE = f"""<html lang=en><body><main><h1>Rain in the north</h1>
<p>The river rose by two metres. {DULL * 6}</p><p>{DULL * 4}</p>
<h2>The bridge</h2>
<p>The bridge broke at noon. {DULL} In 1998 the Mill Bridge cost 40,000 euros. {DULL}</p>
<h2>The town</h2><ul><li>Sand was carried.</li><li>{DULL}</li><li>{DULL}</li></ul>
<table><tr><th>Day</th><th>Rain</th></tr><tr><td>Monday</td><td>2 mm</td></tr></table>
<p>{DULL * 3}</p></main></body></html>"""


def whole(**options: Any) -> str:
    return crfclean.extract(PAGE, threshold=0.0, **options)


def cut(budget: int, **options: Any) -> str:
    return whole(budget=budget, **options)


def test_a_budget_keeps_outline_leads_and_facts() -> None:
    assert cut(36, format="md") == (
        "# Rain in the north\n\nThe river rose by two metres. […]\n\n"
        "## The bridge\n\nThe bridge broke at noon. […] "
        "In 1998 the Mill Bridge cost 40,000 euros. […]\n\n"
        "## The town\n\n- Sand was carried.\n\n[…]\n\n"
        "| Day | Rain |\n| --- | --- |\n| Monday | 2 mm |\n\n[…]\n"
    )


@pytest.mark.parametrize("budget", [1, 3, 10, 20, 45, 90])
@pytest.mark.parametrize("form", ["txt", "md"])
def test_a_text_has_at_most_so_many_words(budget: int, form: Any) -> None:
    text = cut(budget, format=form)
    assert 0 < count_words(text) <= budget or budget < 4
    assert "[…]" in text


@pytest.mark.parametrize(
    "form", ["txt", "md", "html", "json", "tei", "vert", "vertical", "passages"]
)
def test_every_format_is_cut(form: Any) -> None:
    assert cut(45, format=form).count("nobody") < whole(format=form).count("nobody")


def test_the_text_of_rows_is_cut() -> None:
    row = json.loads(cut(45, format="jsonl"))
    assert row["text"] == cut(45).rstrip("\n")
    assert json.loads(cut(10_000, format="jsonl")) == json.loads(whole(format="jsonl"))


def test_headings_of_a_higher_level_come_first() -> None:
    assert cut(6, format="md").startswith("# Rain in the north\n")
    assert "## The bridge" in cut(6, format="md")
    assert "## The town" not in cut(6, format="md")


def test_none_is_no_budget() -> None:
    assert whole(budget=None) == whole()
    assert [*crfclean.run_many([PAGE], format="md", budget=None)] == [  # type: ignore[call-overload]
        crfclean.extract(PAGE, format="md")
    ]


def test_a_short_page_is_whole() -> None:
    assert cut(10_000, format="md") == whole(format="md")


def test_a_caller_may_count() -> None:
    assert len(cut(200, format="md", count=len)) <= 200


def test_a_budget_below_one_is_refused() -> None:
    with pytest.raises(CrfcleanError, match="budget must be at least 1, not 0"):
        cut(0)


def test_one_call_gives_a_row_with_blocks() -> None:
    document = crfclean.clean(PAGE)
    row = crfclean.extract(PAGE, format="json", blocks=True, evidence=True)
    assert row == crfclean.write(document, "json", blocks=True, evidence=True)
    assert json.loads(row)["blocks"]
    with pytest.raises(CrfcleanError, match="no switch 'favour'; there are links"):
        crfclean.extract(PAGE, favour=True)  # type: ignore[call-arg]


def test_negative_bounds_are_refused() -> None:
    """A budget of -3 words wrote "[…]"."""
    wrong: list[dict[str, Any]] = [{"budget": -3}, {"passage_words": 0}]
    for bounds in wrong:
        with pytest.raises(CrfcleanError, match=r"must be from \d to 1000000000, not"):
            Show(**bounds)


def test_budgets_of_real_pages(demo_gold: list[Any]) -> None:
    for gold in demo_gold[::4]:
        text = crfclean.extract(gold.page.html, format="md", budget=80)
        assert 40 <= count_words(text) <= 80


def test_the_command_line_has_a_budget(crfclean: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(PAGE, "utf-8")
    page = tmp_path / "a.html"
    done = crfclean("clean", page, "--budget", 45, "--format", "md", "--threshold", 0)
    assert done.out.rstrip("\n") == cut(45, format="md").rstrip("\n")


@pytest.mark.parametrize(
    "html",
    [
        "<ul><li><p> a</p><hr><b>b</b> c<ul><li>d</ul></ul><table><tr><td>e<td><p>f</table>",
        "<figure><img src=a.png><figcaption>a</figcaption></figure><ul><li><img src=b.png>b</ul>",
        "<h2><a class=headerlink href=#a>#</a></h2><p>a<a style=display:block>b</a><ol><li>c",
        "<p>a<sup><a href=#n role=doc-noteref>1</a></sup><ol><li id=n><sup>1</sup> b<li>c</ol>",
        "<pre><code class=language-python>a\n</code></pre><dl><dt>b<dd>c</dl><blockquote>d",
    ],
)
def test_parts_without_texts_have_the_same_types(html: str) -> None:
    document = run(Page(html, None), KeepAll())
    types = block_types(content(document, has_texts=False))
    assert types == block_types(content(document))
    assert any(each != BlockType("paragraph") for each in types.values())
