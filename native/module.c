/* The compiled core of crfclean; crfclean/core/native.py opens it. */
#include "core.h"

#define VERSION 13 /* version of the calls below; crfclean/core/native.py refuses a core of another version */

static PyMethodDef methods[] = {
    {"counts", (PyCFunction)(void (*)(void))core_counts, METH_FASTCALL, "Count texts."},
    {"attributes", (PyCFunction)(void (*)(void))core_attributes, METH_FASTCALL, "Number values of attributes."},
    {"numbered", (PyCFunction)core_numbered, METH_O, "Number values."},
    {"any_marks", (PyCFunction)(void (*)(void))core_any_marks, METH_FASTCALL, "Look for marks."},
    {"tokens", (PyCFunction)core_tokens, METH_O, "Split texts into tokens."},
    {"beginnings", (PyCFunction)core_beginnings, METH_VARARGS, "Find phrases at the beginning of texts."},
    {"cover", (PyCFunction)(void (*)(void))core_cover, METH_FASTCALL, "Compare sequences of tokens."},
    {"likeness", (PyCFunction)(void (*)(void))core_likeness, METH_FASTCALL, "Compare texts with titles."},
    {"bins", (PyCFunction)(void (*)(void))core_bins, METH_FASTCALL, "Find bins of values."},
    {"href_bits", (PyCFunction)core_href_bits, METH_VARARGS, "Classify addresses."},
    {"having", (PyCFunction)(void (*)(void))core_having, METH_FASTCALL, "Find elements with attributes."},
    {"pair_bits", (PyCFunction)(void (*)(void))core_pair_bits, METH_FASTCALL, "Look up words of names."},
    {"open_parser", (PyCFunction)core_open_parser, METH_O, "Find libxml2."},
    {"parse", (PyCFunction)(void (*)(void))core_parse, METH_FASTCALL, "Pass a page's events to a walk."},
    {"traces", (PyCFunction)core_traces, METH_O, "Find marks of rare things."},
    {"first_pass", (PyCFunction)core_first_pass, METH_VARARGS, "Compute the columns of a first pass."},
    {"scaled", (PyCFunction)(void (*)(void))core_scaled, METH_FASTCALL, "Scale columns."},
    {"scores", (PyCFunction)(void (*)(void))core_scores, METH_FASTCALL, "Sum weights."},
    {"marginals", (PyCFunction)(void (*)(void))core_marginals, METH_FASTCALL, "Compute the marginals of a chain."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "crfclean.core._core", "The compiled core.", -1, methods,
    NULL, NULL, NULL, NULL,
};

static struct {
    const char *name;
    PyTypeObject *type;
} const TYPES[] = {{"Walk", &WalkType}, {"Words", &WordsType}, {"Phrases", &PhrasesType}, {"Vocabulary", &VocabularyType}};

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
