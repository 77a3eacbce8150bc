# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Sums over a page's blocks for the decision: the best choice, torn lists and records, borders."""

from libc.math cimport log, log1p
from libc.stdint cimport int32_t, int64_t, uint8_t

import numpy as np

from crfclean.core.table cimport TREE, Page, Table

from crfclean.model.markup import MARK_NAMES
from crfclean.lexicon.language import PHRASE_GROUPS
from crfclean.types import Kind

cdef double WEIGHT = 0.1  # added to the words of each block in means, so that empty blocks count

# lists
cdef double LIST_FLOOR = 0.03  # least mean probability of a run
cdef double MAX_LINKED = 0.3  # share of a run's words in links; with more, a list leads elsewhere
cdef int LEAST_RUN = 2  # blocks: a single item is no list

# records
cdef int LEAST_RECORDS = 3
cdef double SHORT_RECORD = 30.0  # mean words: longer ones, such as posts, rightly lose their buttons
cdef double RECORD = 60.0  # mean words: longer elements are never added
cdef double LONGEST = 3.0  # times the mean: a longer element with the same tag is no record
cdef double MOST_KEPT = 0.8  # share of records that must be kept, to add the others
cdef double RECORD_FLOOR = 0.1  # mean probability of a record that is not kept
cdef double EVEN = 0.5


def best_expected_f(probabilities, block_words, double beta=1.0):
    """Choose the first k blocks, in order of probability, that maximise the expected F_beta.

    The measure is (1 + beta^2) S_k / (W_k + beta^2 S). S_k is the expected number of gold words in
    the first k blocks (the sum of p * words), W_k their number of words, S the expected number of
    gold words on the page. This ratio of expectations approximates the expected F_beta (Dembczynski
    et al., NIPS 2011; Nan et al., ICML 2012). F1 is 2 S_k / (W_k + S). A larger beta never gives a
    smaller k. Shapes (n,) and (n,) -> (n,), of any type of number: taggers of users may give single
    precision.
    """
    cdef const double[::1] probability = np.ascontiguousarray(probabilities, np.float64)
    cdef const double[::1] words = np.ascontiguousarray(block_words, np.float64)
    cdef Py_ssize_t n = probability.shape[0], at, block, best = -1
    if words.shape[0] != n:
        raise ValueError("probabilities and words of different lengths")
    keep = np.zeros(n, np.bool_)
    if n == 0:
        return keep
    cdef const long long[::1] order = np.argsort(-np.asarray(probability), kind="stable")
    cdef unsigned char[::1] kept = keep.view(np.uint8)
    cdef double right = 0.0, taken = 0.0, everything = 0.0, value, highest = -1.0
    with nogil:
        for at in range(n):
            everything += probability[order[at]] * words[order[at]]
    if not everything > 0.0:
        return keep
    with nogil:
        for at in range(n):
            block = order[at]
            right += probability[block] * words[block]
            taken += words[block]
            value = right / (taken + beta * beta * everything)
            if value > highest:
                highest, best = value, at
        for at in range(best + 1):
            kept[order[at]] = 1
    return keep


def torn_lists(
    Table table not None,
    kept,
    const double[::1] probability not None,
    const int32_t[::1] apart not None,
    is_list,
):
    """Return the blocks that complete lists between kept blocks, in page order.

    A list is a run of at least two items with few words in links, a mean probability that does not
    exclude it, and `is_list(start, end)`, which is called last because it is slow. A block with a
    kind in `apart` is no item.
    Added words never exceed kept words: a story of fifty words stood above a sidebar of lists and a
    footer that the model was unsure of. If a gap of left-out words is larger than the kept text
    above it, lists after the gap add at most as many words as are kept after it: a teaser of a list
    was kept far below a short report. Arrays have shape (n,).
    """
    cdef const Page *page = table.at_least(TREE)
    cdef const double *words = page.words
    cdef const uint8_t[::1] is_kept = kept.view(np.uint8)
    cdef uint8_t[::1] is_item = np.zeros(page.n, np.uint8)
    cdef Py_ssize_t n = page.n, at, start, first = -1, last = -1
    cdef bint is_torn = False
    cdef double left = 0.0, added, linking, total, mean, kept_words, above, gap
    cdef double passed = 0.0, skipped = 0.0  # kept words so far; words left out since the last
    if not (probability.shape[0] == is_kept.shape[0] == apart.shape[0] == n):
        raise ValueError("arrays of different lengths")
    added_blocks = []
    for at in range(n):
        is_item[at] = page.in_item[at] and apart[at] == 0
        is_torn = is_torn or (is_item[at] and not is_kept[at])
        if is_kept[at]:
            first, last = (at if first < 0 else first), at
            left += words[at]
    kept_words, passed = left, words[first] if first >= 0 else 0.0
    at = first + 1
    while is_torn and first >= 0 and at < last:
        if not is_item[at]:
            passed += words[at] if is_kept[at] else 0.0
            skipped = 0.0 if is_kept[at] else skipped + words[at]
            at += 1
            continue
        start, above, gap = at, passed, skipped
        added = linking = total = mean = 0.0
        while at < last and is_item[at]:
            added += 0.0 if is_kept[at] else words[at]
            passed += words[at] if is_kept[at] else 0.0
            skipped = 0.0 if is_kept[at] else skipped + words[at]
            linking += page.link_words[at]
            total += words[at]
            mean += (words[at] + WEIGHT) * probability[at]
            at += 1
        if at - start < LEAST_RUN or not 0.0 < added <= left or linking > MAX_LINKED * total:
            continue
        if gap > above and added > kept_words - above:
            continue
        if mean < LIST_FLOOR * (total + WEIGHT * (at - start)) or not is_list(start, at):
            continue
        left -= added
        added_blocks += [block for block in range(start, at) if not is_kept[block] and words[block] > 0]
    return added_blocks


def torn_records(Table table not None, kept, const double[::1] probability not None):
    """Find records to keep whole; return a list of (start, end, mean probability).

    Records are short elements with the same tag and parent, such as rows of a table or search
    results. If at least half of the words are kept in most records of a group, each record of it is
    kept whole, unless it is long or improbable. `kept` and `probability` have shape (n,).
    """
    cdef const Page *page = table.at_least(TREE)
    cdef const double *words = page.words
    cdef const int32_t *first = page.first_block
    cdef const int32_t *end = page.end_block
    cdef const uint8_t[::1] is_kept = kept.view(np.uint8)
    cdef Py_ssize_t n = page.n, at, block, group
    if not (probability.shape[0] == is_kept.shape[0] == n):
        raise ValueError("arrays of different lengths")
    cdef double[::1] before = np.empty(n + 1), kept_before = np.empty(n + 1)
    before[0] = kept_before[0] = 0.0
    for at in range(n):
        before[at + 1] = before[at] + words[at] + WEIGHT
        kept_before[at + 1] = kept_before[at] + (words[at] + WEIGHT if is_kept[at] else 0.0)
    cdef bint is_torn = False
    cdef double size, share, mean
    cdef int32_t[::1] group_of = np.full(page.m, -1, np.int32)  # of each record
    cdef double[:, ::1] sums = np.zeros((page.m, 3))  # of each group: words, records, mostly kept ones
    cdef dict groups = {}  # parent and tag -> number of the group
    for at in range(page.m):
        if end[at] - first[at] < 2 or page.parent[at] < 0:
            continue
        size = before[end[at]] - before[first[at]]
        if size > LONGEST * RECORD:
            continue
        share = (kept_before[end[at]] - kept_before[first[at]]) / size
        is_torn = is_torn or 1e-9 < share < 1.0 - 1e-9
        group = groups.setdefault(<int64_t>page.parent[at] * page.m + page.tag[at], len(groups))
        group_of[at] = group
        sums[group, 0] += size
        sums[group, 1] += 1.0
        sums[group, 2] += share >= EVEN
    spans = []
    for at in range(page.m if is_torn else 0):
        group = group_of[at]
        if group < 0 or sums[group, 1] < LEAST_RECORDS or sums[group, 2] < MOST_KEPT * sums[group, 1]:
            continue
        size, mean = before[end[at]] - before[first[at]], sums[group, 0] / sums[group, 1]
        share = (kept_before[end[at]] - kept_before[first[at]]) / size
        if mean > RECORD or size > LONGEST * mean or share >= 1.0 - 1e-9:
            continue
        if share >= EVEN and mean > SHORT_RECORD:
            continue
        mean = 0.0
        for block in range(first[at], end[at]):
            mean += (words[block] + WEIGHT) * probability[block]
        if mean >= RECORD_FLOOR * size:
            spans.append((first[at], end[at], mean / size))
    return spans


# borders at which the text of a page may end, and figures of both sides of each

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
)


def borders_of(Table table not None, const double[::1] probability not None, kept, const int32_t[::1] kind not None):
    """Return the kept blocks before and after each border, (k,) each, and `INPUTS`, (k, inputs).

    These describe the n blocks of a page: `probability` to be text, whether a block is `kept`, its `kind`.
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
        return np.asarray(before), np.asarray(after), inputs
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
    return np.asarray(before), np.asarray(after), inputs


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
