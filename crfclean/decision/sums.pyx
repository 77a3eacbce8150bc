# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Sums over a page's blocks for the decision: the best choice, torn lists and records."""

from libc.math cimport log
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t

import numpy as np

from crfclean.core.table cimport TREE, Page, Table, pairwise_sum

from crfclean.types import Kind, Label

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

# gaps between blocks that are surely text
cdef double SURE = 0.6  # their least probability
cdef double UNLIKELY = 0.1  # less probable blocks are not added
cdef Py_ssize_t MAX_GAP = 8  # blocks


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


def expected_scores(probabilities, block_words, keep):
    """Return the expected precision, recall and F1 on words of the kept blocks (n,), each in 0..1.

    They are S_kept / W_kept, S_kept / S and 2 S_kept / (W_kept + S), 0 for a divisor of 0: S is the sum of
    probability * words, W that of words (see `best_expected_f`). Arrays have shape (n,) and any type of number.
    """
    cdef const double[::1] probability = np.ascontiguousarray(probabilities, np.float64)
    cdef const double[::1] words = np.ascontiguousarray(block_words, np.float64)
    cdef const uint8_t[::1] kept = np.ascontiguousarray(keep, np.bool_).view(np.uint8)
    cdef Py_ssize_t n = words.shape[0], at
    if not (probability.shape[0] == kept.shape[0] == n):
        raise ValueError("arrays of different lengths")
    cdef double[:, ::1] parts = np.empty((3, n))
    for at in range(n):
        parts[0, at] = probability[at] * words[at]
        parts[1, at] = parts[0, at] * kept[at]
        parts[2, at] = words[at] * kept[at]
    cdef double right = pairwise_sum(&parts[0, 0], n), taken = pairwise_sum(&parts[2, 0], n)
    cdef double right_taken = pairwise_sum(&parts[1, 0], n)
    return (
        right_taken / taken if taken > 0 else 0.0,
        right_taken / right if right > 0 else 0.0,
        2.0 * right_taken / (taken + right) if taken + right > 0 else 0.0,
    )


cdef int HEADER = Label.HEADER, TEXT = Label.TEXT, OTHER = Label.OTHER


def labelled(all_marginals, const double[::1] before not None, const double[::1] after not None, kept not None):
    """Return the labels of blocks (n,), and their marginals (n, 3) adapted to new probabilities to be text.

    HEADER and TEXT keep their ratio. `before` and `after` (n,) are the probabilities of the model and those after
    all rules; marginals stay as they are if they are the same array.
    """
    cdef const double[:, ::1] marginals = np.ascontiguousarray(all_marginals, np.float64)
    cdef const uint8_t[::1] is_kept = kept.view(np.uint8)
    cdef Py_ssize_t n = before.shape[0], at
    cdef bint is_header, is_same = n == 0 or &before[0] == &after[0]
    cdef double share
    if not (marginals.shape[0] == after.shape[0] == is_kept.shape[0] == n) or marginals.shape[1] != 3:
        raise ValueError("arrays of different lengths")
    labels, rows = np.empty(n, np.int32), np.empty((n, 3))
    cdef int32_t[::1] label = labels
    cdef double[:, ::1] row = rows
    for at in range(n):
        share = after[at] / max(before[at], 1e-12)
        row[at, HEADER] = marginals[at, HEADER] * share
        row[at, TEXT] = marginals[at, TEXT] * share + (0.0 if before[at] > 0 else after[at])
        row[at, OTHER] = 1.0 - after[at]
        is_header = marginals[at, HEADER] > marginals[at, TEXT] if is_same else row[at, HEADER] > row[at, TEXT]
        label[at] = OTHER if not is_kept[at] else HEADER if is_header else TEXT
    return labels, all_marginals if is_same else rows


SCORE_INPUTS = ("expected", "share", "comments_left", "gaps", "few", "links")
"""The inputs from which the score is predicted; `score_inputs` computes them."""

cdef double LEAST = 0.01  # added to both parts of the odds of a share
cdef double LEAST_DOUBT = 0.001  # of an expected F1: no page is surer
cdef double FEW = 10.0, SHORT_TEXT = 150.0  # words: shorter texts have lower scores


cpdef double smoothed_odds(double share, double least=LEAST):
    """Compute the log-odds of a share (0..1), with `least` added to both parts: finite at 0 and 1."""
    return log((share + least) / (1.0 - share + least))


def score_inputs(Table table not None, comments not None, after not None, kept not None):
    """Compute `SCORE_INPUTS` from masks of comments and of kept blocks, and the probabilities after all rules; (n,).

    They are, in order: the log-odds of the expected F1; the log-odds of the share of words that are kept; the
    words of comments left out, divided by the kept words; the logarithm of the number of gaps between kept
    blocks; how far the logarithm of the kept words is below that of a short text; whether most of the kept
    words are in links.
    """
    cdef const Page *page = table.at_least(TREE)
    cdef const uint8_t[::1] is_kept = kept.view(np.uint8), is_comment = comments.view(np.uint8)
    cdef Py_ssize_t at, last = page.n, gaps = 0
    cdef double taken = 0.0, left_comments = 0.0, linking = 0.0, total = pairwise_sum(page.words, page.n)
    if not (is_comment.shape[0] == is_kept.shape[0] == page.n):
        raise ValueError("arrays of different lengths")
    for at in range(page.n):
        if is_kept[at]:
            taken += page.words[at]
            linking += page.link_words[at]
            gaps += at > last + 1
            last = at
        elif is_comment[at]:
            left_comments += page.words[at]
    taken = max(taken, 1.0)
    return [
        smoothed_odds(expected_scores(after, table.words, kept)[2], LEAST_DOUBT),
        smoothed_odds(taken / max(total, 1.0)),
        min(1.0, left_comments / taken),
        log(1.0 + gaps),
        min(0.0, log((taken + FEW) / SHORT_TEXT)),
        float(linking > EVEN * taken),
    ]


cdef double COPIED = 0.8  # share of a hidden element's words that are shown elsewhere


def copied_blocks(
    Table table not None,
    const int64_t[::1] box not None,
    const int64_t[::1] text not None,
    const double[::1] probability not None,
):
    """Mark the blocks of hidden elements whose texts the page also shows, unless less of the element is shown.

    `box` has the hidden element around each block, -1 for none, `text` a number of its text. Arrays have shape (n,).
    """
    cdef const Page *page = table.at_least(TREE)
    cdef Py_ssize_t n = page.n, at
    if not (box.shape[0] == text.shape[0] == probability.shape[0] == n):
        raise ValueError("arrays of different lengths")
    copies = np.zeros(n, np.bool_)
    cdef uint8_t[::1] is_copy = copies.view(np.uint8)
    cdef double[::1] shown = np.zeros(n)  # by text: its highest probability
    cdef double[::1] hidden = np.zeros(page.m), copied = np.zeros(page.m)  # words of each box
    for at in range(n):
        if not (-1 <= box[at] < page.m and 0 <= text[at] < n):
            raise ValueError("boxes or texts of another page")
        if box[at] < 0:
            shown[text[at]] = max(shown[text[at]], probability[at])
    for at in range(n):
        if box[at] >= 0:
            is_copy[at] = shown[text[at]] >= EVEN * probability[at]
            hidden[box[at]] += page.words[at]
            copied[box[at]] += page.words[at] * is_copy[at]
    for at in range(n):
        is_copy[at] = is_copy[at] and copied[box[at]] >= COPIED * hidden[box[at]]
    return copies


cdef int64_t BESIDE = sum(  # bits of the kinds of blocks that are never added because of the blocks around them
    1 << kind for kind in (Kind.COMMENT, Kind.TEASER, Kind.PROMO, Kind.NOTICE, Kind.NAVIGATION, Kind.LEGAL)
)


def add_spans(spans, int rule, const int32_t[::1] zones not None, kept, double[::1] probability not None, rules):
    """Keep the blocks of spans (start, end, probability), and note the probability and rule of those that were not.

    `zones` are the kinds of zones, in which some blocks stay. Arrays have shape (n,); the last three are changed.
    """
    cdef uint8_t[::1] is_kept = kept.view(np.uint8)
    cdef int8_t[::1] noted = rules
    cdef Py_ssize_t n = zones.shape[0], start, end, at
    if not (probability.shape[0] == is_kept.shape[0] == noted.shape[0] == n):
        raise ValueError("arrays of different lengths")
    for start, end, value in spans:
        for at in range(max(start, 0), min(end, n)):
            if not is_kept[at] and not BESIDE >> zones[at] & 1:
                is_kept[at], probability[at], noted[at] = True, value, rule


def gaps_between(Table table not None, kept, const double[::1] probability not None, bint has_code):
    """Return the left-out blocks in short gaps between kept blocks that are surely text, in page order.

    None if no block there is an item or a cell, and the page has no code. Arrays have shape (n,).
    """
    cdef const Page *page = table.at_least(TREE)
    cdef const uint8_t[::1] is_kept = kept.view(np.uint8)
    cdef Py_ssize_t at, block, before = page.n
    if not (probability.shape[0] == is_kept.shape[0] == page.n):
        raise ValueError("arrays of different lengths")
    inside = []
    for at in range(page.n):
        if not (is_kept[at] and probability[at] >= SURE):
            continue
        for block in range(before + 1, at if at - before <= MAX_GAP + 1 else 0):
            if not is_kept[block] and probability[block] >= UNLIKELY:
                inside.append(block)
                has_code = has_code or page.in_item[block]
        before = at
    return inside if has_code else []


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
