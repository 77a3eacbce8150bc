"""Tests of `systems/coherent.py`.

The formula by its recursion, edge cases, deep and wide trees.
"""

from __future__ import annotations

import numpy as np
import pytest
from markup import tree_of

from crfclean.systems.coherent import EnergyParams, cover, energies


def coherent_texts(html: str, **params: object) -> list[str]:
    tree = tree_of(html)
    found = energies(tree, EnergyParams(**params))  # type: ignore[arg-type]
    texts = []
    for node in cover(tree, found.coherent):
        first, last = tree.bounds(node)
        texts.append(" ".join("".join(tree.texts[first:last]).split()))
    return texts


# the formula


def test_energy_by_hand() -> None:
    tree = tree_of("<div><p>12345</p><p>123</p></div>")  # html body div p text: k = 4
    assert tree.height == 4
    logs = energies(tree, EnergyParams(dissipation=2.0)).logs
    assert np.exp(logs).tolist() == pytest.approx([0.5, 1.0, 2.0, 2.5, 5.0, 1.5, 3.0])


# metrics


@pytest.mark.parametrize(("metric", "total"), [("chars", 17), ("words", 4), ("dictionary", 2)])
def test_metrics(metric: str, total: float) -> None:
    tree = tree_of("<p>The ferry sails</p><p>1906</p>")
    params = EnergyParams(metric, dictionary=frozenset(["ferry", "sails"]))
    leaves = energies(tree, params).logs[tree.leaves]
    assert np.exp(leaves).sum() == pytest.approx(total)


# the edge cases of the docstring


def test_nothing_is_lost_and_the_page_is_one_text() -> None:
    assert coherent_texts("<p>one</p><p>two</p><div>three</div>", dissipation=100.0) == [
        "onetwothree"
    ]


def test_the_way_leads_through_single_children() -> None:
    tree = tree_of("<div><div><p>alone</p></div></div>")
    found = energies(tree, EnergyParams(dissipation=1.0))
    assert list(cover(tree, found.coherent)) == tree.leaves.tolist()


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


# hostile trees


def test_energy_of_deep_trees_does_not_vanish(low_recursion: None) -> None:
    html = "<div>" * 2_000 + "<p>one two</p><p>one two</p>" + "</div>" * 2_000 + "<p>three</p>"
    tree = tree_of(html)
    found = energies(tree, EnergyParams(dissipation=0.25))
    assert tree.height == 512
    assert np.isfinite(found.logs).all()
    assert found.logs[2] < -1_000, "far below what a float holds"
    assert len(list(cover(tree, found.coherent))) == 3
