"""`TextTree` -> which nodes are coherent texts, by rules on where links stand.

Krzysztof Dorosz, "Ekstrakcja spójnych tekstów z Internetu na potrzeby algorytmów lingwistycznych"
(AGH, 2008), section 3.2; each rule stands with the sentence that it comes from. "Large" is in the
paper what is large beside the text of links; here it is a number of characters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crfclean.segmentation.params import LinkParams
from crfclean.segmentation.text_tree import TextTree
from crfclean.types import Bools, Floats


@dataclass(frozen=True)
class LinkTree:
    """A tree with what the rules ask of it, columns of shape (N,).

    A link is free unless a large text keeps it.
    """

    tree: TextTree
    params: LinkParams

    @cached_property
    def own(self) -> Floats:
        """Characters outside links at and inside each node."""
        return self.tree.chars - self.tree.link_chars

    @cached_property
    def paragraph(self) -> Bools:
        """Whether each node begins in a large text: a paragraph with less text in links."""
        tree = self.tree
        if not tree.texts:
            return np.zeros(len(tree), np.bool_)
        inside = tree.in_link[tree.leaves]
        chars, count = tree.chars[tree.leaves], len(tree.page)
        linked = np.bincount(tree.block[inside], chars[inside], count)
        own = np.bincount(tree.block[~inside], chars[~inside], count)
        large = (own >= self.params.large_chars) & (own > linked)
        first = np.minimum(tree.first_leaf[:-1], len(tree.texts) - 1)
        found: Bools = tree.has_text & large[tree.block[first]]
        return found

    @cached_property
    def free(self) -> Bools:
        """Whether each node is a link with text that no large text keeps."""
        tree = self.tree
        outer = np.append(tree.in_link, np.zeros(1, np.bool_))[tree.parent]
        kept = large_text_keeps_its_links(self)
        found: Bools = tree.is_link & ~outer & tree.has_text & ~kept
        return found

    @cached_property
    def links(self) -> Floats:
        """Free links at and inside each node; neighbours to one address count once."""
        tree, counts = self.tree, np.zeros(len(self.tree))
        before = None
        for node in np.flatnonzero(self.free).tolist():
            href = tree.page.nodes.attributes[int(tree.element[node])].get("href")
            counts[node] = not href or href != before
            before = href
        return tree.held(counts)

    @cached_property
    def free_chars(self) -> Floats:
        """Characters in free links at and inside each node."""
        return self.tree.held(np.where(self.free, self.tree.chars, 0.0))

    @cached_property
    def links_around(self) -> Floats:
        """Free links at and inside the parent of each node; of a root, its own."""
        parent = self.tree.parent
        around: Floats = self.links[np.where(parent < 0, np.arange(len(parent)), parent)]
        return around


def large_text_keeps_its_links(page: LinkTree) -> Bools:
    """A link in a large text, directly beside its text nodes, is a part of it and not free.

    "Zdarzają się tutaj wyjątki, gdzie poszczególne frazy w dużym akapicie tekstu mogą być
    jednocześnie fragmentem zdań, a także linkami [...]. Ich charakterystyczną cechą jest
    występowanie w dużych partiach tekstu najczęściej w postaci węzłów <a> bezpośrednio obok węzłów
    tekstowych." Directly beside: in one paragraph, no block-level element between them.
    """
    return page.tree.is_link & page.paragraph


def link_is_a_text(page: LinkTree) -> Bools:
    """A free link is a coherent text; so runs of links alone, navigation, are a text each.

    "Każdy węzeł <a> jest węzłem spójnym"; "każdy taki link odnosi się do odrębnej informacji
    (strony WWW), przez co teksty zawarte w linkach należy traktować odrębnie."
    """
    return page.free


def rest_is_a_text(page: LinkTree) -> Bools:
    """What no free link stands in is a coherent text, up to where one bounds it from above.

    "Pozostałe węzły powstałe z wydzielenia węzłów <a> ze struktury DOM stają się węzłami spójnymi
    agregującymi w sobie pozostałe węzły Text Node."
    """
    found: Bools = page.links == 0
    return found


def links_above_bound_a_large_text(page: LinkTree) -> Bools:
    """A large text is coherent up to the node from where on links weigh: they stand above it.

    "Wszelkie linki URL w wyższych węzłach drzewa DOM w stosunku do dużych fragmentów tekstów można
    traktować jako niezwiązane z tym tekstem (np. paski nawigacyjne, itp...) i stanowią one górne
    ograniczenie spójności węzła potomnego zawierający tekst zasadniczy." Stray links of a small
    share (`stray_share`) do not bound it yet.
    """
    small = page.free_chars <= page.params.stray_share * page.tree.chars
    found: Bools = small & (page.own >= page.params.large_chars)
    return found


def link_with_its_summary(page: LinkTree) -> Bools:
    """A node with one link and a short text is one coherent text in a larger structure of links.

    "Węzłem spójnym jest także węzeł grupujący w swoim poddrzewie węzeł <a> i Text Node pod
    warunkiem, że węzeł spójny występuje w większej strukturze linków."
    """
    short = (page.own > 0) & (page.own <= page.params.summary_chars)
    found: Bools = (page.links == 1) & short & (page.links_around >= page.params.structure_links)
    return found


LINK_RULES: Mapping[str, Callable[[LinkTree], Bools]] = {
    "link_is_a_text": link_is_a_text,
    "rest_is_a_text": rest_is_a_text,
    "links_above_bound_a_large_text": links_above_bound_a_large_text,
    "link_with_its_summary": link_with_its_summary,
}
"""Rules that say which nodes are coherent; the highest such nodes are a page's texts."""


def coherent_by_links(tree: TextTree, params: LinkParams = LinkParams()) -> Bools:
    """Whether a rule makes each node a coherent text, shape (N,); linear in the nodes."""
    page = LinkTree(tree, params)
    found = np.zeros(len(tree), np.bool_)
    for rule in LINK_RULES.values():
        found |= rule(page)
    return found
