"""Read the names, dates, links and numbers of fields and records."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache

import numpy as np

from crfclean.lexicon import lexicon
from crfclean.lexicon.markup import POST_NAMES
from crfclean.page.head import Addresses
from crfclean.products.forum.dates import core_of, read_machine_date
from crfclean.products.forum.outline import Outline, masked
from crfclean.products.forum.patterns import dates_other, profile_pattern
from crfclean.products.forum.picking import MAX_AUTHOR
from crfclean.products.forum.post_dates import MAX_DATE, date_pattern
from crfclean.products.forum.records import Records

_SHORT = 4  # most characters between two parts of a date, as in `11:43pm On Apr 23`
_ABOVE = 3  # elements searched for a link or a date: a field's own, and two around it
_MACHINE = ("datetime", "data-time", "data-timestamp")
"""Attributes with machine-readable dates."""
_STATED_NAMES = ("datetime", "title")
"""Attributes that may have a date; attributes with `data-` may have one as well."""
_OF_TIME = re.compile("time|date|unix|stamp")

_POST_LINK = re.compile(
    r"#(?:p|post|msg|comment|entry|c)?[-_]?\d+|post|[?&]p=\d|comment|msg|/p/", re.IGNORECASE
)
_NUMBER = re.compile(rf"(?:{POST_NAMES})[^a-z0-9]{{0,2}}(\d+)", re.IGNORECASE)
_LAST_NUMBER = re.compile(r"(\d+)\D*$")


@cache
def _label() -> re.Pattern[str]:
    words = lexicon().pattern(lambda language: language.forum.byline)
    said = lexicon().pattern(lambda language: language.forum.said)
    return re.compile(rf"^(?:{words})\b:?\s*|(?<!\s)\s++(?:{said}):?\s*+$", re.IGNORECASE)


def author(outline: Outline, run: int, base: str) -> tuple[str, str]:
    """Return the name in a run, and the address of the link around it, "" if there is none."""
    link = _around(outline, int(outline.page.table.run_node[run]), ("href",))
    text = _label().sub("", _name(outline, run)).strip(" ,:|·•<\u200e\u200b")
    return text[:MAX_AUTHOR], Addresses("", base).absolute(link)


def _name(outline: Outline, run: int) -> str:
    """The text of a run and its neighbours in its element: an entity cuts `Cath O'Neil` in two."""
    table, after = outline.page.table, outline.page.table.run_after[run]
    near = range(*np.searchsorted(table.run_after, [after, after + 1]).tolist())
    texts = [table.run_texts[at] for at in near if table.run_node[at] == table.run_node[run]]
    return " ".join("".join(texts).split())


def _around(outline: Outline, node: int, names: tuple[str, ...]) -> str:
    """Return the first of these attributes that the element, or a near one around it, has."""
    table = outline.page.table
    above = (table.attributes[at] for at in table.around(node, _ABOVE))
    return next((of[name] for of in above for name in names if of.get(name)), "")


def date_text(outline: Outline, run: int) -> str:
    """Return the date as written: a run with its neighbours in the block, "" for run -1.

    A neighbour belongs to the date if it looks like a date or is short.
    """
    if run < 0:
        return ""
    table = outline.page.table
    texts = [table.run_texts[run]]
    for step in (1, -1):
        at = run + step
        while 0 <= at < len(table.run_texts) and table.run_block[at] == table.run_block[run]:
            if not outline.dates[at] and len(table.run_texts[at].strip()) > _SHORT:
                break
            texts.insert(len(texts) if step > 0 else 0, table.run_texts[at])
            at += step
    return core_of(" ".join(texts))


def machine_date(outline: Outline, run: int) -> str:
    """Return the machine-readable date of the elements around a run, "" if there is none."""
    return _around(outline, int(outline.page.table.run_node[run]), _MACHINE) if run >= 0 else ""


def stated_dates(page_records: Records) -> list[str]:
    """Return the date in an attribute of each record, "" for none.

    Many pages show `3 hours ago`, or nothing, and have the day in an empty `<time datetime>`, a
    `title`, or a `data-time`. Such dates count if more than half of the records have one in the
    same attribute of elements of one name.
    """
    page, count = page_records.page, len(page_records)
    begins = np.searchsorted(page.first, page_records.start).tolist()
    ends = np.searchsorted(page.first, page_records.end).tolist()
    values: dict[tuple[str, str], dict[int, str]] = defaultdict(dict)
    for place, (begin, end) in enumerate(zip(begins, ends, strict=True)):
        for node in range(begin, end):
            for name, value in page.page.table.attributes[node].items():
                if _is_stated_date(name, value):
                    values[page.names[node], name].setdefault(place, value)
    best = max(values.values(), key=len, default={})
    return [best.get(place, "") if 2 * len(best) > count else "" for place in range(count)]


def _is_stated_date(name: str, value: str) -> bool:
    """Return whether an attribute has a full date, or a number and a name such as `data-time`."""
    if not (name in _STATED_NAMES or name.startswith("data-")) or len(value) > MAX_DATE:
        return False
    if read_machine_date(value):
        return not value.isdigit() or bool(_OF_TIME.search(name))
    text = masked(value)
    is_date = "0000" in text and bool(date_pattern().search(text)) and not dates_other(text)
    return is_date and 2 * len(core_of(value)) > len(value)


def identity(page_records: Records, place: int, base: str) -> tuple[str, str]:
    """Return a post's number and address: from the id of an element, or a link to the post."""
    number, links = _number(page_records, place), _links(page_records, place)
    fitting = [link for link in links if number and number in link]
    link = (fitting or links or [""])[0]
    if not number and link:
        last = _LAST_NUMBER.search(link)
        number = last[1] if last else ""
    return number, Addresses("", base).absolute(link)


def _number(page_records: Records, place: int) -> str:
    """The number in the id of the body, or of an element around it inside the record."""
    page, table = page_records.page, page_records.page.page.table
    for node in table.around(int(page_records.bodies[place])):
        if page.first[node] < page_records.start[place]:
            break
        attributes = table.attributes[node]
        number = _NUMBER.search(attributes.get("id", "") or attributes.get("data-id", ""))
        if number:
            return number[1]
    return ""


def _links(page_records: Records, place: int) -> list[str]:
    """The addresses of links outside a record's body that look like a post's address."""
    page, table = page_records.page, page_records.page.page.table
    body = int(page_records.bodies[place])
    span = slice(int(page_records.start[place]), int(page_records.end[place]))
    links = []
    for node in sorted(set(page.page.table.run_node[span].tolist())):
        if table.tags[node] != "a" or body <= node < table.end[body]:
            continue
        link = table.attributes[node].get("href", "")
        if _POST_LINK.search(link) and not profile_pattern().search(link):
            links.append(link)
    return links
