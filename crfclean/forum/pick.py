"""Labelled fields -> the one of every record that has a meaning: its author, its date."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np

from crfclean.forum.choose import LabelledGroup
from crfclean.forum.fields import DATES, ForumFields
from crfclean.forum.records import INSIDE
from crfclean.types import Bools, Floats

MAX_AUTHOR = 80  # characters of a name
_MISSING = -6.0  # log-odds for a record without the field at an address, below any that it may have
_MOST_ODDS = 5.0
_COMMON = 0.6  # share of the records whose text says nothing of one of them
_ONE_TEXT = 2.0  # log-odds that such a text loses
_SURE = 0.5  # probability of a field that counts inside a post's words
_LIKELY = 0.15  # of one that stands elsewhere than those of other posts


def pick(group: LabelledGroup, corrected: Floats, label: int) -> list[int]:
    """The field of every record with a meaning, -1 for none.

    The address is chosen whose fields speak for most records; where a record has nothing there,
    its surest field counts.
    """
    page_fields = group.fields
    records = page_fields.records
    if not len(page_fields):
        return [-1] * len(records)
    mixed = np.sqrt(group.probabilities[:, label] * corrected[:, label])
    odds = np.clip(np.log((mixed + 1e-4) / (1 - mixed + 1e-4)), -_MOST_ODDS, _MOST_ODDS)
    odds = odds - _ONE_TEXT * _common(page_fields)
    by_address: dict[str, dict[int, int]] = defaultdict(dict)
    surest: dict[int, int] = {}
    for field in np.flatnonzero(_possible(page_fields, label, mixed)).tolist():
        record = int(records.record[page_fields.runs[field]])
        address_fields = by_address[page_fields.address(field)]
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
        best.get(place, surest[place] if place in surest and mixed[surest[place]] > _LIKELY else -1)
        for place in range(len(records))
    ]


def _possible(page_fields: ForumFields, label: int, mixed: Floats) -> Bools:
    """The fields that may be a name or a date: by their text, and outside unless they are sure."""
    page, side = page_fields.records.page, page_fields.records.side[page_fields.runs]
    texts = page.page.runs.texts
    outside: Bools = (side != INSIDE) | (mixed > _SURE)
    if label == DATES:
        dated = outside & page.dates[page_fields.runs]
        return dated if dated.any() else outside
    named = [
        any(map(str.isalpha, texts[run])) and len(texts[run].strip()) <= MAX_AUTHOR
        for run in page_fields.runs.tolist()
    ]
    return outside & np.array(named, np.bool_) & ~page.dates[page_fields.runs]


def _common(page_fields: ForumFields) -> Bools:
    """Whether most of four or more records have a field's text, digits aside, shape (n,)."""
    records = page_fields.records
    if len(records) < 4:
        return np.zeros(len(page_fields), np.bool_)
    masks = [records.page.masks[run] for run in page_fields.runs.tolist()]
    owner = records.record[page_fields.runs].tolist()
    holders = Counter(mask for mask, _ in set(zip(masks, owner, strict=True)))
    has_letter = [any(map(str.isalpha, mask)) for mask in masks]
    many = [holders[mask] > _COMMON * len(records) for mask in masks]
    return (
        np.array(many, np.bool_)
        & np.array(has_letter, np.bool_)
        & ~records.page.dates[page_fields.runs]
    )
