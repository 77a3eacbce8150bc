# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Sums over a page's blocks for the decision: the best choice, and torn lists and records."""

from libc.stdint cimport int32_t, int64_t, uint8_t

import numpy as np

from crfclean.core.table cimport TREE, Page, Table

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
