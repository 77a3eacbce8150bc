"""Find where a page has its text, by names that other pages of its site also have."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass

from crfclean.page.head import host
from crfclean.types import Blocks, Document

_LANDMARKS = frozenset("main article section header footer nav aside".split())
"""Elements that name a place without an id or a class."""
MAX_PLACE_STEPS = 6  # named elements in a place: more would only divide equal places
_MAX_NAMES = 4  # classes of an element in a place: more come from CSS frameworks
_READ_STEPS, _READ_NAMES = 10, 8  # read at first: other pages may show that some are not common
_MAX_PLACES = 500  # places of a page with text; a template has a few dozen
_STABLE = re.compile(r"[a-z]+(?:[-_][a-z]+){0,5}[-_]?[0-9]?", re.IGNORECASE)
_MAX_NAME_CHARS = 40  # of a name; programs make longer ones
_MOST_HOSTS, _SHARE = 2, 0.9  # of a directory that is one site, the old and the new: their pages
_MIXED = re.compile(r"[a-z][A-Z]{2}|[A-Z][a-z]?[A-Z]|[bcdfghjklmnpqrstvwxz]{6}")  # "bdVaJa"
_NAMES = re.compile(r"[#.][^#. ]+")
_UNNAMED = frozenset(["html", "body"])  # their classes describe the page, not a place


@dataclass(frozen=True, slots=True)
class TextPlace:
    """Blocks of a page at one place, with all their words and those that are kept.

    `path` names the elements around them, as CSS selectors, and ends with their tag.
    """

    path: str
    words: int
    kept: int


def text_places(document: Document) -> tuple[TextPlace, ...]:
    """Return the places where a page has text; none if the page does not show its text."""
    blocks, sums = document.blocks, dict[str, list[float]]()
    if blocks.source or not len(blocks):
        return ()
    rows = zip(
        block_paths(blocks),
        blocks.words.tolist(),
        document.tags.kept.tolist(),
        strict=True,
    )
    for path, words, is_kept in rows:
        place = sums.setdefault(path, [0.0, 0.0])
        place[0] += words
        place[1] += words * is_kept
    places = ((path, round(words), round(kept)) for path, (words, kept) in sums.items())
    return tuple(TextPlace(*place) for place in places if place[-1])[:_MAX_PLACES]


def site_of(url: str | None, blocks: Blocks) -> str:
    """Return the host of a page without "www.", "" if neither its URL nor its data name one."""
    name = host(url) or host(_declared_address(blocks))
    return name.removeprefix("www.")


def is_one_site(hosts: Mapping[str, int]) -> bool:
    """Return whether the pages of a directory are one site although they state different hosts.

    `hosts` are the numbers of pages that state a host, "" for none. A new template may state an
    address, or another one. A directory of several sites has more hosts.

    >>> is_one_site({"": 8, "new.example": 8}), is_one_site({"a.example": 8, "b.example": 8})
    (True, True)
    >>> is_one_site({"a.example": 8}), is_one_site({"a.example": 8, "b.example": 8, "c.example": 8})
    (False, False)
    """
    counts = sorted(count for host, count in hosts.items() if host)
    return len(hosts) > 1 and sum(counts[-_MOST_HOSTS:]) >= _SHARE * sum(counts)


def _declared_address(blocks: Blocks) -> str:
    """Return the address in a page's canonical link, or else its `og:url`, "" without them."""
    table, shared = blocks.table, ""
    for tag, attributes in zip(table.tags, table.attributes, strict=True):
        if tag == "body":
            break
        if tag == "link" and attributes.get("rel", "").lower() == "canonical":
            return str(attributes.get("href", ""))
        if tag == "meta" and attributes.get("property") == "og:url":
            shared = shared or attributes.get("content", "")
    return shared


def is_stable(name: str) -> bool:
    """Return whether an id or class may recur on the site's next page: no counter, no hash.

    >>> [name for name in "post post-4711 entry-content h2 css-1x2yz sc-bdVaJa".split()
    ...  if is_stable(name)]
    ['post', 'entry-content', 'h2']
    """
    if len(name) > _MAX_NAME_CHARS or not _STABLE.fullmatch(name):
        return False
    return not any(_MIXED.search(part) for part in re.split("[-_]", name))


def step_of(tag: str, attributes: Mapping[str, str]) -> str:
    """Return an element as a CSS selector of its stable names, "" if it has none.

    >>> step_of("div", {"id": "main", "class": "wide post-4711 post"})
    'div#main.post.wide'
    """
    if tag in _UNNAMED or not tag.isalnum() or not tag.isascii():
        return ""
    identity = attributes.get("id", "").strip()
    classes = sorted(set(filter(is_stable, attributes.get("class", "").split()[:20])))
    names = [f".{name}" for name in classes[:_READ_NAMES]]
    step = "".join([tag, *([f"#{identity}"] if is_stable(identity) else []), *names])
    return step if step != tag or tag in _LANDMARKS else ""


def path_names(path: str) -> list[str]:
    """Return the names in a path.

    >>> path_names("div#main.post.wide p")
    ['#main', '.post', '.wide']
    """
    return _NAMES.findall(path)


def common_path(path: str, names: Container[str]) -> str:
    """Return the path of a block by the names that the pages of its site share.

    >>> common_path("div#main.wide article.post.tag-rain p", {"#main", ".post", ".wide"})
    'div#main article.post p'
    """
    *around, own = path.split(" ")
    steps = [step for step in (_common_step(step, names) for step in around) if step]
    return " ".join([*steps[-MAX_PLACE_STEPS:], own])


def _common_step(step: str, names: Container[str]) -> str:
    """Return a selector of the common names, only the id if there is one; "" without names."""
    tag = _NAMES.sub("", step)
    common = [name for name in path_names(step) if name in names]
    chosen = common[:1] if common and common[0].startswith("#") else common[:_MAX_NAMES]
    return "".join([tag, *chosen]) if chosen or tag in _LANDMARKS else ""


def block_paths(blocks: Blocks) -> list[str]:
    """Return the place of each block: the innermost named elements around it, then its tag."""
    tags = (blocks.table.tags[node] for node in blocks.node.tolist())
    return [" ".join((*steps, tag)) for steps, tag in zip(steps_around(blocks), tags, strict=True)]


def steps_around(blocks: Blocks) -> list[tuple[str, ...]]:
    """Return the innermost named elements around each block, the outermost first."""
    table, around = blocks.table, list[tuple[str, ...]]()
    known: dict[tuple[str, str, str], str] = {}
    for tag, attributes, parent in zip(
        table.tags, table.attributes, table.parent.tolist(), strict=True
    ):
        key = (tag, attributes.get("id", ""), attributes.get("class", ""))
        if key not in known:
            known[key] = step_of(tag, attributes)
        above = around[parent] if parent >= 0 else ()
        around.append((*above, known[key])[-_READ_STEPS:] if known[key] else above)
    return [around[node] for node in blocks.node.tolist()]
