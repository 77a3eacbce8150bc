/* Counts of texts, by tables of characters that Python gives: crfclean/page/measures.py. */
#include "core.h"

enum { LOWER, UPPER, UNCASED, DIGIT, PUNCT, SPACE, OTHER, IDEOGRAPH, CLASSES };
enum { TERMINATOR = 1, CLOSER = 2, IDEOGRAPHIC_END = 4 };
#define PLANE 65536 /* entries of a table of the basic plane */

static int check_texts(PyObject *texts)
{
    if (!PyTuple_Check(texts)) {
        PyErr_SetString(PyExc_TypeError, "texts are a tuple");
        return -1;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(texts); i++)
        if (!PyUnicode_Check(PyTuple_GET_ITEM(texts, i))) {
            PyErr_SetString(PyExc_TypeError, "each text is a str");
            return -1;
        }
    return 0;
}

static const uint8_t *table_of(PyObject *bytes)
{
    if (!PyBytes_Check(bytes) || PyBytes_GET_SIZE(bytes) != PLANE) {
        PyErr_SetString(PyExc_TypeError, "a table is the bytes of the basic plane");
        return NULL;
    }
    return (const uint8_t *)PyBytes_AS_STRING(bytes);
}

static inline int class_of(Py_UCS4 code, const uint8_t *classes)
{
    if (code < PLANE)
        return classes[code];
    return (code >> 16) == 2 ? IDEOGRAPH : OTHER;
}

typedef struct {
    int32_t by_class[CLASSES], kinds[4];
    double words, capitalised, ends;
} Counts;

static inline int is_plain(Py_UCS4 code, const uint8_t *classes, const uint8_t *flags)
{
    return code < PLANE && classes[code] == LOWER && !flags[code];
}

/* How many letters in lower case follow, which most characters are: they are counted at once. */
static inline Py_ssize_t plain_run(int kind, const void *chars, Py_ssize_t i, Py_ssize_t size, const uint8_t *classes,
                                   const uint8_t *flags)
{
    Py_ssize_t end = i;
    while (end < size && is_plain(PyUnicode_READ(kind, chars, end), classes, flags))
        end++;
    return end - i;
}

/* Counts of one line: the text and the line break that ends it. */
static inline void count_chars(int kind, const void *chars, Py_ssize_t size, const uint8_t *classes,
                               const uint8_t *flags, Counts *counts)
{
    int open = 0, letter = 0, digit = 0, word = 0, waits = 0;
    memset(counts, 0, sizeof *counts);
    for (Py_ssize_t i = 0; i <= size; i++) {
        Py_UCS4 code = i < size ? PyUnicode_READ(kind, chars, i) : '\n';
        int class = class_of(code, classes);
        uint8_t flag = flags[code < PLANE ? code : PLANE - 1];
        counts->by_class[class]++;
        if (waits && (class == SPACE || (flag & CLOSER)))
            counts->ends++;
        waits = flag & TERMINATOR;
        if (flag & IDEOGRAPHIC_END) {
            counts->ends++;
            waits = 0;
        }
        if (class == SPACE) {
            if (open) {
                counts->kinds[letter ? (digit ? 2 : 0) : (digit ? 1 : 3)]++;
                counts->words += word;
            }
            open = 0;
            continue;
        }
        if (!open) {
            open = 1;
            letter = digit = word = 0;
            counts->capitalised += class == UPPER;
        }
        letter |= class <= UNCASED || class == IDEOGRAPH;
        digit |= class == DIGIT;
        word |= class <= DIGIT;
        Py_ssize_t run = plain_run(kind, chars, i + 1, size, classes, flags);
        if (run) {
            counts->by_class[LOWER] += (int32_t)run;
            letter = word = 1;
            waits = 0;
            i += run;
        }
    }
    counts->words += counts->by_class[IDEOGRAPH] / 2.0;
}

/* The same for the width of the text's characters, which the compiler then knows. */
static void count_line(PyObject *text, const uint8_t *classes, const uint8_t *flags, Counts *counts)
{
    const void *chars = PyUnicode_DATA(text);
    Py_ssize_t size = PyUnicode_GET_LENGTH(text);
    if (PyUnicode_KIND(text) == 1)
        count_chars(1, chars, size, classes, flags, counts);
    else if (PyUnicode_KIND(text) == 2)
        count_chars(2, chars, size, classes, flags, counts);
    else
        count_chars(4, chars, size, classes, flags, counts);
}

/* counts(texts, classes, flags) -> bytes of by_class (n, 8) and token_kinds (n, 4), int32; words,
 * capitalised and sentence_ends (n,), double. */
PyObject *core_counts(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    (void)self;
    const uint8_t *classes, *flags;
    if (n != 3) {
        PyErr_SetString(PyExc_TypeError, "counts(texts, classes, flags)");
        return NULL;
    }
    if (check_texts(args[0]) || !(classes = table_of(args[1])) || !(flags = table_of(args[2])))
        return NULL;
    Py_ssize_t count = PyTuple_GET_SIZE(args[0]);
    static const size_t widths[5] = {8 * 4, 4 * 4, 8, 8, 8};
    PyObject *arrays = PyTuple_New(5);
    char *out[5];
    for (int i = 0; arrays != NULL && i < 5; i++) {
        PyObject *array = PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)widths[i]);
        if (array == NULL)
            Py_CLEAR(arrays);
        else {
            PyTuple_SET_ITEM(arrays, i, array);
            out[i] = PyBytes_AS_STRING(array);
        }
    }
    for (Py_ssize_t i = 0; arrays != NULL && i < count; i++) {
        Counts counts;
        count_line(PyTuple_GET_ITEM(args[0], i), classes, flags, &counts);
        const void *values[5] = {counts.by_class, counts.kinds, &counts.words,
                                 &counts.capitalised, &counts.ends};
        for (int k = 0; k < 5; k++)
            memcpy(out[k] + i * (Py_ssize_t)widths[k], values[k], widths[k]);
    }
    return arrays;
}

/* any_marks(texts, table) -> whether a character of the texts is in the table, which has none of ASCII. */
PyObject *core_any_marks(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    (void)self;
    const uint8_t *table;
    if (n != 2)
        return PyErr_Format(PyExc_TypeError, "any_marks(texts, table)");
    if (check_texts(args[0]) || !(table = table_of(args[1])))
        return NULL;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args[0]); i++) {
        PyObject *text = PyTuple_GET_ITEM(args[0], i);
        if (PyUnicode_IS_ASCII(text))
            continue;
        int kind = PyUnicode_KIND(text), any = 0;
        const void *chars = PyUnicode_DATA(text);
        for (Py_ssize_t k = 0; k < PyUnicode_GET_LENGTH(text); k++) {
            Py_UCS4 code = PyUnicode_READ(kind, chars, k);
            any |= table[code < PLANE ? code : PLANE - 1];
        }
        if (any)
            Py_RETURN_TRUE;
    }
    Py_RETURN_FALSE;
}

/* tallies(texts, sets, count) -> how many characters of each text are in each of the sets, which are
 * bits of a table of the basic plane; bytes of doubles, (count, texts). */
PyObject *core_tallies(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    (void)self;
    const uint8_t *sets;
    if (n != 3 || !PyLong_Check(args[2]))
        return PyErr_Format(PyExc_TypeError, "tallies(texts, sets, count)");
    Py_ssize_t rows = PyLong_AsSsize_t(args[2]);
    if (check_texts(args[0]) || !(sets = table_of(args[1])))
        return NULL;
    if (rows < 1 || rows > 8)
        return PyErr_Format(PyExc_ValueError, "tallies: one to eight sets");
    Py_ssize_t count = PyTuple_GET_SIZE(args[0]);
    PyObject *array = PyBytes_FromStringAndSize(NULL, rows * count * (Py_ssize_t)sizeof(double));
    for (Py_ssize_t i = 0; array != NULL && i < count; i++) {
        PyObject *text = PyTuple_GET_ITEM(args[0], i);
        int kind = PyUnicode_KIND(text);
        const void *chars = PyUnicode_DATA(text);
        Py_ssize_t size = PyUnicode_GET_LENGTH(text), hits[8] = {0};
        for (Py_ssize_t k = 0; k < size; k++) {
            Py_UCS4 code = PyUnicode_READ(kind, chars, k);
            uint8_t bits = sets[code < PLANE ? code : PLANE - 1];
            for (Py_ssize_t row = 0; bits; row++, bits >>= 1)
                hits[row] += bits & 1;
        }
        for (Py_ssize_t row = 0; row < rows; row++)
            ((double *)(void *)PyBytes_AS_STRING(array))[row * count + i] = (double)hits[row];
    }
    return array;
}

enum { URL = 1, DATE = 2, TIME = 4 }; /* what a text may have */
enum { SIZE, FIRST, FIRST_CLASS, LAST, END, BEFORE, LIKELY, TRAITS };

static inline uint16_t narrow(Py_UCS4 code) { return code < PLANE ? (uint16_t)code : PLANE - 1; }

static inline int is_digit(Py_UCS4 code, const uint8_t *classes)
{
    return code >= PLANE - 1 || classes[code] == DIGIT;
}

#define FAR_DIGIT 40 /* characters between the day and the year of a date with a month's name, at most */

/* Whether the last four digits, up to `i`, may be the year of a date with a month's name: " 2024" after
 * another number. */
static inline int may_be_year(int kind, const void *chars, Py_ssize_t i, Py_ssize_t number_end)
{
    if (i < 4 || number_end < i - 4 - FAR_DIGIT || PyUnicode_READ(kind, chars, i - 4) != ' ')
        return 0;
    Py_UCS4 first = PyUnicode_READ(kind, chars, i - 3), second = PyUnicode_READ(kind, chars, i - 2);
    return (first == '1' && second == '9') || (first == '2' && second == '0');
}

/* Whether a digit is the first one of minutes: 0 to 5, and another one follows. */
static inline int may_be_minute(int kind, const void *chars, Py_ssize_t size, Py_ssize_t i, const uint8_t *classes)
{
    Py_UCS4 code = PyUnicode_READ(kind, chars, i);
    return '0' <= code && code <= '5' && i + 1 < size && is_digit(PyUnicode_READ(kind, chars, i + 1), classes);
}

/* What a text may have by its characters: crfclean/page/patterns.py. */
static inline int likely_in(int kind, const void *chars, Py_ssize_t size, const uint8_t *classes)
{
    int likely = 0, digits = 0, marked = 0; /* digits in a row; one before the mark of a time */
    int parted = 0;                         /* after the digits and the separator that may begin a date */
    Py_ssize_t number_end = -1 - FAR_DIGIT - 5; /* where the last number before this one ended */
    for (Py_ssize_t i = 0; i < size; i++) {
        Py_UCS4 code = PyUnicode_READ(kind, chars, i);
        if (!digits && !parted && code < PLANE - 1 && classes[code] <= UPPER) {
            marked = 0; /* a letter that ends nothing */
            continue;
        }
        if (is_digit(code, classes)) {
            likely |= ++digits == 4 && may_be_year(kind, chars, i, number_end) ? DATE : 0;
            likely |= marked && may_be_minute(kind, chars, size, i, classes) ? TIME : 0;
            marked = 0;
            continue;
        }
        marked = digits && (code == ':' || code == '.' || code == 'h');
        if (digits && (code == '.' || code == '/' || code == '-')) {
            likely |= parted && digits <= 2 ? DATE : 0;
            parted = 1;
        } else if (parted == 1 && !digits && code == ' ')
            parted = 2; /* one space */
        else
            parted = 0;
        likely |= digits >= 4 && code == 0x5E74 ? DATE : 0;
        number_end = digits ? i - 1 : number_end;
        digits = 0;
        if (code == '@')
            likely |= URL;
        else if (code == ':' && i + 2 < size && PyUnicode_READ(kind, chars, i + 1) == '/'
                 && PyUnicode_READ(kind, chars, i + 2) == '/')
            likely |= URL;
        else if (code == '.' && i >= 3 && PyUnicode_READ(kind, chars, i - 1) == 'w'
                 && PyUnicode_READ(kind, chars, i - 2) == 'w' && PyUnicode_READ(kind, chars, i - 3) == 'w')
            likely |= URL;
    }
    return likely;
}

/* traits(texts, classes, flags) -> bytes of each text's size with its line break, int64; first
 * character, uint16, and its class, uint8; last character without closers, last and last but one,
 * uint16; what it may have, uint8. */
PyObject *core_traits(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    (void)self;
    const uint8_t *classes, *flags;
    if (n != 3)
        return PyErr_Format(PyExc_TypeError, "traits(texts, classes, flags)");
    if (check_texts(args[0]) || !(classes = table_of(args[1])) || !(flags = table_of(args[2])))
        return NULL;
    Py_ssize_t count = PyTuple_GET_SIZE(args[0]);
    static const Py_ssize_t widths[TRAITS] = {8, 2, 1, 2, 2, 2, 1};
    PyObject *arrays = PyTuple_New(TRAITS);
    char *out[TRAITS];
    for (int i = 0; arrays != NULL && i < TRAITS; i++) {
        PyObject *array = PyBytes_FromStringAndSize(NULL, count * widths[i]);
        if (array == NULL)
            Py_CLEAR(arrays);
        else {
            PyTuple_SET_ITEM(arrays, i, array);
            out[i] = PyBytes_AS_STRING(array);
        }
    }
    for (Py_ssize_t i = 0; arrays != NULL && i < count; i++) {
        PyObject *text = PyTuple_GET_ITEM(args[0], i);
        int kind = PyUnicode_KIND(text);
        const void *chars = PyUnicode_DATA(text);
        Py_ssize_t size = PyUnicode_GET_LENGTH(text), end = size;
        Py_UCS4 first = size ? PyUnicode_READ(kind, chars, 0) : '\n';
        while (end && flags[narrow(PyUnicode_READ(kind, chars, end - 1))] & CLOSER)
            end--;
        ((int64_t *)(void *)out[SIZE])[i] = size + 1;
        ((uint16_t *)(void *)out[FIRST])[i] = narrow(first);
        out[FIRST_CLASS][i] = (char)class_of(first, classes);
        ((uint16_t *)(void *)out[LAST])[i] = end ? narrow(PyUnicode_READ(kind, chars, end - 1)) : PLANE - 1;
        ((uint16_t *)(void *)out[END])[i] = size ? narrow(PyUnicode_READ(kind, chars, size - 1)) : '\n';
        ((uint16_t *)(void *)out[BEFORE])[i] = size > 1 ? narrow(PyUnicode_READ(kind, chars, size - 2)) : '\n';
        out[LIKELY][i] = (char)(kind == 1   ? likely_in(1, chars, size, classes)
                                : kind == 2 ? likely_in(2, chars, size, classes)
                                            : likely_in(4, chars, size, classes));
    }
    return arrays;
}

/* solid(texts, classes) -> characters of each text other than white space, bytes of doubles. */
PyObject *core_solid(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    (void)self;
    const uint8_t *classes;
    if (n != 2)
        return PyErr_Format(PyExc_TypeError, "solid(texts, classes)");
    if (check_texts(args[0]) || !(classes = table_of(args[1])))
        return NULL;
    Py_ssize_t count = PyTuple_GET_SIZE(args[0]);
    PyObject *array = PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(double));
    for (Py_ssize_t i = 0; array != NULL && i < count; i++) {
        PyObject *text = PyTuple_GET_ITEM(args[0], i);
        int kind = PyUnicode_KIND(text);
        const void *chars = PyUnicode_DATA(text);
        Py_ssize_t size = PyUnicode_GET_LENGTH(text), solid = 0;
        for (Py_ssize_t k = 0; k < size; k++)
            solid += class_of(PyUnicode_READ(kind, chars, k), classes) != SPACE;
        ((double *)(void *)PyBytes_AS_STRING(array))[i] = (double)solid;
    }
    return array;
}
