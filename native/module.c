/* The compiled core of crfclean; crfclean/core/native.py opens it. */
#include "core.h"

#define VERSION 12 /* version of the calls below; crfclean/core/native.py refuses a core of another version */

static PyMethodDef methods[] = {
    {"counts", (PyCFunction)(void (*)(void))core_counts, METH_FASTCALL, "Counts of texts."},
    {"attributes", (PyCFunction)(void (*)(void))core_attributes, METH_FASTCALL, "Numbered values."},
    {"numbered", (PyCFunction)core_numbered, METH_O, "Numbered values."},
    {"columns", (PyCFunction)core_columns, METH_VARARGS, "The columns of a page."},
    {"any_marks", (PyCFunction)(void (*)(void))core_any_marks, METH_FASTCALL, "Whether marks are there."},
    {"tokens", (PyCFunction)core_tokens, METH_O, "Tokens of texts."},
    {"beginnings", (PyCFunction)core_beginnings, METH_VARARGS, "What texts begin with."},
    {"cover", (PyCFunction)(void (*)(void))core_cover, METH_FASTCALL, "Sequences of texts."},
    {"likeness", (PyCFunction)(void (*)(void))core_likeness, METH_FASTCALL, "Likeness to titles."},
    {"nearest", (PyCFunction)(void (*)(void))core_nearest, METH_FASTCALL, "Nearest elements."},
    {"steps", (PyCFunction)(void (*)(void))core_steps, METH_FASTCALL, "Steps up."},
    {"bins", (PyCFunction)(void (*)(void))core_bins, METH_FASTCALL, "Bins of values."},
    {"href_bits", (PyCFunction)core_href_bits, METH_VARARGS, "Kinds of addresses."},
    {"having", (PyCFunction)(void (*)(void))core_having, METH_FASTCALL, "Attributes by name."},
    {"pair_bits", (PyCFunction)(void (*)(void))core_pair_bits, METH_FASTCALL, "Groups of names."},
    {"open_parser", (PyCFunction)core_open_parser, METH_O, "Find a parser."},
    {"parse", (PyCFunction)(void (*)(void))core_parse, METH_FASTCALL, "Give a page's events to a walk."},
    {"traces", (PyCFunction)core_traces, METH_O, "Marks of rare things."},
    {"zones", (PyCFunction)core_zones, METH_O, "What elements are for."},
    {"apart", (PyCFunction)(void (*)(void))core_apart, METH_FASTCALL, "What blocks are beside plain text."},
    {"first_pass", (PyCFunction)core_first_pass, METH_VARARGS, "Columns of a first pass."},
    {"scaled", (PyCFunction)(void (*)(void))core_scaled, METH_FASTCALL, "Scaled columns."},
    {"scores", (PyCFunction)(void (*)(void))core_scores, METH_FASTCALL, "Sums of weights."},
    {"of_elements", (PyCFunction)(void (*)(void))core_of_elements, METH_FASTCALL, "Figures of elements."},
    {"of_page", (PyCFunction)core_of_page, METH_VARARGS, "Figures of a page."},
    {"marginals", (PyCFunction)(void (*)(void))core_marginals, METH_FASTCALL, "Marginals of a chain."},
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
    if (core != NULL && (PyModule_AddIntConstant(core, "VERSION", VERSION) < 0 || add_column_names(core)))
        Py_CLEAR(core);
    return core;
}
