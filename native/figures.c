/* Compute the figures from which the type of a page is predicted: a function for each group of
 * crfclean/model/pagetype.py. */
#include "core.h"

enum { SPACE = 1, MARK = 2, COUNTED = 4, ODD = 8 }; /* bits of a character */

#define PLANE 65536 /* characters with bits; those beyond have none */
#define LONGEST 64  /* characters of a listed word: `lengths` has a bit for each number */
#define MOST_GROUPS 63

typedef struct {
    uint32_t hash;
    int32_t length; /* 0: free */
    int64_t bits;
    Py_UCS4 chars[LONGEST];
} Word;

/* Listed words, each with the bits of its groups: open addressing, at most half full. */
typedef struct {
    PyObject_HEAD
    Word *words;
    size_t room;
    int groups;
    uint64_t lengths[64];  /* by the first character: bits of the lengths of words */
    uint8_t flags[PLANE];
} Vocabulary;

/* The counts of texts. */
typedef struct {
    int64_t hits[MOST_GROUPS];
    Py_ssize_t tokens, counted;
} Tally;

static uint32_t hash_of(const Py_UCS4 *chars, Py_ssize_t length)
{
    uint32_t hash = 2166136261u;
    for (Py_ssize_t i = 0; i < length; i++)
        hash = (hash ^ chars[i]) * 16777619u;
    return hash;
}

/* Find the place of a word, or a free place if it is not listed. */
static Word *place_of(const Vocabulary *vocabulary, const Py_UCS4 *chars, Py_ssize_t length, uint32_t hash)
{
    size_t at = (hash ^ hash >> 15) & (vocabulary->room - 1);
    for (;; at = (at + 1) & (vocabulary->room - 1)) {
        Word *word = vocabulary->words + at;
        if (!word->length || (word->hash == hash && word->length == length
            && memcmp(word->chars, chars, (size_t)length * sizeof *chars) == 0))
            return word;
    }
}

static int add_word(Vocabulary *vocabulary, PyObject *text, int64_t bits)
{
    Py_UCS4 chars[LONGEST];
    Py_ssize_t length = PyUnicode_Check(text) ? PyUnicode_GET_LENGTH(text) : 0;
    if (length < 1 || length > LONGEST || bits < 0 || (vocabulary->groups < MOST_GROUPS && bits >> vocabulary->groups)) {
        PyErr_SetString(PyExc_ValueError, "Vocabulary: a word is too long, or of no group");
        return -1;
    }
    for (Py_ssize_t i = 0; i < length; i++)
        chars[i] = PyUnicode_READ_CHAR(text, i);
    uint32_t hash = hash_of(chars, length);
    Word *word = place_of(vocabulary, chars, length, hash);
    word->hash = hash;
    word->length = (int32_t)length;
    word->bits = bits;
    memcpy(word->chars, chars, (size_t)length * sizeof *chars);
    vocabulary->lengths[chars[0] & 63] |= (uint64_t)1 << (length - 1);
    return 0;
}

static int fill(Vocabulary *vocabulary, PyObject *bits)
{
    for (vocabulary->room = 16; vocabulary->room < 2 * (size_t)PyDict_GET_SIZE(bits) + 2;)
        vocabulary->room *= 2;
    vocabulary->words = PyMem_Calloc(vocabulary->room, sizeof *vocabulary->words);
    if (vocabulary->words == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    PyObject *word, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(bits, &at, &word, &value)) {
        int64_t number = PyLong_AsLongLong(value);
        if (PyErr_Occurred() || add_word(vocabulary, word, number))
            return -1;
    }
    return 0;
}

static void flag_chars(uint8_t *flags, PyObject *chars, uint8_t flag)
{
    for (Py_ssize_t i = 0; i < PyUnicode_GET_LENGTH(chars); i++)
        if (PyUnicode_READ_CHAR(chars, i) < PLANE)
            flags[PyUnicode_READ_CHAR(chars, i)] |= flag;
}

/* Vocabulary(bits, groups, marks, counted): a dict of lower-case words and their bits; the number of groups; the
 * characters that are stripped from the ends of words; the characters that are counted. */
static PyObject *vocabulary_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *bits, *marks, *counted;
    int groups;
    if (kwargs != NULL || !PyArg_ParseTuple(args, "O!iUU", &PyDict_Type, &bits, &groups, &marks, &counted))
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "Vocabulary takes positions alone");
    if (groups < 0 || groups > MOST_GROUPS)
        return PyErr_Format(PyExc_ValueError, "Vocabulary: too many groups");
    Vocabulary *vocabulary = (Vocabulary *)type->tp_alloc(type, 0);
    if (vocabulary == NULL)
        return NULL;
    vocabulary->groups = groups;
    for (Py_UCS4 code = 0; code < PLANE; code++)
        vocabulary->flags[code] = Py_UNICODE_ISSPACE(code) ? SPACE : code == DOTTED_I || code == SIGMA ? ODD : 0;
    flag_chars(vocabulary->flags, marks, MARK);
    flag_chars(vocabulary->flags, counted, COUNTED);
    if (fill(vocabulary, bits))
        Py_CLEAR(vocabulary);
    return (PyObject *)vocabulary;
}

static void vocabulary_dealloc(PyObject *self)
{
    PyMem_Free(((Vocabulary *)self)->words);
    Py_TYPE(self)->tp_free(self);
}

static inline uint8_t flags_of(const Vocabulary *vocabulary, Py_UCS4 code)
{
    return code < PLANE ? vocabulary->flags[code] : 0;
}

static inline Py_UCS4 lower(Py_UCS4 code)
{
    return code >= 128 ? Py_UNICODE_TOLOWER(code) : 'A' <= code && code <= 'Z' ? code | 0x20 : code;
}

/* Count the token from start to end, without the marks at its ends. */
static inline void count_word(const Vocabulary *vocabulary, int kind, const void *chars, Py_ssize_t start,
                              Py_ssize_t end, Tally *tally)
{
    while (start < end && flags_of(vocabulary, PyUnicode_READ(kind, chars, start)) & MARK)
        start++;
    while (start < end && flags_of(vocabulary, PyUnicode_READ(kind, chars, end - 1)) & MARK)
        end--;
    Py_ssize_t length = end - start;
    if (length < 1 || length > LONGEST)
        return;
    Py_UCS4 word[LONGEST];
    word[0] = lower(PyUnicode_READ(kind, chars, start));
    if (!(vocabulary->lengths[word[0] & 63] >> (length - 1) & 1))
        return;
    for (Py_ssize_t i = 1; i < length; i++)
        word[i] = lower(PyUnicode_READ(kind, chars, start + i));
    int64_t bits = place_of(vocabulary, word, length, hash_of(word, length))->bits;
    for (int group = 0; bits; group++, bits >>= 1)
        tally->hits[group] += bits & 1;
}

/* Count a token of a text with DOTTED_I or SIGMA, whose lower case Python has to find. */
static int count_odd(const Vocabulary *vocabulary, PyObject *text, Py_ssize_t start, Py_ssize_t end, Tally *tally)
{
    PyObject *token = PyUnicode_Substring(text, start, end);
    PyObject *lowered = token == NULL ? NULL : PyObject_CallMethod(token, "lower", NULL);
    Py_XDECREF(token);
    if (lowered == NULL)
        return -1;
    count_word(vocabulary, PyUnicode_KIND(lowered), PyUnicode_DATA(lowered), 0, PyUnicode_GET_LENGTH(lowered), tally);
    Py_DECREF(lowered);
    return 0;
}

static inline int count_in(const Vocabulary *vocabulary, int kind, const void *chars, Py_ssize_t size,
                           PyObject *text, Tally *tally)
{
    for (Py_ssize_t at = 0; at < size;) {
        uint8_t flags, all = 0;
        Py_ssize_t start = at;
        for (; at < size; at++) {
            flags = flags_of(vocabulary, PyUnicode_READ(kind, chars, at));
            if (flags & SPACE)
                break;
            all |= flags;
            tally->counted += (flags & COUNTED) != 0;
        }
        tally->tokens += at > start;
        if (!(all & ODD))
            count_word(vocabulary, kind, chars, start, at, tally);
        else if (count_odd(vocabulary, text, start, at, tally))
            return -1;
        at++;
    }
    return 0;
}

/* Count the tokens of a text; -1 with an exception. */
static int count_text(const Vocabulary *vocabulary, PyObject *text, Tally *tally)
{
    if (!PyUnicode_Check(text)) {
        PyErr_SetString(PyExc_TypeError, "a text is a str");
        return -1;
    }
    Py_ssize_t size = PyUnicode_GET_LENGTH(text);
    const void *chars = PyUnicode_DATA(text);
    if (PyUnicode_KIND(text) == 1)
        return count_in(vocabulary, 1, chars, size, text, tally);
    return PyUnicode_KIND(text) == 2 ? count_in(vocabulary, 2, chars, size, text, tally)
                                     : count_in(vocabulary, 4, chars, size, text, tally);
}

/* Make a bytes object for so many figures, and set `*figures` to its items; NULL with an exception. */
static PyObject *open_figures(Py_ssize_t count, double **figures)
{
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(double));
    if (bytes != NULL)
        *figures = (double *)(void *)PyBytes_AS_STRING(bytes);
    return bytes;
}

/* of_title(title) -> whether each group has a word of the title, then its number of words: `of_title`. */
static PyObject *vocabulary_of_title(PyObject *self, PyObject *title)
{
    const Vocabulary *vocabulary = (Vocabulary *)self;
    Tally tally = {{0}, 0, 0};
    double *figures;
    PyObject *bytes = count_text(vocabulary, title, &tally) ? NULL : open_figures(vocabulary->groups + 1, &figures);
    if (bytes == NULL)
        return NULL;
    for (int group = 0; group < vocabulary->groups; group++)
        figures[group] = tally.hits[group] > 0;
    figures[vocabulary->groups] = (double)tally.tokens;
    return bytes;
}

/* of_text(texts, words): the texts of blocks and the sum of their words -> the hits of each group, and their share
 * in percent; then the number of counted characters, and that number per block: `of_text`. */
static PyObject *vocabulary_of_text(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    const Vocabulary *vocabulary = (Vocabulary *)self;
    Tally tally = {{0}, 0, 0};
    if (n != 2 || !PyTuple_Check(args[0]) || !PyFloat_Check(args[1]))
        return PyErr_Format(PyExc_TypeError, "of_text(texts, words)");
    Py_ssize_t blocks = PyTuple_GET_SIZE(args[0]);
    double words = PyFloat_AS_DOUBLE(args[1]), *figures;
    for (Py_ssize_t i = 0; i < blocks; i++)
        if (count_text(vocabulary, PyTuple_GET_ITEM(args[0], i), &tally))
            return NULL;
    PyObject *bytes = open_figures(2 * vocabulary->groups + 2, &figures);
    if (bytes == NULL)
        return NULL;
    for (int group = 0; group < vocabulary->groups; group++) {
        *figures++ = (double)tally.hits[group];
        *figures++ = 100.0 * (double)tally.hits[group] / (words > 1.0 ? words : 1.0);
    }
    *figures++ = (double)tally.counted;
    *figures++ = (double)tally.counted / (double)(blocks > 1 ? blocks : 1);
    return bytes;
}

static PyMethodDef vocabulary_methods[] = {
    {"of_title", (PyCFunction)vocabulary_of_title, METH_O, "Figures of a title."},
    {"of_text", (PyCFunction)(void (*)(void))vocabulary_of_text, METH_FASTCALL, "Figures of texts."},
    {NULL, NULL, 0, NULL},
};

PyTypeObject VocabularyType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "crfclean.core._core.Vocabulary",
    .tp_basicsize = sizeof(Vocabulary),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "Groups of words.",
    .tp_methods = vocabulary_methods,
    .tp_new = vocabulary_new,
    .tp_dealloc = vocabulary_dealloc,
};
