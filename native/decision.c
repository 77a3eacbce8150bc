/* The decision rule "expected_f1": `cut_by_rule` of crfclean/taggers/decision.py, and `decided` of
 * crfclean/taggers/page_rule.py around it. */
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

/* Room for the order and the sums of a cut; -1 with an exception, and nothing taken. */
static int open_cut(Cut *cut)
{
    size_t n = cut->n ? (size_t)cut->n : 1;
    cut->order = PyMem_Malloc(n * sizeof(Place));
    cut->expected = PyMem_Malloc(2 * n * sizeof(double));
    if (cut->order != NULL && cut->expected != NULL) {
        cut->kept = cut->expected + n;
        return 0;
    }
    PyMem_Free(cut->order);
    PyMem_Free(cut->expected);
    PyErr_NoMemory();
    return -1;
}

static void close_cut(Cut *cut)
{
    PyMem_Free(cut->order);
    PyMem_Free(cut->expected);
}

/* New arrays for labels and marginals, the latter as they are; -1 with an exception. */
static int open_result(Cut *cut, PyObject **labels, PyObject **rows)
{
    *rows = PyByteArray_FromStringAndSize((const char *)cut->marginals, LABELS * cut->n * (Py_ssize_t)sizeof(double));
    *labels = PyByteArray_FromStringAndSize(NULL, cut->n * (Py_ssize_t)sizeof(int32_t));
    if (*rows == NULL || *labels == NULL)
        return -1;
    cut->marginals = (double *)(void *)PyByteArray_AS_STRING(*rows);
    cut->labels = (int32_t *)(void *)PyByteArray_AS_STRING(*labels);
    return 0;
}

static PyObject *decide(Cut *cut)
{
    PyObject *labels = NULL, *rows = NULL, *result = NULL;
    if (!open_result(cut, &labels, &rows) && !open_cut(cut)) {
        adapt(cut);
        label(cut);
        result = Py_BuildValue("(OOd)", labels, rows, score(cut));
        close_cut(cut);
    }
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

/* What `decided` reads beside the cut. */
typedef struct {
    const char *others, *without; /* (n,), or NULL for none */
    const int32_t *sure;          /* kinds (n,), or NULL */
    const int64_t *tables;        /* (n,), or NULL */
    const int32_t *listed;        /* kinds of which a page may be a list */
    Py_ssize_t kinds;             /* how many of these */
    const double *bounds;
    char *barred;                 /* (n,), filled; NULL where no block is */
} Facts;

enum { MOST_LISTED, UNLIKELY, LIKELY, LEAST_TABLE, MOST_DIFFERING, BOUNDS };

static void bar(const Cut *cut, const char *flags)
{
    for (Py_ssize_t i = 0; flags != NULL && i < cut->n; i++)
        if (flags[i]) {
            double *row = cut->marginals + LABELS * i;
            row[HEADER] = row[TEXT] = 0.0, row[OTHER] = 1.0;
        }
}

/* The sum of the words of blocks that are likely to be kept, or unlikely. */
static double words_of_cells(const Cut *cut, Py_ssize_t start, Py_ssize_t end, const double *kept, double above,
                             double below)
{
    Py_ssize_t count = 0;
    for (Py_ssize_t i = start; i < end; i++)
        if (kept[i] > above && kept[i] < below)
            cut->expected[count++] = cut->words[i];
    return pairwise_sum(cut->expected, count);
}

/* One probability for the blocks of a table: `pool` of crfclean/taggers/whole_tables.py. */
static void pool_table(const Cut *cut, Py_ssize_t start, Py_ssize_t end, const double *bounds)
{
    double *kept = cut->kept, total = pairwise_sum(cut->words + start, end - start);
    for (Py_ssize_t i = start; i < end; i++)
        kept[i] = 1.0 - cut->marginals[LABELS * i + OTHER];
    double unlikely = words_of_cells(cut, start, end, kept, -INFINITY, bounds[UNLIKELY]);
    double likely = words_of_cells(cut, start, end, kept, bounds[LIKELY], INFINITY);
    if (total == 0.0 || (unlikely < likely ? unlikely : likely) > bounds[MOST_DIFFERING] * total)
        return;
    for (Py_ssize_t i = start; i < end; i++)
        cut->expected[i - start] = cut->words[i] * kept[i];
    double mean = pairwise_sum(cut->expected, end - start) / total;
    for (Py_ssize_t i = start; i < end && mean >= bounds[LEAST_TABLE]; i++) {
        double *row = cut->marginals + LABELS * i;
        double ratio = kept[i] > 0.0 ? mean / (kept[i] > 1e-12 ? kept[i] : 1e-12) : 0.0;
        row[HEADER] *= ratio;
        row[TEXT] = row[TEXT] * ratio + (kept[i] > 0.0 ? 0.0 : mean);
        row[OTHER] = 1.0 - mean;
    }
}

static void pool(const Cut *cut, const Facts *facts)
{
    for (Py_ssize_t start = 0, end; facts->tables != NULL && start < cut->n; start = end) {
        for (end = start + 1; end < cut->n && facts->tables[end] == facts->tables[start];)
            end++;
        if (facts->tables[start] >= 0)
            pool_table(cut, start, end, facts->bounds);
    }
}

/* Whether blocks of a kind are much of what is kept: `is_list_of` of crfclean/taggers/sure_kinds.py. */
static int is_list(const Cut *cut, const Facts *facts, int32_t kind)
{
    Py_ssize_t listed = 0, all = 0;
    for (Py_ssize_t i = 0; i < cut->n; i++)
        if (cut->labels[i] != OTHER) {
            cut->kept[all++] = cut->words[i];
            if (facts->sure[i] == kind)
                cut->expected[listed++] = cut->words[i];
        }
    return pairwise_sum(cut->expected, listed) > facts->bounds[MOST_LISTED] * pairwise_sum(cut->kept, all);
}

/* The blocks that are left out for their kind, as `left_out` of that module has it, by a first cut of `rows`. */
static void leave_out(const Cut *cut, const Facts *facts, double *rows)
{
    Cut first = *cut;
    first.marginals = memcpy(rows, cut->marginals, (size_t)(LABELS * cut->n) * sizeof(double));
    adapt(&first);
    label(&first);
    for (Py_ssize_t i = 0; i < cut->n; i++)
        facts->barred[i] = facts->sure[i] > 0;
    for (Py_ssize_t k = 0; k < facts->kinds; k++)
        if (is_list(&first, facts, facts->listed[k]))
            for (Py_ssize_t i = 0; i < cut->n; i++)
                facts->barred[i] &= facts->sure[i] != facts->listed[k];
}

static int has_sure(const Cut *cut, const Facts *facts)
{
    for (Py_ssize_t i = 0; facts->sure != NULL && i < cut->n; i++)
        if (facts->sure[i])
            return 1;
    return 0;
}

/* The result as a tuple: labels, marginals, score, barred blocks; `rows` is room for marginals. */
static PyObject *decide_with(Cut *cut, Facts *facts, PyObject *labels, PyObject *marginals, double *rows)
{
    PyObject *barred = NULL;
    bar(cut, facts->others);
    pool(cut, facts);
    int leaves_out = has_sure(cut, facts);
    if (leaves_out || facts->without != NULL) {
        barred = PyByteArray_FromStringAndSize(NULL, cut->n);
        if (barred == NULL)
            return NULL;
        facts->barred = PyByteArray_AS_STRING(barred);
        memset(facts->barred, 0, (size_t)cut->n);
        if (leaves_out)
            leave_out(cut, facts, rows);
        for (Py_ssize_t i = 0; facts->without != NULL && i < cut->n; i++)
            facts->barred[i] |= facts->without[i] != 0;
        bar(cut, facts->barred);
    }
    adapt(cut);
    label(cut);
    PyObject *result = Py_BuildValue("(OOdO)", labels, marginals, score(cut), barred == NULL ? Py_None : barred);
    Py_XDECREF(barred);
    return result;
}

/* decided(marginals, words, barred, titles, others, without, sure, tables, listed, bounds): those of `cut`, then
 * flags (n,) of blocks that are OTHER for certain before tables are pooled, and of such that are left out by name;
 * the kinds of blocks that are left out, int32 (n,); their tables, int64 (n,), -1 for none; b"" for none of these;
 * the kinds of which a page may be a list, int32; the `BOUNDS`, double -> labels, marginals and score as by `cut`,
 * and flags of the blocks that were left out, None if there is no such kind and no name. */
PyObject *core_decided(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    (void)self;
    static const int widths[10] = {8, 8, 1, 1, 1, 1, 4, 8, 4, 8};
    Array arrays[10];
    if (n != 10)
        return PyErr_Format(PyExc_TypeError, "decided: ten arrays");
    if (open_arrays(args, 10, widths, arrays))
        return NULL;
    const void *items[10];
    Cut cut = {.n = arrays[1].count, .words = arrays[1].view.buf, .marginals = arrays[0].view.buf};
    int fits = arrays[0].count == LABELS * cut.n && arrays[9].count == BOUNDS;
    for (int i = 0; i < 10; i++) {
        items[i] = arrays[i].count ? arrays[i].view.buf : NULL;
        fits &= i < 2 || i > 7 || !arrays[i].count || arrays[i].count == cut.n;
    }
    cut.barred = items[2], cut.titles = items[3];
    Facts facts = {items[4], items[5], items[6], items[7], items[8], arrays[8].count, items[9], NULL};
    PyObject *result = NULL, *labels = NULL, *marginals = NULL;
    if (!fits)
        PyErr_SetString(PyExc_ValueError, "decided: arrays of other sizes");
    else if (!is_finite(&arrays[0]) || !is_finite(&arrays[1]))
        result = Py_NewRef(Py_None);
    else if (!open_result(&cut, &labels, &marginals) && !open_cut(&cut)) {
        double *rows = PyMem_Malloc((size_t)(LABELS * cut.n + 1) * sizeof(double));
        result = rows == NULL ? PyErr_NoMemory() : decide_with(&cut, &facts, labels, marginals, rows);
        PyMem_Free(rows);
        close_cut(&cut);
    }
    Py_XDECREF(labels);
    Py_XDECREF(marginals);
    close_arrays(arrays, 10);
    return result;
}
