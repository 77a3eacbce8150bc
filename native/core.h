/* What the parts of the compiled core share. Each part says the same as a module of the package in
 * Python, which is its specification; tests/core/test_native.py compares them. */
#ifndef CRFCLEAN_CORE_H
#define CRFCLEAN_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

/* A growing array of int32, exported as bytes. */
typedef struct {
    int32_t *items;
    Py_ssize_t size, room;
} Ints;

static inline int ints_push(Ints *ints, Py_ssize_t value)
{
    if (ints->size == ints->room) {
        Py_ssize_t room = ints->room ? 2 * ints->room : 64;
        int32_t *items = PyMem_Realloc(ints->items, (size_t)room * sizeof(int32_t));
        if (items == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        ints->items = items;
        ints->room = room;
    }
    ints->items[ints->size++] = (int32_t)value;
    return 0;
}

static inline int32_t ints_last(const Ints *ints, int32_t none)
{
    return ints->size ? ints->items[ints->size - 1] : none;
}

extern PyTypeObject WalkType;                                                /* walk.c */
PyObject *core_counts(PyObject *self, PyObject *const *args, Py_ssize_t n);  /* counts.c */
PyObject *core_marks(PyObject *self, PyObject *const *args, Py_ssize_t n);   /* counts.c */
PyObject *core_name_bits(PyObject *self, PyObject *const *args, Py_ssize_t n); /* names.c */
PyObject *core_attribute(PyObject *self, PyObject *const *args, Py_ssize_t n); /* names.c */
PyObject *core_paths(PyObject *self, PyObject *const *args, Py_ssize_t n);     /* names.c */
PyObject *core_traces(PyObject *self, PyObject *source);                     /* traces.c */
PyObject *core_sweep(PyObject *self, PyObject *const *args, Py_ssize_t n);   /* chain.c */

#endif
