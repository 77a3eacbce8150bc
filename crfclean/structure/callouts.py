"""Find callouts, boxes such as notes and warnings that are set off from the text, and their titles.

Named by class: GitHub's alerts, Bootstrap's, the admonitions of documentation tools (Docusaurus,
Hugo, MkDocs, Sphinx), Obsidian's callouts; or by `role=note`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from crfclean.page.measures import Measures
from crfclean.structure.parts import Content, Part, iter_parts
from crfclean.types import Blocks, Bools

_MAX_BLOCKS = 30  # of a callout; a longer one is a section of the text
_MAX_ELEMENTS = 20  # before the end of a title: an icon of a few paths comes first
_MAX_TITLE_CHARS, _MAX_RUNS = 80, 40
_TAGS = frozenset(["div", "aside", "section", "blockquote", "details", "p"])
_WORDS = ("alert", "admonition", "callout")  # one of them is in the class of each callout
_KINDS = (
    "note|info|tip|hint|important|warning|caution|danger|error|success|abstract|summary|question|"
    "example|bug|failure|attention|todo|seealso|primary|secondary"
)
# `markdown-alert-note`, `alert alert-info`, `alert--info`, `admonition warning`, `callout-tip`
_NAMED = re.compile(
    rf"(?:^|\s)(?:markdown-alert|(?:theme-)?admonition|(?:alert--?|callout-)(?:{_KINDS}))(?=\s|$)"
)
_KIND = re.compile(rf"(?:^|[\s-])({_KINDS})(?=\s|$)")
_VALUE = re.compile(r"[a-z][a-z-]{0,19}")  # of Obsidian's `data-callout`
_TITLE = re.compile(r"(?:alert|admonition|callout)[\w-]*-?(?:title|heading)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Callouts:
    """Callouts of a page: element -> the kind that it names; `titles` are blocks."""

    kinds: Mapping[int, str] = field(default_factory=dict)
    titles: frozenset[int] = frozenset()


def find_callouts(blocks: Measures, kept: Bools) -> Callouts:
    """Return the callouts of which a block other than the title is kept, with their titles.

    `kept` has shape (n,).
    """
    nodes, kinds, titles = blocks.nodes, dict[int, str](), set[int]()
    for node in _candidates(blocks):
        kind = _kind(nodes.attributes[node]) if nodes.tags[node] in _TAGS else ""
        if not kind or nodes.inline[node]:
            continue
        first, end = int(nodes.first_block[node]), int(nodes.end_block[node])
        has_title = _has_title(blocks, node)
        if end - first <= _MAX_BLOCKS and kept[first + has_title : end].any():
            kinds[node] = kind
            titles |= {first} if has_title else set()
    return Callouts(kinds, frozenset(titles))


def as_title(children: Sequence[Content]) -> tuple[Content, ...]:
    """Return the content of a line as that of a callout's title: it is strong."""
    line = Part("paragraph", tuple(children))
    is_strong = any(part.kind == "strong" for part in iter_parts(line))
    return line.children if is_strong else (Part("strong", line.children),)


def _candidates(page: Measures) -> list[int]:
    """The elements that may be callouts by their role or class, in page order."""
    (which, classes), (of_role, roles) = page.attribute("class"), page.attribute("role")
    named, joined = np.zeros(len(classes), np.bool_), "\n".join(classes)
    if any(word in joined for word in _WORDS):
        named[:] = [any(word in name for word in _WORDS) for name in classes]
    is_note = np.array([role == "note" for role in roles], np.bool_)
    candidates: list[int] = np.flatnonzero(named[which] | is_note[of_role]).tolist()
    return candidates


def _kind(attributes: Mapping[str, str]) -> str:
    """What the attributes of a callout say that it is, "" for those of other elements."""
    names = attributes.get("class") or ""
    if any(word in names for word in _WORDS):
        value = attributes.get("data-callout", "").lower()
        if value and "callout" in names.split():
            return value if _VALUE.fullmatch(value) else "note"
        if _NAMED.search(names):
            kind = _KIND.search(names)
            return kind[1] if kind else "note"
    return "note" if attributes.get("role") == "note" else ""


def _has_title(blocks: Blocks, node: int) -> bool:
    """Whether the first block of a callout is its title."""
    nodes, first = blocks.nodes, int(blocks.nodes.first_block[node])
    for inner in range(node + 1, min(node + 1 + _MAX_ELEMENTS, int(nodes.end[node]))):
        if _TITLE.search(nodes.attributes[inner].get("class") or ""):
            has_blocks = first < int(nodes.end_block[node])
            return has_blocks and _holds_alone(blocks, inner, first)
    return False


def _holds_alone(blocks: Blocks, node: int, block: int) -> bool:
    """Whether a short block has all its text in an element."""
    runs, end = blocks.runs, int(blocks.nodes.end[node])
    first, last = np.searchsorted(runs.block, [block, block + 1]).tolist()
    if len(blocks.texts[block]) > _MAX_TITLE_CHARS or last - first > _MAX_RUNS:
        return False
    solid = (run for run in range(first, last) if not runs.texts[run].isspace())
    return all(node <= int(runs.node[run]) < end for run in solid)
