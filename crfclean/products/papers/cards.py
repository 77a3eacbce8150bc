"""Find comments, posts and teasers, which may have no link between them, or several inside."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import numpy as np

from crfclean.model.markup import with_markup
from crfclean.products.papers.link_rules import FRAMED, LinkTree
from crfclean.products.papers.text_tree import TextTree
from crfclean.types import (
    Bools,
)

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
