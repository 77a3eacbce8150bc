"""Name the places and texts of a page so that those of other pages have the same names."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from hashlib import blake2b

from crfclean.site_rules.selectors import LANDMARKS
from crfclean.types import Blocks, Nodes

MAX_STEPS = 6  # named elements around a block that name its place: more only split equal places
_MAX_NAMES = 4  # classes of an element; what has more is styled by a framework, one class a rule
_READ_STEPS, _READ_NAMES = 10, 8  # of which other pages may show that they are no names of places
_STABLE = re.compile(r"[a-z]+(?:[-_][a-z]+){0,5}[-_]?[0-9]?", re.IGNORECASE)
_MAX_CHARS = 40  # of a name; longer ones are made by programs
_MIXED = re.compile(r"[a-z][A-Z]{2}|[A-Z][a-z]?[A-Z]|[bcdfghjklmnpqrstvwxz]{6}")  # "bdVaJa"
_NAMES = re.compile(r"[#.][^#.]+")
_DIGITS = re.compile(r"\d")
_UNNAMED = frozenset(["html", "body"])  # their classes say what page it is, not where


def is_stable(name: str) -> bool:
    """Whether an id or a class may stand on the site's next page: no counter, no hash.

    >>> [name for name in "post post-4711 entry-content h2 css-1x2yz sc-bdVaJa".split()
    ...  if is_stable(name)]
    ['post', 'entry-content', 'h2']
    """
    if len(name) > _MAX_CHARS or not _STABLE.fullmatch(name):
        return False
    return not any(_MIXED.search(part) for part in re.split("[-_]", name))


def step_of(tag: str, attributes: Mapping[str, str]) -> str:
    """An element as a CSS selector of all its stable names, "" where nothing may name it.

    >>> step_of("div", {"id": "main", "class": "wide post-4711 post"})
    'div#main.post.wide'
    """
    if tag in _UNNAMED or not tag.isalnum() or not tag.isascii():
        return ""
    identity = attributes.get("id", "").strip()
    classes = sorted(set(filter(is_stable, attributes.get("class", "").split()[:20])))
    names = [f".{name}" for name in classes[:_READ_NAMES]]
    step = "".join([tag, *([f"#{identity}"] if is_stable(identity) else []), *names])
    return step if step != tag or tag in LANDMARKS else ""


def names_of(step: str) -> list[str]:
    """The names in a selector.

    >>> names_of("div#main.post.wide")
    ['#main', '.post', '.wide']
    """
    return _NAMES.findall(step)


def common_step(step: str, names: Container[str]) -> str:
    """A selector by the names that the site's pages have in common; "" where none names it.

    An id stands alone.

    >>> common_step("div#main.post.wide", {"#main", ".post"}), common_step("div.x", ())
    ('div#main', '')
    """
    tag = _NAMES.sub("", step)
    common = [name for name in names_of(step) if name in names]
    chosen = common[:1] if common and common[0].startswith("#") else common[:_MAX_NAMES]
    return "".join([tag, *chosen]) if chosen or tag in LANDMARKS else ""


def common_path(path: str, names: Container[str]) -> str:
    """The path of a block, of `block_paths`, by the names that the site's pages have in common.

    >>> common_path("div#main.wide article.post.tag-rain p", {"#main", ".post", ".wide"})
    'div#main article.post p'
    """
    *around, own = path.split(" ")
    steps = [step for step in (common_step(step, names) for step in around) if step]
    return " ".join([*steps[-MAX_STEPS:], own])


def block_paths(blocks: Blocks, names: Container[str] | None = None) -> list[str]:
    """The place of each block: named elements around it as CSS selectors, then its tag.

    With `names` by these alone, and at most `MAX_STEPS` elements, the lowest.
    """
    nodes, around = blocks.nodes, list[tuple[str, ...]]()
    most = _READ_STEPS if names is None else MAX_STEPS
    for step, parent in zip(_steps(nodes, names), nodes.parent.tolist(), strict=True):
        above = around[parent] if parent >= 0 else ()
        around.append((*above, step)[-most:] if step else above)
    return [" ".join((*around[node], nodes.tags[node])) for node in blocks.node.tolist()]


def _steps(nodes: Nodes, names: Container[str] | None) -> list[str]:
    """The step of each element, made once for equal ones."""
    known: dict[tuple[str, str, str], str] = {}
    steps = []
    for tag, attributes in zip(nodes.tags, nodes.attributes, strict=True):
        key = (tag, attributes.get("id", ""), attributes.get("class", ""))
        if key not in known:
            step = step_of(tag, attributes)
            known[key] = step if names is None else common_step(step, names)
        steps.append(known[key])
    return steps


def text_digest(text: str) -> str:
    """The digest of a text whose digits do not matter: "3 comments", "12 May 2024".

    >>> text_digest("3 comments") == text_digest("7 comments")
    True
    """
    folded = _DIGITS.sub("0", text).encode("utf-8", "surrogatepass")
    return blake2b(folded, digest_size=8).hexdigest()
