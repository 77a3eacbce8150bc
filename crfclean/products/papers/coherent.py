"""Divide a page into coherent texts, by node energy or by link rules."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from crfclean.model.markup import with_markup
from crfclean.page.blocks import bounded
from crfclean.page.chars import (
    SPACE,
    around,
    classify,
    ordinals_of,
    spelled_out,
    sums_inside,
)
from crfclean.page.elements import MAX_BLOCKS
from crfclean.page.measures import count_texts
from crfclean.page.selectors import check_selectors, chosen
from crfclean.page.sources import Source, as_page
from crfclean.types import (
    Blocks,
    Bools,
    CrfcleanError,
    Floats,
    Ints,
    Label,
    Segment,
    Tagger,
    Tags,
    check_bounds,
    option,
)
from crfclean.types.choices import SEGMENT_METHODS

# parameters of the methods that divide a page into coherent texts

METRICS = ("chars", "words", "dictionary")
LAWS = ("ratio", "loss")


@dataclass(frozen=True, slots=True)
class EnergyParams:
    """Parameters of text energy and its dissipation.

    `metric` is m, the energy of a text node: its characters, its words, or its words that are in
    the `dictionary` (in lower case). `dissipation` is the paper's constant p. `law` gives the share
    q of its energy that text keeps on a step up in a tree of height k. "ratio" is the paper's
    formula, q = p / k. "loss" is q = 1 - p / k: as the paper's prose asks, tall trees lose little.
    """

    metric: str = option("chars", "what counts as energy of a text", METRICS)
    law: str = option("ratio", "how much energy is kept per step up a tree of height k", LAWS)
    dissipation: float = option(4.0, "constant p: a step keeps (ratio) or loses (loss) p / k")
    dictionary: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if self.metric not in METRICS:
            raise CrfcleanError(f"no metric {self.metric!r}; there are {', '.join(METRICS)}")
        if self.law not in LAWS:
            raise CrfcleanError(f"no law {self.law!r}; there are {', '.join(LAWS)}")
        if not 0 < self.dissipation < math.inf:
            raise CrfcleanError(f"dissipation must be above 0, not {self.dissipation}")
        if self.metric == "dictionary" and not self.dictionary:
            raise CrfcleanError("the metric 'dictionary' needs a list of words")

    def kept(self, height: int) -> float:
        """The share q of its energy that text keeps on a step up in a tree of this height."""
        ratio = self.dissipation / max(1, height)
        return ratio if self.law == "ratio" else max(0.0, 1.0 - ratio)


@dataclass(frozen=True, slots=True)
class LinkParams:
    """Limits for large texts and for links in them; characters are counted outside links."""

    large_chars: int = option(120, "characters from which a paragraph is a large text")
    stray_share: float = option(0.02, "most characters in free links of a large text, as a share")
    frame_texts: int = option(2, "large texts from which their element is one text; 0: off")
    summary_chars: int = option(400, "most characters of the summary of a link")
    structure_links: int = option(3, "links from which a group of links is a structure")

    def __post_init__(self) -> None:
        least = {"large_chars": 1, "structure_links": 1}
        least |= dict.fromkeys(("frame_texts", "summary_chars"), 0)
        bounds = {name: (number, math.inf) for name, number in least.items()}
        check_bounds(self, {**bounds, "stray_share": (0, 1)})


@dataclass(frozen=True, slots=True)
class SegmentParams:
    """Parameters for dividing a page into coherent texts.

    Texts have only what is inside elements of the CSS selectors `within`, and not inside `drop`.
    Raises `CrfcleanError` for a wrong selector.
    """

    method: str = option("links", "how to find coherent texts", SEGMENT_METHODS)
    energy: EnergyParams = field(default_factory=EnergyParams)
    links: LinkParams = field(default_factory=LinkParams)
    within: str = ""
    drop: str = ""

    def __post_init__(self) -> None:
        for name in ("within", "drop"):
            check_selectors(name, getattr(self, name))
        if self.method not in SEGMENT_METHODS:
            raise CrfcleanError(
                f"no method {self.method!r}; there are {', '.join(SEGMENT_METHODS)}"
            )


# a page's elements and text nodes as one tree, in arrays


@dataclass(frozen=True)
class TextTree:
    """The N nodes of a page in document order: its m elements and its text nodes.

    `parent` is -1 for a root; the nodes inside node i are i + 1 to `end[i]` - 1. `element` is a
    node's index in the page's table of elements, -1 for a text node; `leaf` its index in `texts`,
    -1 for an element. `block` is the block of each text node; text nodes are never blank.
    """

    page: Blocks
    parent: Ints
    end: Ints
    element: Ints
    leaf: Ints
    texts: tuple[str, ...]
    block: Ints

    def __len__(self) -> int:
        return len(self.parent)

    @cached_property
    def leaves(self) -> Ints:
        """The text nodes, in order."""
        return np.flatnonzero(self.leaf >= 0)

    @cached_property
    def depth(self) -> Ints:
        """Number of elements around each node, shape (N,)."""
        return around(np.ones(len(self), np.bool_), self.end) - 1

    @cached_property
    def height(self) -> int:
        """Edges on the longest path from a root to a leaf."""
        return int(self.depth.max(initial=0))

    @cached_property
    def levels(self) -> list[Ints]:
        """The nodes of each depth, the roots first."""
        order = np.argsort(self.depth, kind="stable")
        return np.split(order, np.cumsum(np.bincount(self.depth, minlength=1))[:-1])

    def of_leaves(self, values: Floats) -> Floats:
        """Values of the text nodes (leaves,) as a column of all nodes, 0 for elements, (N,)."""
        column = np.zeros(len(self))
        column[self.leaves] = values
        return column

    def held(self, column: Floats) -> Floats:
        """Sum of a column over each node and all inside it, shape (N,)."""
        return sums_inside(column, self.end)

    @cached_property
    def chars(self) -> Floats:
        """Characters (no white space) of the text nodes at and inside each node, shape (N,)."""
        solid = np.concatenate([[0], np.cumsum(classify("".join(self.texts)) != SPACE)])
        ends = np.cumsum(np.array([len(text) for text in self.texts], np.int64))
        return self.held(self.of_leaves(np.diff(solid[ends], prepend=0).astype(np.float64)))

    @cached_property
    def words(self) -> Floats:
        """Words of each text node, shape (leaves,); see `Blocks.words`."""
        if not self.texts:
            return np.zeros(0)
        lines = tuple(text.replace("\n", " ") for text in self.texts)
        return count_texts(spelled_out(lines)).words

    @cached_property
    def in_link(self) -> Bools:
        """Mark each node that is an `a` or inside one, shape (N,)."""
        return around(self.is_link, self.end) > 0

    @cached_property
    def is_link(self) -> Bools:
        """Mark each node that is an `a`, shape (N,)."""
        tags = self.page.table.tags
        elements = self.element.tolist()
        return np.array([index >= 0 and tags[index] == "a" for index in elements], np.bool_)

    @cached_property
    def link_chars(self) -> Floats:
        """Characters of `chars` that are in links, shape (N,)."""
        leaves = self.leaf >= 0
        return self.held(np.where(leaves & self.in_link, self.chars, 0.0))

    def large_blocks(self, least: int) -> Bools:
        """Mark each block with `least` characters outside links, and fewer in links, (n,)."""
        inside, count = self.in_link[self.leaves], len(self.page)
        chars = self.chars[self.leaves]
        linked = np.bincount(self.block[inside], chars[inside], count)
        unlinked = np.bincount(self.block[~inside], chars[~inside], count)
        large: Bools = (unlinked >= least) & (unlinked > linked)
        return large

    @cached_property
    def has_text(self) -> Bools:
        """True if there is a text node at or inside each node, shape (N,)."""
        has_text: Bools = self.held((self.leaf >= 0).astype(np.float64)) > 0
        return has_text

    @cached_property
    def first_leaf(self) -> Ints:
        """Number of text nodes before each node, shape (N + 1,): bounds of `texts`."""
        return np.concatenate([[0], np.cumsum(self.leaf >= 0)])

    def bounds(self, node: int) -> tuple[int, int]:
        """The half-open range of `texts` at or inside a node."""
        return int(self.first_leaf[node]), int(self.first_leaf[self.end[node]])

    def xpath(self, node: int) -> str:
        """XPath of a node; a text node is counted among the non-blank ones of its element."""
        if self.leaf[node] < 0:
            return self.page.xpath(int(self.element[node]))
        above = int(self.parent[node])
        path = self.page.xpath(int(self.element[above])) if above >= 0 else ""
        return f"{path}/text()[normalize-space()][{int(self._ordinals[self.leaf[node]])}]"

    @cached_property
    def _ordinals(self) -> Ints:
        """1-based position of each text node among those of its element, shape (leaves,)."""
        return ordinals_of(self.parent[self.leaves]) + 1


def text_tree(blocks: Blocks) -> TextTree:
    """The tree of a page's elements and text nodes; linear in both.

    Runs of text with no element between them are one text node; blank runs are none.
    """
    table, texts = blocks.table, _text_nodes(blocks)
    count, size = len(table.parent), len(table.parent) + len(texts.texts)
    elements = np.arange(count) + np.searchsorted(texts.after, np.arange(count), "right")
    leaves = texts.after + np.arange(len(texts.texts))  # each follows `after` elements
    inside = np.concatenate([[0], np.cumsum(np.bincount(texts.node, minlength=count))])
    element, leaf = np.full(size, -1, np.int64), np.full(size, -1, np.int64)
    parent, end = np.full(size, -1, np.int64), np.arange(1, size + 1)
    element[elements], leaf[leaves] = np.arange(count), np.arange(len(texts.texts))
    above = table.parent.astype(np.int64)
    parent[elements] = np.where(above >= 0, elements[above], -1)
    parent[leaves] = elements[texts.node]
    held = table.end - np.arange(count) + inside[table.end] - inside[:count]
    end[elements] = elements + held
    return TextTree(blocks, parent, end, element, leaf, texts.texts, texts.block)


class _TextNodes(NamedTuple):
    """Columns of the text nodes: text, parent element, number of elements before it, block."""

    texts: tuple[str, ...]
    node: Ints
    after: Ints
    block: Ints


def _text_nodes(blocks: Blocks) -> _TextNodes:
    """The page's runs as text nodes: adjacent runs are joined, blank nodes left out.

    A blank node still separates words: the text node before it in its block gets a space.
    """
    table = blocks.table
    if not len(table.run_texts) or not len(table.parent):
        nothing = np.zeros(0, np.int64)
        return _TextNodes((), nothing, nothing, nothing)
    keys = np.stack([table.run_node, table.run_after, table.run_block])
    begins = np.flatnonzero(np.concatenate([[True], (np.diff(keys) != 0).any(axis=0)]))
    bounds = pairwise([*begins.tolist(), len(table.run_texts)])
    joined = ["".join(table.run_texts[first:last]) for first, last in bounds]
    solid = np.array([not text.isspace() for text in joined], np.bool_)
    for place in np.flatnonzero(~solid[1:] & solid[:-1]).tolist():
        if keys[2, begins[place]] == keys[2, begins[place + 1]]:
            joined[place] += " "
    node, after, block = keys.astype(np.int64)[:, begins[solid]]
    texts = tuple(text for text, kept in zip(joined, solid.tolist(), strict=True) if kept)
    return _TextNodes(texts, node, after, block)


def cover(tree: TextTree, coherent: Bools) -> Iterator[int]:
    """The highest `coherent` nodes (N,) that hold text; text nodes are always coherent.

    They do not overlap and together hold every text node.
    """
    node, size = 0, len(tree)
    while node < size:
        if tree.has_text[node] and (coherent[node] or tree.leaf[node] >= 0):
            yield node
            node = int(tree.end[node])
        else:
            node += 1


# find coherent texts by rules on the positions of links
#
# Krzysztof Dorosz, "Ekstrakcja spójnych tekstów z Internetu na potrzeby algorytmów
# lingwistycznych" (AGH, 2008), section 3.2. Each rule quotes its sentence of the paper. Texts are
# "large" there if they are large compared with the text of links, here by their characters.

FRAMED = ("p", "blockquote")


@dataclass(frozen=True)
class LinkTree:
    """A tree with the columns that the rules read, of shape (N,).

    A link is free unless it is part of a large text.
    """

    tree: TextTree
    params: LinkParams

    @cached_property
    def unlinked(self) -> Floats:
        """Characters outside links at and inside each node."""
        return self.tree.chars - self.tree.link_chars

    @cached_property
    def large(self) -> Bools:
        """Mark each large text, (n,)."""
        return self.tree.large_blocks(self.params.large_chars)

    @cached_property
    def holds_large(self) -> Bools:
        """Mark each node with a large text at or inside it."""
        tree = self.tree
        holds: Bools = tree.held(tree.of_leaves(self.large[tree.block].astype(np.float64))) > 0
        return holds

    @cached_property
    def paragraph(self) -> Bools:
        """Mark each node that begins in a large text."""
        tree = self.tree
        if not tree.texts:
            return np.zeros(len(tree), np.bool_)
        first = np.minimum(tree.first_leaf[:-1], len(tree.texts) - 1)
        begins: Bools = tree.has_text & self.large[tree.block[first]]
        return begins

    @cached_property
    def free(self) -> Bools:
        """Mark each node that is a link with text that is not part of a large text."""
        tree = self.tree
        nested = np.append(tree.in_link, np.zeros(1, np.bool_))[tree.parent]
        kept = large_text_keeps_its_links(self)
        free: Bools = tree.is_link & ~nested & tree.has_text & ~kept
        return free

    @cached_property
    def links(self) -> Floats:
        """Free links at and inside each node; adjacent links to one address count once.

        A teaser often links its picture and its title to the same page.
        """
        tree, counts = self.tree, np.zeros(len(self.tree))
        previous = None
        for node in np.flatnonzero(self.free).tolist():
            href = tree.page.table.attributes[int(tree.element[node])].get("href")
            counts[node] = not href or href != previous
            previous = href
        return tree.held(counts)

    @cached_property
    def free_chars(self) -> Floats:
        """Characters in free links at and inside each node."""
        return self.tree.held(np.where(self.free, self.tree.chars, 0.0))

    @cached_property
    def links_around(self) -> Floats:
        """Free links at and inside each node's parent; for a root, its own."""
        parent = self.tree.parent
        around: Floats = self.links[np.where(parent < 0, np.arange(len(parent)), parent)]
        return around


def large_text_keeps_its_links(tree: LinkTree) -> Bools:
    """A link in a large text, directly beside its text nodes, is part of it and not free.

    "Zdarzają się tutaj wyjątki, gdzie poszczególne frazy w dużym akapicie tekstu mogą być
    jednocześnie fragmentem zdań, a także linkami [...]. Ich charakterystyczną cechą jest
    występowanie w dużych partiach tekstu najczęściej w postaci węzłów <a> bezpośrednio obok węzłów
    tekstowych." Directly beside: in one paragraph, no block-level element between them.
    """
    return tree.tree.is_link & tree.paragraph


def link_is_a_text(tree: LinkTree) -> Bools:
    """A free link is a coherent text, so that navigation is split into its links.

    "Każdy węzeł <a> jest węzłem spójnym"; "każdy taki link odnosi się do odrębnej informacji
    (strony WWW), przez co teksty zawarte w linkach należy traktować odrębnie."
    """
    return tree.free


def rest_is_a_text(tree: LinkTree) -> Bools:
    """Nodes without free links are coherent, up to where a link bounds them from above.

    "Pozostałe węzły powstałe z wydzielenia węzłów <a> ze struktury DOM stają się węzłami spójnymi
    agregującymi w sobie pozostałe węzły Text Node."
    """
    coherent: Bools = tree.links == 0
    return coherent


def links_above_bound_a_large_text(tree: LinkTree) -> Bools:
    """A large text is coherent up to the node where links carry weight, which are above it.

    "Wszelkie linki URL w wyższych węzłach drzewa DOM w stosunku do dużych fragmentów tekstów można
    traktować jako niezwiązane z tym tekstem (np. paski nawigacyjne, itp...) i stanowią one górne
    ograniczenie spójności węzła potomnego zawierający tekst zasadniczy." Stray links up to a small
    share of the text (`stray_share`) do not bound it.
    """
    few_links = tree.free_chars <= tree.params.stray_share * tree.tree.chars
    coherent: Bools = few_links & (tree.unlinked >= tree.params.large_chars)
    return coherent


def paragraphs_of_a_frame_are_one(link_tree: LinkTree) -> Bools:
    r"""A node that directly holds several large texts is coherent, if most of it is no free link.

    The paper defines coherence by the way a text is shown, but has no rule for it: "sposobu
    prezentacji (np. układ na stronie \u2013 tekst w jednej ramce)". Directly: as a `p` or
    `blockquote` that is its child, or as loose text. Without this rule links between the paragraphs
    part every article that has more than stray ones.
    """
    tree, table = link_tree.tree, link_tree.tree.page.table
    if not (tree.texts and link_tree.params.frame_texts):
        return np.zeros(len(tree), np.bool_)
    count = np.zeros(len(table.parent), np.int64)
    for block in np.flatnonzero(link_tree.large).tolist():
        node = int(tree.page.node[block])
        if table.tags[node] in FRAMED and table.parent[node] >= 0:
            count[table.parent[node]] += 1
        elif len(table.blocks_in(node)) > 1:
            count[node] += 1
    holds = np.zeros(len(tree), np.bool_)
    is_element = tree.element >= 0
    holds[is_element] = count[tree.element[is_element]] >= link_tree.params.frame_texts
    coherent: Bools = holds & (link_tree.free_chars <= 0.5 * tree.chars)
    return coherent


def link_with_its_summary(tree: LinkTree) -> Bools:
    """Within a larger structure of links, a node of one link and a short text is coherent.

    "Węzłem spójnym jest także węzeł grupujący w swoim poddrzewie węzeł <a> i Text Node pod
    warunkiem, że węzeł spójny występuje w większej strukturze linków."
    """
    short = (tree.unlinked > 0) & (tree.unlinked <= tree.params.summary_chars)
    structured = tree.links_around >= tree.params.structure_links
    coherent: Bools = (tree.links == 1) & short & structured
    return coherent


LINK_RULES: Mapping[str, Callable[[LinkTree], Bools]] = {
    "link_is_a_text": link_is_a_text,
    "rest_is_a_text": rest_is_a_text,
    "links_above_bound_a_large_text": links_above_bound_a_large_text,
    "paragraphs_of_a_frame_are_one": paragraphs_of_a_frame_are_one,
    "link_with_its_summary": link_with_its_summary,
}
"""Name -> rule that marks coherent nodes; the highest marked nodes are a page's texts."""


def coherent_by_links(tree: TextTree, params: LinkParams = LinkParams()) -> Bools:
    """Mark each node that a rule makes a coherent text, shape (N,); linear in the nodes."""
    page = LinkTree(tree, params)
    coherent = np.zeros(len(tree), np.bool_)
    for rule in LINK_RULES.values():
        coherent |= rule(page)
    return coherent


# find comments, posts and teasers, which may have no link between them, or several inside

_FEWEST = 2  # records beside each other that have a date
_FEWEST_CARDS = 3
_MOST_ALIKE = 0.8  # share of the records, such as comments; few parts of an article have dates
_SOME_CHARS = 40  # characters outside links of a record that should have a date
_MAX_CLASSES = 8  # of an element
_MAX_ABOVE = 12  # elements between a link and the card around it
_DIGITS = re.compile(r"\d+")


def _records(tree: TextTree) -> list[list[int]]:
    """Groups of siblings that may be comments, posts or teasers.

    They have several blocks, and share tag and class (without digits), or have no class.
    """
    table = tree.page.table
    several = table.end_block - table.first_block > 1
    alike = defaultdict[tuple[int, str, str], list[int]](list)
    for node in np.flatnonzero((tree.element >= 0) & several[tree.element]).tolist():
        element = int(tree.element[node])
        tag, words = table.tags[element], table.attributes[element].get("class", "").split()
        if tag not in FRAMED:
            for word in {_DIGITS.sub("", word) for word in words[:_MAX_CLASSES]} or {""}:
                alike[int(tree.parent[node]), tag, word].append(node)
    return list(alike.values())


def dated_records(tree: TextTree) -> Bools:
    """Mark each comment, post or similar record, of which most have dates, shape (N,); linear."""
    apart, table = np.zeros(len(tree), np.bool_), tree.page.table
    seen = np.concatenate([[0], np.cumsum(with_markup(tree.page).dates > 0)])
    if seen[-1] < _FEWEST:
        return apart
    dated = seen[table.end_block] > seen[table.first_block]
    worded = tree.chars - tree.link_chars >= _SOME_CHARS
    for records in _records(tree):
        signed = dated[tree.element[records]][worded[records]]
        if signed.sum() >= max(_FEWEST, _MOST_ALIKE * len(signed)):
            apart[records] = True
    return apart


def cards(tree: LinkTree) -> Bools:
    """Mark each teaser, product or similar record, shape (N,); linear.

    Each such record leads to its own page: the links to it have half of the text in links.
    """
    apart, targets = np.zeros(len(tree.tree), np.bool_), _targets(tree)
    short = (tree.unlinked > 0) & (tree.unlinked <= tree.params.summary_chars)
    for records in _records(tree.tree):
        led = [node for node in records if node in targets]
        own = {targets[node] for node in led}
        if len(own) >= max(_FEWEST_CARDS, _MOST_ALIKE * len(records)):
            apart[led] = True
    return apart & short


def _targets(link_tree: LinkTree) -> dict[int, str]:
    """Map nodes to the address that has half of the text in free links inside them."""
    tree, attributes = link_tree.tree, link_tree.tree.page.table.attributes
    chars = defaultdict[int, Counter[str]](Counter)
    for node in np.flatnonzero(link_tree.free).tolist():
        href = attributes[int(tree.element[node])].get("href", "")
        above = int(tree.parent[node])
        for _ in range(_MAX_ABOVE if href and not href.startswith("#") else 0):
            if above < 0:
                break
            chars[above][href] += int(tree.chars[node])
            above = int(tree.parent[above])
    most = {node: max(counts, key=counts.__getitem__) for node, counts in chars.items()}
    half = 0.5 * link_tree.free_chars
    return {node: href for node, href in most.items() if chars[node][href] >= half[node]}


# find coherent texts by the energy of nodes
#
# Krzysztof Dorosz, "Ekstrakcja spójnych tekstów z Internetu na potrzeby algorytmów
# lingwistycznych" (AGH, 2008), section 3.1.

_LEAST = 1e-300  # stands for a share of 0, which has no logarithm
_TIE = 1e-12  # energies so close are equal: sums are rounded


@dataclass(frozen=True)
class Energies:
    """Natural logarithms of the nodes' energies (-inf: none), and which nodes are coherent; (N,).

    A node is coherent if no child has more energy than it. A page's coherent texts are the first
    such nodes on the paths down from the root (`cover`).
    """

    logs: Floats
    coherent: Bools


def energies(tree: TextTree, params: EnergyParams = EnergyParams()) -> Energies:
    """Energy of every node: E(v) = m(v) for a leaf, else the sum of (p / k) E(w) over its children.

    k is the height of the tree, the edges on its longest path down from the root; p is
    `dissipation` (see also `EnergyParams.law`). Linear: one pass over the levels from the bottom
    up, in logarithms, so that no energy underflows in a tree of 500 levels.

    A node is coherent if no child has more energy than it. With q = p / k that means: the largest
    child has at most the share q of the children's energy. Hence the edge cases:

    - q >= 1 (p >= k): no energy is lost, the root has most, and the page is one text.
    - A single child has more energy than its parent if q < 1: the search continues below it.
    - Equal energies: the paper's definition descends to the last of equal nodes, its prose stops
      where no child has more. They differ for a single child at q = 1, where both hold the same
      text, and for a largest child with exactly the share q. The first of equal nodes is taken,
      so that a tie splits nothing.
    - k = 1 (a root with text nodes only): q = p. With k = 0 there is no child, and q is not used.
    - Children without energy (no text, or no word of the dictionary) never have more; text of
      energy 0 stays together.

    p was fitted on pages with known texts, see eval/segments/README.md.
    """
    logs = np.full(len(tree), -np.inf)
    with np.errstate(divide="ignore"):
        logs[tree.leaves] = np.log(_metric(tree, params))
    coherent = np.ones(len(tree), np.bool_)
    kept = params.kept(tree.height)
    for nodes in reversed(tree.levels[1:]):
        parents, first = np.unique(tree.parent[nodes], return_inverse=True)
        most = np.full(len(parents), -np.inf)
        np.maximum.at(most, first, logs[nodes])
        has_energy = most > -np.inf
        base = np.where(has_energy, most, 0.0)  # factored out, so that the exponentials are <= 1
        sums = np.bincount(first, np.exp(logs[nodes] - base[first]), minlength=len(parents))
        parent_logs = np.full(len(parents), -np.inf)
        shares = np.maximum(kept * sums[has_energy], _LEAST)
        parent_logs[has_energy] = base[has_energy] + np.log(shares)
        logs[parents] = parent_logs
        coherent[parents] = ~has_energy | (kept * sums >= 1.0 - _TIE)
    return Energies(logs, coherent)


def _metric(tree: TextTree, params: EnergyParams) -> Floats:
    if params.metric == "chars":
        return tree.chars[tree.leaves]
    if params.metric == "words":
        return tree.words
    words = params.dictionary
    counts = [sum(word in words for word in text.lower().split()) for text in tree.texts]
    return np.array(counts, np.float64)


# split a page into coherent texts
#
# They are sub-trees that together hold every text node. A sub-tree inside another is its own text.


def by_blocks(tree: TextTree, _: SegmentParams) -> Bools:
    """Mark elements with exactly one block, (N,): the baseline, a text per container."""
    table = tree.page.table
    is_element = tree.element >= 0
    elements = tree.element[is_element]
    coherent = np.zeros(len(tree), np.bool_)
    coherent[is_element] = table.end_block[elements] - table.first_block[elements] == 1
    return coherent


METHODS: Mapping[str, Callable[[TextTree, SegmentParams], Bools]] = {
    "energy": lambda tree, params: energies(tree, params.energy).coherent,
    "links": lambda tree, params: coherent_by_links(tree, params.links),
    "blocks": by_blocks,
}
"""Method -> function that marks the coherent nodes of a tree, shape (N,)."""


def coherent_nodes(tree: TextTree, params: SegmentParams = SegmentParams()) -> list[int]:
    """The nodes of a page's coherent texts with text of their own, in page order."""
    marks, coherent = np.zeros(len(tree), np.bool_), METHODS[params.method](tree, params)
    apart = np.zeros(len(tree), np.bool_)
    if params.method == "links" and params.links.frame_texts:
        page = LinkTree(tree, params.links)
        teasers = cards(page)
        coherent, apart = coherent | teasers, dated_records(tree) | teasers & ~page.holds_large
    marks[list(cover(tree, coherent))] = True
    marks |= apart & (around(marks, tree.end) > 0)
    nodes = np.flatnonzero(marks)
    own: list[int] = nodes[np.unique(owners(tree, nodes.tolist()))].tolist()
    return own


def owners(tree: TextTree, nodes: Sequence[int]) -> Ints:
    """The innermost coherent text around each text node, as a place in `nodes`; shape (leaves,).

    So comments in the element of an article are not among the article's words.
    """
    owner = np.zeros(len(tree.texts), np.int64)
    for place, node in enumerate(nodes):
        owner[slice(*tree.bounds(node))] = place
    return owner


def segments(
    page: Source,
    method: str = SegmentParams().method,
    params: SegmentParams = SegmentParams(),
    tagger: Tagger | None = None,
    max_blocks: int | None = MAX_BLOCKS,
) -> list[Segment]:
    """Return the coherent texts of a page in page order; `tagger` labels their blocks.

    `page` is any source that `extract` takes. A bad page, or one with more than `max_blocks` blocks
    (None: no limit), has no texts. Raises `CrfcleanError` for an unknown method, and for a path or
    URL in place of a page.

    >>> html = "<article><p>Rain in the north.</p></article><footer><p>Imprint</p></footer>"
    >>> [segment.text for segment in segments(html, "blocks")]
    ['Rain in the north.', 'Imprint']
    """
    _, blocks = bounded(as_page(page), max_blocks=max_blocks)
    tags = tagger.tag(blocks) if tagger is not None else None
    return segments_of(blocks, SegmentParams(method, params.energy, params.links), tags)


def segments_of(
    blocks: Blocks, params: SegmentParams = SegmentParams(), tags: Tags | None = None
) -> list[Segment]:
    """The coherent texts of a page's blocks, with the labels of their blocks."""
    tree = text_tree(blocks)
    with np.errstate(under="ignore"):
        energy = np.exp(energies(tree, params.energy).logs)
    nodes = coherent_nodes(tree, params)
    owner = owners(tree, nodes)
    bounds = np.cumsum(np.bincount(owner, minlength=len(nodes)))[:-1]
    own = np.split(np.argsort(owner, kind="stable"), bounds) if nodes else []
    if params.within or params.drop:
        elements = chosen(blocks, params.within, params.drop).elements
        let_in = elements[tree.element[tree.parent[tree.leaves]]]
        own = [texts[let_in[texts]] for texts in own]
    return [
        _segment(tree, node, texts, float(energy[node]), tags)
        for node, texts in zip(nodes, own, strict=True)
        if len(texts)
    ]


def _segment(tree: TextTree, node: int, texts: Ints, energy: float, tags: Tags | None) -> Segment:
    lines, leaves = _block_lines(tree, texts), tree.leaves[texts]
    size, linked = int(tree.chars[leaves].sum()), int(tree.link_chars[leaves].sum())
    return Segment(
        tree.xpath(node),
        "\n".join(lines.values()),
        tuple(lines),
        size,
        energy,
        linked / size if size else 0.0,
        tuple(Label(tags.labels[block]) for block in lines) if tags is not None else (),
    )


def _block_lines(tree: TextTree, texts: Ints) -> dict[int, str]:
    """Map each block of some text nodes to its text in them, in page order."""
    lines: dict[int, list[str]] = {}
    for text in texts.tolist():
        lines.setdefault(int(tree.block[text]), []).append(tree.texts[text])
    return {block: " ".join("".join(parts).split()) for block, parts in lines.items()}
