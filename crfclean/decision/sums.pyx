# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Sums over a page's blocks for the decision: the best choice, torn lists and records, borders."""

from libc.math cimport INFINITY, log, log1p
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t

import numpy as np

from crfclean.core.table cimport TREE, Page, Table, pairwise_sum

from crfclean.model.markup import MARK_NAMES
from crfclean.lexicon.language import PHRASE_GROUPS
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
