# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Find the borders at which the text of a page may end, and figures of both sides of each."""

from libc.math cimport INFINITY, log, log1p
from libc.stdint cimport int32_t, uint8_t

import numpy as np

from crfclean.core.table cimport Page, Table

from crfclean.model.markup import MARK_NAMES
from crfclean.lexicon.groups import PHRASE_GROUPS
from crfclean.types import Kind

cdef int32_t TEASER = Kind.TEASER, LEGAL = Kind.LEGAL
cdef const uint8_t[::1] OPENS = np.array(  # by group of phrases: whether they open another section
    [group in ("related", "comments", "subscribe", "byline", "tags") for group in PHRASE_GROUPS], np.uint8
)
cdef double LEAST_BEFORE = 50.0  # words before a border
cdef double MOST_AFTER = 0.8  # share of the kept words after a border
cdef Py_ssize_t MOST_BORDERS = 80  # of a page: the widest ones
cdef double MAIN = 0.7  # share of the words before a border that the main element holds
cdef double KNOWN_WORDS = 8.0  # a block with more words makes its path known
cdef int NEAR = 3  # kept blocks before a border
cdef int HEADING_WIDTH = 5, DEPTH_WIDTH = 10  # of borders before a heading or another depth, beside their blocks
cdef double MAX_HEAD_WORDS = 12  # of a block that heads comments
cdef Py_ssize_t NEAR_BLOCKS = 3, FAR_BLOCKS = 4  # before a border, and at the start of a gap, that may head comments
cdef int32_t RELATED = PHRASE_GROUPS.index("related")

HEADING_REACH = NEAR_BLOCKS, FAR_BLOCKS
"""The blocks before a border, and those at the start of its gap, that may head comments."""
cdef double LEAST_ODDS = 1e-4  # least distance of a probability from 0 and 1, for log-odds



cdef struct Inputs:  # of a border, in the order of `BORDER_INPUTS`; `inputs_of` computes them
    double log_before
    double log_after
    double log_kept
    double odds_after
    double odds_fall
    double odds_before
    double running_before
    double items_after
    double links_after
    double size_change
    double gap
    double up
    double below_main
    double outside_main
    double main_depth
    double same_path
    double known_paths
    double title_after
    double teasers_after
    double legal_after
    double borders
    double opens_another
    double gap_opens_another
    double headed_comments
    double gap_headed_comments


cdef struct Sums:  # over the kept blocks before or after a border
    double words
    double odds  # log-odds times words
    double running  # words of running text, of items, of links
    double items
    double links
    double blocks
    double teasers  # words
    double legal


cdef struct Border:
    Py_ssize_t above  # the kept blocks before and after it
    Py_ssize_t below
    Sums before
    Sums after
    double near_odds  # mean of the last kept blocks before it
    Py_ssize_t main  # the element that holds most of the words before it
    Py_ssize_t shared  # the innermost element that is around both blocks
    double same_path  # words before it on the path of the block after it
    double known_paths  # words after it on paths that are known before it
    double likeness  # the largest likeness to a title of a block after it
    Py_ssize_t borders  # of the page
    double all_words  # of its kept blocks


cdef Inputs no_inputs
cdef Sums no_sums

BORDER_INPUTS = tuple(<dict>no_inputs)
"""Figures of the blocks before and after a border. `borders_of` leaves the last two, which texts tell, 0."""

INPUTS_TYPE = np.dtype([(name, np.float64) for name in BORDER_INPUTS])
SUMS_TYPE = np.dtype([(name, np.float64) for name in <dict>no_sums])


cdef Inputs inputs_of(const Page *page, const Border *border) noexcept nogil:
    """Compute the inputs of a border: all are here, each by its name; `ends.py` adds the last two."""
    cdef const Sums *before = &border.before
    cdef const Sums *after = &border.after
    cdef const int32_t *depth = page.depth
    cdef double left = max(after.words, 1.0), odds_after = after.odds / left
    return Inputs(
        log_before=log(before.words),
        log_after=log1p(after.words),
        log_kept=log1p(border.all_words),
        odds_after=odds_after,
        odds_fall=odds_after - before.odds / before.words,
        odds_before=border.near_odds,
        running_before=before.running / before.words,
        items_after=after.items / left,
        links_after=after.links / left,
        size_change=log1p(after.words / after.blocks) - log1p(before.words / before.blocks),
        gap=log1p(border.below - border.above - 1),
        up=log1p(max(0, depth[page.node[border.above]] - depth[border.shared])),
        below_main=min(2.0, max(-2.0, (depth[border.shared] - depth[border.main]) / 5.0)),
        outside_main=border.below >= page.end_block[border.main],
        main_depth=depth[border.main] / 10.0,
        same_path=border.same_path / before.words,
        known_paths=border.known_paths / left,
        title_after=border.likeness,
        teasers_after=after.teasers / left,
        legal_after=after.legal / left,
        borders=log1p(border.borders),
        opens_another=opens_section(page, border.below, border.below + 1),
        gap_opens_another=opens_section(page, border.above + 1, border.below),
        headed_comments=0.0,
        gap_headed_comments=0.0,
    )


cdef bint opens_section(const Page *page, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """Whether a block from `start` to `end` - 1 begins with a phrase that opens another section."""
    cdef Py_ssize_t at
    for at in range(start, end):
        if page.phrase[at] >= 0 and OPENS[page.phrase[at]]:
            return True
    return False


def borders_of(Table table not None, const double[::1] probability not None, kept, const int32_t[::1] kind not None):
    """Return the kept blocks before and after each border, (k,) each, `BORDER_INPUTS`, (k, inputs), and likely headings.

    These may head comments at a border, or early in its gap. Arguments describe the n blocks of a page:
    `probability` to be text, whether a block is `kept`, its `kind` by its zone.
    """
    cdef const Page *page = table.with_groups(len(PHRASE_GROUPS), len(MARK_NAMES))
    cdef const uint8_t[::1] is_kept = kept.view(np.uint8)
    if not (probability.shape[0] == is_kept.shape[0] == kind.shape[0] == page.n):
        raise ValueError("arrays of different lengths")
    cdef double[::1] odds = np.empty(page.n)
    cdef Sums[::1] sums = np.zeros(page.n + 1, SUMS_TYPE)
    _sum_up(page, probability, is_kept, kind, odds, sums)
    places = np.flatnonzero(kept)
    ranks = _ranks(page, places, sums)
    before, after = places[ranks - 1], places[ranks]
    inputs = np.zeros(len(ranks), INPUTS_TYPE)
    if len(ranks):
        _fill(page, is_kept, places, ranks, odds, sums, inputs)
    return before, after, inputs.view(np.float64).reshape(-1, len(BORDER_INPUTS)), _likely_heads(page, before, after)


cdef void _sum_up(
    const Page *page,
    const double[::1] probability,
    const uint8_t[::1] is_kept,
    const int32_t[::1] kind,
    double[::1] odds,
    Sums[::1] sums,
) noexcept nogil:
    """Compute the log-odds of each block (n,), and sums over the kept blocks before it (n + 1,)."""
    cdef Sums *next
    cdef double likely, words
    cdef Py_ssize_t at
    for at in range(page.n):
        likely = min(1.0 - LEAST_ODDS, max(LEAST_ODDS, probability[at]))
        odds[at] = log(likely / (1.0 - likely))
        next, words = &sums[at + 1], page.words[at]
        next[0] = sums[at]
        if is_kept[at]:
            next.words += words
            next.odds += words * odds[at]
            next.running += words * page.is_long[at]
            next.items += words * page.in_item[at]
            next.links += page.link_words[at]
            next.blocks += 1.0
            next.teasers += words * (kind[at] == TEASER)
            next.legal += words * (kind[at] == LEGAL)


cdef Sums _without(const Sums *all_blocks, const Sums *before) noexcept nogil:
    """Sums over the other blocks."""
    return Sums(
        words=all_blocks.words - before.words,
        odds=all_blocks.odds - before.odds,
        running=all_blocks.running - before.running,
        items=all_blocks.items - before.items,
        links=all_blocks.links - before.links,
        blocks=all_blocks.blocks - before.blocks,
        teasers=all_blocks.teasers - before.teasers,
        legal=all_blocks.legal - before.legal,
    )


cdef _ranks(const Page *page, const long long[::1] places, const Sums[::1] sums):
    """Return the number of kept blocks before each border, (k,); `places` are the kept blocks."""
    cdef double words, total = sums[page.n].words
    cdef Py_ssize_t k
    ranks, widths = [], []
    for k in range(1, places.shape[0]):
        words = sums[places[k]].words
        if words < LEAST_BEFORE or total - words > MOST_AFTER * total:
            continue
        if _divides(page, places[k - 1], places[k]):
            ranks.append(k)
            widths.append(_width(page, places[k - 1], places[k]))
    if len(ranks) <= MOST_BORDERS:
        return np.array(ranks, np.int64)
    widest = np.argsort(-np.array(widths), kind="stable")[:MOST_BORDERS]
    return np.array(ranks, np.int64)[np.sort(widest)]


cdef bint _divides(const Page *page, Py_ssize_t above, Py_ssize_t below) noexcept nogil:
    """Whether anything stands between two kept blocks that follow each other, or sets them apart."""
    return (
        below - above > 1
        or page.in_heading[below]
        or page.parent[page.node[below]] != page.parent[page.node[above]]
        or page.path_keys[below] != page.path_keys[above]
    )


cdef Py_ssize_t _width(const Page *page, Py_ssize_t above, Py_ssize_t below) noexcept nogil:
    cdef bint is_deeper = page.depth[page.node[below]] != page.depth[page.node[above]]
    return below - above + (HEADING_WIDTH if page.in_heading[below] else 0) + (DEPTH_WIDTH if is_deeper else 0)


cdef _fill(
    const Page *page,
    const uint8_t[::1] is_kept,
    const long long[::1] places,
    const long long[::1] ranks,
    const double[::1] odds,
    const Sums[::1] sums,
    Inputs[::1] inputs,
):
    """Fill in the inputs of borders, (k,): the kept block of each rank is that after the border."""
    cdef double[::1] likeness = _likeness_from(page, is_kept)
    cdef double[::1] same = np.zeros(ranks.shape[0]), known = np.zeros(ranks.shape[0] + 1)
    _paths(page, is_kept, places, ranks, same, known)
    cdef Py_ssize_t at, longest = places[0], scanned = places[0]
    cdef Border border
    border.borders, border.all_words = ranks.shape[0], sums[page.n].words
    for at in range(ranks.shape[0]):
        border.above, border.below = places[ranks[at] - 1], places[ranks[at]]
        border.before = sums[border.below]
        border.after = _without(&sums[page.n], &border.before)
        border.near_odds = _near_odds(places, ranks[at], odds)
        longest = _longest(page, is_kept, longest, scanned, border.below)
        scanned = border.below
        border.main = _main(page, sums, page.node[longest], border.below)
        border.shared = _shared(page, border.above, border.below)
        border.same_path, border.known_paths = same[at], known[at]
        border.likeness = likeness[border.below]
        inputs[at] = inputs_of(page, &border)


cdef double[::1] _likeness_from(const Page *page, const uint8_t[::1] is_kept):
    """The largest likeness to a title of this and later kept blocks, (n + 1,)."""
    cdef double[::1] largest = np.zeros(page.n + 1)
    cdef Py_ssize_t at
    for at in range(page.n - 1, -1, -1):
        largest[at] = max(largest[at + 1], page.title_likeness[at] if is_kept[at] else 0.0)
    return largest


cdef double _near_odds(const long long[::1] places, Py_ssize_t rank, const double[::1] odds) noexcept nogil:
    """The mean log-odds of the last kept blocks before a border."""
    cdef Py_ssize_t k, near = min(rank, NEAR)
    cdef double total = 0.0
    for k in range(rank - near, rank):
        total += odds[places[k]]
    return total / max(near, 1)


cdef Py_ssize_t _longest(
    const Page *page, const uint8_t[::1] is_kept, Py_ssize_t longest, Py_ssize_t start, Py_ssize_t end
) noexcept nogil:
    """The kept block with the most words from `start` to `end` - 1, if it has more than `longest`."""
    cdef Py_ssize_t at
    for at in range(start, end):
        if is_kept[at] and page.words[at] > page.words[longest]:
            longest = at
    return longest


cdef Py_ssize_t _main(const Page *page, const Sums[::1] sums, Py_ssize_t main, Py_ssize_t end) noexcept nogil:
    """The innermost element around one that holds most of the kept words before the block `end`."""
    cdef Py_ssize_t first, last
    while page.parent[main] >= 0:
        first, last = min(<Py_ssize_t>page.first_block[main], end), min(<Py_ssize_t>page.end_block[main], end)
        if sums[last].words - sums[first].words >= MAIN * sums[end].words:
            break
        main = page.parent[main]
    return main


cdef Py_ssize_t _shared(const Page *page, Py_ssize_t above, Py_ssize_t below) noexcept nogil:
    """The innermost element that is around both blocks."""
    cdef Py_ssize_t shared = page.node[below]
    while page.parent[shared] >= 0 and not shared <= page.node[above] < page.end[shared]:
        shared = page.parent[shared]
    return shared


def highest_score(const double[:, ::1] inputs not None, const double[::1] weights not None, Py_ssize_t all_inputs):
    """Return an upper bound of the scores of borders with some inputs, whatever the other inputs are, each in 0..1.

    `weights` are those of `all_inputs` inputs, those of each times the last input (the probability of an article),
    and the bias. A score is linear in the last input, so it is largest where that is 0 or 1.
    """
    cdef Py_ssize_t known = inputs.shape[1], row, at
    cdef double plain, of_article, others = 0.0, most = -INFINITY
    if weights.shape[0] != 2 * all_inputs + 1 or known > all_inputs:
        raise ValueError("weights of other inputs")
    for at in range(known, all_inputs):
        others += max(weights[at], 0.0) + max(weights[all_inputs + at], 0.0)
    for row in range(inputs.shape[0]):
        plain = of_article = 0.0
        for at in range(known):
            plain += inputs[row, at] * weights[at]
            of_article += inputs[row, at] * weights[all_inputs + at]
        most = max(most, plain + max(of_article, 0.0))
    return most + others + weights[2 * all_inputs]


cdef list _likely_heads(const Page *page, const long long[::1] before, const long long[::1] after):
    """Return the short blocks near each border and early in its gap; "Read also: Comment: Who builds" is no heading."""
    cdef Py_ssize_t border, at
    heads = []
    for border in range(after.shape[0]):
        for at in range(before[border] + 1, after[border] + 1):
            if at > before[border] + FAR_BLOCKS and at < after[border] - NEAR_BLOCKS:
                continue
            if page.words[at] <= MAX_HEAD_WORDS and page.phrase[at] != RELATED:
                heads.append(at)
    return heads


cdef _paths(
    const Page *page,
    const uint8_t[::1] is_kept,
    const long long[::1] places,
    const long long[::1] ranks,
    double[::1] same,
    double[::1] known,
):
    """Count kept words before each border on the path of its block, and after it on known paths."""
    cdef double[::1] so_far = np.zeros(page.n)  # by path: its kept words
    cdef Py_ssize_t[::1] begun = np.full(page.n, -1, np.intp)  # the borders up to the block that made it known
    cdef Py_ssize_t at, path, border = 0
    for at in range(page.n):
        path = page.path_keys[at]
        if border < ranks.shape[0] and places[ranks[border]] == at:
            same[border] = so_far[path]
            border += 1
        if not is_kept[at]:
            continue
        so_far[path] += page.words[at]
        if begun[path] >= 0:  # this block is after the borders between that block and itself
            known[begun[path]] += page.words[at]
            known[border] -= page.words[at]
        elif page.words[at] > KNOWN_WORDS:
            begun[path] = border
    for at in range(1, known.shape[0]):
        known[at] += known[at - 1]
