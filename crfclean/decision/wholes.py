"""Keep lists, tables and records whole."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from crfclean.core.table import Table
from crfclean.decision.evidence import Evidence
from crfclean.decision.sums import add_spans, gaps_between, torn_lists, torn_records
from crfclean.model.block_kinds import parts_of
from crfclean.model.zones import apart_kinds, zones
from crfclean.page.chars import among
from crfclean.page.elements import HEADINGS, held
from crfclean.types import Blocks, Bools, Floats, Ints, Kind, Rule

# A model judges block by block. It left out ingredients between the paragraphs of a recipe, and
# kept the name but not the docket number of court decisions.

_PARTS = (Kind.LIST, Kind.TABLE, Kind.CODE)
"""Kinds of blocks that are added between blocks that are surely text."""

_ADDED = 0.7  # probability of blocks that are added to a list
_DOUBTFUL = 0.3  # least probability of the heading of a list or panel
_QUESTION = 0.1  # least probability of a question that opens its answer: .24 to .33
_MARKS = ("?", "\N{FULLWIDTH QUESTION MARK}", "\N{ARABIC QUESTION MARK}")
_OPENING = ("aria-expanded", "aria-controls")
_MAX_CARD = 100.0  # words
MAX_FORUM = 0.4  # probability: lists and records of a forum are names, buttons and signatures
_LEAST_HEADED = 0.2  # mean probability of a short section whose heading is kept
_EVEN = 0.5


Spans = list[tuple[int, int, float]]
"""Blocks from a start to an end - 1 that belong together, and their probability (0..1)."""


def completed(evidence: Evidence, kept: Bools, probability: Floats) -> tuple[Bools, Floats, Ints]:
    """Complete the lists and records of kept blocks; return them, probabilities and rules, (n,).

    An added block has a `Rule`, and is as probable as the list or record that it belongs to, and at
    least 0.5.
    """
    rules = np.zeros(len(kept), np.int8)
    if kept.any():
        kept, probability = kept.copy(), probability.copy()
        for rule, find in FINDERS:
            if spans := find(evidence, kept, probability):
                add_spans(spans, rule, zones(evidence.page), kept, probability, rules)
    return kept, probability, rules


def _lists(evidence: Evidence, kept: Bools, probability: Floats) -> Spans:
    """Return items and cells between kept blocks that belong to a data table or a content list."""
    page = evidence.page
    blocks = torn_lists(
        *(page.table, kept, probability, apart_kinds(page)),
        lambda start, end: _is_list(evidence, slice(start, end)),
    )
    return [(at, at + 1, _ADDED) for at in blocks]


def _is_list(evidence: Evidence, run: slice) -> bool:
    """Return whether a run is a data table, or a list of the content by the model of kinds.

    Markup does not tell the purpose of a list: without the model, links beside the news of Chinese
    portals were added. On a forum, lists are names and buttons.
    """
    if evidence.types["forum"] >= MAX_FORUM:
        return False
    if (parts_of(evidence.page)[run] == Kind.TABLE).mean() >= _EVEN:
        return True
    weights = evidence.words[run] + 0.1
    return bool(weights @ evidence.listed(run) >= _EVEN * weights.sum())


def _between(evidence: Evidence, kept: Bools, probability: Floats) -> Spans:
    """Return items, cells and code in short gaps between blocks that are surely text.

    Models were unsure of code between two paragraphs (.31 to .43) and of links in lists (.08 to
    .47). Of "Python", ".NET", "JavaScript" and "Java" between two paragraphs they kept one (.53).
    In the gaps between posts stand names and buttons. Links stay with what else is left out in
    their box, such as the name of a product above a list of shops.
    """
    page = evidence.page
    inside = gaps_between(page.table, kept, probability, bool(page.code))
    if not inside or evidence.types["forum"] >= MAX_FORUM:
        return []
    table, is_part = page.table, among(parts_of(page), _PARTS)
    is_empty = held(page, kept.astype(np.float64)) == 0.0
    boxes = table.nearest(is_empty & ~is_empty[table.parent])[page.node]  # all is left out there
    others = held(page, page.words * ~(kept | is_part)) > 0.0
    is_part &= ~((boxes >= 0) & others[boxes] & (table.link_words > _EVEN * page.words))
    return [(at, at + 1, _ADDED) for at in inside if is_part[at]]


def _records(evidence: Evidence, kept: Bools, probability: Floats) -> Spans:
    """Return torn rows of tables, search results and the like, of which only a part is kept."""
    spans = torn_records(evidence.page.table, kept, probability)
    if not spans or evidence.types["forum"] >= MAX_FORUM:
        return []
    return [(start, end, max(value, _EVEN)) for start, end, value in spans]


def _heads(evidence: Evidence, kept: Bools, probability: Floats) -> Spans:
    """Return the headings of lists that are kept whole, and the controls that open kept panels.

    Models were unsure of "Pros" and "Cons" and of the questions of services (.30 to .48), not of
    buttons such as "Filter" and "Collapse" (.20).
    """
    page, spans = evidence.page, Spans()
    above = np.flatnonzero(kept[1:] & ~kept[:-1] & (probability[:-1] >= _QUESTION)).tolist()
    if not above:
        return spans
    lists = page.table.nearest(page.table.is_tag("ul", "ol", "dl", "table"))[page.node]
    controls = _controls(page)
    for at in above:
        of = int(lists[at + 1])
        is_heading = of >= 0 and page.table.tags[page.node[at]] in HEADINGS
        begins = is_heading and page.table.first_block[of] == at + 1
        heads = controls[at] or (begins and kept[at + 1 : page.table.end_block[of]].all())
        asks = controls[at] and page.texts[at].rstrip().endswith(_MARKS)
        if heads and (asks or probability[at] >= _DOUBTFUL):
            spans.append((at, at + 1, _ADDED))
    return spans


def _cards(evidence: Evidence, kept: Bools, probability: Floats) -> Spans:
    """Return the headings of cards and sections beside a like one whose heading is kept.

    Of the open positions of a firm, one name was kept (.49), two were not (.38 and .34). Two thirds
    of such words are gold, but on forums next to none.
    """
    table, heads = evidence.page.table, evidence.page.table.in_heading
    left = np.flatnonzero(heads & ~kept & (probability >= _DOUBTFUL)).tolist()
    if not left or not (heads & kept).any():
        return []
    sums = held(evidence.page, np.stack([heads, heads & kept, evidence.words], 1).astype(float))
    rows, spans = dict[tuple[int, int, int], bool](), Spans()
    for at in left:
        card = _card(table, sums[:, 0], at)
        row = int(table.parent[card]), int(table.tag[card]), int(table.class_number[card])
        if row not in rows:
            rows[row] = _is_row(table, sums, card)
        if rows[row]:
            spans.append((at, at + 1, _ADDED))
    return [] if spans and evidence.types["forum"] >= MAX_FORUM else spans


def _headed(evidence: Evidence, kept: Bools, probability: Floats) -> Spans:
    """Return short sections of which only the heading is kept, to the end of its element.

    Of "Open positions" and three cards at the end of a page, the heading had .65, the cards .22 to
    .32. Of what stands so on articles of five languages, one word in forty was text: teasers.
    """
    table, spans = evidence.page.table, Spans()
    for at in np.flatnonzero(kept[:-1] & table.in_heading[:-1] & ~kept[1:]).tolist():
        node = int(table.node[at])
        while node > 0 and table.end_block[node] == at + 1:
            node = int(table.parent[node])
        rest = slice(at + 1, int(table.end_block[node]))
        words = evidence.words[rest]
        if kept[rest].any() or not 0.0 < words.sum() <= _MAX_CARD:
            continue
        if words @ probability[rest] >= _LEAST_HEADED * words.sum():
            spans.append((rest.start, rest.stop, _EVEN))
    types = evidence.types if spans else {}
    return [] if spans and max(types["article"], types["forum"]) >= MAX_FORUM else spans


def _card(table: Table, heads: Floats, heading: int) -> int:
    """Return the largest element that has no other heading; `heads` (m,) counts headings."""
    node = int(table.node[heading])
    while table.parent[node] > 0 and heads[table.parent[node]] == 1:
        node = int(table.parent[node])
    return node


def _is_row(table: Table, sums: Floats, card: int) -> bool:
    """Return whether a card and its likes beside it are short, each with a heading, one of it kept.

    `sums` (m, 3) are the headings of each element, those that are kept, and its words.
    """
    parent, cards = int(table.parent[card]), list[int]()
    node = parent + 1
    while parent >= 0 and node < table.end[parent]:
        if (
            table.tag[node] == table.tag[card]
            and table.class_number[node] == table.class_number[card]
        ):
            cards.append(node)
        node = int(table.end[node])
    likes = sums[cards]
    is_short = len(cards) > 1 and likes[:, 2].max() <= min(3.0 * likes[:, 2].mean(), _MAX_CARD)
    return bool(is_short and (likes[:, 0] == 1).all() and likes[:, 1].any())


def _controls(page: Blocks) -> Bools:
    """Mark the blocks (n,) of controls that open panels."""
    table = page.table
    nearest = table.nearest(table.is_tag("button", "summary"))[page.node]
    is_control = table.is_tag("summary").copy()
    is_control[table.attributes.having(_OPENING)] = True
    controls: Bools = (nearest >= 0) & is_control[nearest]
    return controls


FINDERS: tuple[tuple[Rule, Callable[[Evidence, Bools, Floats], Spans]], ...] = (
    (Rule.LIST, _lists),
    (Rule.LIST, _between),
    (Rule.LIST, _heads),
    (Rule.RECORD, _records),
    (Rule.RECORD, _cards),
    (Rule.RECORD, _headed),
)
