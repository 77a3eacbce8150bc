/* Attributes, and paths of elements: `Measures.attribute`, `number_paths` of features/repetition.py. */
#include "core.h"

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
