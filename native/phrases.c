/* Find phrases at the beginning of texts, or anywhere in them. */
#include "core.h"

typedef struct {
    Py_UCS4 code;
    int32_t child, sibling, value; /* -1: none */
} Node;

#define ROOTS 0x600 /* first characters below have an entry of their own: alphabets */

typedef struct {
    PyObject_HEAD
    Node *nodes;
    Py_ssize_t count, room;
    int32_t roots[ROOTS], others; /* first of the siblings that begin with a character beyond */
    uint8_t shorts[2][32], starts[4096]; /* bits of how phrases begin: one and two characters; more */
} Phrases;

/* Hash up to three characters that a phrase begins with. A look at one bit saves many looks at cold nodes. */
static inline uint32_t hash_start(const Py_UCS4 *codes, int count)
{
    uint32_t hash = codes[0];
    for (int i = 1; i < count; i++)
        hash = hash * 31 + codes[i];
    return hash * 2654435761u;
}

static inline uint8_t *start_bit(Phrases *phrases, const Py_UCS4 *codes, int count, uint8_t *mask)
{
    uint32_t hash = hash_start(codes, count) >> (count < 3 ? 24 : 17);
    *mask = (uint8_t)(1u << (hash & 7));
    return (count < 3 ? phrases->shorts[count - 1] : phrases->starts) + (hash >> 3);
}

/* Note how a phrase begins. */
static void add_start(Phrases *phrases, PyObject *text)
{
    Py_UCS4 codes[3];
    uint8_t mask;
    int count = 0;
    for (; count < 3 && count < PyUnicode_GET_LENGTH(text); count++)
        codes[count] = PyUnicode_READ_CHAR(text, count);
    if (count)
        *start_bit(phrases, codes, count, &mask) |= mask;
}

/* Return whether a phrase may begin with these one to three characters. */
static inline int may_begin(Phrases *phrases, const Py_UCS4 *codes, int count)
{
    uint8_t mask;
    for (int k = count; k > 0; k--)
        if (*start_bit(phrases, codes, k, &mask) & mask)
            return 1;
    return 0;
}

/* Return the link to the node of a character below `parent` (-1: at the start). */
static int32_t *link_of(Phrases *phrases, int32_t parent, Py_UCS4 code)
{
    int32_t *link = parent >= 0 ? &phrases->nodes[parent].child
                    : code < ROOTS ? &phrases->roots[code] : &phrases->others;
    while (*link >= 0 && phrases->nodes[*link].code != code)
        link = &phrases->nodes[*link].sibling;
    return link;
}

static int add_phrase(Phrases *phrases, PyObject *text, int32_t value)
{
    int32_t node = -1;
    add_start(phrases, text);
    for (Py_ssize_t i = 0; i < PyUnicode_GET_LENGTH(text); i++) {
        if (phrases->count == phrases->room) {
            Py_ssize_t room = phrases->room ? 2 * phrases->room : 1024;
            Node *nodes = PyMem_Realloc(phrases->nodes, (size_t)room * sizeof *nodes);
            if (nodes == NULL) {
                PyErr_NoMemory();
                return -1;
            }
            phrases->nodes = nodes;
            phrases->room = room;
        }
        Py_UCS4 code = PyUnicode_READ_CHAR(text, i);
        int32_t *link = link_of(phrases, node, code);
        if (*link < 0) {
            phrases->nodes[phrases->count] = (Node){code, -1, -1, -1};
            *link = (int32_t)phrases->count++;
        }
        node = *link;
    }
    if (node >= 0 && phrases->nodes[node].value < 0)
        phrases->nodes[node].value = value; /* of equal phrases, the first counts */
    return 0;
}

/* Phrases(pairs): a list of texts with numbers from 0 on. */
static PyObject *phrases_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *pairs, *text;
    int value;
    if (kwargs != NULL || !PyArg_ParseTuple(args, "O!", &PyList_Type, &pairs))
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "Phrases takes positions alone");
    Phrases *phrases = (Phrases *)type->tp_alloc(type, 0);
    if (phrases == NULL)
        return NULL;
    memset(phrases->roots, 0xFF, sizeof phrases->roots);
    phrases->others = -1;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(pairs); i++) {
        PyObject *pair = PyList_GET_ITEM(pairs, i);
        if (!PyTuple_Check(pair))
            PyErr_SetString(PyExc_TypeError, "Phrases: pairs of a text and a number");
        else if (PyArg_ParseTuple(pair, "Ui", &text, &value) && !add_phrase(phrases, text, value))
            continue;
        Py_DECREF(phrases);
        return NULL;
    }
    return (PyObject *)phrases;
}

static void phrases_dealloc(PyObject *self)
{
    PyMem_Free(((Phrases *)self)->nodes);
    Py_TYPE(self)->tp_free(self);
}

/* Return whether a character is one of `[a-z\u00df-\u024f\u0370-\u052f]`, a letter that continues a word. */
static int goes_on(Py_UCS4 code)
{
    return ('a' <= code && code <= 'z') || (0xDF <= code && code <= 0x24F) || (0x370 <= code && code <= 0x52F);
}

/* The first characters of a text, read in lower case as by `str.lower`. */
typedef struct {
    PyObject *text; /* owned */
    const void *chars;
    Py_ssize_t size;
    int kind;
} Head;

/* Open the head of a text; -1 with an exception. */
static int open_head(PyObject *text, Py_ssize_t most, Head *head)
{
    PyObject *plain = without_odd_case(text, most);
    if (plain == NULL)
        return -1;
    Py_ssize_t size = PyUnicode_GET_LENGTH(plain); /* in lower case it may be longer */
    *head = (Head){plain, PyUnicode_DATA(plain), plain == text && size > most ? most : size, (int)PyUnicode_KIND(plain)};
    return 0;
}

static inline Py_UCS4 lowered(const Head *head, Py_ssize_t at)
{
    Py_UCS4 code = PyUnicode_READ(head->kind, head->chars, at);
    if (code < 128)
        return 'A' <= code && code <= 'Z' ? code | 0x20 : code;
    return Py_UNICODE_TOLOWER(code);
}

/* Return whether any phrase may stand at a place. */
static inline int may_stand_at(Phrases *phrases, const Head *head, Py_ssize_t at)
{
    Py_UCS4 codes[3];
    int count = 0;
    for (; count < 3 && at + count < head->size; count++)
        codes[count] = lowered(head, at + count);
    return count && may_begin(phrases, codes, count);
}

/* Return the value of the longest phrase at a place of a text that ends where a word ends. */
static int32_t longest_at(Phrases *phrases, const Head *head, Py_ssize_t at)
{
    int32_t node = -1, value = -1;
    if (!may_stand_at(phrases, head, at))
        return -1;
    for (; at < head->size; at++) {
        Py_UCS4 code = lowered(head, at);
        node = *link_of(phrases, node, code);
        if (node < 0)
            break;
        if (phrases->nodes[node].value >= 0
            && !(goes_on(code) && at + 1 < head->size && goes_on(lowered(head, at + 1))))
            value = phrases->nodes[node].value;
    }
    return value;
}

/* Return the least value of the phrases at a place of a text, -1 for none. */
static int32_t first_at(Phrases *phrases, const Head *head, Py_ssize_t at)
{
    int32_t node = -1, least = -1;
    if (!may_stand_at(phrases, head, at))
        return -1;
    for (; at < head->size; at++) {
        node = *link_of(phrases, node, lowered(head, at));
        if (node < 0)
            break;
        int32_t value = phrases->nodes[node].value;
        least = value >= 0 && (least < 0 || value < least) ? value : least;
    }
    return least;
}

/* Return whether a text has words, and each of them is one of the phrases. */
static int are_all(Phrases *phrases, const Head *head)
{
    int32_t node = -1;
    int words = 0, in_word = 0;
    for (Py_ssize_t at = 0; at <= head->size; at++) {
        Py_UCS4 code = at < head->size ? lowered(head, at) : ' ';
        if (code < 128 ? Py_ISALNUM(code) : Py_UNICODE_ISALNUM(code)) {
            if (!in_word && !may_stand_at(phrases, head, at))
                return 0;
            node = *link_of(phrases, in_word ? node : -1, code);
            if (node < 0)
                return 0;
            in_word = 1;
        } else if (in_word) {
            if (phrases->nodes[node].value < 0)
                return 0;
            words++;
            in_word = 0;
        }
    }
    return words > 0;
}

static int is_among(Py_UCS4 code, PyObject *chars)
{
    return PyUnicode_FindChar(chars, code, 0, PyUnicode_GET_LENGTH(chars), 1) >= 0;
}

/* Return whether a character is a common mark of Latin-1, punctuation, a currency, an arrow, an operator or a shape. */
static int is_common_mark(Py_UCS4 code)
{
    if (code < 0xC0)
        return code != 0xAA && code != 0xB5 && code != 0xBA;
    return (0x2010 <= code && code < 0x203F) || (0x20A0 <= code && code < 0x20C0) || code == 0x2116
           || (0x2190 <= code && code < 0x2300) || (0x25A0 <= code && code < 0x2600);
}

/* Return whether a character is part of a word: a letter or digit, a combining or joining mark, a circled letter.
 * -1 with an exception. */
static int is_word_char(Py_UCS4 code)
{
    if (code < 128)
        return Py_ISALNUM(code) != 0;
    if (is_common_mark(code))
        return 0;
    if (Py_UNICODE_ISALPHA(code) || Py_UNICODE_ISDECIMAL(code) || code == 0x200C || code == 0x200D
        || (0x20DD <= code && code <= 0x20E4) || (0x24B6 <= code && code <= 0x24E9)
        || (0x1F130 <= code && code <= 0x1F189))
        return 1;
    const Py_UCS4 name[] = {'a', code}; /* identifiers may contain combining and joining marks */
    PyObject *text = PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, name, 2);
    int is_name = text == NULL ? -1 : PyUnicode_IsIdentifier(text);
    Py_XDECREF(text);
    return is_name;
}

/* The phrases to look for, and the parameters of the search. */
typedef struct {
    Phrases *first, *longest, *names;
    PyObject *marks;       /* characters to skip before the longest phrases */
    const int32_t *groups; /* by the value of the first phrases */
    Py_ssize_t count, most_chars, most_name_chars;
    int legal; /* the group of the mark of copyright */
    double most_words, most_kind_words, most_names;
} Sought;

/* Return the group of the first phrase behind leading marks, -1 for none; -2 with an exception. */
static int32_t group_of(const Sought *sought, const Head *head)
{
    Py_ssize_t at = 0;
    int has_copyright = 0, is_word = 0;
    if (!head->size || !Py_UNICODE_ISALPHA(lowered(head, 0)))
        for (; at < head->size; at++) {
            Py_UCS4 code = lowered(head, at);
            if ((is_word = is_word_char(code)))
                break;
            has_copyright |= code == 0xA9;
        }
    if (is_word < 0)
        return -2;
    int32_t value = first_at(sought->first, head, at);
    if (value < 0)
        return has_copyright ? sought->legal : -1;
    return value < sought->count ? sought->groups[value] : -1;
}

/* Return the kind of the longest phrase behind leading marks, 0 for none. */
static int32_t kind_of(const Sought *sought, const Head *head)
{
    Py_ssize_t at = 0;
    while (at < head->size && is_among(PyUnicode_READ(head->kind, head->chars, at), sought->marks))
        at++;
    int32_t kind = longest_at(sought->longest, head, at);
    return kind < 0 ? 0 : kind;
}

/* Read the beginning of a text; -1 with an exception. */
static int read_beginning(const Sought *sought, PyObject *text, double words, int32_t *group, int32_t *kind,
                          uint8_t *is_names)
{
    Head head;
    *group = -1, *kind = 0, *is_names = 0;
    if (words <= sought->most_words || words <= sought->most_kind_words) {
        if (open_head(text, sought->most_chars, &head))
            return -1;
        *group = words <= sought->most_words ? group_of(sought, &head) : -1;
        *kind = words <= sought->most_kind_words ? kind_of(sought, &head) : 0;
        Py_DECREF(head.text);
    }
    if (words <= sought->most_names) {
        if (open_head(text, sought->most_name_chars, &head))
            return -1;
        *is_names = (uint8_t)are_all(sought->names, &head);
        Py_DECREF(head.text);
    }
    return PyErr_Occurred() ? -1 : 0;
}

/* beginnings(texts, words, phrases, groups, legal, kind_phrases, marks, names, most_chars, ...): a tuple of texts; their
 * number of words, double (n,); phrases whose values are places in `groups`, int32, and the group of the copyright
 * mark; phrases whose values are kinds, and the marks to skip before them; names; the characters to read for phrases
 * and for names; the most words of a text to read for groups, kinds and names -> groups, int32, kinds, int32,
 * whether a text has only names, uint8. */
PyObject *core_beginnings(PyObject *self, PyObject *args, PyObject *named)
{
    (void)self;
    static char *keywords[] = {"texts", "words", "phrases", "groups", "legal", "kind_phrases", "marks", "names",
                               "most_chars", "most_name_chars", "most_words", "most_kind_words", "most_names", NULL};
    static const int widths[2] = {8, 4};
    PyObject *texts, *objects[2], *answer = NULL;
    Sought sought;
    if (!PyArg_ParseTupleAndKeywords(args, named, "$O!OO!OiO!UO!nnddd", keywords, &PyTuple_Type, &texts, &objects[0],
                                     &PhrasesType, &sought.first, &objects[1], &sought.legal, &PhrasesType,
                                     &sought.longest, &sought.marks, &PhrasesType, &sought.names, &sought.most_chars,
                                     &sought.most_name_chars, &sought.most_words, &sought.most_kind_words,
                                     &sought.most_names))
        return NULL;
    Array arrays[2];
    if (open_arrays(objects, 2, widths, arrays))
        return NULL;
    sought.groups = arrays[1].view.buf;
    sought.count = arrays[1].count;
    const double *words = arrays[0].view.buf;
    Py_ssize_t count = PyTuple_GET_SIZE(texts);
    int failed = arrays[0].count != count;
    if (failed)
        PyErr_SetString(PyExc_ValueError, "beginnings: words of other texts");
    PyObject *groups = PyBytes_FromStringAndSize(NULL, count * 4), *kinds = PyBytes_FromStringAndSize(NULL, count * 4),
             *names = PyBytes_FromStringAndSize(NULL, count);
    failed |= groups == NULL || kinds == NULL || names == NULL;
    for (Py_ssize_t i = 0; i < count && !failed; i++) {
        PyObject *text = PyTuple_GET_ITEM(texts, i);
        failed = !PyUnicode_Check(text);
        if (failed)
            PyErr_SetString(PyExc_TypeError, "beginnings: each text is a str");
        else
            failed = read_beginning(&sought, text, words[i], (int32_t *)(void *)PyBytes_AS_STRING(groups) + i,
                                    (int32_t *)(void *)PyBytes_AS_STRING(kinds) + i,
                                    (uint8_t *)PyBytes_AS_STRING(names) + i);
    }
    if (!failed)
        answer = PyTuple_Pack(3, groups, kinds, names);
    Py_XDECREF(groups);
    Py_XDECREF(kinds);
    Py_XDECREF(names);
    close_arrays(arrays, 2);
    return answer;
}

/* within(text) -> bits of the values of all phrases anywhere in a text. */
static PyObject *phrases_within(PyObject *self, PyObject *text)
{
    Phrases *phrases = (Phrases *)self;
    if (!PyUnicode_Check(text))
        return PyErr_Format(PyExc_TypeError, "within(text)");
    long bits = 0;
    int kind = (int)PyUnicode_KIND(text);
    const void *chars = PyUnicode_DATA(text);
    for (Py_ssize_t start = 0; start < PyUnicode_GET_LENGTH(text); start++) {
        int32_t node = -1;
        Py_UCS4 codes[3];
        int count = 0;
        for (; count < 3 && start + count < PyUnicode_GET_LENGTH(text); count++)
            codes[count] = PyUnicode_READ(kind, chars, start + count);
        if (!may_begin(phrases, codes, count))
            continue;
        for (Py_ssize_t at = start; at < PyUnicode_GET_LENGTH(text); at++) {
            node = *link_of(phrases, node, PyUnicode_READ_CHAR(text, at));
            if (node < 0)
                break;
            bits |= phrases->nodes[node].value < 0 ? 0 : phrases->nodes[node].value;
        }
    }
    return PyLong_FromLong(bits);
}

static PyMethodDef phrases_methods[] = {
    {"within", (PyCFunction)phrases_within, METH_O, "The phrases anywhere."},
    {NULL, NULL, 0, NULL},
};

PyTypeObject PhrasesType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "crfclean.core._core.Phrases",
    .tp_basicsize = sizeof(Phrases),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "Phrases that texts begin with.",
    .tp_methods = phrases_methods,
    .tp_new = phrases_new,
    .tp_dealloc = phrases_dealloc,
};
