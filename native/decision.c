/* The decision rule "expected_f1": `cut_by_rule` of crfclean/taggers/decision.py. */
#include "core.h"

enum { HEADER, TEXT, OTHER, LABELS };
static const double LEAST = 1e-9; /* of a probability whose log-odds are taken */

typedef struct {
    double probability;
    Py_ssize_t block;
} Place;

typedef struct {
    Py_ssize_t n;
    const double *words;         /* (n,) */
    const char *barred, *titles; /* (n,), or NULL for none */
    double *marginals;           /* (n, 3) */
    int32_t *labels;             /* (n,) */
    Place *order;
    double *expected, *kept; /* room for n each */
} Cut;

/* Excluded blocks are OTHER for certain, titles HEADER as probably as the likeliest of the others is kept. */
static void adapt(const Cut *cut)
{
    double least = INFINITY;
    for (Py_ssize_t i = 0; i < cut->n; i++) {
        double *row = cut->marginals + LABELS * i;
        if (cut->barred != NULL && cut->barred[i])
            row[HEADER] = row[TEXT] = 0.0, row[OTHER] = 1.0;
        least = row[OTHER] < least ? row[OTHER] : least;
    }
    for (Py_ssize_t i = 0; cut->titles != NULL && i < cut->n; i++)
        if (cut->titles[i]) {
            double *row = cut->marginals + LABELS * i;
            row[HEADER] = 1.0 - least, row[TEXT] = 0.0, row[OTHER] = least;
        }
}

static double flat(double probability)
{
    double safe = probability < LEAST ? LEAST : probability > 1.0 - LEAST ? 1.0 - LEAST : probability;
    return probability > 0.0 ? 1.0 / (1.0 + 1.0 / (safe / (1.0 - safe))) : 0.0;
}

static int by_probability(const void *left, const void *right)
{
    const Place *a = left, *b = right;
    if (a->probability != b->probability)
        return a->probability > b->probability ? -1 : 1;
    return a->block < b->block ? -1 : a->block > b->block;
}

/* How many blocks in order of probability maximise S_k / (W_k + S), 0 where nothing is expected. */
static Py_ssize_t best_count(const Cut *cut)
{
    double right = 0.0, all = 0.0, taken = 0.0, most = -1.0;
    for (Py_ssize_t k = 0; k < cut->n; k++)
        all += cut->order[k].probability * cut->words[cut->order[k].block];
    Py_ssize_t best = 0;
    for (Py_ssize_t k = 0; all > 0.0 && k < cut->n; k++) {
        right += cut->order[k].probability * cut->words[cut->order[k].block];
        taken += cut->words[cut->order[k].block];
        if (right / (taken + all) > most)
            most = right / (taken + all), best = k + 1;
    }
    return best;
}

static int label(const Cut *cut)
{
    for (Py_ssize_t i = 0; i < cut->n; i++) {
        cut->order[i] = (Place){flat(1.0 - cut->marginals[LABELS * i + OTHER]), i};
        cut->labels[i] = OTHER;
    }
    qsort(cut->order, (size_t)cut->n, sizeof(Place), by_probability);
    Py_ssize_t count = best_count(cut);
    int any = 0;
    for (Py_ssize_t k = 0; k < count; k++) {
        Py_ssize_t i = cut->order[k].block;
        const double *row = cut->marginals + LABELS * i;
        cut->labels[i] = row[HEADER] > row[TEXT] ? HEADER : TEXT;
        if (cut->barred != NULL && cut->barred[i])
            cut->labels[i] = OTHER;
        any |= cut->labels[i] != OTHER;
    }
    for (Py_ssize_t i = 0; any && cut->titles != NULL && i < cut->n; i++)
        if (cut->titles[i])
            cut->labels[i] = HEADER;
    return any;
}

/* 2 S_kept / (W_kept + S_all), in numpy's order of adding. */
static double score(const Cut *cut)
{
    for (Py_ssize_t i = 0; i < cut->n; i++) {
        cut->expected[i] = (1.0 - cut->marginals[LABELS * i + OTHER]) * cut->words[i];
        cut->kept[i] = cut->labels[i] == OTHER ? 0.0 : cut->words[i];
    }
    double total = pairwise_sum(cut->kept, cut->n) + pairwise_sum(cut->expected, cut->n);
    for (Py_ssize_t i = 0; i < cut->n; i++)
        cut->kept[i] = cut->labels[i] == OTHER ? 0.0 : cut->expected[i];
    return total > 0.0 ? 2.0 * pairwise_sum(cut->kept, cut->n) / total : 0.0;
}

static PyObject *decide(Cut *cut)
{
    size_t n = cut->n ? (size_t)cut->n : 1;
    PyObject *rows = PyBytes_FromStringAndSize((const char *)cut->marginals, LABELS * cut->n * (Py_ssize_t)sizeof(double));
    PyObject *labels = PyBytes_FromStringAndSize(NULL, cut->n * (Py_ssize_t)sizeof(int32_t)), *result = NULL;
    cut->order = PyMem_Malloc(n * sizeof(Place));
    cut->expected = PyMem_Malloc(2 * n * sizeof(double));
    if (rows != NULL && labels != NULL && cut->order != NULL && cut->expected != NULL) {
        cut->kept = cut->expected + n;
        cut->marginals = (double *)(void *)PyBytes_AS_STRING(rows);
        cut->labels = (int32_t *)(void *)PyBytes_AS_STRING(labels);
        adapt(cut);
        label(cut);
        result = Py_BuildValue("(OOd)", labels, rows, score(cut));
    } else if (!PyErr_Occurred())
        PyErr_NoMemory();
    PyMem_Free(cut->order);
    PyMem_Free(cut->expected);
    Py_XDECREF(rows);
    Py_XDECREF(labels);
    return result;
}

static int is_finite(const Array *array)
{
    const double *items = array->view.buf;
    for (Py_ssize_t i = 0; i < array->count; i++)
        if (!(items[i] - items[i] == 0.0))
            return 0;
    return 1;
}

/* cut(marginals, words, barred, titles): double (n, 3), (n,); flags (n,) or b"" for none -> labels, bytes of
 * int32 (n,), the marginals as the flags have them, and the expected F1; None if a number is not finite. */
PyObject *core_cut(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    (void)self;
    static const int widths[4] = {8, 8, 1, 1};
    Array arrays[4];
    if (n != 4)
        return PyErr_Format(PyExc_TypeError, "cut(marginals, words, barred, titles)");
    if (open_arrays(args, 4, widths, arrays))
        return NULL;
    Cut cut = {.n = arrays[1].count, .words = arrays[1].view.buf, .marginals = arrays[0].view.buf};
    cut.barred = arrays[2].count ? arrays[2].view.buf : NULL;
    cut.titles = arrays[3].count ? arrays[3].view.buf : NULL;
    int fits = arrays[0].count == LABELS * cut.n;
    for (int i = 2; i < 4; i++)
        fits &= !arrays[i].count || arrays[i].count == cut.n;
    PyObject *result = NULL;
    if (!fits)
        PyErr_SetString(PyExc_ValueError, "cut: arrays of other sizes");
    else if (!is_finite(&arrays[0]) || !is_finite(&arrays[1]))
        result = Py_NewRef(Py_None);
    else
        result = decide(&cut);
    close_arrays(arrays, 4);
    return result;
}
