"""Tests of `segmentation/energy.py`.

The formula by its recursion, edge cases, deep and wide trees.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markup import MARKUP, tree_of

from crfclean.segmentation.energy import energies
from crfclean.segmentation.params import METRICS, EnergyParams
from crfclean.segmentation.text_tree import TextTree, cover
from crfclean.types import CrfcleanError


def by_recursion(tree: TextTree, share: float) -> list[float]:
    """Formula (1) of the paper, from the leaves up: m = characters."""
    found = [0.0] * len(tree)
    for node in reversed(range(len(tree))):
        below = [child for child in range(len(tree)) if tree.parent[child] == node]
        if tree.leaf[node] >= 0:
            found[node] = float(tree.chars[node])
        else:
            found[node] = sum(share * found[child] for child in below)
    return found


def coherent_texts(html: str, **params: object) -> list[str]:
    tree = tree_of(html)
    found = energies(tree, EnergyParams(**params))  # type: ignore[arg-type]
    texts = []
    for node in cover(tree, found.coherent):
        first, last = tree.bounds(node)
        texts.append(" ".join("".join(tree.texts[first:last]).split()))
    return texts


# the formula


@given(MARKUP, st.sampled_from([0.25, 1.0, 2.0, 3.0, 8.0]))
def test_energies_are_those_of_the_formula(html: str, dissipation: float) -> None:
    tree = tree_of(html)
    found = energies(tree, EnergyParams(dissipation=dissipation))
    expected = by_recursion(tree, dissipation / max(1, tree.height))
    assert np.exp(found.logs) == pytest.approx(np.array(expected))


@given(MARKUP, st.sampled_from([0.25, 1.0, 2.0, 3.0, 8.0]))
def test_coherent_where_no_child_has_more(html: str, dissipation: float) -> None:
    tree = tree_of(html)
    found = energies(tree, EnergyParams(dissipation=dissipation))
    energy = by_recursion(tree, dissipation / max(1, tree.height))
    for node in range(len(tree)):
        below = [energy[child] for child in range(len(tree)) if tree.parent[child] == node]
        most = max(below, default=0.0)
        if abs(most - energy[node]) > 1e-6 * most:
            assert found.coherent[node] == (most <= energy[node])


def test_energy_by_hand() -> None:
    tree = tree_of("<div><p>12345</p><p>123</p></div>")  # html body div p text: k = 4
    assert tree.height == 4
    logs = energies(tree, EnergyParams(dissipation=2.0)).logs
    assert np.exp(logs).tolist() == pytest.approx([0.5, 1.0, 2.0, 2.5, 5.0, 1.5, 3.0])


@pytest.mark.parametrize(("law", "kept"), [("ratio", 0.25), ("loss", 0.75)])
def test_laws(law: str, kept: float) -> None:
    params = EnergyParams(law=law, dissipation=1.0)
    assert params.kept(4) == kept
    tree = tree_of("<div><p>12345</p></div>")
    assert math.exp(energies(tree, params).logs[3]) == pytest.approx(5 * kept)


def test_what_is_lost_is_never_more_than_all() -> None:
    assert EnergyParams(law="loss", dissipation=9.0).kept(4) == 0.0
    assert coherent_texts("<p>a<b>b</b></p><p>c</p>", law="loss", dissipation=9.0) == [*"abc"]


# metrics


@pytest.mark.parametrize(("metric", "total"), [("chars", 17), ("words", 4), ("dictionary", 2)])
def test_metrics(metric: str, total: float) -> None:
    tree = tree_of("<p>The ferry sails</p><p>1906</p>")
    params = EnergyParams(metric, dictionary=frozenset(["ferry", "sails"]))
    leaves = energies(tree, params).logs[tree.leaves]
    assert np.exp(leaves).sum() == pytest.approx(total)


def test_words_of_chinese_text() -> None:
    tree = tree_of("<p>春天来了</p>")
    assert np.exp(energies(tree, EnergyParams("words")).logs[tree.leaves]) == pytest.approx([2.0])


# the edge cases of the docstring


def test_nothing_is_lost_and_the_page_is_one_text() -> None:
    assert coherent_texts("<p>one</p><p>two</p><div>three</div>", dissipation=100.0) == [
        "onetwothree"
    ]


def test_the_way_leads_through_single_children() -> None:
    tree = tree_of("<div><div><p>alone</p></div></div>")
    found = energies(tree, EnergyParams(dissipation=1.0))
    assert list(cover(tree, found.coherent)) == tree.leaves.tolist()


def test_single_child_where_nothing_is_lost_is_the_root() -> None:
    tree = tree_of("<div><p>alone</p></div>")
    assert list(cover(tree, energies(tree, EnergyParams(dissipation=4.0)).coherent)) == [0]


def test_a_tie_parts_nothing() -> None:
    html = "<div><p>1234</p><p>5678</p></div>"  # k = 4, q = 1/2: div has as much as each p
    assert coherent_texts(html, dissipation=2.0) == ["12345678"]
    assert coherent_texts(html, dissipation=1.99) == ["1234", "5678"]


def test_largest_child_decides() -> None:
    html = "<div><p>{0}</p><p>567</p><p>890</p></div>"  # q = 1/2: is half in the largest?
    assert coherent_texts(html.format("123456"), dissipation=2.0) == ["123456567890"]
    assert coherent_texts(html.format("1234567"), dissipation=2.0) == ["1234567", "567", "890"]


def test_descents_are_parallel() -> None:
    many = "".join(f"<p>{letter * 9}</p>" for letter in "abcd")
    html = f"<div>{many}</div><div>{'z' * 90}</div>"
    assert coherent_texts(html, dissipation=2.0) == [
        "".join(letter * 9 for letter in "abcd"),
        "z" * 90,
    ]


@pytest.mark.parametrize("dissipation", [0.5, 1.0, 3.0])
def test_root_of_text_alone_keeps_p(dissipation: float) -> None:
    assert EnergyParams(dissipation=dissipation).kept(1) == dissipation
    assert EnergyParams(dissipation=dissipation).kept(0) == dissipation


def test_text_without_energy_stays_together() -> None:
    params = {"metric": "words", "dissipation": 1.0}
    assert coherent_texts("<p>*</p><p>**</p><div>—</div>", **params) == ["***—"]


def test_dictionary_without_known_words() -> None:
    words = frozenset(["other"])
    assert coherent_texts("<p>a</p><p>b</p>", metric="dictionary", dictionary=words) == ["ab"]


@pytest.mark.parametrize("html", ["", "<p></p>", "<script>x</script>"])
def test_no_text_no_energy(html: str) -> None:
    tree = tree_of(html)
    assert np.isneginf(energies(tree).logs).all()


# hostile trees


def test_energy_of_deep_trees_does_not_vanish(low_recursion: None) -> None:
    html = "<div>" * 2_000 + "<p>one two</p><p>one two</p>" + "</div>" * 2_000 + "<p>three</p>"
    tree = tree_of(html)
    found = energies(tree, EnergyParams(dissipation=0.25))
    assert tree.height == 512
    assert np.isfinite(found.logs).all()
    assert found.logs[2] < -1_000, "far below what a float holds"
    assert len(list(cover(tree, found.coherent))) == 3


def test_wide_trees() -> None:
    tree = tree_of("<p>x</p>" * 50_000)
    found = energies(tree, EnergyParams(dissipation=1.0))
    assert list(cover(tree, found.coherent)) == [1], "body: a small share is the largest"


def test_levels_are_passed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work is by level, not by node: a page of many nodes has as many passes as levels."""
    tree = tree_of("<ul>" + "<li>a <b>b</b></li>" * 5_000 + "</ul>")
    passes = []
    unique = np.unique

    def counted(values: np.ndarray, **options: bool) -> object:
        passes.append(len(values))
        return unique(values, **options)

    monkeypatch.setattr(np, "unique", counted)
    energies(tree)
    assert len(passes) == tree.height
    assert sum(passes) == len(tree) - 1


# parameters


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"metric": "lines"}, "no metric 'lines'"),
        ({"law": "entropy"}, "no law 'entropy'"),
        ({"dissipation": 0.0}, "above 0"),
        ({"dissipation": -1.0}, "above 0"),
        ({"dissipation": math.inf}, "above 0"),
        ({"dissipation": math.nan}, "above 0"),
        ({"metric": "dictionary"}, "needs a list of words"),
    ],
)
def test_wrong_parameters(params: dict[str, object], message: str) -> None:
    with pytest.raises(CrfcleanError, match=message):
        EnergyParams(**params)  # type: ignore[arg-type]


def test_metrics_are_all_tested() -> None:
    assert set(METRICS) == {"chars", "words", "dictionary"}
