/* Turn the probabilities of a first pass into columns: `first_pass_columns` of crfclean/features/columns.py. */
#include "core.h"

enum { ODDS, KEPT, HEADING, WORDS, SPANS, KEYS, ARRAYS };
enum { NEIGHBOURS = 5, LEVELS = 4, GROUPS = 3, REACHES = 3, WIDTH = NEIGHBOURS + 1 + 2 * LEVELS + 2 * GROUPS + REACHES + 8 };

typedef struct {
    const double *odds, *kept, *heading, *words;
    const int64_t *spans, *keys; /* (levels, n, 2); (groups, n), -1 for none */
    Py_ssize_t n, last_key;
    double sure, sure_words, far;
    Py_ssize_t reaches[REACHES];
    double *before, *words_before, *expected, *in_group, *words_in_group; /* running sums (n + 1,); (n,); by key + 1 */
    double *out;                                                          /* (n, WIDTH) */
} Page;

static inline double share(double part, double total) { return total > 0.0 ? part / total : 0.0; }

static void run_up(Page *page)
{
    page->before[0] = page->words_before[0] = 0.0;
    for (Py_ssize_t i = 0; i < page->n; i++) {
        page->expected[i] = page->kept[i] * page->words[i];
        page->before[i + 1] = i ? page->before[i] + page->expected[i] : page->expected[i];
        page->words_before[i + 1] = i ? page->words_before[i] + page->words[i] : page->words[i];
    }
}

static inline double *cell(const Page *page, Py_ssize_t block, int column) { return page->out + block * WIDTH + column; }

static void fill_places(const Page *page)
{
    for (Py_ssize_t i = 0; i < page->n; i++) {
        for (int k = 0; k < NEIGHBOURS; k++) {
            Py_ssize_t seen = i + k - NEIGHBOURS / 2;
            *cell(page, i, k) = 0 <= seen && seen < page->n ? page->odds[seen] : -1.0;
        }
        *cell(page, i, NEIGHBOURS) = page->heading[i];
    }
}

static void fill_spans(const Page *page)
{
    for (int level = 0; level < LEVELS; level++)
        for (Py_ssize_t i = 0; i < page->n; i++) {
            const int64_t *span = page->spans + 2 * (level * page->n + i);
            double inside = page->before[span[1]] - page->before[span[0]];
            *cell(page, i, NEIGHBOURS + 1 + 2 * level) = share(inside, page->words_before[span[1]] - page->words_before[span[0]]);
            *cell(page, i, NEIGHBOURS + 2 + 2 * level) = share(inside, page->before[page->n]);
        }
}

static void fill_groups(const Page *page, double total)
{
    for (int group = 0; group < GROUPS; group++) {
        const int64_t *keys = page->keys + group * page->n;
        int column = NEIGHBOURS + 1 + 2 * LEVELS + 2 * group;
        memset(page->in_group, 0, (size_t)(page->last_key + 2) * sizeof(double));
        memset(page->words_in_group, 0, (size_t)(page->last_key + 2) * sizeof(double));
        for (Py_ssize_t i = 0; i < page->n; i++) {
            page->in_group[keys[i] + 1] += page->expected[i];
            page->words_in_group[keys[i] + 1] += page->words[i];
        }
        for (Py_ssize_t i = 0; i < page->n; i++) {
            double inside = page->in_group[keys[i] + 1];
            *cell(page, i, column) = keys[i] < 0 ? -0.5 : share(inside, page->words_in_group[keys[i] + 1]);
            *cell(page, i, column + 1) = keys[i] < 0 ? 0.0 : share(inside, total);
        }
    }
}

static void fill_around(const Page *page)
{
    int column = NEIGHBOURS + 1 + 2 * LEVELS + 2 * GROUPS;
    double all = page->before[page->n];
    for (Py_ssize_t i = 0; i < page->n; i++) {
        for (int k = 0; k < REACHES; k++) {
            Py_ssize_t low = i > page->reaches[k] ? i - page->reaches[k] : 0;
            Py_ssize_t high = i + page->reaches[k] + 1 < page->n ? i + page->reaches[k] + 1 : page->n;
            *cell(page, i, column + k) = share(page->before[high] - page->before[low], page->words_before[high] - page->words_before[low]);
        }
        *cell(page, i, column + REACHES) = share(page->before[i], all);
        *cell(page, i, column + REACHES + 1) = share(all - page->before[i + 1], all);
    }
    double since = page->far, until = page->far;
    for (Py_ssize_t i = 0, j = page->n - 1; i < page->n; i++, j--) {
        since = page->kept[i] > page->sure && page->words[i] >= page->sure_words ? 0.0 : since + 1.0;
        until = page->kept[j] > page->sure && page->words[j] >= page->sure_words ? 0.0 : until + 1.0;
        *cell(page, i, column + REACHES + 2) = since < page->far ? since : page->far;
        *cell(page, j, column + REACHES + 3) = until < page->far ? until : page->far;
    }
}

static void fill_page(const Page *page, double total)
{
    double *doubts = page->before, largest = page->n ? page->expected[0] : 0.0, count = 0.0;
    double words = pairwise_sum(page->words, page->n);
    words = words > 0.0 ? words : 1.0;
    for (Py_ssize_t i = 0; i < page->n; i++) {
        double kept = page->kept[i], other = 1.0 - kept;
        doubts[i] = (kept < other ? kept : other) * page->words[i];
        largest = page->expected[i] > largest ? page->expected[i] : largest;
        count += kept > 0.5;
    }
    double doubt = pairwise_sum(doubts, page->n) / words;
    for (Py_ssize_t i = 0; i < page->n; i++) {
        *cell(page, i, WIDTH - 4) = total / words;
        *cell(page, i, WIDTH - 3) = count / (double)page->n;
        *cell(page, i, WIDTH - 2) = doubt;
        *cell(page, i, WIDTH - 1) = share(page->expected[i], largest);
    }
}

static int is_sound(Page *page, const Array *arrays)
{
    for (int i = ODDS; i <= WORDS; i++)
        if (arrays[i].count != page->n)
            return 0;
    if (arrays[SPANS].count != 2 * LEVELS * page->n || arrays[KEYS].count != GROUPS * page->n)
        return 0;
    for (Py_ssize_t i = 0; i < arrays[SPANS].count; i++)
        if (page->spans[i] < 0 || page->spans[i] > page->n)
            return 0;
    page->last_key = page->n;
    for (Py_ssize_t i = 0; i < arrays[KEYS].count; i++) {
        if (page->keys[i] < -1 || page->keys[i] > INT32_MAX)
            return 0;
        page->last_key = page->keys[i] > page->last_key ? (Py_ssize_t)page->keys[i] : page->last_key;
    }
    for (int k = 0; k < REACHES; k++)
        if (page->reaches[k] < 0 || page->reaches[k] > INT32_MAX)
            return 0;
    return 1;
}

/* first_pass((odds, kept, heading, words, spans, keys), sure, sure words, far, reaches): double (n,); int64
 * (4, n, 2) and (3, n) -> the columns, bytes of double (n, 31). */
PyObject *core_first_pass(PyObject *self, PyObject *args)
{
    (void)self;
    static const int widths[ARRAYS] = {8, 8, 8, 8, 8, 8};
    PyObject *objects;
    Page page = {0};
    if (!PyArg_ParseTuple(args, "O!ddd(nnn)", &PyTuple_Type, &objects, &page.sure, &page.sure_words, &page.far,
                          &page.reaches[0], &page.reaches[1], &page.reaches[2]))
        return NULL;
    Array arrays[ARRAYS];
    if (PyTuple_GET_SIZE(objects) != ARRAYS)
        return PyErr_Format(PyExc_TypeError, "first_pass: another number of arrays");
    if (open_arrays(&PyTuple_GET_ITEM(objects, 0), ARRAYS, widths, arrays))
        return NULL;
    page.odds = arrays[ODDS].view.buf, page.kept = arrays[KEPT].view.buf;
    page.heading = arrays[HEADING].view.buf, page.words = arrays[WORDS].view.buf;
    page.spans = arrays[SPANS].view.buf, page.keys = arrays[KEYS].view.buf;
    page.n = arrays[ODDS].count;
    PyObject *array = NULL;
    int fits = is_sound(&page, arrays);
    size_t size = (size_t)page.n + 1;
    double *room = fits ? PyMem_Malloc((3 * size + 2 * ((size_t)page.last_key + 2)) * sizeof *room) : NULL;
    if (!fits)
        PyErr_SetString(PyExc_ValueError, "first_pass: arrays that do not belong together");
    else if (room == NULL)
        PyErr_NoMemory();
    else
        array = PyBytes_FromStringAndSize(NULL, page.n * WIDTH * (Py_ssize_t)sizeof(double));
    if (array != NULL) {
        page.out = (double *)(void *)PyBytes_AS_STRING(array);
        page.before = room, page.words_before = room + size, page.expected = room + 2 * size;
        page.in_group = room + 3 * size, page.words_in_group = page.in_group + page.last_key + 2;
        Py_BEGIN_ALLOW_THREADS
        run_up(&page);
        double total = pairwise_sum(page.expected, page.n);
        fill_places(&page);
        fill_spans(&page);
        fill_groups(&page, total);
        fill_around(&page);
        fill_page(&page, total);
        Py_END_ALLOW_THREADS
    }
    PyMem_Free(room);
    close_arrays(arrays, ARRAYS);
    return array;
}
