"""Find the author, the date, the number and the link of every record."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache

import numpy as np

from crfclean.forum.choose import LabelledGroup
from crfclean.forum.dates import core_of, read_machine_date
from crfclean.forum.outline import Outline, dates_other, letters, masked, profile_pattern
from crfclean.forum.records import DATES, INSIDE, NICK, ForumFields, Records
from crfclean.lexicon import lexicon
from crfclean.lexicon.markup import POST_NAMES
from crfclean.metadata.dates import MAX_DATE, date_pattern, span_pattern
from crfclean.page.urls import Addresses
from crfclean.types import Bools, Floats

# choice of the author's and the date's field in every record

MAX_AUTHOR = 80  # characters of a name
_MISSING = -6.0  # log-odds of a record without a field at the address: below -`_MOST_ODDS`
_MOST_ODDS = 5.0
_COMMON = 0.6  # share of the records with the same text; with more, it is no name
_COMMON_NAME = 0.9  # the same in an element named for authors: one author may write often
_OF_NAMES = 1.5  # log-odds added to a name in an element named for authors, or a member's link
_ONE_TEXT = 4.0  # log-odds subtracted from a common text
_SURE = 0.5  # least probability of a field inside the body
_FEW_DATED = 0.3  # share of the records with a date; with fewer, spans of time count as dates
_DIGITS_OF_NAME = 7  # least, of a name without a letter
_LIKELY = 0.15  # least probability of a field at another address than in other posts


def pick(
    group: LabelledGroup, corrected: Floats, label: int, authors: Sequence[str] = ()
) -> list[int]:
    """Pick the field with a label in every record, -1 for none.

    The address with the highest total log-odds over records is chosen; a record without a field
    there takes its likeliest field. `authors` of the records, if known, tell names from dates.
    """
    page_fields = group.fields
    records = page_fields.records
    if not len(page_fields):
        return [-1] * len(records)
    mixed = np.sqrt(group.probabilities[:, label] * corrected[:, label])
    odds, sure = _odds(page_fields, label, mixed)
    by_address: dict[str, dict[int, int]] = defaultdict(dict)
    surest: dict[int, int] = {}
    for field in np.flatnonzero(_possible(page_fields, label, mixed, authors)).tolist():
        record = int(records.record[page_fields.runs[field]])
        address_fields = by_address[page_fields.addresses[field]]
        for best_fields in (address_fields, surest):
            if record not in best_fields or odds[field] > odds[best_fields[record]]:
                best_fields[record] = field
    scores = {
        name: sum(float(odds[field]) for field in address_fields.values())
        + _MISSING * (len(records) - len(address_fields))
        for name, address_fields in by_address.items()
    }
    best = by_address[max(scores, key=lambda name: scores[name])] if scores else {}
    return [
        best.get(place, surest[place] if place in surest and sure[surest[place]] else -1)
        for place in range(len(records))
    ]


def at_usual_address(page_fields: ForumFields, picked: Sequence[int]) -> list[bool]:
    """Mark each record whose picked field (-1: none) has the commonest address of these fields.

    A record whose picked field is in an element named for authors is marked as well.
    """
    named = page_fields.records.page.authors
    places = [page_fields.addresses[field] if field >= 0 else "" for field in picked]
    usual = Counter(filter(None, places)).most_common(1)
    return [
        field >= 0 and (place == usual[0][0] or bool(named[page_fields.runs[field]]))
        for field, place in zip(picked, places, strict=True)
    ]


def _odds(page_fields: ForumFields, label: int, mixed: Floats) -> tuple[Floats, Bools]:
    """Log-odds of a label (n,), and marks of fields that may have it at any address (n,)."""
    odds = np.clip(np.log((mixed + 1e-4) / (1 - mixed + 1e-4)), -_MOST_ODDS, _MOST_ODDS)
    named = page_fields.records.page.authors[page_fields.runs]
    common = in_most_records(page_fields, np.where(named, _COMMON_NAME, _COMMON))
    odds = odds - _ONE_TEXT * common
    if label != NICK:
        return odds, mixed > _LIKELY
    return odds + _OF_NAMES * named, (mixed > _LIKELY) | (named & ~common)


def _possible(page_fields: ForumFields, label: int, mixed: Floats, authors: Sequence[str]) -> Bools:
    """Mark fields that may be a name or date by their text (n,); in a body only likely ones."""
    page, side = page_fields.records.page, page_fields.records.side[page_fields.runs]
    unquoted = (mixed > _SURE) & ~page.quoted[page_fields.runs]
    outside: Bools = (side != INSIDE) | unquoted
    if label == DATES:
        return outside & _datable(page_fields, outside, mixed > _SURE, authors)
    texts = page.page.runs.texts
    named = [
        (any(map(str.isalpha, texts[run])) or (page.authors[run] and _is_number(texts[run])))
        and len(texts[run].strip()) <= MAX_AUTHOR
        for run in page_fields.runs.tolist()
    ]
    return outside & np.array(named, np.bool_) & ~page.dates[page_fields.runs]


def _is_number(text: str) -> bool:
    """Return whether a text is a number too long for a count of posts, so that it may be a name."""
    return text.strip().isdigit() and len(text.strip()) >= _DIGITS_OF_NAME


def _datable(
    page_fields: ForumFields, outside: Bools, likely: Bools, authors: Sequence[str]
) -> Bools:
    """Mark fields with the date of a post, shape (n,); dates of joining or editing do not count.

    If few records have a date, spans of time (`3h`) count as well. If no record has either, likely
    texts with a number count, as in languages that the lexicon lacks; names (`ann1985`) do not.
    """
    page, runs = page_fields.records.page, page_fields.runs
    owner = page_fields.records.record[runs]
    other = _dates_other(page_fields)
    dated: Bools = page.dates[runs] & ~other
    if len(set(owner[dated & outside].tolist())) > _FEW_DATED * len(page_fields.records):
        return dated
    spans = [bool(span_pattern().fullmatch(page.masks[run])) for run in runs.tolist()]
    dated = dated | (np.array(spans, np.bool_) & ~other)
    if (dated & outside).any():
        return dated
    texts = page.page.runs.texts
    numbered = [any(map(str.isdigit, texts[run])) for run in runs.tolist()]
    names = [
        place < len(authors) and letters(texts[run]) == letters(authors[place])
        for run, place in zip(runs.tolist(), owner.tolist(), strict=True)
    ]
    return likely & np.array(numbered, np.bool_) & ~np.array(names, np.bool_) & ~other


def _dates_other(page_fields: ForumFields) -> Bools:
    """Mark each field with the date of an edit or of a member's joining, (n,).

    The field before it in the same record may be the label that says so.
    """
    page, owner = page_fields.records.page, page_fields.records.record
    runs = page_fields.runs.tolist()
    before = ["", *(page.masks[run] for run in runs)]
    near = [at > 0 and owner[run] == owner[runs[at - 1]] for at, run in enumerate(runs)]
    others = [
        dates_other(page.masks[run], label if is_near else "")
        for run, label, is_near in zip(runs, before, near, strict=False)
    ]
    return np.array(others, np.bool_)


def in_most_records(page_fields: ForumFields, most: Floats) -> Bools:
    """Mark each field whose text is in a share above `most` (n,) of 4 or more records, (n,)."""
    records = page_fields.records
    if len(records) < 4:
        return np.zeros(len(page_fields), np.bool_)
    masks = [records.page.masks[run] for run in page_fields.runs.tolist()]
    owner = records.record[page_fields.runs].tolist()
    holders = Counter(mask for mask, _ in set(zip(masks, owner, strict=True)))
    has_letter = [any(map(str.isalpha, mask)) for mask in masks]
    shares = np.array([holders[mask] for mask in masks]) / len(records)
    return (shares > most) & np.array(has_letter, np.bool_) & ~records.page.dates[page_fields.runs]


# read the names, dates, links and numbers of fields and records

_SHORT = 4  # most characters between two parts of a date, as in `11:43pm On Apr 23`
_ABOVE = 3  # elements searched for a link or a date: a field's own, and two around it
_MACHINE = ("datetime", "data-time", "data-timestamp")
"""Attributes with machine-readable dates."""
_STATED = ("datetime", "title")
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
    return re.compile(rf"^(?:{words})\b:?\s*|\s+(?:{said}):?\s*$", re.IGNORECASE)


def author(page: Outline, run: int, base: str) -> tuple[str, str]:
    """Return the name in a run, and the address of the link around it, "" if there is none."""
    link = _around(page, int(page.page.runs.node[run]), ("href",))
    text = _label().sub("", _name(page, run)).strip(" ,:|·•<\u200e\u200b")
    return text[:MAX_AUTHOR], Addresses("", base).absolute(link)


def _name(page: Outline, run: int) -> str:
    """The text of a run and its neighbours in its element: an entity cuts `Cath O'Neil` in two."""
    runs, after = page.page.runs, page.page.runs.after[run]
    near = range(*np.searchsorted(runs.after, [after, after + 1]).tolist())
    texts = [runs.texts[at] for at in near if runs.node[at] == runs.node[run]]
    return " ".join("".join(texts).split())


def _around(page: Outline, node: int, names: tuple[str, ...]) -> str:
    """The value of the first of these attributes that the element or a near one around it has."""
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
    """Return the date as written: a run with its neighbours in the block, "" for run -1.

    A neighbour belongs to the date if it looks like a date or is short.
    """
    if run < 0:
        return ""
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
    return _around(page, int(page.page.runs.node[run]), _MACHINE) if run >= 0 else ""


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
            for name, value in page.page.nodes.attributes[node].items():
                if _is_stated_date(name, value):
                    values[page.names[node], name].setdefault(place, value)
    best = max(values.values(), key=len, default={})
    return [best.get(place, "") if 2 * len(best) > count else "" for place in range(count)]


def _is_stated_date(name: str, value: str) -> bool:
    """Return whether an attribute has a full date; a bare number counts if the name says time."""
    if not (name in _STATED or name.startswith("data-")) or len(value) > MAX_DATE:
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
    """The addresses of links outside a record's body that look like a post's address."""
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
