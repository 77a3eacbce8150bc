/* The compiled core of crfclean; crfclean/core/native.py opens it. */
#include "core.h"

#define VERSION 13 /* version of the calls below; crfclean/core/native.py refuses a core of another version */

static PyMethodDef methods[] = {
    {"numbered", (PyCFunction)core_numbered, METH_O, "Number values."},
    {"tokens", (PyCFunction)core_tokens, METH_O, "Split texts into tokens."},
    {"beginnings", (PyCFunction)core_beginnings, METH_VARARGS, "Find phrases at the beginning of texts."},
    {"cover", (PyCFunction)(void (*)(void))core_cover, METH_FASTCALL, "Compare sequences of tokens."},
    {"likeness", (PyCFunction)(void (*)(void))core_likeness, METH_FASTCALL, "Compare texts with titles."},
    {"href_bits", (PyCFunction)core_href_bits, METH_VARARGS, "Classify addresses."},
    {"pair_bits", (PyCFunction)(void (*)(void))core_pair_bits, METH_FASTCALL, "Look up words of names."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "crfclean.core._core", "The compiled core.", -1, methods,
    NULL, NULL, NULL, NULL,
};

static struct {
    const char *name;
    PyTypeObject *type;
} const TYPES[] = {{"Words", &WordsType}, {"Phrases", &PhrasesType}, {"Vocabulary", &VocabularyType}};

PyMODINIT_FUNC PyInit__core(void)
{
    PyObject *core = PyModule_Create(&module);
    for (size_t i = 0; core != NULL && i < sizeof TYPES / sizeof *TYPES; i++)
        if (PyType_Ready(TYPES[i].type) < 0
            || PyModule_AddObjectRef(core, TYPES[i].name, (PyObject *)TYPES[i].type) < 0)
            Py_CLEAR(core);
    if (core != NULL && PyModule_AddIntConstant(core, "VERSION", VERSION) < 0)
        Py_CLEAR(core);
    return core;
}
