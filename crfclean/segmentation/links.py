"""Find coherent texts by rules on the positions of links."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crfclean.page.measures import dates, measured
from crfclean.segmentation.text_tree import LinkParams, TextTree
from crfclean.types import Bools, Floats

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
        """Mark each large text, (n,): a long block with less text in links than outside."""
        tree = self.tree
        inside = tree.in_link[tree.leaves]
        chars, count = tree.chars[tree.leaves], len(tree.page)
        linked = np.bincount(tree.block[inside], chars[inside], count)
        unlinked = np.bincount(tree.block[~inside], chars[~inside], count)
        large: Bools = (unlinked >= self.params.large_chars) & (unlinked > linked)
        return large

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
            href = tree.page.nodes.attributes[int(tree.element[node])].get("href")
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


def large_text_keeps_its_links(page: LinkTree) -> Bools:
    """A link in a large text, directly beside its text nodes, is part of it and not free.

    "Zdarzają się tutaj wyjątki, gdzie poszczególne frazy w dużym akapicie tekstu mogą być
    jednocześnie fragmentem zdań, a także linkami [...]. Ich charakterystyczną cechą jest
    występowanie w dużych partiach tekstu najczęściej w postaci węzłów <a> bezpośrednio obok węzłów
    tekstowych." Directly beside: in one paragraph, no block-level element between them.
    """
    return page.tree.is_link & page.paragraph


def link_is_a_text(page: LinkTree) -> Bools:
    """A free link is a coherent text, so that navigation is split into its links.

    "Każdy węzeł <a> jest węzłem spójnym"; "każdy taki link odnosi się do odrębnej informacji
    (strony WWW), przez co teksty zawarte w linkach należy traktować odrębnie."
    """
    return page.free


def rest_is_a_text(page: LinkTree) -> Bools:
    """Nodes without free links are coherent, up to where a link bounds them from above.

    "Pozostałe węzły powstałe z wydzielenia węzłów <a> ze struktury DOM stają się węzłami spójnymi
    agregującymi w sobie pozostałe węzły Text Node."
    """
    coherent: Bools = page.links == 0
    return coherent


def links_above_bound_a_large_text(page: LinkTree) -> Bools:
    """A large text is coherent up to the node where links carry weight, which are above it.

    "Wszelkie linki URL w wyższych węzłach drzewa DOM w stosunku do dużych fragmentów tekstów można
    traktować jako niezwiązane z tym tekstem (np. paski nawigacyjne, itp...) i stanowią one górne
    ograniczenie spójności węzła potomnego zawierający tekst zasadniczy." Stray links up to a small
    share of the text (`stray_share`) do not bound it.
    """
    few_links = page.free_chars <= page.params.stray_share * page.tree.chars
    coherent: Bools = few_links & (page.unlinked >= page.params.large_chars)
    return coherent


def paragraphs_of_a_frame_are_one(page: LinkTree) -> Bools:
    r"""A node that directly holds several large texts is coherent, if most of it is no free link.

    The paper defines coherence by the way a text is shown, but has no rule for it: "sposobu
    prezentacji (np. układ na stronie \u2013 tekst w jednej ramce)". Directly: as a `p` or
    `blockquote` that is its child, or as loose text. Without this rule links between the paragraphs
    part every article that has more than stray ones.
    """
    tree, nodes = page.tree, page.tree.page.nodes
    if not (tree.texts and page.params.frame_texts):
        return np.zeros(len(tree), np.bool_)
    count = np.zeros(len(nodes), np.int64)
    for block in np.flatnonzero(page.large).tolist():
        node = int(tree.page.node[block])
        if nodes.tags[node] in FRAMED and nodes.parent[node] >= 0:
            count[nodes.parent[node]] += 1
        elif nodes.end_block[node] - nodes.first_block[node] > 1:
            count[node] += 1
    holds = np.zeros(len(tree), np.bool_)
    is_element = tree.element >= 0
    holds[is_element] = count[tree.element[is_element]] >= page.params.frame_texts
    coherent: Bools = holds & (page.free_chars <= 0.5 * tree.chars)
    return coherent


def link_with_its_summary(page: LinkTree) -> Bools:
    """Within a larger structure of links, a node of one link and a short text is coherent.

    "Węzłem spójnym jest także węzeł grupujący w swoim poddrzewie węzeł <a> i Text Node pod
    warunkiem, że węzeł spójny występuje w większej strukturze linków."
    """
    short = (page.unlinked > 0) & (page.unlinked <= page.params.summary_chars)
    structured = page.links_around >= page.params.structure_links
    coherent: Bools = (page.links == 1) & short & structured
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
    nodes = tree.page.nodes
    several = nodes.end_block - nodes.first_block > 1
    alike = defaultdict[tuple[int, str, str], list[int]](list)
    for node in np.flatnonzero((tree.element >= 0) & several[tree.element]).tolist():
        element = int(tree.element[node])
        tag, words = nodes.tags[element], nodes.attributes[element].get("class", "").split()
        if tag not in FRAMED:
            for word in {_DIGITS.sub("", word) for word in words[:_MAX_CLASSES]} or {""}:
                alike[int(tree.parent[node]), tag, word].append(node)
    return list(alike.values())


def dated_records(tree: TextTree) -> Bools:
    """Mark each comment, post or similar record, of which most have dates, shape (N,); linear."""
    apart, nodes = np.zeros(len(tree), np.bool_), tree.page.nodes
    seen = np.concatenate([[0], np.cumsum(dates(measured(tree.page)) > 0)])
    if seen[-1] < _FEWEST:
        return apart
    dated = seen[nodes.end_block] > seen[nodes.first_block]
    worded = tree.chars - tree.link_chars >= _SOME_CHARS
    for records in _records(tree):
        signed = dated[tree.element[records]][worded[records]]
        if signed.sum() >= max(_FEWEST, _MOST_ALIKE * len(signed)):
            apart[records] = True
    return apart


def cards(page: LinkTree) -> Bools:
    """Mark each teaser, product or similar record, shape (N,); linear.

    Each such record leads to its own page: the links to it have half of the text in links.
    """
    apart, targets = np.zeros(len(page.tree), np.bool_), _targets(page)
    short = (page.unlinked > 0) & (page.unlinked <= page.params.summary_chars)
    for records in _records(page.tree):
        led = [node for node in records if node in targets]
        own = {targets[node] for node in led}
        if len(own) >= max(_FEWEST_CARDS, _MOST_ALIKE * len(records)):
            apart[led] = True
    return apart & short


def _targets(page: LinkTree) -> dict[int, str]:
    """Map nodes to the address that has half of the text in free links inside them."""
    tree, attributes = page.tree, page.tree.page.nodes.attributes
    chars = defaultdict[int, Counter[str]](Counter)
    for node in np.flatnonzero(page.free).tolist():
        href = attributes[int(tree.element[node])].get("href", "")
        above = int(tree.parent[node])
        for _ in range(_MAX_ABOVE if href and not href.startswith("#") else 0):
            if above < 0:
                break
            chars[above][href] += int(tree.chars[node])
            above = int(tree.parent[above])
    most = {node: max(counts, key=counts.__getitem__) for node, counts in chars.items()}
    half = 0.5 * page.free_chars
    return {node: href for node, href in most.items() if chars[node][href] >= half[node]}
