# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""From the columns of a page to probabilities: networks, columns of the first pass, the chain.

All is computed without the GIL, and gives the same bytes on every processor: sums have a fixed
order, and `exp` and `log`, which differ between C libraries, are made of sums and products.
"""

from functools import partial

import numpy as np

from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

cdef extern from *:
    """
    #include <stdint.h>

    typedef struct { float value; int32_t row; } Term;

    /* Add value * weights[row] of four terms to sums (width,), a multiple of 16. There are four at a time, because a
     * sum that is stored must be loaded again. Only units are computed side by side: every sum has one order. */
    #define ADD_ROWS(name) \\
        name(float *__restrict sums, Py_ssize_t width, const float *__restrict weights, const Term *term) { \\
            const float *a = weights + term[0].row * width, *b = weights + term[1].row * width; \\
            const float *c = weights + term[2].row * width, *d = weights + term[3].row * width; \\
            const float u = term[0].value, v = term[1].value, x = term[2].value, y = term[3].value; \\
            for (Py_ssize_t k = 0; k < (width & ~(Py_ssize_t)15); k++) \\
                sums[k] = sums[k] + u * a[k] + v * b[k] + x * c[k] + y * d[k]; \\
        }
    static void ADD_ROWS(add_rows_plain)
    #if defined(__GNUC__) && defined(__x86_64__)
    __attribute__((target("avx2"))) static void ADD_ROWS(add_rows_avx2)
    static int has_avx2(void) { __builtin_cpu_init(); return __builtin_cpu_supports("avx2") != 0; }
    #else
    #define add_rows_avx2 add_rows_plain
    static int has_avx2(void) { return 0; }
    #endif
    """
    ctypedef struct Term:
        float value
        int row
    void add_rows_plain(float *, Py_ssize_t, const float *, const Term *) noexcept nogil
    void add_rows_avx2(float *, Py_ssize_t, const float *, const Term *) noexcept nogil
    bint has_avx2()

ctypedef void (*AddRows)(float *, Py_ssize_t, const float *, const Term *) noexcept nogil

HAS_AVX2 = bool(has_avx2())
"""Whether the processor adds eight numbers at once."""

# exp and log

cdef double LOG_2_HIGH = 6.93147180369123816490e-01  # of few bits: its multiples are exact
cdef double LOG_2_LOW = 1.90821492927058770002e-10
cdef enum: EXP_TERMS = 13, LOG_TERMS = 11, SINGLE_LOG_TERMS = 6  # the next term is below the last bit
cdef double[14] INVERSE  # 1 / n
cdef double[11] ODD  # 2 / (2 n + 1)
for _number in range(1, 14):
    INVERSE[_number] = 1.0 / _number
for _number in range(11):
    ODD[_number] = 2.0 / (2 * _number + 1)


cdef inline double exponential(double x) noexcept nogil:
    """Compute e ** x by its series; x below -700 gives 0, and above 700 counts as 700."""
    cdef double powers, rest, sum = 1.0
    cdef long long bits, exponent
    if not x >= -700.0:
        return 0.0 if x < 0.0 else x
    x = 700.0 if x > 700.0 else x
    exponent = <long long>(x * 1.4426950408889634 + (0.5 if x > 0.0 else -0.5))
    rest = x - exponent * LOG_2_HIGH - exponent * LOG_2_LOW
    for number in range(EXP_TERMS, 0, -1):
        sum = 1.0 + rest * INVERSE[number] * sum
    bits = (exponent + 1023) << 52
    memcpy(&powers, &bits, sizeof(double))
    return sum * powers


cdef inline double logarithm(double x, int terms=LOG_TERMS) noexcept nogil:
    """Compute the logarithm of a normal number above 0 by the series of the inverse of tanh."""
    cdef double mantissa, ratio, square, sum = 0.0
    cdef long long bits, exponent
    memcpy(&bits, &x, sizeof(double))
    exponent = (bits - <long long>0x3FE6A09E667F3BCD) >> 52  # mantissa from sqrt(1/2) to sqrt(2)
    bits -= exponent * (<long long>1 << 52)
    memcpy(&mantissa, &bits, sizeof(double))
    ratio = (mantissa - 1.0) / (mantissa + 1.0)
    square = ratio * ratio
    for number in range(terms - 1, -1, -1):
        sum = sum * square + ODD[number]
    return exponent * LOG_2_HIGH + (ratio * sum + exponent * LOG_2_LOW)


cdef inline float log_of_count(float count) noexcept nogil:
    """Compute log(1 + x) of a number from 0 on in single precision, 0 below 0; loops of it are vectors."""
    cdef float x = <float>1.0 + count, mantissa, ratio, square, sum
    cdef int bits, exponent
    x = <float>1.0 if x < <float>1.0 else x
    memcpy(&bits, &x, sizeof(float))
    exponent = (bits - 0x3F3504F3) >> 23
    bits -= <int>(<unsigned int>exponent << 23)
    memcpy(&mantissa, &bits, sizeof(float))
    ratio = (mantissa - <float>1.0) / (mantissa + <float>1.0)
    square = ratio * ratio
    sum = <float>2.0 + square * (<float>0.6666666667 + square * (<float>0.4 + square * (<float>0.2857142857 + square * <float>0.2222222222)))
    return exponent * <float>0.693145752 + (ratio * sum + exponent * <float>1.42860677e-6)


def elementary(double x):
    """Return the exponential of a number and the logarithm of its absolute value, as used here."""
    return exponential(x), logarithm(x if x > 0.0 else -x)


# networks

cdef enum Activation: LINEAR, RELU, RAMP, SIGMOID, TANH, GAUSSIAN
ACTIVATIONS = {
    "linear": LINEAR, "relu": RELU, "ramp": RAMP,
    "sigmoid": SIGMOID, "tanh": TANH, "gaussian": GAUSSIAN,
}

cdef enum: TILE = 64  # blocks at a time: their part of a column fills a few lines of the cache

cdef struct Layer:
    Py_ssize_t units, width  # the width is the units, rounded up to a multiple of 16
    int activation, is_first, is_last  # of its member
    float steepness
    const float *bias  # (width,)
    const float *weights  # (units of the layer before, width); those of first layers are in `first`

_TERM = np.dtype([("value", np.float32), ("row", np.int32)])


cdef inline double activated(int activation, double x) noexcept nogil:
    """Compute the value of a unit from its steepened sum, as `ACTIVATIONS` of `model/networks.py`."""
    if activation == RELU:
        return 0.0 if x < 0.0 else x
    if activation == RAMP:
        return -1.0 if x < -1.0 else 1.0 if x > 1.0 else x
    if activation == GAUSSIAN:
        return 2.0 * exponential(-x * x) - 1.0
    if activation == SIGMOID:
        return 1.0 / (1.0 + exponential(-2.0 * x))
    return 2.0 / (1.0 + exponential(-2.0 * x)) - 1.0 if activation == TANH else x


cdef inline int put(Term *term, double value, Py_ssize_t row) noexcept nogil:
    """Write a term; return 1, or 0 for a value of 0, over which the next term is written."""
    term.value, term.row = <float>value, <int>row
    return value != 0.0


cdef inline bint is_same(const float *values, Py_ssize_t count, float value) noexcept nogil:
    """Return whether all values are equal to one; there is no branch for each."""
    cdef Py_ssize_t at = 0, end
    cdef int others = 0
    while at < count and not others:
        end = min(at + TILE, count)
        while at < end:
            others |= values[at] != value
            at += 1
    return not others


cdef inline void add_terms(
    AddRows add, float *sums, Py_ssize_t width, const float *weights, Term *terms, int count
) noexcept nogil:
    """Add value * weights[row] of each term to sums (width,); terms that add 0 fill up a four."""
    cdef Py_ssize_t at = 0
    while count % 4:
        put(terms + count, 0.0, 0)
        count += 1
    while at < count:
        add(sums, width, weights, terms + at)
        at += 4


cdef inline void to_shares(double *values, Py_ssize_t count) noexcept nogil:
    """Replace logarithms by shares that sum to 1: the softmax."""
    cdef double largest = values[0], total = 0.0
    cdef Py_ssize_t at
    for at in range(1, count):
        largest = values[at] if values[at] > largest else largest
    for at in range(count):
        values[at] = exponential(values[at] - largest)
        total += values[at]
    for at in range(count):
        values[at] /= total


def _padded(array):
    """Widen single-precision weights (..., units) by zeros to a multiple of 16 units."""
    *others, units = np.shape(array)
    padded = np.zeros((*others, -(-units // 16) * 16), np.float32)
    padded[..., :units] = array
    return padded


cdef class Dense:
    """An ensemble of dense networks over the same columns: its weights, and how they are applied.

    `is_count`, `mean` and `deviation` (inputs,) and `clip` scale the columns. A member is a list of
    layers: weights (inputs, units), bias (units,), activation, steepness. A value of 0, and a column
    that is the same on the whole page, cost no products: what they add to the sums is added once.
    """

    cdef readonly Py_ssize_t inputs, outputs
    cdef object arguments, arrays
    cdef double share
    cdef const float[::1] least, most  # values, or logarithms of counts, are clipped to these
    cdef const unsigned char[::1] is_count
    cdef const int[::1] places  # of all columns, in their order
    cdef const double[::1] mean
    cdef float[::1] zeros  # the inputs of a block whose values are all 0
    cdef float[::1] start  # (width,): the sums of such a block, in the first layers of all members
    cdef const float[:, ::1] first  # (inputs, width): weights of the first layers side by side
    cdef Layer *layers
    cdef Py_ssize_t count, width, widest
    cdef AddRows add

    def __cinit__(self, *, is_count, mean, deviation, double clip, members, bint avx2=HAS_AVX2):
        self.arguments = {
            "is_count": is_count, "mean": mean, "deviation": deviation, "clip": clip, "members": members,
        }
        self.arrays = []
        self.add = add_rows_avx2 if avx2 and HAS_AVX2 else add_rows_plain
        self.inputs, self.share = len(mean), 1.0 / len(members)
        self.mean, reach = np.array(mean, np.float64), clip * deviation
        self.least, self.most = (mean - reach).astype(np.float32), (mean + reach).astype(np.float32)
        self.is_count, self.places = np.array(is_count, np.uint8), np.arange(self.inputs, dtype=np.intc)
        scaled = [layers[0][0] / deviation[:, None] for layers in members]
        self.first = np.hstack([_padded(weights) for weights in scaled])
        self.start = np.hstack([_padded(layers[0][1]) for layers in members])
        zeros = np.clip(np.zeros(self.inputs), self.least, self.most).astype(np.float32)
        terms = np.multiply((zeros - self.mean)[:, None], self.first, dtype=np.float32)
        self.zeros, self.start = zeros, np.cumsum(np.vstack([self.start, terms]), 0, np.float32)[len(terms)]
        self.width = self.widest = self.start.shape[0]
        self.layers = <Layer *>calloc(sum(map(len, members)), sizeof(Layer))
        if self.layers == NULL:
            raise MemoryError
        for layers in members:
            for at, layer in enumerate(layers):
                self._set_layer(layer, at == 0, at == len(layers) - 1)

    def __dealloc__(self):
        free(self.layers)

    def __reduce__(self):
        return partial(Dense, **self.arguments), ()

    cdef int _set_layer(self, layer, int is_first, int is_last) except -1:
        cdef Layer *made = &self.layers[self.count]
        cdef float[::1] bias = _padded(layer[1]), weights = bias if is_first else _padded(layer[0]).ravel()
        self.arrays += [bias, weights]
        made.units, made.width = len(layer[1]), bias.shape[0]
        made.activation, made.steepness = ACTIVATIONS[layer[2]], layer[3]
        made.is_first, made.is_last = is_first, is_last
        made.bias, made.weights = &bias[0], &weights[0]
        self.widest, self.outputs = max(self.widest, made.width), made.units
        self.count += 1
        return 0

    cdef Py_ssize_t sum_constant(
        self, const float *rows, const int *places, Py_ssize_t n, Term *terms, float *sums, int *varied
    ) noexcept nogil:
        """Sum the columns that are the same in all blocks; write the others, and return their number."""
        cdef Py_ssize_t others = 0, column
        cdef int count = 0
        cdef float value
        cdef const float *row
        for column in range(self.inputs):
            row = rows + places[column] * n
            if not is_same(row, n, row[0]):
                varied[others] = <int>column
                others += 1
            elif row[0] != 0.0:
                self.bound_values(<int>column, row, 1, &value)
                count += put(terms + count, value, column)
        memcpy(sums, &self.start[0], self.width * sizeof(float))
        add_terms(self.add, sums, self.width, &self.first[0, 0], terms, count)
        return others

    cdef int run(self, const float[:, ::1] rows, const int[::1] places, double[:, ::1] out) except -1:
        """Compute outputs (n, outputs) from rows (k, n), of which `places` (inputs,) are read."""
        cdef Term[:, ::1] terms = np.empty((TILE + 1, max(self.inputs, self.widest) + 4), _TERM)
        cdef float[:, ::1] sums = np.empty((3, self.widest), np.float32)
        cdef int[::1] varied = np.empty(self.inputs, np.intc), counts = np.empty(TILE, np.intc)
        cdef Py_ssize_t n = rows.shape[1], start = 0, others, blocks, block
        with nogil:
            others = self.sum_constant(&rows[0, 0], &places[0], n, &terms[0, 0], &sums[0, 0], &varied[0])
            while start < n:
                blocks = min(n - start, TILE)
                self.collect(&rows[0, start], &places[0], n, blocks, varied[:others], terms, &counts[0])
                for block in range(blocks):
                    memcpy(&sums[1, 0], &sums[0, 0], self.width * sizeof(float))
                    add_terms(self.add, &sums[1, 0], self.width, &self.first[0, 0], &terms[block, 0], counts[block])
                    self.finish(&sums[1, 0], &sums[2, 0], &terms[TILE, 0], &out[start + block, 0])
                start += blocks
        return 0

    cdef void collect(
        self, const float *rows, const int *places, Py_ssize_t n, Py_ssize_t blocks,
        const int[::1] varied, Term[:, ::1] terms, int *counts
    ) noexcept nogil:
        """Collect the terms of a tile's blocks that differ from those of a value of 0."""
        cdef Py_ssize_t at, block
        cdef float[TILE] inputs
        memset(counts, 0, TILE * sizeof(int))
        for at in range(varied.shape[0]):
            if self.bound_values(varied[at], rows + places[varied[at]] * n, blocks, inputs):
                for block in range(blocks):
                    counts[block] += put(&terms[block, counts[block]], inputs[block], varied[at])

    cdef inline bint bound_values(
        self, int column, const float *values, Py_ssize_t count, float *inputs
    ) noexcept nogil:
        """Take logarithms of counts and clip up to `TILE` values of a column, less those of 0.

        Return whether any is not 0.
        """
        cdef float least = self.least[column], most = self.most[column], zero = self.zeros[column], x
        cdef Py_ssize_t at
        cdef int others = 0
        if self.is_count[column]:
            for at in range(count):
                inputs[at] = log_of_count(values[at])
            values = inputs
        for at in range(count):
            x = values[at]
            x = least if x < least else x
            inputs[at] = (most if x > most else x) - zero
            others |= inputs[at] != 0.0
        return others

    cdef void finish(self, float *first, float *later, Term *hidden, double *out) noexcept nogil:
        """Turn the sums of the first layers into the outputs of a block."""
        cdef Layer *layer = self.layers
        cdef Py_ssize_t at, unit, units
        cdef int activation, count = 0
        cdef float steepness
        cdef float *sums
        cdef double least
        memset(out, 0, self.outputs * sizeof(double))
        for at in range(self.count):
            layer = &self.layers[at]
            if layer.is_first:
                sums, first = first, first + layer.width
            else:
                sums = later
                memcpy(sums, layer.bias, layer.width * sizeof(float))
                add_terms(self.add, sums, layer.width, layer.weights, hidden, count)
            count = 0
            activation, steepness, units = layer.activation, layer.steepness, layer.units
            if activation == RELU:
                for unit in range(layer.width):
                    sums[unit] = sums[unit] * steepness if sums[unit] > 0.0 else 0.0
                activation, steepness = LINEAR, 1.0
            if layer.is_last:
                for unit in range(units):
                    out[unit] += activated(activation, sums[unit] * steepness) * self.share
            else:
                for unit in range(units):
                    count += put(hidden + count, activated(activation, sums[unit] * steepness), unit)
        if layer.activation == LINEAR:
            to_shares(out, self.outputs)
        else:
            least = 0.0 if layer.activation == SIGMOID else -1.0
            out[0] = (out[0] - least) / (1.0 - least)

    def __call__(self, columns):
        """Columns (n, inputs) -> outputs (n, outputs): softmax of the mean logits, or mean scores.

        A score runs from the least value of its activation, as 0, to 1.
        """
        cdef const float[:, ::1] rows = np.ascontiguousarray(np.transpose(columns), np.float32)
        cdef Py_ssize_t n = rows.shape[1]
        cdef double[:, ::1] out = np.empty((n, self.outputs))
        if rows.shape[0] != self.inputs:
            raise ValueError("columns of another network")
        if n:
            self.run(rows, self.places, out)
        return np.asarray(out)


# columns of the first pass

LEAST, MOST = 1e-4, 1.0 - 1e-4  # of probabilities: beyond, log-odds would grow without end
LEVELS = 4  # wider elements around a block
REACHES = (3, 8, 20)  # blocks to each side that a mean runs over
cdef enum: NEIGHBOURS = 5, LEVEL_COUNT = 4, GROUPS = 3, REACH_COUNT = 3, FIRST_PASS = 31, LABELS = 3
cdef double FAR = 100.0  # the largest distance that is counted
cdef double SURE = 0.8, SURE_WORDS = 10.0  # least probability and words of a block that is surely kept
cdef double LEAST_KEPT = LEAST, MOST_KEPT = MOST, RANGE = logarithm(MOST / LEAST)
cdef Py_ssize_t[REACH_COUNT] REACH = REACHES


cdef inline double share(double part, double total) noexcept nogil:
    return part / total if total > 0.0 else 0.0


cdef class Passed:
    """The columns of the first pass while they are filled; see `model/columns.py`."""

    cdef Py_ssize_t n
    cdef const double[::1] words
    cdef const long long[:, :, ::1] spans
    cdef const long long[::1] path_keys, parent_keys, card_keys
    cdef const double[:, ::1] labels
    cdef double[::1] kept, odds, expected, before, words_before  # the last two are running sums, (n + 1,)
    cdef double[:, ::1] groups, out  # (2, keys + 1): the sums of a group; (n, FIRST_PASS)

    def __init__(self, table, labels):
        self.labels, self.words, self.n = np.ascontiguousarray(labels, np.float64), table.words, len(table.words)
        keys = np.array([table.path_keys, table.parent_keys, table.card_keys])
        sizes = np.size(table.spans), np.size(keys), np.shape(labels)
        if sizes != (2 * LEVELS * self.n, GROUPS * self.n, (self.n, LABELS)):
            raise ValueError("arrays that do not belong together")
        spans = np.reshape(table.spans, (LEVELS, self.n, 2))
        self.spans, self.path_keys, self.parent_keys, self.card_keys = spans, keys[0], keys[1], keys[2]
        if spans.min(initial=0) < 0 or spans.max(initial=0) > self.n or not -1 <= keys.min(initial=0):
            raise ValueError("a span or key beyond the page")
        if keys.max(initial=0) >= 2**31:
            raise ValueError("a key that is too large")
        self.kept, self.odds, self.expected = np.empty((3, self.n))
        self.before, self.words_before = np.zeros((2, self.n + 1))
        self.groups = np.empty((2, 2 + keys.max(initial=0)))
        self.out = np.empty((self.n, FIRST_PASS))

    cdef void fill(self) noexcept nogil:
        cdef Py_ssize_t block
        cdef double bounded
        for block in range(self.n):
            self.kept[block] = 1.0 - self.labels[block, 2]
            bounded = max(LEAST_KEPT, min(MOST_KEPT, self.kept[block]))
            self.odds[block] = logarithm(bounded / (1.0 - bounded)) / RANGE
            self.expected[block] = self.kept[block] * self.words[block]
            self.before[block + 1] = self.before[block] + self.expected[block]
            self.words_before[block + 1] = self.words_before[block] + self.words[block]
        for block in range(self.n):
            self.fill_around(block, &self.out[block, 0])
        self.fill_groups(self.path_keys, 0)
        self.fill_groups(self.parent_keys, 1)
        self.fill_groups(self.card_keys, 2)
        self.fill_distances()
        self.fill_page()

    cdef void fill_around(self, Py_ssize_t block, double *out) noexcept nogil:
        """Fill the columns of neighbours and of wider elements."""
        cdef Py_ssize_t n = self.n, place, seen, low, high
        cdef double total = self.before[n]
        for place in range(NEIGHBOURS):
            seen = block + place - NEIGHBOURS // 2
            out[place] = self.odds[seen] if 0 <= seen < n else -1.0
        out[NEIGHBOURS] = share(self.labels[block, 0], self.kept[block])
        out += NEIGHBOURS + 1
        for place in range(LEVEL_COUNT):
            low, high = self.spans[place, block, 0], self.spans[place, block, 1]
            out[2 * place] = self.mean(low, high)
            out[2 * place + 1] = share(self.before[high] - self.before[low], total)
        out += 2 * (LEVEL_COUNT + GROUPS)
        for place in range(REACH_COUNT):
            out[place] = self.mean(max(0, block - REACH[place]), min(n, block + REACH[place] + 1))
        out[REACH_COUNT] = share(self.before[block], total)
        out[REACH_COUNT + 1] = share(total - self.before[block + 1], total)

    cdef inline double mean(self, Py_ssize_t low, Py_ssize_t high) noexcept nogil:
        return share(self.before[high] - self.before[low], self.words_before[high] - self.words_before[low])

    cdef void fill_groups(self, const long long[::1] keys, int group) noexcept nogil:
        cdef Py_ssize_t block, key
        cdef double *out
        memset(&self.groups[0, 0], 0, 2 * self.groups.shape[1] * sizeof(double))
        for block in range(self.n):
            key = keys[block] + 1
            self.groups[0, key] += self.expected[block]
            self.groups[1, key] += self.words[block]
        for block in range(self.n):
            key = keys[block] + 1
            out = &self.out[block, NEIGHBOURS + 1 + 2 * (LEVEL_COUNT + group)]
            out[0] = share(self.groups[0, key], self.groups[1, key]) if key else -0.5
            out[1] = share(self.groups[0, key], self.before[self.n]) if key else 0.0

    cdef void fill_distances(self) noexcept nogil:
        """Fill the distances from the block before and after that is surely kept."""
        cdef double since = FAR, until = FAR
        cdef Py_ssize_t block, end
        for block in range(self.n):
            end = self.n - 1 - block
            since = 0.0 if self.kept[block] > SURE and self.words[block] >= SURE_WORDS else since + 1.0
            until = 0.0 if self.kept[end] > SURE and self.words[end] >= SURE_WORDS else until + 1.0
            self.out[block, FIRST_PASS - 6], self.out[end, FIRST_PASS - 5] = min(since, FAR), min(until, FAR)

    cdef void fill_page(self) noexcept nogil:
        cdef double largest = 0.0, count = 0.0, doubt = 0.0, total = self.before[self.n]
        cdef double words = self.words_before[self.n] if self.words_before[self.n] > 0.0 else 1.0
        cdef Py_ssize_t block
        cdef double *out
        for block in range(self.n):
            doubt += min(self.kept[block], 1.0 - self.kept[block]) * self.words[block]
            largest = max(largest, self.expected[block])
            count += self.kept[block] > 0.5
        for block in range(self.n):
            out = &self.out[block, FIRST_PASS - 4]
            out[0], out[1], out[2] = total / words, count / self.n, doubt / words
            out[3] = share(self.expected[block], largest)


def first_pass_columns(table, labels):
    """Turn probabilities of labels (n, 3) into the columns of the first pass, (n, 31).

    `table` is that of a page, or has its `words`, `spans`, and three arrays of `..._keys`.
    """
    cdef Passed passed = Passed(table, labels)
    with nogil:
        passed.fill()
    return np.asarray(passed.out)


cdef class FirstPass:
    """The columns that a chain sees: those of the first pass by a network, and others of the table.

    `places` are the rows of the table that the network reads; `sources` (features,) are rows of the
    table, or below 0, -1 - a column of the first pass. Without a network, every label has the same
    probability.
    """

    cdef Dense network
    cdef const int[::1] places, sources
    cdef bint is_alone
    cdef readonly Py_ssize_t rows

    def __init__(self, Dense network, *, places, sources):
        self.network, self.places = network, np.array(places, np.intc)
        self.sources = np.array(sources, np.intc)
        self.rows = 1 + max(*places, *sources, -1)
        self.is_alone = list(sources) == [-1 - at for at in range(FIRST_PASS)]
        if min(*sources, *places, 0) < -FIRST_PASS:
            raise ValueError(f"a source below -{FIRST_PASS}")
        if network is not None and (network.inputs, network.outputs) != (len(places), LABELS):
            raise ValueError("a network of other columns")

    def columns(self, const float[:, ::1] rows, table):
        """Compute columns (n, features) from rows of features (k, n) and the table of a page."""
        cdef Py_ssize_t n = rows.shape[1], block, feature
        cdef double[:, ::1] probabilities = np.full((n, LABELS), 1.0 / LABELS)
        cdef double[:, ::1] first, columns
        if rows.shape[0] < self.rows:
            raise ValueError("rows of another table")
        if n and self.network is not None:
            self.network.run(rows, self.places, probabilities)
        first = first_pass_columns(table, probabilities)
        if self.is_alone:
            return np.asarray(first)
        columns = np.empty((n, self.sources.shape[0]))
        with nogil:
            for feature in range(self.sources.shape[0]):
                for block in range(n):
                    if self.sources[feature] < 0:
                        columns[block, feature] = first[block, -1 - self.sources[feature]]
                    else:
                        columns[block, feature] = rows[self.sources[feature], block]
        return np.asarray(columns)


# the chain


cdef inline Py_ssize_t bin_of(const double *edges, Py_ssize_t count, float value) noexcept nogil:
    """Return the number of rising edges below a value; NaN is above all, as in numpy."""
    cdef Py_ssize_t low = 0, middle, at, bin
    while count > 16:  # fewer are counted without a branch, which would be guessed wrong too often
        middle = count // 2
        low, count = (low, middle) if value <= edges[low + middle] else (low + middle, count - middle)
    bin = low
    for at in range(low, low + count):
        bin += not value <= edges[at]
    return bin


cdef void sweep(
    const double *factors, Py_ssize_t n, Py_ssize_t first, Py_ssize_t step, const double *steps, double *swept
) noexcept nogil:
    """Run one sweep of forward-backward over factors (n, 3), scaled at each block (Rabiner 1989)."""
    cdef double[LABELS] before
    cdef double total
    cdef Py_ssize_t at = LABELS * first, label, block
    for block in range(n):
        total = 0.0
        for label in range(LABELS):
            swept[at + label] = factors[at + label]
            if block:
                swept[at + label] *= before[0] * steps[label] + before[1] * steps[3 + label] + before[2] * steps[6 + label]
            total += swept[at + label]
        for label in range(LABELS):  # steps of weights beyond all measure: the chain begins anew
            before[label] = swept[at + label] / total if total > 0.0 else factors[at + label]
            swept[at + label] = before[label]
        at += LABELS * step


cdef void to_marginals(double *scores, Py_ssize_t n, const double *steps, const double *back, double *room) noexcept nogil:
    """Replace scores (n, 3) by marginals; `back` are the steps transposed; room for 2 x (n, 3)."""
    cdef Py_ssize_t block, label, at
    cdef double *forward = room
    cdef double *backward = room + LABELS * n
    cdef double total
    for block in range(n):
        to_shares(scores + LABELS * block, LABELS)
    sweep(scores, n, 0, 1, steps, forward)
    sweep(scores, n, n - 1, -1, back, backward)
    for at in range(LABELS * n):
        forward[at] *= backward[at] / scores[at] if scores[at] > 0.0 else 0.0
    for at in range(0, LABELS * n, 3):
        total = forward[at] + forward[at + 1] + forward[at + 2]
        for label in range(LABELS if total > 0.0 else 0):
            scores[at + label] = forward[at + label] / total


def _steps(transitions):
    """Return the factors of steps, (3, 3), the largest of which is 1: all scale alike."""
    highest = np.max(transitions)
    return np.array([[exponential(value - highest) for value in row] for row in transitions])


cdef struct Weight:  # weights of a feature seen at a distance: the first places in two tables
    Py_ssize_t distance, feature, edges, bins, place

_WEIGHT = np.dtype([(name, np.intp) for name in ("distance", "feature", "edges", "bins", "place")])


cdef class Chain:
    """A linear-chain CRF over bins of columns, pooled with the first pass that it reads.

    `edges` are the upper bounds of each feature's bins; `views` are tuples: distance, features (f,),
    weights (3, f, bins). `barred` (3,) is 0, or -inf for labels that the model does not know.
    `weight` (0..1) is the weight of the first pass in the pool; `passes` are the features "pass" and
    "pass_heading".
    """

    cdef FirstPass first
    cdef const double[::1] edges, table
    cdef Py_ssize_t features
    cdef const Weight[::1] weights
    cdef double[::1] barred
    cdef double[:, ::1] steps, back
    cdef double weight
    cdef Py_ssize_t kept, heading

    def __init__(self, FirstPass first, *, edges, views, barred, transitions, double weight, passes):
        self.first, self.weight = first, weight
        self.kept, self.heading = passes if weight else (0, 0)
        self.edges = np.array([edge for bounds in edges for edge in bounds], np.float64)
        self.features, sizes = len(edges), [len(bounds) for bounds in edges]
        self.barred = np.array(barred, np.float64)
        self.steps, self.back = _steps(transitions), _steps(np.transpose(transitions))
        weights, tables, size = [], [np.zeros(0)], 0
        for distance, features, table in views:
            for at, feature in enumerate(features):
                if not 0 <= feature < len(edges) or sizes[feature] >= table.shape[2]:
                    raise ValueError("weights of other features")
                weights.append((distance, feature, sum(sizes[:feature]), sizes[feature], size))
                tables.append(table[:, at].T.ravel())  # the three labels of a bin are neighbours
                size += LABELS * table.shape[2]
        self.table, self.weights = np.concatenate(tables), np.array(weights, _WEIGHT)

    def label(self, rows, table):
        """Compute the columns (n, features) and probabilities (n, 3) of a page from its rows (k, n) and table."""
        columns = self.first.columns(rows, table)
        return columns, self.predict(columns)

    def scores(self, page_columns):
        """Compute emission scores from columns: sums of the weights of each block's bins, (n, 3)."""
        cdef const double[:, ::1] columns = np.ascontiguousarray(page_columns, np.float64)
        cdef double[:, ::1] scores = np.empty((len(columns), LABELS))
        if columns.shape[1] != self.features:
            raise ValueError("columns of other features")
        with nogil:
            self.fill_scores(columns, scores)
        return np.asarray(scores)

    cdef void fill_scores(self, const double[:, ::1] columns, double[:, ::1] scores) noexcept nogil:
        cdef Py_ssize_t n = columns.shape[0], block, at, seen, place, label
        cdef Weight weight
        cdef const double *edges = &self.edges[0]
        for block in range(n):
            for label in range(LABELS):
                scores[block, label] = self.barred[label]
            for at in range(self.weights.shape[0]):
                weight = self.weights[at]
                if not -block <= weight.distance < n - block:
                    continue
                seen = block + weight.distance
                place = bin_of(edges + weight.edges, weight.bins, <float>columns[seen, weight.feature])
                place = weight.place + LABELS * place
                for label in range(LABELS):
                    scores[block, label] += self.table[place + label]

    def predict(self, page_columns):
        """Compute probabilities (n, 3) from columns (n, features)."""
        cdef const double[:, ::1] columns = np.ascontiguousarray(page_columns, np.float64)
        cdef Py_ssize_t n = len(columns), block
        cdef double[:, ::1] shares = self.scores(columns)
        cdef double[:, ::1] room = np.empty((2 * n, LABELS))
        cdef double[LABELS] opinion
        with nogil:
            if n:
                to_marginals(&shares[0, 0], n, &self.steps[0, 0], &self.back[0, 0], &room[0, 0])
            for block in range(n if self.weight > 0.0 else 0):
                read_pass(columns[block, self.kept], columns[block, self.heading], opinion)
                pool(&shares[block, 0], opinion, self.weight)
        return np.asarray(shares)


cdef inline void read_pass(double odds, double heading, double *opinion) noexcept nogil:
    """Read the probabilities of the first pass back from its columns."""
    cdef double kept = 1.0 / (1.0 + exponential(-odds * RANGE))
    opinion[0], opinion[1], opinion[2] = kept * heading, kept - kept * heading, 1.0 - kept


cdef inline void pool(double *shares, const double *opinion, double weight) noexcept nogil:
    """Pool the marginals of a block with an opinion (Genest and Zidek 1986)."""
    cdef double least = 1e-6  # probabilities below would outweigh all others
    cdef Py_ssize_t label
    for label in range(LABELS):
        shares[label] = (1.0 - weight) * logarithm(max(shares[label], least))
        shares[label] += weight * logarithm(max(opinion[label], least))
    to_shares(shares, LABELS)


def pooled(marginals, *, others, double weight):
    """Pool two sets of probabilities (n, 3) by their weighted geometric mean, normalised.

    `weight` (0..1) is the weight of the others.
    """
    cdef double[:, ::1] shares = np.array(marginals, np.float64, order="C")
    cdef const double[:, ::1] opinion = np.ascontiguousarray(others, np.float64)
    cdef Py_ssize_t block
    for block in range(min(len(shares), len(opinion))):
        pool(&shares[block, 0], &opinion[block, 0], weight)
    return np.asarray(shares)
