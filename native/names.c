/* Words of class and id, attributes, and paths of elements: `name_bits` of
 * crfclean/features/markup.py, `Measures.attribute`, `number_paths` of features/repetition.py. */
#include "core.h"

static inline int is_lower(Py_UCS4 code) { return 'a' <= code && code <= 'z'; }
static inline int is_upper(Py_UCS4 code) { return 'A' <= code && code <= 'Z'; }

/* The next word of a name from `at` on: `[A-Z]?[a-z]+|[A-Z]+(?![a-z])`, in lower case in `word`.
 * Returns its length, 0 for none; `*at` is then its end. */
static Py_ssize_t next_word(PyObject *name, Py_ssize_t size, Py_ssize_t *at, char *word)
{
    int kind = PyUnicode_KIND(name);
    const void *chars = PyUnicode_DATA(name);
    Py_ssize_t start = *at, end;
    while (start < size && !is_lower(PyUnicode_READ(kind, chars, start))
           && !is_upper(PyUnicode_READ(kind, chars, start)))
        start++;
    if (start >= size)
        return 0;
    for (end = start; end < size && is_upper(PyUnicode_READ(kind, chars, end));)
        end++;
    Py_ssize_t uppers = end - start;
    int lower_follows = end < size && is_lower(PyUnicode_READ(kind, chars, end));
    if (uppers > 1 && lower_follows)
        end--; /* the last one begins the next word */
    else
        while (end < size && is_lower(PyUnicode_READ(kind, chars, end)))
            end++;
    for (Py_ssize_t i = start; i < end; i++)
        word[i - start] = (char)(PyUnicode_READ(kind, chars, i) | 0x20);
    *at = end;
    return end - start;
}

/* The bits of a word in the dict `groups`, 0 for none; -1 with an exception. */
static int64_t bits_of(PyObject *groups, const char *word, Py_ssize_t length, PyObject **text)
{
    PyObject *key = PyUnicode_FromStringAndSize(word, length);
    PyObject *bits = key == NULL ? NULL : PyDict_GetItemWithError(groups, key);
    if (text != NULL)
        *text = key;
    else
        Py_XDECREF(key);
    if (bits == NULL)
        return PyErr_Occurred() ? -1 : 0;
    return PyLong_AsLongLong(bits);
}

/* The bits of a name; two words in a row may form one, if the first is in `begins`. */
static int64_t name_bits(PyObject *name, Py_ssize_t most, PyObject *groups, PyObject *begins, char *buffer)
{
    Py_ssize_t size = PyUnicode_GET_LENGTH(name), at = 0, before = 0, length;
    int64_t bits = 0;
    if (size > most)
        size = most;
    char *word = buffer; /* the word before, if it begins one of two, then this word */
    while ((length = next_word(name, size, &at, word + before))) {
        PyObject *text;
        int64_t own = bits_of(groups, word + before, length, &text);
        int64_t both = own >= 0 && before ? bits_of(groups, word, before + length, NULL) : 0;
        int begins_one = own < 0 || both < 0 ? -1 : PySet_Contains(begins, text);
        Py_XDECREF(text);
        if (begins_one < 0)
            return -1;
        bits |= own | both;
        if (begins_one)
            memmove(buffer, word + before, (size_t)length);
        before = begins_one ? length : 0;
    }
    return bits;
}

/* name_bits(names, most, groups, begins) -> bits of each name of a list, bytes of int64. */
PyObject *core_name_bits(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    (void)self;
    if (n != 4 || !PyList_Check(args[0]) || !PyLong_Check(args[1]) || !PyDict_Check(args[2])
        || !PyAnySet_Check(args[3])) {
        PyErr_SetString(PyExc_TypeError, "name_bits(names, most, groups, begins)");
        return NULL;
    }
    Py_ssize_t count = PyList_GET_SIZE(args[0]), most = PyLong_AsSsize_t(args[1]);
    if (most < 0 || most > 1000000) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "name_bits: bad number of characters");
        return NULL;
    }
    char *buffer = PyMem_Malloc(2 * (size_t)most + 1);
    if (buffer == NULL)
        return PyErr_NoMemory();
    PyObject *array = PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(int64_t));
    for (Py_ssize_t i = 0; array != NULL && i < count; i++) {
        PyObject *name = PyList_GET_ITEM(args[0], i);
        int64_t bits = -1;
        if (PyUnicode_Check(name))
            bits = name_bits(name, most, args[2], args[3], buffer);
        else
            PyErr_SetString(PyExc_TypeError, "name_bits: each name is a str");
        if (bits < 0 && PyErr_Occurred())
            Py_CLEAR(array);
        else
            memcpy(PyBytes_AS_STRING(array) + i * (Py_ssize_t)sizeof bits, &bits, sizeof bits);
    }
    PyMem_Free(buffer);
    return array;
}

/* attribute(attributes, name) -> a number for each mapping's value ("" for none) in order of
 * occurrence, bytes of int64, and the list of distinct values. */
PyObject *core_attribute(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    (void)self;
    if (n != 2 || !PyTuple_Check(args[0])) {
        PyErr_SetString(PyExc_TypeError, "attribute(attributes, name)");
        return NULL;
    }
    Py_ssize_t count = PyTuple_GET_SIZE(args[0]);
    PyObject *numbers = PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(int64_t));
    PyObject *places = PyDict_New(), *distinct = PyList_New(0), *none = PyUnicode_New(0, 0);
    int failed = numbers == NULL || places == NULL || distinct == NULL || none == NULL;
    for (Py_ssize_t i = 0; !failed && i < count; i++) {
        PyObject *attributes = PyTuple_GET_ITEM(args[0], i), *value = NULL;
        if (PyDict_CheckExact(attributes))
            value = PyDict_GetItemWithError(attributes, args[1]);
        else
            PyErr_SetString(PyExc_TypeError, "attribute: each mapping is a dict");
        if (value == NULL && PyErr_Occurred())
            failed = 1;
        else {
            value = value == NULL ? none : value;
            PyObject *place = PyDict_GetItemWithError(places, value);
            int64_t number = PyList_GET_SIZE(distinct);
            if (place != NULL)
                number = PyLong_AsLongLong(place);
            else if (PyErr_Occurred())
                failed = 1;
            else {
                place = PyLong_FromLongLong(number);
                failed = place == NULL || PyDict_SetItem(places, value, place)
                         || PyList_Append(distinct, value);
                Py_XDECREF(place);
            }
            memcpy(PyBytes_AS_STRING(numbers) + i * (Py_ssize_t)sizeof number, &number, sizeof number);
        }
    }
    PyObject *both = failed ? NULL : PyTuple_Pack(2, numbers, distinct);
    Py_XDECREF(numbers);
    Py_XDECREF(places);
    Py_XDECREF(distinct);
    Py_XDECREF(none);
    return both;
}

typedef struct {
    int64_t parent, code, number; /* number -1: free */
} Slot;

static inline size_t mixed(int64_t parent, int64_t code)
{
    uint64_t hash = (uint64_t)parent * 0x9E3779B97F4A7C15u ^ ((uint64_t)code + 0x7F4A7C15u) * 0xC2B2AE3D27D4EB4Fu;
    return (size_t)(hash ^ hash >> 29);
}

/* paths(parent, code): int32 and int64 (m,) as bytes, each parent before its children or -1 -> the
 * number of each node's codes from the root down, in order of occurrence, bytes of int64. */
PyObject *core_paths(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    (void)self;
    if (n != 2 || !PyBytes_Check(args[0]) || !PyBytes_Check(args[1])
        || PyBytes_GET_SIZE(args[0]) * 2 != PyBytes_GET_SIZE(args[1])) {
        PyErr_SetString(PyExc_TypeError, "paths(parent, code): bytes of int32 and int64");
        return NULL;
    }
    Py_ssize_t count = PyBytes_GET_SIZE(args[1]) / (Py_ssize_t)sizeof(int64_t);
    size_t room = 16;
    while (room < 2 * (size_t)count)
        room *= 2;
    Slot *slots = PyMem_Malloc(room * sizeof(Slot));
    PyObject *array = PyBytes_FromStringAndSize(NULL, PyBytes_GET_SIZE(args[1]));
    if (slots == NULL || array == NULL) {
        PyMem_Free(slots);
        Py_XDECREF(array);
        return PyErr_NoMemory();
    }
    for (size_t i = 0; i < room; i++)
        slots[i].number = -1;
    char *out = PyBytes_AS_STRING(array);
    int64_t numbers = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        int32_t above;
        int64_t code, parent = -1;
        memcpy(&above, PyBytes_AS_STRING(args[0]) + i * (Py_ssize_t)sizeof above, sizeof above);
        memcpy(&code, PyBytes_AS_STRING(args[1]) + i * (Py_ssize_t)sizeof code, sizeof code);
        if (above >= i) {
            PyErr_SetString(PyExc_ValueError, "paths: a parent after its child");
            Py_CLEAR(array);
            break;
        }
        if (above >= 0)
            memcpy(&parent, out + above * (Py_ssize_t)sizeof parent, sizeof parent);
        size_t at = mixed(parent, code) & (room - 1);
        while (slots[at].number >= 0 && (slots[at].parent != parent || slots[at].code != code))
            at = (at + 1) & (room - 1);
        if (slots[at].number < 0)
            slots[at] = (Slot){parent, code, numbers++};
        memcpy(out + i * (Py_ssize_t)sizeof(int64_t), &slots[at].number, sizeof(int64_t));
    }
    PyMem_Free(slots);
    return array;
}
