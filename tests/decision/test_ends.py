"""Tests of `decision/ends.py` and `borders.pyx`: where the text of a page ends."""

from __future__ import annotations

from math import log, log1p
from typing import Any

import numpy as np
import pytest
from decided import ARTICLE, Decided, Likely, decided, is_kept, knowing, marginals_of
from htmlpages import measures_of

from crfclean.decision import ends as sections
from crfclean.decision.borders import BORDER_INPUTS, borders_of, highest_score
from crfclean.decision.ends import (
    END_INPUTS,
    WEIGHTED,
    Borders,
    borders,
    end_scores,
    with_types,
)
from crfclean.document.formats import rules_in_words
from crfclean.document.json import to_dict
from crfclean.document.parts import Show
from crfclean.model.logistic import BIAS
from crfclean.model.markup import with_markup
from crfclean.types import Floats, Label, Rule

PROSE = "The ferry stayed in its harbour, and nobody on the island could buy bread for a week. "
SAID = "I think that this winter was much worse than the last one, and we all know why that is. "
LAST = "Last of all the ice melted."
PAGE = f"""<title>Ferry in the ice</title><nav><a href=/>Home</a></nav>
<main><h1>Ferry in the ice</h1><p>First. {PROSE * 3}</p><p>{PROSE * 3} {LAST}</p></main>
<div><p>Share this</p><h3>2 Comments</h3><p>Behind. {SAID * 2}</p><p>{SAID * 2}</p></div>"""
LIKELY = {"": 0.9, "Home": 0.01, "Share": 0.01, "2 Comments": 0.2, "Behind": 0.7, SAID: 0.7}


def borders_on(html: str, likely: Likely = 0.9, **known: Any) -> Borders:
    """The borders of a page, whose blocks from a probability of 0.5 on are kept."""
    page = measures_of(html)
    model = 1.0 - marginals_of(page, likely)[:, Label.OTHER]
    places = borders(knowing(page, **{**ARTICLE, **known}), model, model >= 0.5)
    return places or Borders(np.zeros(0, np.int64), np.zeros((0, len(END_INPUTS) - 3)))


@pytest.fixture
def weights(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """Weights that end the text at a border outside the main element; a test may change them."""
    by_name = {"outside_main": 6.0, BIAS: -3.0}
    monkeypatch.setattr(
        sections,
        "_weights",
        lambda: np.array([by_name.get(name, 0.0) for name in (*WEIGHTED, BIAS)]),
    )
    return by_name


# borders and their inputs


def test_inputs_by_hand() -> None:
    places = borders_on(PAGE, LIKELY)
    values = dict(zip(END_INPUTS, places.inputs[places.inputs[:, 13] > 0][0], strict=False))
    words = measures_of(PAGE).words
    before, after = words[1:4].sum(), words[6:].sum()
    assert values["log_before"] == pytest.approx(log(before))
    assert values["log_after"] == pytest.approx(log1p(after))
    assert values["log_kept"] == pytest.approx(log1p(before + after))
    assert values["odds_after"] == pytest.approx(log(0.7 / 0.3))
    assert values["odds_fall"] == pytest.approx(log(0.7 / 0.3) - log(0.9 / 0.1))
    assert values["odds_before"] == pytest.approx(log(0.9 / 0.1))
    assert values["gap"] == pytest.approx(log1p(2))
    assert values["outside_main"] == values["headed_comments"] == values["gap_headed_comments"] == 1
    assert values["same_path"] == values["known_paths"] == values["items_after"] == 0


def test_blocks_side_by_side_in_one_element_have_no_border() -> None:
    assert not len(
        borders_on(f"<main><p>{PROSE * 4}</p><p>{PROSE * 4}</p><p>{PROSE}</p></main>").after
    )


@pytest.mark.parametrize(
    "between",
    ["<h2>More</h2>", "<p>Share this</p>", "</main><aside>", "<ul><li>", "<p class=other>"],
)
def test_what_makes_a_border(between: str) -> None:
    html = f"<main><p>{PROSE * 4}</p><p>{PROSE * 4}</p>{between}<p>{PROSE * 3}</p></main>"
    html = html.replace("<p class=other><p>", "<p class=other>")
    assert len(borders_on(html, {"": 0.9, "Share": 0.1}).after) == 1 + ("h2" in between)


BOUNDS = {
    "too little before": f"<main><p>{PROSE * 2}</p></main><div><p>{SAID * 2}</p></div>",
    "too much behind": f"<main><p>{PROSE * 4}</p></main><div><p>{SAID * 20}</p></div>",
    "a recipe": PAGE.replace(
        "<nav>", '<script type=application/ld+json>{"@type": "Recipe"}</script><nav>'
    ),
}


@pytest.mark.parametrize("html", BOUNDS.values(), ids=BOUNDS)
def test_where_no_text_ends(html: str) -> None:
    assert not len(borders_on(html, LIKELY).after)


def test_the_widest_borders_are_judged() -> None:
    html = f"<main><p>{PROSE * 9}</p>" + f"<h2>More</h2><p>{SAID}</p>" * 90
    page = f"{html}</main><div><div><p>{SAID}</p></div></div>"
    places = borders_on(page)
    assert len(places.after) == 80
    assert measures_of(page).texts[places.after[-1]] == SAID.strip()


# the end


def ended_at(**options: Any) -> Decided:
    return decided(PAGE, LIKELY, ARTICLE, **{"convention": "auto", **options})


@pytest.mark.usefixtures("weights")
def test_what_stands_behind_the_end_is_left_out() -> None:
    made = ended_at()
    assert is_kept(made, LAST)
    assert not is_kept(made, "Behind")
    assert made.rule("Behind") == Rule.END
    end = made.tags.end
    assert end is not None
    assert made.probability("Behind") == pytest.approx(0.7 * (1.0 - end.probability))
    assert end.is_cut


@pytest.mark.usefixtures("weights")
@pytest.mark.parametrize("convention", ["", "page", "everything"])
def test_other_conventions_keep_what_follows(convention: str) -> None:
    made = ended_at(convention=convention)
    assert is_kept(made, "Behind")
    assert made.tags.end is None


def test_a_doubtful_end_is_told_of_and_not_made(weights: dict[str, float]) -> None:
    weights["outside_main"] = 2.3
    made = ended_at()
    assert is_kept(made, "Behind")
    assert made.rule("Behind") == Rule.NONE
    end = to_dict(made.document, Show(blocks=True))["end"]
    assert end == {
        "block": made.place("Behind"),
        "probability": round(1 / (1 + np.exp(0.7)), 4),
        "words": int(made.page.words[made.place("Behind") :].sum()),
        "is_cut": False,
    }
    (line,) = rules_in_words(made.document)
    assert line.startswith(f"The text may end before block {end['block']} (probability 0.33).")


def test_an_unlikely_end_is_not_told_of(weights: dict[str, float]) -> None:
    weights["outside_main"] = 0.5
    assert ended_at().tags.end is None


def test_an_article_is_read_as_one_whatever_its_type(weights: dict[str, float]) -> None:
    weights.update({"outside_main": 0.0, "outside_main_of_article": 6.0})
    other = {"types": {"article": 0.0, "forum": 0.0}}
    for convention, kept in (("auto", True), ("article", False), ("body", False)):
        assert is_kept(decided(PAGE, LIKELY, other, convention=convention), "Behind") == kept


@pytest.mark.usefixtures("weights")
@pytest.mark.parametrize(("before", "kept"), [(0.9, False), (0.75, False), (0.55, True)])
def test_no_end_cuts_far_surer_text_than_it_leaves(before: float, *, kept: bool) -> None:
    """An end was found between teasers of videos (.53) and the article below them (.98)."""
    likely = {**LIKELY, "First": before, LAST: before, "Behind": 0.95, SAID: 0.95}
    assert is_kept(decided(PAGE, likely, ARTICLE, convention="auto"), "Behind") == kept


@pytest.mark.parametrize("cell", ["td", "p"])
def test_no_text_ends_inside_a_table(cell: str, weights: dict[str, float]) -> None:
    weights |= {"outside_main": 0.0, "opens_another": 8.0}
    rows = "".join(
        f"<tr><{cell}>{name}</{cell}><{cell}>{PROSE}</{cell}></tr>"
        for name in ("State", "Comments", "Entered", "Left")
    )
    table = f"<table>{rows}</table>" if cell == "td" else rows
    html = f"<main><h1>Ferry in the ice</h1><p>{PROSE * 4}</p>{table}</main>"
    made = decided(html, 0.9, ARTICLE, convention="auto")
    assert is_kept(made, "Left") == (cell == "td")


def test_shipped_weights_end_the_article_of_the_example() -> None:
    made = decided(PAGE, {**LIKELY, "Behind": 0.6, SAID: 0.6}, ARTICLE, convention="auto")
    assert not is_kept(made, "Behind")
    assert "--as page keeps" in rules_in_words(made.document)[-1]


# scores


def test_the_bound_is_never_below_a_score() -> None:
    chance = np.random.default_rng(5)
    for _ in range(100):
        inputs, weights = chance.uniform(-5, 5, (3, 4)), chance.uniform(-3, 3, 15)
        scores = end_scores(with_types(inputs, (0.5, 1.0, chance.random())), weights)
        assert scores.max() <= highest_score(inputs, weights, 7) + 1e-9


# arguments of the compiled part


def arguments(**changed: Any) -> list[Any]:
    """Arguments of a page of two blocks."""
    values: dict[str, Any] = {
        "table": with_markup(measures_of(f"<p>{'a ' * 60}</p><h2>{'a ' * 20}</h2>")),
        "probability": np.array([0.9, 0.8]),
        "kept": np.array([True, True]),
        "kind": np.zeros(2, np.int32),
    }
    return list({**values, **changed}.values())


def test_the_arguments_are_good() -> None:
    before, after, inputs, heads = borders_of(*arguments())
    assert (before.tolist(), after.tolist(), inputs.shape) == ([0], [1], (1, len(BORDER_INPUTS)))
    assert heads == []


@pytest.mark.parametrize(
    "changed",
    [
        {"probability": np.zeros(1)},
        {"kept": np.zeros(3, np.bool_)},
        {"kind": np.zeros(1, np.int32)},
        {"table": measures_of("<p>a").table},
    ],
)
def test_bad_arguments_are_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"different lengths|a part is missing"):
        borders_of(*arguments(**changed))


def test_inputs_are_finite_for_any_probability() -> None:
    for value in (0.0, 1.0, float("nan")):
        inputs: Floats = borders_of(*arguments(probability=np.full(2, value)))[2]
        assert np.isfinite(inputs).all()
