"""Find callouts, boxes such as notes and warnings that are set off from the text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from crfclean.document.parts import Content, Part, iter_parts
from crfclean.page.chars import in_classes
from crfclean.types import Blocks, Bools

_MAX_BETWEEN = 6  # blocks of a callout that is kept for its neighbours
_MAX_BLOCKS = 30  # of a callout; a longer one is a section of the text
_MAX_ELEMENTS = 20  # before the end of a title: an icon of a few paths comes first
_MAX_TITLE_CHARS, _MAX_RUNS = 80, 40
_TAGS = frozenset(["div", "aside", "section", "blockquote", "details", "p"])
_WORDS, _NOTE = re.compile("alert|admonition|callout"), re.compile(r"\Anote\Z")
_KINDS = (
    "note|info|tip|hint|important|warning|caution|danger|error|success|abstract|summary|question|"
    "example|bug|failure|attention|todo|seealso|primary|secondary"
)
# `markdown-alert-note`, `alert alert-info`, `alert--info`, `admonition warning`, `callout-tip`
_NAMED = (
    rf"(?:^|\s)(?:markdown-alert|(?:theme-)?admonition|(?:alert--?|callout-)(?:{_KINDS}))(?=\s|$)"
)
_KIND = rf"(?:^|[\s-])({_KINDS})(?=\s|$)"
_COLOURS = ("primary", "secondary")  # Bootstrap's
_VALUE = re.compile(r"[a-z][a-z-]{0,19}")  # of Obsidian's `data-callout`
_TITLE = r"(?i)(?:alert|admonition|callout)[\w-]{0,60}(?:title|heading)"


class Callouts(NamedTuple):
    """Callouts of a page: each element's kind, such as "warning", and the blocks of titles.

    `blocks` are those of the titles, and of callouts between kept blocks.
    """

    kinds: Mapping[int, str] = MappingProxyType({})
    titles: frozenset[int] = frozenset()
    blocks: frozenset[int] = frozenset()


def find_callouts(blocks: Blocks, kept: Bools) -> Callouts:
    """Return the callouts with a kept block (`kept`, (n,)) other than the title, or between two."""
    table, kinds, titles, within = blocks.table, dict[int, str](), set[int](), set[int]()
    candidates = in_classes(table, _WORDS, _WORDS.pattern.split("|"))
    which, roles = table.attribute("role")
    candidates |= np.array([bool(_NOTE.search(role)) for role in roles], np.bool_)[which]
    for node in np.flatnonzero(candidates).tolist():
        kind = _kind(table.attributes[node]) if table.tags[node] in _TAGS else ""
        if not kind or table.is_inline[node]:
            continue
        inside = table.blocks_in(node)
        has_title, is_between = _has_title(blocks, node), _is_between(kept, inside)
        if is_between or (len(inside) <= _MAX_BLOCKS and kept[inside[has_title:]].any()):
            kinds[node] = kind
            titles |= {inside.start} if has_title else set()
            within |= set(inside) if is_between else set()
    return Callouts(kinds, frozenset(titles), frozenset(titles | within))


def _is_between(kept: Bools, inside: range) -> bool:
    is_inside = 0 < inside.start < inside.stop < len(kept) and len(inside) <= _MAX_BETWEEN
    return is_inside and bool(kept[inside.start - 1] and kept[inside.stop])


def as_title(children: Sequence[Content]) -> tuple[Content, ...]:
    """Make the content of a line strong, as the title of a callout."""
    line = Part("paragraph", tuple(children))
    is_strong = any(part.kind == "strong" for part in iter_parts(line))
    return line.children if is_strong else (Part("strong", line.children),)


def _kind(attributes: Mapping[str, str]) -> str:
    """Return the kind that a callout's attributes state, "" for other elements."""
    names, value = attributes.get("class") or "", attributes.get("data-callout", "").lower()
    if value and "callout" in names.split():
        return value if _VALUE.fullmatch(value) else "note"
    if re.search(_NAMED, names):
        kind = re.search(_KIND, names)
        return kind[1] if kind and kind[1] not in _COLOURS else "note"
    return "note" if attributes.get("role") == "note" else ""


def _has_title(blocks: Blocks, node: int) -> bool:
    """Return whether the first block of a callout is its title."""
    table, first = blocks.table, int(blocks.table.first_block[node])
    for inner in range(node + 1, min(node + 1 + _MAX_ELEMENTS, int(table.end[node]))):
        if re.search(_TITLE, table.attributes[inner].get("class") or ""):
            has_blocks = first < int(table.end_block[node])
            return has_blocks and _holds_alone(blocks, inner, first)
    return False


def _holds_alone(blocks: Blocks, node: int, block: int) -> bool:
    """Return whether a short block has all its text in an element."""
    table, end = blocks.table, int(blocks.table.end[node])
    first, last = np.searchsorted(table.run_block, [block, block + 1]).tolist()
    if len(blocks.texts[block]) > _MAX_TITLE_CHARS or last - first > _MAX_RUNS:
        return False
    solid = (run for run in range(first, last) if not table.run_texts[run].isspace())
    return all(node <= int(table.run_node[run]) < end for run in solid)
