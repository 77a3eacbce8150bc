"""Tests of budgets: the outline, what matters, marks of gaps, and the size of the written text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import crfclean
from crfclean.document.parts import count_words
from crfclean.teach.gold import GoldPage
from crfclean.types import CrfcleanError

DULL = "It was as it had always been and nobody said a word about it. "
PAGE = f"""<html lang=en><body><main><h1>Rain in the north</h1>
<p>The river rose by two metres. {DULL * 6}</p><p>{DULL * 4}</p>
<h2>The bridge</h2>
<p>The bridge broke at noon. {DULL} In 1998 the Mill Bridge cost 40,000 euros. {DULL}</p>
<h2>The town</h2><ul><li>Sand was carried.</li><li>{DULL}</li><li>{DULL}</li></ul>
<table><tr><th>Day</th><th>Rain</th></tr><tr><td>Monday</td><td>2 mm</td></tr></table>
<p>{DULL * 3}</p></main></body></html>"""


def cut(budget: int | None, **options: Any) -> str:
    return crfclean.extract(PAGE, threshold=0.0, budget=budget, **options)


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


@pytest.mark.parametrize("form", ["txt", "md", "html", "json", "tei", "vert", "passages"])
def test_every_format_is_cut(form: Any) -> None:
    if form == "html":
        pytest.importorskip("nh3")
    assert cut(45, format=form).count("nobody said") < cut(None, format=form).count("nobody said")


def test_headings_of_a_higher_level_come_first() -> None:
    assert cut(6, format="md").startswith("# Rain in the north\n")
    assert "## The bridge" in cut(6, format="md")
    assert "## The town" not in cut(6, format="md")


def test_a_short_page_is_whole() -> None:
    assert cut(10_000, format="md") == cut(None, format="md")


def test_a_caller_may_count() -> None:
    assert len(cut(200, format="md", count=len)) <= 200


def test_a_budget_below_one_is_refused() -> None:
    with pytest.raises(CrfcleanError, match="budget must be at least 1, not 0"):
        cut(0)


def test_budgets_of_real_pages(demo_gold: list[GoldPage]) -> None:
    for gold in demo_gold[::4]:
        text = crfclean.extract(gold.page.html, format="md", budget=80)
        assert 40 <= count_words(text) <= 80


def test_the_command_line_has_a_budget(crfclean: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(PAGE, "utf-8")
    page = tmp_path / "a.html"
    done = crfclean("clean", page, "--budget", 45, "--format", "md", "--threshold", 0)
    assert done.out.rstrip("\n") == cut(45, format="md").rstrip("\n")
