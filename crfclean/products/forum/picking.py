"""Choose the author's and the date's field in every record."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from crfclean.products.forum.choose import LabelledGroup
from crfclean.products.forum.fields import DATES, NICK, ForumFields
from crfclean.products.forum.outline import letters
from crfclean.products.forum.patterns import dates_other
from crfclean.products.forum.post_dates import span_pattern
from crfclean.products.forum.records import INSIDE
from crfclean.types import Bools, Floats

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
    texts = page.page.table.run_texts
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

    If few records have a date, spans of time (`3h`) count as well. If no record has either, as in
    languages that the lexicon lacks, likely texts with a number count, except names (`ann1985`).
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
    texts = page.page.table.run_texts
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
