/* Count words, sentences and characters of texts, by tables of characters from crfclean/page/measures.py. */
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

/* Count the lower-case letters that follow. Most characters are such letters, so they are counted in one go. */
static inline Py_ssize_t plain_run(int kind, const void *chars, Py_ssize_t i, Py_ssize_t size, const uint8_t *classes,
                                   const uint8_t *flags)
{
    Py_ssize_t end = i;
    while (end < size && is_plain(PyUnicode_READ(kind, chars, end), classes, flags))
        end++;
    return end - i;
}

/* Count one line: the text and the line break that ends it. */
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

/* any_marks(texts, table) -> whether a character of the texts is in the table, which has no ASCII characters. */
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

enum { URL = 1, DATE = 2, TIME = 4 }; /* what a text may have */

/* The returned arrays in order: one row each, except MARKS. */
enum { BY_CLASS, KINDS, WORDS, CAPITALISED, ENDS, SIZES, FIRST, FIRST_CLASS, LAST, END, BEFORE, LIKELY, MARKS, RUN_CHARS, ALL };
static const Py_ssize_t WIDTHS[ALL] = {8 * 4, 4 * 4, 8, 8, 8, 8, 2, 1, 2, 2, 2, 1, 8, 8};

typedef struct {
    PyObject *texts, *runs;
    const uint8_t *classes, *flags, *sets;
    Py_ssize_t rows, n; /* sets; texts */
    char *out[ALL];
} Reading;

static inline uint16_t narrow(Py_UCS4 code) { return code < PLANE ? (uint16_t)code : PLANE - 1; }

static inline int is_digit(Py_UCS4 code, const uint8_t *classes)
{
    return code >= PLANE - 1 || classes[code] == DIGIT;
}

#define FAR_DIGIT 40 /* characters between the day and the year of a date with a month's name, at most */

/* Return whether the last four digits, up to `i`, may be the year of a date with a month's name: " 2024" after
 * another number, as in "3 May 2024". */
static inline int may_be_year(int kind, const void *chars, Py_ssize_t i, Py_ssize_t number_end)
{
    if (i < 4 || number_end < i - 4 - FAR_DIGIT || PyUnicode_READ(kind, chars, i - 4) != ' ')
        return 0;
    Py_UCS4 first = PyUnicode_READ(kind, chars, i - 3), second = PyUnicode_READ(kind, chars, i - 2);
    return (first == '1' && second == '9') || (first == '2' && second == '0');
}

/* Return whether a digit may begin minutes: it is 0 to 5, and another digit follows. */
static inline int may_be_minute(int kind, const void *chars, Py_ssize_t size, Py_ssize_t i, const uint8_t *classes)
{
    Py_UCS4 code = PyUnicode_READ(kind, chars, i);
    return '0' <= code && code <= '5' && i + 1 < size && is_digit(PyUnicode_READ(kind, chars, i + 1), classes);
}

/* Return bits of what a text may have (an address, a date, a time): crfclean/page/measures.py looks closer. */
static inline int likely_in(int kind, const void *chars, Py_ssize_t size, const uint8_t *classes)
{
    int likely = 0, digits = 0, marked = 0; /* digits in a row; one before the mark of a time */
    int parted = 0;                         /* after the digits and the separator that may begin a date */
    Py_ssize_t number_end = -1 - FAR_DIGIT - 5; /* where the last number before this one ended */
    for (Py_ssize_t i = 0; i < size; i++) {
        Py_UCS4 code = PyUnicode_READ(kind, chars, i);
        if (!digits && !parted && code < PLANE - 1 && classes[code] <= UPPER) {
            marked = 0; /* a letter that can end no date or time */
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

/* Read how a line begins and ends, and what it may have. */
static inline void read_ends(const Reading *reading, Py_ssize_t i, int kind, const void *chars, Py_ssize_t size)
{
    char *const *out = reading->out;
    Py_ssize_t end = size;
    Py_UCS4 first = size ? PyUnicode_READ(kind, chars, 0) : '\n';
    while (end && reading->flags[narrow(PyUnicode_READ(kind, chars, end - 1))] & CLOSER)
        end--;
    ((int64_t *)(void *)out[SIZES])[i] = size + 1;
    ((uint16_t *)(void *)out[FIRST])[i] = narrow(first);
    out[FIRST_CLASS][i] = (char)class_of(first, reading->classes);
    ((uint16_t *)(void *)out[LAST])[i] = end ? narrow(PyUnicode_READ(kind, chars, end - 1)) : PLANE - 1;
    ((uint16_t *)(void *)out[END])[i] = size ? narrow(PyUnicode_READ(kind, chars, size - 1)) : '\n';
    ((uint16_t *)(void *)out[BEFORE])[i] = size > 1 ? narrow(PyUnicode_READ(kind, chars, size - 2)) : '\n';
    out[LIKELY][i] = (char)likely_in(kind, chars, size, reading->classes);
}

/* Count the characters of a line in each set. */
static inline void read_marks(const Reading *reading, Py_ssize_t i, int kind, const void *chars, Py_ssize_t size)
{
    Py_ssize_t hits[8] = {0};
    for (Py_ssize_t k = 0; k < size; k++)
        for (uint8_t bits = reading->sets[narrow(PyUnicode_READ(kind, chars, k))], row = 0; bits; row++, bits >>= 1)
            hits[row] += bits & 1;
    for (Py_ssize_t row = 0; row < reading->rows; row++)
        ((double *)(void *)reading->out[MARKS])[row * reading->n + i] = (double)hits[row];
}

static inline void read_line(const Reading *reading, Py_ssize_t i, int kind, const void *chars, Py_ssize_t size)
{
    Counts counts;
    count_chars(kind, chars, size, reading->classes, reading->flags, &counts);
    const void *values[SIZES] = {counts.by_class, counts.kinds, &counts.words, &counts.capitalised, &counts.ends};
    for (int k = 0; k < SIZES; k++)
        memcpy(reading->out[k] + i * WIDTHS[k], values[k], (size_t)WIDTHS[k]);
    read_ends(reading, i, kind, chars, size);
    read_marks(reading, i, kind, chars, size);
}

/* Read all texts without the interpreter's lock: they are immutable, and their tuples hold them. */
static void read_texts(const Reading *reading)
{
    for (Py_ssize_t i = 0; i < reading->n; i++) { /* constant widths, so that the compiler makes a loop for each */
        PyObject *text = PyTuple_GET_ITEM(reading->texts, i);
        const void *chars = PyUnicode_DATA(text);
        Py_ssize_t size = PyUnicode_GET_LENGTH(text);
        if (PyUnicode_KIND(text) == 1)
            read_line(reading, i, 1, chars, size);
        else if (PyUnicode_KIND(text) == 2)
            read_line(reading, i, 2, chars, size);
        else
            read_line(reading, i, 4, chars, size);
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(reading->runs); i++) {
        PyObject *text = PyTuple_GET_ITEM(reading->runs, i);
        int kind = PyUnicode_KIND(text);
        Py_ssize_t solid = 0;
        for (Py_ssize_t k = 0; k < PyUnicode_GET_LENGTH(text); k++)
            solid += class_of(PyUnicode_READ(kind, PyUnicode_DATA(text), k), reading->classes) != SPACE;
        ((double *)(void *)reading->out[RUN_CHARS])[i] = (double)solid;
    }
}

/* counts(texts, runs, classes, flags, sets, rows) -> counts of each text, as bytes: by_class (n, 8) and token_kinds
 * (n, 4), int32; words, capitalised and sentence_ends, double; the size with the line break, int64; the first
 * character, uint16, and its class, uint8; the last character that is no closer, the last and the last but one,
 * uint16; bits of what the text may have, uint8; the characters in each set (a set is a bit of the table `sets`),
 * double (rows, n). The last array has the characters of each run other than white space, double. */
PyObject *core_counts(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    (void)self;
    Reading reading = {0};
    if (n != 6 || !PyLong_Check(args[5]))
        return PyErr_Format(PyExc_TypeError, "counts(texts, runs, classes, flags, sets, rows)");
    reading.texts = args[0], reading.runs = args[1], reading.rows = PyLong_AsSsize_t(args[5]);
    if (check_texts(args[0]) || check_texts(args[1]) || !(reading.classes = table_of(args[2]))
        || !(reading.flags = table_of(args[3])) || !(reading.sets = table_of(args[4])))
        return NULL;
    int classes = 0; /* their bits: there are eight */
    for (int code = 0; code < PLANE; code++)
        classes |= reading.classes[code];
    if (reading.rows < 1 || reading.rows > 8 || classes >= CLASSES)
        return PyErr_Format(PyExc_ValueError, "counts: one to eight sets, and classes of characters");
    reading.n = PyTuple_GET_SIZE(args[0]);
    PyObject *arrays = PyTuple_New(ALL);
    for (int i = 0; arrays != NULL && i < ALL; i++) {
        Py_ssize_t items = i == RUN_CHARS ? PyTuple_GET_SIZE(args[1]) : reading.n * (i == MARKS ? reading.rows : 1);
        PyObject *array = PyBytes_FromStringAndSize(NULL, items * WIDTHS[i]);
        if (array == NULL)
            Py_CLEAR(arrays);
        else {
            PyTuple_SET_ITEM(arrays, i, array);
            reading.out[i] = PyBytes_AS_STRING(array);
        }
    }
    if (arrays != NULL) {
        Py_BEGIN_ALLOW_THREADS
        read_texts(&reading);
        Py_END_ALLOW_THREADS
    }
    return arrays;
}
