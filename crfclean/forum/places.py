"""Names, dates, links and numbers that stand at a field or in a record."""

from __future__ import annotations

import re
from functools import cache
from urllib.parse import urljoin

from crfclean.forum.clues import profile_pattern
from crfclean.forum.dates import core_of
from crfclean.forum.outline import Outline
from crfclean.forum.pick import MAX_AUTHOR
from crfclean.forum.records import Records
from crfclean.lexicon import lexicon
from crfclean.lexicon.markup import POST_NAMES

_SHORT = 4  # characters between the parts of a date, as in `11:43pm On Apr 23`
_MARKS = 3  # characters that may stand beside a name in its element, as in `ann:`
_MAX_RUNS = 6  # in such an element
_ABOVE = 3  # elements, a field's own and those around it, searched for a link or a date
_MACHINE = ("datetime", "data-time", "data-timestamp")
"""Attributes with machine-readable dates."""

_POST_LINK = re.compile(
    r"#(?:p|post|msg|comment|entry|c)?[-_]?\d+|post|[?&]p=\d|comment|msg|/p/", re.IGNORECASE
)
_NUMBER = re.compile(rf"(?:{POST_NAMES})[^a-z0-9]{{0,2}}(\d+)", re.IGNORECASE)
_LAST_NUMBER = re.compile(r"(\d+)\D*$")


@cache
def _label() -> re.Pattern[str]:
    """Match the label before an author's name, as in `Posted by ann`."""
    words = lexicon().pattern(lambda language: language.forum.byline)
    return re.compile(rf"^(?:{words})\b:?\s*", re.IGNORECASE)


def author(page: Outline, run: int, base: str) -> tuple[str, str]:
    """Return the name in a run, and the address of the link around it, "" if there is none."""
    link = _around(page, int(page.page.runs.node[run]), ("href",))
    text = _label().sub("", _name(page, run)).strip(" ,:|·•\u200e\u200b")
    return text[:MAX_AUTHOR], absolute_link(base, link)


def _name(page: Outline, run: int) -> str:
    """The text of a run, or of the element around it if that has little more."""
    runs = page.page.runs
    node = int(runs.node[run])
    run_text = " ".join(runs.texts[run].split())
    if page.last[node] - page.first[node] > _MAX_RUNS:
        return run_text
    element_text = " ".join(page.text(node).split())
    return element_text if len(element_text) <= len(run_text) + _MARKS else run_text


def _around(page: Outline, node: int, names: tuple[str, ...]) -> str:
    """Value of the first of some attributes on an element or one close around it."""
    nodes = page.page.nodes
    for _ in range(_ABOVE):
        if node < 0:
            return ""
        for name in names:
            value = nodes.attributes[node].get(name, "")
            if value:
                return str(value)
        node = int(nodes.parent[node])
    return ""


def date_text(page: Outline, run: int) -> str:
    """Return the date as written: a run with its neighbours in the block that are dates, too."""
    runs = page.page.runs
    texts = [runs.texts[run]]
    for step in (1, -1):
        at = run + step
        while 0 <= at < len(runs.texts) and runs.block[at] == runs.block[run]:
            if not page.dates[at] and len(runs.texts[at].strip()) > _SHORT:
                break
            texts.insert(len(texts) if step > 0 else 0, runs.texts[at])
            at += step
    return core_of(" ".join(texts))


def machine_date(page: Outline, run: int) -> str:
    """Return the machine-readable date of the elements around a run, "" if there is none."""
    return _around(page, int(page.page.runs.node[run]), _MACHINE)


def identity(page_records: Records, place: int, base: str) -> tuple[str, str]:
    """Return a post's number and address: from the id of an element, or a link to the post."""
    number, links = _number(page_records, place), _links(page_records, place)
    fitting = [link for link in links if number and number in link]
    link = (fitting or links or [""])[0]
    if not number and link:
        last = _LAST_NUMBER.search(link)
        number = last[1] if last else ""
    return number, absolute_link(base, link)


def _number(page_records: Records, place: int) -> str:
    """The number in the id of the body, or of an element around it inside the record."""
    page, nodes = page_records.page, page_records.page.page.nodes
    node = int(page_records.bodies[place])
    while node >= 0 and page.first[node] >= page_records.start[place]:
        attributes = nodes.attributes[node]
        number = _NUMBER.search(attributes.get("id", "") or attributes.get("data-id", ""))
        if number:
            return number[1]
        node = int(nodes.parent[node])
    return ""


def _links(page_records: Records, place: int) -> list[str]:
    """Links of a record outside the body whose addresses look like a post's."""
    page, nodes = page_records.page, page_records.page.page.nodes
    body = int(page_records.bodies[place])
    span = slice(int(page_records.start[place]), int(page_records.end[place]))
    links = []
    for node in sorted(set(page.page.runs.node[span].tolist())):
        if nodes.tags[node] != "a" or body <= node < nodes.end[body]:
            continue
        link = nodes.attributes[node].get("href", "")
        if _POST_LINK.search(link) and not profile_pattern().search(link):
            links.append(link)
    return links


def absolute_link(base: str, link: str) -> str:
    """Resolve a link against a base address; a link that cannot be joined stays as it is.

    >>> absolute_link("https://example.org/t/1", "/u/ann")
    'https://example.org/u/ann'
    """
    try:
        return urljoin(base, link) if link else ""
    except ValueError:
        return link
