"""Find coherent texts by rules on the positions of links."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crfclean.products.papers.segment_params import LinkParams
from crfclean.products.papers.text_tree import TextTree
from crfclean.types import (
    Bools,
    Floats,
)

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
