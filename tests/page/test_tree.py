"""Tests of `page/tree.py`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crfclean.page.blocks import (
    split,
)
from crfclean.page.limits import MAX_DEPTH
from crfclean.page.measures import Measures
from crfclean.page.tree import (
    LONG_WORDS,
    containers,
    depths,
    div_groups,
    held,
    in_heading,
    is_long,
    levels,
    link_words,
    linked,
    nearest,
    running_words,
    sizes,
    start_nodes,
    td_groups,
    wider,
)
from crfclean.types import Page


def measure(html: str) -> Measures:
    return Measures(split(Page(html)))


TREE = (
    "<html><body><div><p>ab <a href=x>cd <b>ef</b></a></p>gh</div>"
    "<table><tr><td><p>ij</p></td></tr></table><img src=x>kl<a name=x></a></body></html>"
)
TAGS = ["html", "body", "div", "p", "a", "b", "table", "tr", "td", "p", "img", "a"]
TREES = [TREE, "", "<div><img></div>", "a", "<p>a</p>", "<div>" * 5_000 + "a"]


def test_elements_of_the_example() -> None:
    assert list(measure(TREE).blocks.nodes.tags) == TAGS
    assert measure(TREE).blocks.texts == ("ab cd ef", "gh", "ij", "kl")


def test_depths() -> None:
    assert depths(measure(TREE)).tolist() == [0, 1, 2, 3, 4, 5, 2, 3, 4, 5, 2, 2]


def test_levels_go_down_with_the_parents() -> None:
    found = [(nodes.tolist(), above.tolist()) for nodes, above in levels(measure(TREE))]
    assert found == [
        ([1], [0]),
        ([2, 6, 10, 11], [1, 1, 1, 1]),
        ([3, 7], [2, 6]),
        ([4, 8], [3, 7]),
        ([5, 9], [4, 8]),
    ]


def test_sums_of_what_elements_hold() -> None:
    measures = measure(TREE)
    assert sizes(measures).tolist() == [4, 4, 2, 1, 1, 1, 1, 1, 1, 1, 0, 1]
    values = np.array([1.0, 2.0, 4.0, 8.0])
    expected = [15, 15, 3, 1, 1, 1, 4, 4, 4, 4, 0, 8]
    assert held(measures, values).tolist() == expected
    both = held(measures, np.column_stack([values, 2 * values]))
    assert both[:, 0].tolist() == expected
    assert both[:, 1].tolist() == [2 * value for value in expected]


def test_wider_elements_hold_more_blocks() -> None:
    assert wider(measure(TREE)).tolist() == [-1, -1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1]


def test_containers_widen_until_the_last_repeats() -> None:
    html = "<main><section><div><p>a</p><p>b</p></div><p>c</p></section><p>d</p></main><p>e</p>"
    measures = measure(html)
    tags = [[measures.blocks.nodes.tags[node] for node in row] for row in containers(measures)]
    assert tags == [
        ["div", "div", "section", "main", "body"],
        ["section", "section", "main", "body", "body"],
        ["main", "main", "body", "body", "body"],
        ["body"] * 5,
    ]
    assert containers(measure("a")).tolist() == [[1]] * 4  # the container: none is wider


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        (["p"], [-1, -1, -1, 3, 3, 3, -1, -1, -1, 9, -1, -1]),
        (["div", "td"], [-1, -1, 2, 2, 2, 2, -1, -1, 8, 8, -1, -1]),
        (["body", "tr"], [-1, 1, 1, 1, 1, 1, 1, 7, 7, 7, 1, 1]),
        (["none"], [-1] * 12),
    ],
)
def test_nearest_elements(tags: list[str], expected: list[int]) -> None:
    measures = measure(TREE)
    assert nearest(measures, measures.is_tag(tags)).tolist() == expected


@pytest.mark.parametrize("depth", [1, 2, 3, 100, MAX_DEPTH - 3])
def test_nearest_is_found_at_any_distance(depth: int) -> None:
    measures = measure("<div>" + "<section>" * depth + "a")
    found = nearest(measures, measures.is_tag(["div"]))
    assert found[measures.blocks.node].tolist() == [2]


@pytest.mark.parametrize(
    ("html", "div", "td"),
    [
        ("<div>a<p>b</p></div>c", [2, 2, -1], [-1, -1, -1]),
        ("<div>a<div>b</div>c</div>", [2, 3, 2], [-1, -1, -1]),
        ("<article>a<section>b</section></article><main>c</main>", [2, 3, 4], [-1] * 3),
        ("<table><tr><td>a</td><th>b<div>c</div></th></tr></table>", [-1, -1, 6], [4, 5, 5]),
    ],
)
def test_groups(html: str, div: list[int], td: list[int]) -> None:
    measures = measure(html)
    assert div_groups(measures).tolist() == div
    assert td_groups(measures).tolist() == td


def test_blocks_in_headings() -> None:
    html = "<h1>a</h1><p>b</p><h6><span>c</span></h6><h3>d<div>e</div></h3><header>f</header>"
    assert in_heading(measure(html)).tolist() == [True, False, True, True, True, False]


def test_words_in_links() -> None:
    measures = measure("<p>a b <a>c d</a></p><p><a>e</a></p><p>f</p><p><a>ab</a> cd efgh</p>")
    assert linked(measures).tolist() == [0.5, 1, 0, 0.25]
    assert link_words(measures).tolist() == [2, 1, 0, 0.75]


def test_running_text_is_long_and_mostly_no_link() -> None:
    text, most, half = "a " * LONG_WORDS, "a " * (LONG_WORDS // 2), "a " * (LONG_WORDS // 2 + 1)
    short = f"<p>{text[2:]}</p>"
    measures = measure(f"<p>{text}</p>{short}<p>{half}<a>{most}</a></p><p>{most}<a>{half}</a></p>")
    assert is_long(measures).tolist() == [True, False, True, False]
    assert running_words(measures).tolist() == [LONG_WORDS, 0, LONG_WORDS, 0]
    assert not is_long(measure(f"<p>{half}<a>{half}</a></p>")).any()  # just half of it


def test_start_nodes_are_around_the_first_text() -> None:
    measures = measure("<p> <b><i>a</i> b</b></p><p>c<b>d</b></p>e")
    tags = [measures.blocks.nodes.tags[node] for node in start_nodes(measures)]
    assert tags == ["i", "p", "body"]


SOUP = st.lists(
    st.sampled_from(
        [
            *("<p>", "</p>", "<div>", "</div>", "<a>", "</a>", "<li>", "<ul>", "</ul>", "<h2>"),
            *("a", " ", "b c", "<br>", "<td>", "<table>", "</table>", "<b>", "</b>", "<body>"),
        ]
    ),
    max_size=30,
).map("".join)
EVERY = settings(max_examples=200, deadline=None, database=None, derandomize=True)


@EVERY
@given(SOUP)
def test_values_are_those_of_a_walk_up(html: str) -> None:
    measures = measure(html)
    nodes, size = measures.blocks.nodes, sizes(measures)
    parents, wanted = nodes.parent.tolist(), measures.is_tag(["div", "li"])
    for node in range(len(nodes)):
        around = [node]
        while parents[around[-1]] >= 0:
            around.append(parents[around[-1]])
        assert depths(measures)[node] == len(around) - 1
        more = [one for one in around if size[one] > size[node]]
        assert wider(measures)[node] == (more[0] if more else -1)
        marked = [one for one in around if wanted[one]]
        assert nearest(measures, wanted)[node] == (marked[0] if marked else -1)


@pytest.mark.parametrize("html", TREES)
def test_shapes(html: str) -> None:
    measures = measure(html)
    blocks, elements = len(measures), len(measures.blocks.nodes)
    for of_elements in (depths, sizes, wider):
        assert of_elements(measures).shape == (elements,)
    for of_blocks in (div_groups, td_groups, in_heading, linked, link_words, is_long, start_nodes):
        assert of_blocks(measures).shape == (blocks,)
    assert containers(measures).shape == (4, blocks)
    assert sum(len(level) for level, _ in levels(measures)) == max(0, elements - 1)
