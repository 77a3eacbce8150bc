/* The compiled core of crfclean; crfclean/core/native.py opens it. */
#include "core.h"

#define VERSION 14 /* version of the calls below; crfclean/core/native.py refuses a core of another version */

#define NAMED(function) (PyCFunction)(void (*)(void))function, METH_VARARGS | METH_KEYWORDS /* arguments by name */

static PyMethodDef methods[] = {
    {"tokens", (PyCFunction)core_tokens, METH_O, "Split texts into tokens."},
    {"beginnings", NAMED(core_beginnings), "Find phrases at the beginning of texts."},
    {"cover", (PyCFunction)(void (*)(void))core_cover, METH_FASTCALL, "Compare sequences of tokens."},
    {"likeness", NAMED(core_likeness), "Compare texts with titles."},
    {"href_bits", NAMED(core_href_bits), "Classify addresses."},
    {"pair_bits", NAMED(core_pair_bits), "Look up words of names."},
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
