/* Number keys: `numbered` of crfclean/page/chars.py. */
#include "core.h"

/* The number of each key, and the distinct keys. */
typedef struct {
    PyObject *numbers, *distinct, *places; /* bytes of int64, list, dict */
} Values;

static void forget_values(Values *values)
{
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

/* numbered(keys): a tuple -> the number of each key in order of occurrence, bytes of int64, and the list of
 * distinct keys: `numbered` of crfclean/page/chars.py. */
PyObject *core_numbered(PyObject *self, PyObject *keys)
{
    (void)self;
    if (!PyTuple_Check(keys))
        return PyErr_Format(PyExc_TypeError, "numbered(keys): a tuple");
    Py_ssize_t count = PyTuple_GET_SIZE(keys);
    Values values = {PyBytes_FromStringAndSize(NULL, count * 8), PyList_New(0), PyDict_New()};
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
