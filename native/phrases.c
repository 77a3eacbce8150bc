/* Phrases that texts begin with: crfclean/features/openings.py and features/wording.py. */
#include "core.h"

typedef struct {
    Py_UCS4 code;
    int32_t child, sibling, value; /* -1: none */
} Node;

#define ROOTS 0x600 /* first characters with a place of their own: alphabets */

typedef struct {
    PyObject_HEAD
    Node *nodes;
    Py_ssize_t count, room;
    int32_t roots[ROOTS], others; /* of first characters beyond: a list of siblings */
} Phrases;

/* The place where the node of a character below `parent` (-1: at the start) is noted. */
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
        phrases->nodes[node].value = value; /* of equal phrases the first one counts */
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

/* `[a-z\u00df-\u024f\u0370-\u052f]`: a letter that goes on with a word. */
static int goes_on(Py_UCS4 code)
{
    return ('a' <= code && code <= 'z') || (0xDF <= code && code <= 0x24F) || (0x370 <= code && code <= 0x52F);
}

/* The value of the longest phrase that a text begins with at a place and that ends with a word. */
static int32_t longest_at(Phrases *phrases, PyObject *text, Py_ssize_t at)
{
    int32_t node = -1, value = -1;
    Py_ssize_t size = PyUnicode_GET_LENGTH(text);
    for (; at < size; at++) {
        Py_UCS4 code = PyUnicode_READ_CHAR(text, at);
        node = *link_of(phrases, node, code);
        if (node < 0)
            break;
        int is_word = goes_on(code) && at + 1 < size && goes_on(PyUnicode_READ_CHAR(text, at + 1));
        if (phrases->nodes[node].value >= 0 && !is_word)
            value = phrases->nodes[node].value;
    }
    return value;
}

/* The least value of the phrases that a text begins with at a place, -1 for none. */
static int32_t first_at(Phrases *phrases, PyObject *text, Py_ssize_t at)
{
    int32_t node = -1, least = -1;
    for (; at < PyUnicode_GET_LENGTH(text); at++) {
        node = *link_of(phrases, node, PyUnicode_READ_CHAR(text, at));
        if (node < 0)
            break;
        int32_t value = phrases->nodes[node].value;
        least = value >= 0 && (least < 0 || value < least) ? value : least;
    }
    return least;
}

static int is_among(Py_UCS4 code, PyObject *chars)
{
    return PyUnicode_FindChar(chars, code, 0, PyUnicode_GET_LENGTH(chars), 1) >= 0;
}

/* longest(texts, marks) -> the value of the longest phrase that each text of a list begins with
 * after marks, where no word goes on; -1 for none; int32. */
static PyObject *phrases_longest(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    if (n != 2 || !PyList_Check(args[0]) || !PyUnicode_Check(args[1]))
        return PyErr_Format(PyExc_TypeError, "longest(texts, marks)");
    Py_ssize_t count = PyList_GET_SIZE(args[0]);
    PyObject *array = PyBytes_FromStringAndSize(NULL, count * 4);
    for (Py_ssize_t i = 0; array != NULL && i < count; i++) {
        PyObject *text = PyList_GET_ITEM(args[0], i);
        if (!PyUnicode_Check(text)) {
            Py_DECREF(array);
            return PyErr_Format(PyExc_TypeError, "longest: each text is a str");
        }
        Py_ssize_t at = 0;
        while (at < PyUnicode_GET_LENGTH(text) && is_among(PyUnicode_READ_CHAR(text, at), args[1]))
            at++;
        ((int32_t *)(void *)PyBytes_AS_STRING(array))[i] = longest_at((Phrases *)self, text, at);
    }
    return array;
}

/* Where a text begins after what is no letter or digit; -1 where Python must see. */
static Py_ssize_t unmarked(PyObject *text)
{
    Py_ssize_t size = PyUnicode_GET_LENGTH(text), at = 0;
    if (size && Py_UNICODE_ISALPHA(PyUnicode_READ_CHAR(text, 0)))
        return size < 2 ? -1 : 0;
    for (; at < size; at++) {
        Py_UCS4 code = PyUnicode_READ_CHAR(text, at);
        if (code >= 128)
            return -1;
        if (Py_ISALNUM(code))
            break;
    }
    return size - at < 2 ? -1 : at;
}

/* first(texts) -> the least value of the phrases that each text of a list begins with after marks,
 * -1 for none, -2 where Python must see; int32. */
static PyObject *phrases_first(PyObject *self, PyObject *texts)
{
    if (!PyList_Check(texts))
        return PyErr_Format(PyExc_TypeError, "first(texts)");
    Py_ssize_t count = PyList_GET_SIZE(texts);
    PyObject *array = PyBytes_FromStringAndSize(NULL, count * 4);
    for (Py_ssize_t i = 0; array != NULL && i < count; i++) {
        PyObject *text = PyList_GET_ITEM(texts, i);
        if (!PyUnicode_Check(text)) {
            Py_DECREF(array);
            return PyErr_Format(PyExc_TypeError, "first: each text is a str");
        }
        Py_ssize_t at = unmarked(text);
        ((int32_t *)(void *)PyBytes_AS_STRING(array))[i] = at < 0 ? -2 : first_at((Phrases *)self, text, at);
    }
    return array;
}

/* within(text) -> the bits of the values of all phrases that a text has anywhere. */
static PyObject *phrases_within(PyObject *self, PyObject *text)
{
    Phrases *phrases = (Phrases *)self;
    if (!PyUnicode_Check(text))
        return PyErr_Format(PyExc_TypeError, "within(text)");
    long bits = 0;
    for (Py_ssize_t start = 0; start < PyUnicode_GET_LENGTH(text); start++) {
        int32_t node = -1;
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
    {"longest", (PyCFunction)(void (*)(void))phrases_longest, METH_FASTCALL, "The longest phrases."},
    {"within", (PyCFunction)phrases_within, METH_O, "The phrases anywhere."},
    {"first", (PyCFunction)phrases_first, METH_O, "The first phrases."},
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
