/* The compiled core of crfclean; crfclean/core/native.py opens it where it was built. */
#include "core.h"

#define VERSION 2 /* of the calls below: crfclean/core/native.py refuses a core of another one */

static PyMethodDef methods[] = {
    {"counts", (PyCFunction)(void (*)(void))core_counts, METH_FASTCALL, "Counts of texts."},
    {"marks", (PyCFunction)(void (*)(void))core_marks, METH_FASTCALL, "Characters in a table."},
    {"name_bits", (PyCFunction)(void (*)(void))core_name_bits, METH_FASTCALL, "Groups of names."},
    {"attribute", (PyCFunction)(void (*)(void))core_attribute, METH_FASTCALL, "Numbered values."},
    {"paths", (PyCFunction)(void (*)(void))core_paths, METH_FASTCALL, "Numbered paths."},
    {"traces", (PyCFunction)core_traces, METH_O, "Marks of rare things."},
    {"sweep", (PyCFunction)(void (*)(void))core_sweep, METH_FASTCALL, "A sweep of a chain."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "crfclean.core._core", "The compiled core.", -1, methods,
    NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__core(void)
{
    if (PyType_Ready(&WalkType) < 0)
        return NULL;
    PyObject *core = PyModule_Create(&module);
    if (core == NULL)
        return NULL;
    Py_INCREF(&WalkType);
    if (PyModule_AddObject(core, "Walk", (PyObject *)&WalkType) < 0) {
        Py_DECREF(&WalkType);
        Py_DECREF(core);
        return NULL;
    }
    if (PyModule_AddIntConstant(core, "VERSION", VERSION) < 0) {
        Py_DECREF(core);
        return NULL;
    }
    return core;
}
