# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Sums over a page's blocks, for the decision: what a rule keeps, and what it tore apart."""

import numpy as np

cdef double WEIGHT = 0.1  # of a block without words, in a mean by words

# lists
cdef double LIST_FLOOR = 0.03  # mean probability of a run: below, the model is sure of something else
cdef double MAX_LINKED = 0.3  # of a run's words: a list with more links leads elsewhere
cdef int LEAST_RUN = 2  # blocks: one item alone is no list

# records
cdef int LEAST_RECORDS = 3
cdef double SHORT_RECORD = 30.0  # mean words: longer ones, as posts, lose buttons for good reason
cdef double RECORD = 60.0  # mean words: of longer elements none is added
cdef double LONGEST = 3.0  # times the mean: a longer element of the same tag is no record
cdef double MOST_KEPT = 0.8  # of the records: what most of them keep belongs to the others
cdef double RECORD_FLOOR = 0.1  # mean probability of a record that is not kept
cdef double EVEN = 0.5


def best_expected_f(probabilities, block_words, double beta=1.0):
    """The blocks that maximise (1 + beta^2) S_k / (W_k + beta^2 S), in order of probability.

    S_k is the expected number of gold words in the first k blocks (the sum of p * words), W_k their
    number of words, S the expected number of gold words on the page: a ratio of expectations that
    approximates expected F_beta (Dembczynski et al., NIPS 2011; Nan et al., ICML 2012); F1 is
    2 S_k / (W_k + S). With a larger beta k is as large or larger. Shapes (n,) and (n,) -> (n,), of
    any type of number: taggers of users may give single precision.
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


cdef class Totals:
    """Sums of words over the n blocks of a page, for its score; see `verdict.score_inputs`.

    `right`: expected words of the kept blocks that are text; `text`: of all blocks; `both`: of
    blocks that are kept and that the model alone would keep; `items_left`: of items between the
    first and the last kept block that are left out.
    """

    cdef readonly double words, kept, alone, both, right, text, doubtful, running, items, items_left

    def __init__(
        self,
        const double[::1] words not None,
        const double[::1] model not None,
        kept,
        alone,
        running,
        items,
    ):
        cdef const unsigned char[::1] is_kept = kept.view(np.uint8)
        cdef const unsigned char[::1] is_alone = alone.view(np.uint8)
        cdef const unsigned char[::1] is_running = running.view(np.uint8)
        cdef const unsigned char[::1] is_item = items.view(np.uint8)
        cdef Py_ssize_t n = words.shape[0], at
        cdef double some, since = 0.0
        if not (model.shape[0] == is_kept.shape[0] == is_alone.shape[0] == n):
            raise ValueError("arrays of different lengths")
        if not (is_running.shape[0] == is_item.shape[0] == n):
            raise ValueError("arrays of different lengths")
        with nogil:
            for at in range(n):
                some = words[at]
                self.words += some
                self.text += some * model[at]
                if is_alone[at]:
                    self.alone += some
                if model[at] > 0.1 and model[at] < 0.9:
                    self.doubtful += some
                if is_kept[at]:
                    self.kept += some
                    self.right += some * model[at]
                    self.items_left, since = self.items_left + since, 0.0
                    if is_alone[at]:
                        self.both += some
                    if is_running[at]:
                        self.running += some
                    if is_item[at]:
                        self.items += some
                elif is_item[at] and self.kept > 0.0:
                    since += some


def torn_lists(
    const double[::1] words not None,
    kept,
    items,
    const double[::1] linked not None,
    const double[::1] probability not None,
    is_list,
):
    """The blocks that belong to lists between kept blocks, in page order.

    A list is a run of at least two items, of words (n,) of which few stand in links (n,), with a
    probability (n,) that does not exclude it, and `is_list(start, end)`, which is asked last, as it
    takes a while. A page does not get more words by them than it has without: a story of fifty
    words stood above a sidebar of lists and a footer that the model was not sure of. Neither does
    what follows a gap of more left-out words than are kept above it: one teaser of a list was kept
    far below a short report.
    """
    cdef const unsigned char[::1] is_kept = kept.view(np.uint8), is_item = items.view(np.uint8)
    cdef Py_ssize_t n = words.shape[0], at, start, first = -1, last = -1
    cdef double left = 0.0, added, linking, total, mean, kept_words, above, gap
    cdef double passed = 0.0, skipped = 0.0  # kept words so far, words left out since the last one
    if not (linked.shape[0] == probability.shape[0] == is_kept.shape[0] == is_item.shape[0] == n):
        raise ValueError("arrays of different lengths")
    added_blocks = []
    for at in range(n):
        if is_kept[at]:
            first, last = (at if first < 0 else first), at
            left += words[at]
    kept_words, passed = left, words[first] if first >= 0 else 0.0
    at = first + 1
    while first >= 0 and at < last:
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
            linking += linked[at]
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


def torn_records(
    const double[::1] words not None,
    kept,
    const double[::1] probability not None,
    const int[::1] first not None,
    const int[::1] end not None,
    const int[::1] parent not None,
    const int[::1] tag not None,
):
    """The records of which a part is kept, or most of whose neighbours are: (start, end, mean).

    Records are short elements (m,) alike under one parent, such as rows of a table or results of a
    search. One of which the larger part is kept is kept whole, where that holds for most of them;
    so is then one that is left out, unless it is quite improbable: `mean` is by the probability
    (n,). The words have shape (n,); first and end block, parent and tag of each element (m,).
    """
    cdef const unsigned char[::1] is_kept = kept.view(np.uint8)
    cdef Py_ssize_t n = words.shape[0], m = first.shape[0], at, block, group
    if not (probability.shape[0] == is_kept.shape[0] == n):
        raise ValueError("arrays of different lengths")
    if not (end.shape[0] == parent.shape[0] == tag.shape[0] == m):
        raise ValueError("arrays of different lengths")
    cdef double[::1] before = np.empty(n + 1), kept_before = np.empty(n + 1)
    before[0] = kept_before[0] = 0.0
    for at in range(n):
        before[at + 1] = before[at] + words[at] + WEIGHT
        kept_before[at + 1] = kept_before[at] + (words[at] + WEIGHT if is_kept[at] else 0.0)
    cdef bint is_torn = False
    cdef double size, share, mean
    groups = {}  # parent and tag -> number of the group
    records, sizes, counts, mostly = [], [], [], []
    for at in range(m):
        if end[at] - first[at] < 2 or parent[at] < 0 or first[at] < 0 or end[at] > n:
            continue
        size = before[end[at]] - before[first[at]]
        if size > LONGEST * RECORD:
            continue
        share = (kept_before[end[at]] - kept_before[first[at]]) / size
        is_torn = is_torn or 1e-9 < share < 1.0 - 1e-9
        group = groups.setdefault((parent[at], tag[at]), len(sizes))
        if group == <Py_ssize_t>len(sizes):
            sizes.append(0.0)
            counts.append(0)
            mostly.append(0)
        sizes[group] += size
        counts[group] += 1
        mostly[group] += share >= EVEN
        records.append((at, group, size, share))
    if not is_torn:
        return []
    spans = []
    for at, group, size, share in records:
        mean = sizes[group] / counts[group]
        if counts[group] < LEAST_RECORDS or mostly[group] < MOST_KEPT * counts[group]:
            continue
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
