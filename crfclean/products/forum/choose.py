"""Choose the elements that hold the posts of a site, and their author, date and link."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import chain
from typing import Any

import numpy as np

from crfclean.lexicon import lexicon
from crfclean.lexicon.markup import POST_NAMES
from crfclean.metadata.dates import MAX_DATE, date_pattern, span_pattern
from crfclean.page.head import Addresses
from crfclean.products.forum.dates import core_of, read_machine_date
from crfclean.products.forum.model import BodyGroup, ForumModel, body_groups, feature_rows, openers
from crfclean.products.forum.outline import (
    Outline,
    dates_other,
    letters,
    masked,
    once,
    profile_pattern,
)
from crfclean.products.forum.records import (
    DATES,
    INSIDE,
    MAX_REACH,
    NICK,
    NORM,
    ForumFields,
    Records,
    evidence,
    fields,
    records,
    topic,
)
from crfclean.types import Bools, Floats, Ints

_REMARKED = frozenset(["Question", "Answer"])
"""Types of posts whose comments are remarks and not posts."""
_ITEM_TYPES = _REMARKED | {
    "DiscussionForumPosting",
    "SocialMediaPosting",
    "Comment",
    "UserComments",
}
_TEXTS = ("text", "articleBody", "commentText")
_AUTHORS = ("author", "creator")
_DATES = ("datePublished", "dateCreated", "commentTime")
_FEWEST = 2  # stated posts; a single one says nothing of the others
_MAX_ITEM_CHARS = 400  # of an attribute with names
_NAME_END = re.compile(r"[/:#]")


@once
def stated_posts(outline: Outline) -> dict[int, Mapping[str, Any]]:
    """Map the element of each stated post's words to its author and date, as in JSON-LD.

    Elements are in page order and not nested. A page that states a single post gives {}.
    """
    table, around = outline.page.table, list[int]()  # the item around each element, -1 for none
    types, parts = dict[int, frozenset[str]](), defaultdict[int, dict[str, int]](dict)
    for node, parent in enumerate(table.parent.tolist()):
        attributes = table.attributes[node]
        around.append(parent if parent in types else around[parent] if parent >= 0 else -1)
        if "itemscope" in attributes or "typeof" in attributes:
            types[node] = _names(attributes.get("itemtype") or attributes.get("typeof", ""))
        for name in _names(attributes.get("itemprop") or attributes.get("property", "")):
            parts[around[node]].setdefault(name, node)
    bodies = dict[int, int]()
    for item, kinds in types.items():
        body = _first(parts[item], _TEXTS)
        is_remark = "Comment" in kinds and types.get(around[item], frozenset()) & _REMARKED
        if (
            kinds & _ITEM_TYPES
            and not is_remark
            and body >= 0
            and outline.first[body] < outline.last[body]
        ):
            bodies[body] = item
    posts, end = dict[int, Mapping[str, Any]](), 0
    for body in sorted(bodies):
        if body >= end:
            posts[body], end = _signed(outline, bodies[body], parts), int(table.end[body])
    return posts if len(posts) >= _FEWEST else {}


@lru_cache(maxsize=20_000)
def _names(value: str) -> frozenset[str]:
    """The last parts of names and addresses: `Comment` for `https://schema.org/Comment`."""
    words = value[:_MAX_ITEM_CHARS].split()
    return frozenset(_NAME_END.split(word.rstrip("/"))[-1] for word in words)


def _first(parts: Mapping[str, int], names: tuple[str, ...]) -> int:
    """The element of the first of some properties, -1 for none."""
    return next((parts[name] for name in names if name in parts), -1)


def _signed(
    outline: Outline, item: int, parts: Mapping[int, Mapping[str, int]]
) -> Mapping[str, Any]:
    """Author and date of an item, with the keys of JSON-LD."""
    author, date = _first(parts[item], _AUTHORS), _first(parts[item], _DATES)
    inner = {"name": author, **parts.get(author, {})}
    told = {
        "name": _value(outline, inner["name"]),
        "url": _value(outline, inner.get("url", -1), "href"),
    }
    return {"author": told, "datePublished": _value(outline, date, "datetime")}


def _value(outline: Outline, node: int, attribute: str = "") -> str:
    """Return an element's value: that of an attribute, or the first line of its text."""
    if node < 0:
        return ""
    attributes = outline.page.table.attributes[node]
    stated = attributes.get("content") or attributes.get(attribute)
    return stated or outline.text(node).partition("\n")[0]


def overlapping(outline: Outline, nodes: Ints, others: Ints) -> Ints:
    """Return the index of the only one of `others` that shares text with each element, or -1."""
    first = np.searchsorted(outline.last[others], outline.first[nodes], "right")
    last = np.searchsorted(outline.first[others], outline.last[nodes], "left")
    return np.where(last - first == 1, first, -1)


# choose the group of elements that holds the posts on every page of a site
#
# The groups with the best scores are scored again by their labelled fields. Each record should have
# an author, a date and the post's words, and these words should stand in the body. Pages of one
# site share a template, so they vote: a group that wins on other pages is likelier on this one.

STATED = "microdata"
"""The name of the group of posts that a page states in microdata."""
_STATED = 4.0  # score of such posts above that of the best group
_AGREE = 0.85  # share of the posts that the best group and the microdata have in common
_MAX_TRIED = 4  # groups of a page whose fields are labelled
_MAX_BEHIND = 5.0  # score below the best group's at which a group is still tried
MAX_TRAINED = 10  # groups tried in training, where worse ones serve as negative examples
_UNSEEN = -6.0  # score of a group, less that of the best, on pages where it is not tried


@dataclass(frozen=True)
class LabelledGroup:
    """A group with its fields, their probabilities (n, 4), and its score."""

    name: str
    fields: ForumFields
    probabilities: Floats
    score: float


def label_group(
    outline: Outline, group: BodyGroup, model: ForumModel
) -> tuple[ForumFields, Floats]:
    """Label the fields around a group's elements, with probabilities (n, 4) before correction."""
    page_fields = fields(records(outline, np.array(group.nodes)))
    return page_fields, model.label(page_fields)


def best_groups(outline: Outline, model: ForumModel) -> list[LabelledGroup]:
    """Return the best groups of a page with their fields, best first."""
    groups = body_groups(outline)
    if not groups:
        return []
    scores = model.bodies.scores(feature_rows(groups))
    order = np.argsort(-scores, kind="stable")[:_MAX_TRIED].tolist()
    order = [place for place in order if scores[place] >= scores.max() - _MAX_BEHIND]
    labelled = [_labelled(outline, groups[place], float(scores[place]), model) for place in order]
    labelled.sort(key=lambda group: -group.score)
    stated = _stated_bodies(outline)
    if not stated or _agree(outline, labelled[0].fields.records.bodies, np.array(stated)):
        return labelled
    stated_fields, score = fields(records(outline, np.array(stated))), labelled[0].score + _STATED
    return [LabelledGroup(STATED, stated_fields, model.label(stated_fields), score), *labelled]


def _agree(outline: Outline, bodies: Ints, stated: Ints) -> bool:
    """Return whether nearly all post bodies equal, or are inside, bodies that the page states."""
    own = overlapping(outline, stated, bodies)
    return len(np.unique(own[own >= 0])) >= _AGREE * max(len(bodies), len(stated))


def _stated_bodies(outline: Outline) -> list[int]:
    """Return the bodies of posts in microdata, and elements named alike; [] if there are none.

    XenForo 2 states only the answers in microdata: the opening post is stated in JSON-LD.
    """
    bodies = list(stated_posts(outline))
    counts = Counter(outline.names[node] for node in bodies)
    for name, count in counts.items():
        alike = outline.groups.get(name, [])
        if len(alike) <= 2 * count:
            bodies += alike
    return sorted(set(bodies))


def _labelled(outline: Outline, group: BodyGroup, score: float, model: ForumModel) -> LabelledGroup:
    """Label the fields of a group, and add to its score what the labels say."""
    page_fields, probabilities = label_group(outline, group, model)
    signs = evidence(page_fields, probabilities)
    score += float(model.groups.scores(signs[None])[0])
    return LabelledGroup(group.name, page_fields, probabilities, score)


def choose(pages: Sequence[Outline], model: ForumModel) -> list[LabelledGroup | None]:
    """Choose the group of every page of a site, None for a page without text."""
    ranked = [best_groups(page, model) for page in pages]
    votes = [{group.name: group.score - groups[0].score for group in groups} for groups in ranked]
    total = {
        name: sum(max(_UNSEEN, page.get(name, _UNSEEN)) for page in votes)
        for name in set(chain.from_iterable(votes))
    }
    chosen: list[LabelledGroup | None] = []
    others = max(1, len(votes) - 1)
    for groups, vote in zip(ranked, votes, strict=True):
        scored = [
            (vote[group.name] + (total[group.name] - vote[group.name]) / others, group)
            for group in groups
        ]
        chosen.append(max(scored, key=lambda pair: pair[0])[1] if scored else None)
    return chosen


def corrected_by_template(groups: Sequence[LabelledGroup]) -> list[Floats]:
    """Correct labels by template (Sido 2017, section 6.9): fields at one address mean the same.

    The probabilities of a page's fields, (n, 4) each, become the geometric mean over all fields
    at the same address on all pages.
    """
    sums = defaultdict[str, Floats](lambda: np.zeros(NORM + 1))
    counts = defaultdict[str, int](int)
    addresses = [group.fields.addresses for group in groups]
    for group, places in zip(groups, addresses, strict=True):
        for place, row in zip(places, np.log(group.probabilities + 1e-4), strict=True):
            sums[place] = sums[place] + row
            counts[place] += 1
    corrected = []
    for places in addresses:
        means = np.array([sums[place] / counts[place] for place in places]).reshape(-1, NORM + 1)
        factors = np.exp(means)
        corrected.append(factors / factors.sum(axis=1, keepdims=True))
    return corrected


# find the post that opens a thread outside the chosen group
#
# A question above its answers, or an article above its comments, has other markup than the posts
# that follow. So it is in no group with them.

_SIGNED = 0.5  # least probability of author or date, and least share of the other posts' mean
_OPENER_MAX_TRIED = 4  # elements
_MANY = 3.0  # authors or dates, from which the text is a list of threads


def _joined(
    outline: Outline, group: LabelledGroup, model: ForumModel, bodies: list[int]
) -> LabelledGroup:
    """Label the fields of a group again, with other bodies.

    If the first record has no text before its body, it is extended to the nearest text above, such
    as the author and date of a question above its answers.
    """
    joined = records(outline, np.array(bodies))
    above, first = bodies[0], int(outline.first[bodies[0]])
    while joined.start[0] == first and above >= 0 and outline.first[above] == first:
        above = int(outline.page.table.parent[above])
    if joined.start[0] == first and above >= 0:
        joined.start[0] = max(int(outline.first[above]), first - MAX_REACH)
    page_fields = fields(joined)
    return replace(group, fields=page_fields, probabilities=model.label(page_fields))


def with_opener(outline: Outline, group: LabelledGroup, model: ForumModel) -> LabelledGroup:
    """Add the post before the first record to a group, if there is one."""
    page_records = group.fields.records
    if not len(page_records):
        return group
    title, start = topic(outline, page_records.start), int(page_records.start[0])
    single = [
        opener for opener in openers(outline, start) if outline.text(opener.nodes[0]) != title
    ]
    if not single:
        return group
    scores = model.bodies.scores(feature_rows(single))
    others = signatures(group)[0].mean(axis=0)
    for place in np.argsort(-scores, kind="stable")[:_OPENER_MAX_TRIED].tolist():
        node = single[place].nodes[0]
        probe = _joined(outline, group, model, [node, int(page_records.bodies[0])])
        if _opens(probe, others):
            return _joined(outline, group, model, [node, *page_records.bodies.tolist()])
    return group


def _opens(probe: LabelledGroup, others: Floats) -> bool:
    """Return whether the first of two records is a separate post, by its author and date.

    `others` are the mean probabilities of author and date in the other posts, (2,). Menus and
    notices have lower probabilities; a box of newest threads has many authors and dates.
    """
    best, sums = signatures(probe)
    is_signed = (best[0] >= _SIGNED * others).all() and best[0].max() > _SIGNED
    return bool(is_signed and sums[0].max() < _MANY)


def signatures(group: LabelledGroup) -> tuple[Floats, Floats]:
    """The highest probabilities of author and date outside each body, and sums; (k, 2) each."""
    records, runs = group.fields.records, group.fields.runs
    outside = records.side[runs] != INSIDE
    best, sums = np.zeros((len(records), 2)), np.zeros((len(records), 2))
    likely = group.probabilities[outside][:, [NICK, DATES]]
    np.maximum.at(best, records.record[runs[outside]], likely)
    np.add.at(sums, records.record[runs[outside]], likely)
    return best, sums


# choose the author's and the date's field in every record

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


# read the names, dates, links and numbers of fields and records

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
