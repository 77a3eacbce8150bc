"""Choice of the author's and the date's field in every record."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np

from crfclean.forum.choose import LabelledGroup
from crfclean.forum.fields import DATES, ForumFields
from crfclean.forum.records import INSIDE
from crfclean.types import Bools, Floats

MAX_AUTHOR = 80  # characters of a name
_MISSING = -6.0  # log-odds of a record without a field at the address, below any clipped log-odds
_MOST_ODDS = 5.0
_COMMON = 0.6  # share of the records with a text, from which it is no name
_ONE_TEXT = 2.0  # log-odds subtracted from such a text
_SURE = 0.5  # least probability of a field inside the body
_LIKELY = 0.15  # least probability of a field at another address than the other posts'


def pick(group: LabelledGroup, corrected: Floats, label: int) -> list[int]:
    """Pick the field with a label in every record, -1 for none.

    The address with the highest total log-odds over records is chosen; a record without a field
    there takes its likeliest field.
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
    """Fields that may be a name or a date by their text; inside the body only if likely."""
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
    """Whether most of four or more records share a field's text, digits masked, shape (n,)."""
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
