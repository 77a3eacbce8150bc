/* Number the values of attributes: `numbered` and `numbered_values` of crfclean/page/arrays.py. */
#include "core.h"

/* The values of one attribute while elements are read: the number of each, and the distinct values. */
typedef struct {
    PyObject *name, *numbers, *distinct, *places; /* interned text; bytes of int64, list, dict */
    PyObject *value;                              /* the present element's, borrowed; NULL for none */
    int64_t none;                                 /* the number of "", -1 until it has one */
} Values;

static void forget_values(Values *values)
{
    Py_CLEAR(values->name);
    Py_CLEAR(values->numbers);
    Py_CLEAR(values->distinct);
    Py_CLEAR(values->places);
}

/* Return the number of a value, a new number at its first occurrence; -1 with an exception. */
static int64_t number_of(Values *values, PyObject *value)
{
    PyObject *place = PyDict_GetItemWithError(values->places, value);
    if (place != NULL)
        return PyLong_AsLongLong(place);
    if (PyErr_Occurred())
        return -1;
    int64_t number = PyList_GET_SIZE(values->distinct);
    place = PyLong_FromLongLong(number);
    int failed = place == NULL || PyDict_SetItem(values->places, value, place)
                 || PyList_Append(values->distinct, value);
    Py_XDECREF(place);
    return failed ? -1 : number;
}

/* The number of "", which most elements have of most attributes; -1 with an exception. */
static int64_t number_of_none(Values *values)
{
    if (values->none < 0) {
        PyObject *none = PyUnicode_New(0, 0);
        values->none = none == NULL ? -1 : number_of(values, none);
        Py_XDECREF(none);
    }
    return values->none;
}

#define MOST_NAMES 8

/* Return the place of a name among the requested ones, -1 for another name. */
static Py_ssize_t place_of(PyObject *name, const Values *all, Py_ssize_t size)
{
    for (Py_ssize_t k = 0; k < size; k++)
        if (all[k].name == name)
            return k;
    if (!PyUnicode_Check(name) || PyUnicode_CHECK_INTERNED(name))
        return -1;
    for (Py_ssize_t k = 0; k < size; k++)
        if (PyUnicode_Compare(all[k].name, name) == 0)
            return k;
    return -1;
}

static int read_element(PyObject *attributes, Py_ssize_t element, Values *all, Py_ssize_t size)
{
    PyObject *name, *value;
    for (Py_ssize_t k = 0; k < size; k++)
        all[k].value = NULL;
    for (Py_ssize_t place = 0; PyDict_Next(attributes, &place, &name, &value);) {
        Py_ssize_t k = place_of(name, all, size);
        if (k >= 0)
            all[k].value = value;
    }
    for (Py_ssize_t k = 0; k < size; k++) {
        Values *values = all + k;
        int64_t number = values->value == NULL ? number_of_none(values) : number_of(values, values->value);
        ((int64_t *)(void *)PyBytes_AS_STRING(values->numbers))[element] = number;
        if (number < 0)
            return -1;
    }
    return 0;
}

static int open_values(PyObject *name, Py_ssize_t count, Values *values)
{
    if (!PyUnicode_CheckExact(name))
        return (PyErr_SetString(PyExc_TypeError, "attributes: each name is a str"), -1);
    Py_INCREF(name);
    PyUnicode_InternInPlace(&name);
    *values = (Values){name, PyBytes_FromStringAndSize(NULL, count * 8), PyList_New(0), PyDict_New(), NULL, -1};
    return values->numbers == NULL || values->distinct == NULL || values->places == NULL ? -1 : 0;
}

#define KNOWN 256 /* mappings that were read before are looked up by their address */

/* Where a mapping was read before: elements with equal attributes share a mapping. */
typedef struct {
    const PyObject *mapping;
    Py_ssize_t element;
} Known;

static Known *known_of(Known *known, const PyObject *mapping)
{
    uintptr_t place = (uintptr_t)mapping;
    return known + ((place >> 4 ^ place >> 12) & (KNOWN - 1));
}

static void copy_numbers(Values *all, Py_ssize_t size, Py_ssize_t from, Py_ssize_t element)
{
    for (Py_ssize_t k = 0; k < size; k++) {
        int64_t *numbers = (int64_t *)(void *)PyBytes_AS_STRING(all[k].numbers);
        numbers[element] = numbers[from];
    }
}

static int read_values(PyObject *attributes, PyObject *names, Values *all)
{
    Py_ssize_t count = PyTuple_GET_SIZE(attributes), size = PyTuple_GET_SIZE(names);
    for (Py_ssize_t k = 0; k < size; k++)
        if (open_values(PyTuple_GET_ITEM(names, k), count, &all[k]))
            return -1;
    Known known[KNOWN] = {{NULL, 0}};
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *mapping = PyTuple_GET_ITEM(attributes, i);
        Known *before = known_of(known, mapping);
        if (before->mapping == mapping) {
            copy_numbers(all, size, before->element, i);
            continue;
        }
        if (!PyDict_CheckExact(mapping)) {
            PyErr_SetString(PyExc_TypeError, "attributes: each mapping is a dict");
            return -1;
        }
        if (read_element(mapping, i, all, size))
            return -1;
        *before = (Known){mapping, i};
    }
    return 0;
}

/* attributes(attributes, names) -> for each name, the number of each mapping's value ("" for none) in order of
 * occurrence, bytes of int64, and the list of distinct values. */
PyObject *core_attributes(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    (void)self;
    if (n != 2 || !PyTuple_Check(args[0]) || !PyTuple_Check(args[1]) || PyTuple_GET_SIZE(args[1]) > MOST_NAMES)
        return PyErr_Format(PyExc_TypeError, "attributes(attributes, names)");
    Values all[MOST_NAMES] = {0};
    Py_ssize_t size = PyTuple_GET_SIZE(args[1]);
    PyObject *rows = read_values(args[0], args[1], all) ? NULL : PyList_New(size);
    for (Py_ssize_t k = 0; rows != NULL && k < size; k++) {
        PyObject *row = PyTuple_Pack(2, all[k].numbers, all[k].distinct);
        if (row == NULL)
            Py_CLEAR(rows);
        else
            PyList_SET_ITEM(rows, k, row);
    }
    for (Py_ssize_t k = 0; k < size; k++)
        forget_values(&all[k]);
    return rows;
}

/* numbered(keys): a tuple -> the number of each key in order of occurrence, bytes of int64, and the list of
 * distinct keys: `numbered` of crfclean/page/arrays.py. */
PyObject *core_numbered(PyObject *self, PyObject *keys)
{
    (void)self;
    if (!PyTuple_Check(keys))
        return PyErr_Format(PyExc_TypeError, "numbered(keys): a tuple");
    Py_ssize_t count = PyTuple_GET_SIZE(keys);
    Values values = {NULL, PyBytes_FromStringAndSize(NULL, count * 8), PyList_New(0), PyDict_New(), NULL, -1};
    PyObject *pair = NULL, *before = NULL;
    int failed = values.numbers == NULL || values.distinct == NULL || values.places == NULL;
    int64_t number = -1;
    for (Py_ssize_t i = 0; !failed && i < count; i++) {
        PyObject *key = PyTuple_GET_ITEM(keys, i);
        if (key != before) /* the same tag often follows itself */
            number = number_of(&values, key);
        before = key;
        failed = number < 0;
        if (!failed)
            ((int64_t *)(void *)PyBytes_AS_STRING(values.numbers))[i] = number;
    }
    if (!failed)
        pair = PyTuple_Pack(2, values.numbers, values.distinct);
    forget_values(&values);
    return pair;
}

/* having(attributes, names): a tuple of dicts, a tuple of str -> the places of the dicts that have any of the
 * names, int32. */
PyObject *core_having(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    (void)self;
    if (n != 2 || !PyTuple_Check(args[0]) || !PyTuple_Check(args[1]))
        return PyErr_Format(PyExc_TypeError, "having(attributes, names)");
    Ints places = {NULL, 0, 0};
    int failed = 0;
    for (Py_ssize_t i = 0; !failed && i < PyTuple_GET_SIZE(args[0]); i++) {
        PyObject *attributes = PyTuple_GET_ITEM(args[0], i);
        if (!PyDict_CheckExact(attributes)) {
            PyErr_SetString(PyExc_TypeError, "having: each mapping is a dict");
            failed = 1;
        }
        int has = 0;
        for (Py_ssize_t k = 0; !failed && !has && PyDict_GET_SIZE(attributes) && k < PyTuple_GET_SIZE(args[1]); k++)
            if ((has = PyDict_Contains(attributes, PyTuple_GET_ITEM(args[1], k))) < 0)
                failed = 1;
        if (!failed && has > 0)
            failed = ints_push(&places, i);
    }
    PyObject *bytes = failed ? NULL : PyBytes_FromStringAndSize((const char *)places.items, places.size * 4);
    PyMem_Free(places.items);
    return bytes;
}
