# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Find the borders at which the text of a page may end, and figures of both sides of each."""

from libc.math cimport INFINITY, log, log1p
from libc.stdint cimport int32_t, uint8_t

import numpy as np

from crfclean.core.table cimport Page, Table

from crfclean.model.markup import MARK_NAMES
from crfclean.lexicon.language import PHRASE_GROUPS
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
cdef double MAX_HEAD_WORDS = 12  # of a block that heads comments
cdef Py_ssize_t NEAR_BLOCKS = 3, FAR_BLOCKS = 4  # before a border, and at the start of a gap, that may head comments
cdef int32_t RELATED = PHRASE_GROUPS.index("related")

HEADING_REACH = NEAR_BLOCKS, FAR_BLOCKS
"""The blocks before a border, and those at the start of its gap, that may head comments."""
cdef double LEAST_ODDS = 1e-4  # least distance of a probability from 0 and 1, for log-odds

INPUTS = (
    "log_before",
    "log_after",
    "log_kept",
    "odds_after",
    "odds_fall",
    "odds_before",
    "running_before",
    "items_after",
    "links_after",
    "size_change",
    "gap",
    "up",
    "below_main",
    "outside_main",
    "main_depth",
    "same_path",
    "known_paths",
    "title_after",
    "teasers_after",
    "legal_after",
    "borders",
    "opens_another",
    "gap_opens_another",
    "headed_comments",
    "gap_headed_comments",
)
"""Figures of the blocks before and after a border. `borders_of` leaves the last two, which texts tell, 0."""


def borders_of(Table table not None, const double[::1] probability not None, kept, const int32_t[::1] kind not None):
    """Return the kept blocks before and after each border, (k,) each, `INPUTS`, (k, inputs), and likely headings.

    These may head comments at a border, or early in its gap. Arguments describe the n blocks of a page:
    `probability` to be text, whether a block is `kept`, its `kind` by its zone.
    """
    cdef const Page *page = table.with_groups(len(PHRASE_GROUPS), len(MARK_NAMES))
    cdef const uint8_t[::1] is_kept = kept.view(np.uint8)
    cdef Py_ssize_t n = page.n, at, count = 0, k, block, other
    if not (probability.shape[0] == is_kept.shape[0] == kind.shape[0] == n):
        raise ValueError("arrays of different lengths")
    cdef const double *words = page.words
    cdef const int32_t *node = page.node
    cdef const int32_t *parent = page.parent
    cdef const int32_t *depth = page.depth
    # sums over the kept blocks before each block: words, log-odds, words of running text, of items,
    # of links; blocks; words of teasers, of legal notices
    cdef double[:, ::1] sums = np.zeros((n + 1, 8))
    cdef double[::1] later = np.zeros(n + 1)  # the largest likeness of this and later kept blocks
    cdef long long[::1] places = np.empty(n, np.int64), rank = np.empty(n, np.int64)
    cdef double[::1] odds = np.empty(n)
    cdef double some
    for at in range(n):
        some = min(1.0 - LEAST_ODDS, max(LEAST_ODDS, probability[at]))
        odds[at] = log(some / (1.0 - some))
        for k in range(8):
            sums[at + 1, k] = sums[at, k]
        rank[at] = count
        if is_kept[at]:
            places[count], count = at, count + 1
            some = words[at]
            sums[at + 1, 0] += some
            sums[at + 1, 1] += some * odds[at]
            sums[at + 1, 2] += some * page.is_long[at]
            sums[at + 1, 3] += some * page.in_item[at]
            sums[at + 1, 4] += page.link_words[at]
            sums[at + 1, 5] += 1.0
            sums[at + 1, 6] += some * (kind[at] == TEASER)
            sums[at + 1, 7] += some * (kind[at] == LEGAL)
    for at in range(n - 1, -1, -1):
        later[at] = max(later[at + 1], page.title_likeness[at] if is_kept[at] else 0.0)
    cdef double total = sums[n, 0]
    chosen, width = [], []
    for k in range(1, count):
        block, other = places[k], places[k - 1]
        some = sums[block, 0]
        if some < LEAST_BEFORE or total - some > MOST_AFTER * total:
            continue
        if (
            block - other > 1
            or page.in_heading[block]
            or parent[node[block]] != parent[node[other]]
            or page.path_keys[block] != page.path_keys[other]
        ):
            chosen.append(k)
            width.append(
                block - other
                + (5 if page.in_heading[block] else 0)
                + (10 if depth[node[block]] != depth[node[other]] else 0)
            )
    if len(chosen) > MOST_BORDERS:
        widest = np.argsort(-np.array(width), kind="stable")[:MOST_BORDERS]
        chosen = np.array(chosen)[np.sort(widest)].tolist()
    cdef Py_ssize_t borders = len(chosen), border
    cdef long long[::1] after = np.asarray(places)[np.array(chosen, np.int64)]
    cdef long long[::1] before = np.asarray(places)[np.array(chosen, np.int64) - 1]
    inputs = np.zeros((borders, len(INPUTS)))
    if not borders:
        return np.asarray(before), np.asarray(after), inputs, []
    cdef double[:, ::1] row = inputs
    cdef double[::1] same = np.zeros(borders), known = np.zeros(borders + 1)
    _paths(page, is_kept, after, same, known)
    cdef Py_ssize_t longest = places[0], main, shared, scan = places[0], near
    cdef double was, left, held
    for border in range(borders):
        block, other = after[border], before[border]
        while scan < block:
            if is_kept[scan] and words[scan] > words[longest]:
                longest = scan
            scan += 1
        was, left = sums[block, 0], total - sums[block, 0]
        main = node[longest]
        while parent[main] >= 0:
            held = sums[min(<Py_ssize_t>page.end_block[main], block), 0] - sums[min(<Py_ssize_t>page.first_block[main], block), 0]
            if held >= MAIN * was:
                break
            main = parent[main]
        shared = node[block]
        while parent[shared] >= 0 and not shared <= node[other] < page.end[shared]:
            shared = parent[shared]
        row[border, 0] = log(was)
        row[border, 1] = log1p(left)
        row[border, 2] = log1p(total)
        row[border, 3] = (sums[n, 1] - sums[block, 1]) / max(left, 1.0)
        row[border, 4] = row[border, 3] - sums[block, 1] / was
        k = rank[block]
        near = min(k, NEAR)
        some = 0.0
        for at in range(k - near, k):
            some += odds[places[at]]
        row[border, 5] = some / max(near, 1)
        row[border, 6] = sums[block, 2] / was
        row[border, 7] = (sums[n, 3] - sums[block, 3]) / max(left, 1.0)
        row[border, 8] = (sums[n, 4] - sums[block, 4]) / max(left, 1.0)
        row[border, 9] = log1p(left / (sums[n, 5] - sums[block, 5])) - log1p(was / sums[block, 5])
        row[border, 10] = log1p(block - other - 1)
        row[border, 11] = log1p(max(0, depth[node[other]] - depth[shared]))
        row[border, 12] = min(2.0, max(-2.0, (depth[shared] - depth[main]) / 5.0))
        row[border, 13] = block >= page.end_block[main]
        row[border, 14] = depth[main] / 10.0
        row[border, 15] = same[border] / was
        row[border, 16] = known[border] / max(left, 1.0)
        row[border, 17] = later[block]
        row[border, 18] = (sums[n, 6] - sums[block, 6]) / max(left, 1.0)
        row[border, 19] = (sums[n, 7] - sums[block, 7]) / max(left, 1.0)
        row[border, 20] = log1p(borders)
        for at in range(other + 1, block + 1):
            if page.phrase[at] >= 0 and OPENS[page.phrase[at]]:
                row[border, 21 if at == block else 22] = 1.0
    return np.asarray(before), np.asarray(after), inputs, _likely_heads(page, before, after)


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
    const long long[::1] after,
    double[::1] same,
    double[::1] known,
):
    """Count kept words before each border on the path of its block, and after it on known paths."""
    cdef double[::1] so_far = np.zeros(page.n)  # by path: its kept words
    cdef Py_ssize_t[::1] begun = np.full(page.n, -1, np.intp)  # the borders up to the block that made it known
    cdef Py_ssize_t at, path, border = 0
    for at in range(page.n):
        path = page.path_keys[at]
        if border < after.shape[0] and after[border] == at:
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
