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

/* The bytes of a contiguous array that Python gives, with its number of items. */
typedef struct {
    Py_buffer view;
    Py_ssize_t count;
} Array;

static inline void close_arrays(Array *arrays, int n)
{
    for (int i = 0; i < n; i++)
        PyBuffer_Release(&arrays[i].view);
}

/* Open arrays of items of these widths in bytes; -1 with an exception, and none open. */
static inline int open_arrays(PyObject *const *objects, int n, const int *widths, Array *arrays)
{
    for (int i = 0; i < n; i++) {
        if (PyObject_GetBuffer(objects[i], &arrays[i].view, PyBUF_SIMPLE)) {
            close_arrays(arrays, i);
            return -1;
        }
        arrays[i].count = arrays[i].view.len / widths[i];
        if (arrays[i].view.len % widths[i]) {
            PyErr_SetString(PyExc_ValueError, "an array of another type");
            close_arrays(arrays, i + 1);
            return -1;
        }
    }
    return 0;
}

extern PyTypeObject WalkType;                                                /* walk.c */
extern PyTypeObject WordsType;                                               /* words.c */
extern PyTypeObject PhrasesType;                                             /* phrases.c */
PyObject *core_likeness(PyObject *self, PyObject *const *args, Py_ssize_t n); /* words.c */
PyObject *core_holds(PyObject *self, PyObject *const *args, Py_ssize_t n);   /* words.c */
PyObject *core_traits(PyObject *self, PyObject *const *args, Py_ssize_t n);  /* counts.c */
PyObject *core_solid(PyObject *self, PyObject *const *args, Py_ssize_t n);   /* counts.c */
PyObject *core_nearest(PyObject *self, PyObject *const *args, Py_ssize_t n); /* tree.c */
PyObject *core_inside(PyObject *self, PyObject *const *args, Py_ssize_t n);  /* tree.c */
PyObject *core_held(PyObject *self, PyObject *const *args, Py_ssize_t n);    /* tree.c */
PyObject *core_wider(PyObject *self, PyObject *const *args, Py_ssize_t n);   /* tree.c */
PyObject *core_steps(PyObject *self, PyObject *const *args, Py_ssize_t n);   /* tree.c */
PyObject *core_bins(PyObject *self, PyObject *const *args, Py_ssize_t n);    /* chain.c */
PyObject *core_having(PyObject *self, PyObject *const *args, Py_ssize_t n);  /* tree.c */
PyObject *core_counts(PyObject *self, PyObject *const *args, Py_ssize_t n);  /* counts.c */
PyObject *core_marks(PyObject *self, PyObject *const *args, Py_ssize_t n);   /* counts.c */
PyObject *core_name_bits(PyObject *self, PyObject *const *args, Py_ssize_t n); /* words.c */
PyObject *core_attributes(PyObject *self, PyObject *const *args, Py_ssize_t n); /* names.c */
PyObject *core_paths(PyObject *self, PyObject *const *args, Py_ssize_t n);     /* names.c */
PyObject *core_traces(PyObject *self, PyObject *source);                     /* traces.c */
PyObject *core_sweep(PyObject *self, PyObject *const *args, Py_ssize_t n);   /* chain.c */

#endif
