/* Compute the columns of a page in one call. This file checks the inputs from crfclean/features/inputs.py and
 * derives the arrays that several groups of columns need. The groups are in victor.c, containers.c, repetition.c,
 * context.c and whole.c. crfclean/features/table.toml says what each column means. */
#include "columns.h"

#define INPUT_SHAPE(type, name, each, times) {#name, (int)sizeof(type), each, times},
static const struct {
    const char *name;
    int width, each, times;
} SHAPES[] = {INPUTS(INPUT_SHAPE)};

#define INPUT_NUMBER(type, name, each, times) I_##name,
enum { INPUTS(INPUT_NUMBER) ALL_INPUTS };

#define NAME_TEXT(name) #name,
static const char *const COLUMN_NAMES[] = {COLUMNS(NAME_TEXT)};
#define ARRAY_NAME(type, name, items) #name,
static const char *const SHARED_NAMES[] = {SHARED(ARRAY_NAME)};
#define MOST_BLOCKS 100000000 /* so that no size of an array overflows */

static int add_names(PyObject *core, const char *name, const char *const *texts, Py_ssize_t count)
{
    PyObject *names = PyTuple_New(count);
    for (Py_ssize_t i = 0; names != NULL && i < count; i++) {
        PyObject *text = PyUnicode_InternFromString(texts[i]);
        if (text == NULL)
            Py_CLEAR(names);
        else
            PyTuple_SET_ITEM(names, i, text);
    }
    int failed = names == NULL || PyModule_AddObjectRef(core, name, names);
    Py_XDECREF(names);
    return failed ? -1 : 0;
}

/* Add the names of the columns, of the inputs and of the returned arrays to the module, in their order. */
int add_column_names(PyObject *core)
{
    const char *inputs[ALL_INPUTS];
    for (int i = 0; i < ALL_INPUTS; i++)
        inputs[i] = SHAPES[i].name;
    return add_names(core, "COLUMNS", COLUMN_NAMES, NAMED_COLUMNS)
           || add_names(core, "COLUMN_INPUTS", inputs, ALL_INPUTS)
           || add_names(core, "SHARED_ARRAYS", SHARED_NAMES, (Py_ssize_t)(sizeof SHARED_NAMES / sizeof *SHARED_NAMES));
}

void emit(Page *page, int column)
{
    char *start = page->rows + (Py_ssize_t)page->places[column] * page->n * page->width;
    if (page->width == (int)sizeof(double)) {
        memcpy(start, page->row, (size_t)page->n * sizeof(double));
        return;
    }
    float *row = (float *)(void *)start;
    for (Py_ssize_t i = 0; i < page->n; i++)
        row[i] = (float)page->row[i];
}

/* Add numbers in the order of numpy's `add.reduce`, so that the sum is equal to the last bit. */
double pairwise_sum(const double *items, Py_ssize_t n)
{
    if (n < 8) {
        double sum = -0.0;
        for (Py_ssize_t i = 0; i < n; i++)
            sum += items[i];
        return sum;
    }
    if (n > 128) {
        Py_ssize_t half = n / 2;
        half -= half % 8;
        return pairwise_sum(items, half) + pairwise_sum(items + half, n - half);
    }
    double part[8];
    memcpy(part, items, sizeof part);
    Py_ssize_t i = 8;
    for (; i < n - n % 8; i += 8)
        for (int k = 0; k < 8; k++)
            part[k] += items[i + k];
    double sum = ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
    for (; i < n; i++)
        sum += items[i];
    return sum;
}

void nearest_marked(Page *page)
{
    for (Py_ssize_t i = 0; i < page->m; i++)
        page->up[i] = page->mask[i] ? (int32_t)i : page->parent[i] < 0 ? -1 : page->up[page->parent[i]];
}

/* Return whether all indices are in bounds, parents stand before their children, and every block has a run. */
static int is_sound(const Page *page)
{
    if (!are_inside(page->node, page->n, 0, page->m) || !are_inside(page->first_block, page->m, 0, page->n + 1)
        || !are_inside(page->end_block, page->m, 0, page->n + 1) || !are_inside(page->tag, page->m, 0, page->tags)
        || !are_below(page->name, page->m, page->names) || !are_below(page->text_numbers, page->n, page->n)
        || !are_inside(page->run_node, page->runs, 0, page->m) || !are_inside(page->run_block, page->runs, 0, page->n)
        || !are_inside(page->link_blocks, page->hrefs, 0, page->n) || !are_inside(page->marked, 17, 0, 64) || !are_inside(page->said, 8, 0, page->phrase_groups))
        return 0;
    for (Py_ssize_t i = 0; i < page->tags; i++)
        if (page->tag_sets[i] >> SETS)
            return 0;
    for (Py_ssize_t i = 0; i < page->m; i++)
        if (page->parent[i] < -1 || page->parent[i] >= i || page->first_block[i] > page->end_block[i])
            return 0;
    for (Py_ssize_t i = 0; i < page->runs; i++)
        if (page->run_block[i] - (i ? page->run_block[i - 1] : -1) > 1 || (i && page->run_block[i] < page->run_block[i - 1]))
            return 0;
    return page->runs && page->run_block[page->runs - 1] == page->n - 1;
}

/* Take the arrays; -1 with an exception if one has a wrong size or an index out of bounds. */
static int read_page(Page *page, const Array *arrays)
{
    Py_ssize_t counts[FIXED] = {arrays[I_words].count, arrays[I_parent].count, arrays[I_run_node].count,
                                arrays[I_tag_sets].count, arrays[I_name_bits].count, arrays[I_link_blocks].count, 0};
    for (int i = 0; i < ALL_INPUTS; i++) {
        int each = SHAPES[i].each, layers = each == LAYERS && arrays[I_words].count;
        Py_ssize_t count = each == FIXED ? 1 : counts[layers ? BLOCKS : each];
        if (layers ? arrays[i].count % count : arrays[i].count != count * SHAPES[i].times) {
            PyErr_Format(PyExc_ValueError, "columns: %s has another size", SHAPES[i].name);
            return -1;
        }
    }
    page->n = counts[BLOCKS], page->m = counts[ELEMENTS], page->runs = counts[RUNS];
    page->tags = counts[TAGS], page->names = counts[NAMES], page->hrefs = counts[LINKS];
#define TAKE(type, name, ...) page->name = arrays[I_##name].view.buf;
    INPUTS(TAKE)
    if (page->n < 1 || page->n > MOST_BLOCKS || page->m > MOST_BLOCKS) {
        PyErr_SetString(PyExc_ValueError, "columns: no blocks, or too many");
        return -1;
    }
    page->word_groups = arrays[I_steps].count / page->n;
    page->phrase_groups = arrays[I_phrases].count / page->n;
    if (!is_sound(page)) {
        PyErr_SetString(PyExc_ValueError, "columns: a place that is not there");
        return -1;
    }
    return 0;
}

#define ROUNDED(bytes) (((size_t)(bytes) + 7) / 8 * 8)

/* Allocate one piece of memory for all derived arrays; NULL with an exception. */
static char *open_room(Page *page)
{
    size_t size = 0, n = (size_t)page->n, m = (size_t)page->m;
#define ADD_SIZE(type, name, items) size += ROUNDED(sizeof(type) * (items));
    SHARED(ADD_SIZE) DERIVED(ADD_SIZE)
    char *room = PyMem_Malloc(size), *next = room;
    if (room == NULL || open_pairs(&page->pairs, page->n > page->m ? page->n : page->m)) {
        PyMem_Free(room);
        PyErr_NoMemory();
        return NULL;
    }
#define TAKE_ROOM(type, name, items) page->name = (type *)(void *)next, next += ROUNDED(sizeof(type) * (items));
    SHARED(TAKE_ROOM) DERIVED(TAKE_ROOM)
    return room;
}

static void derive_elements(Page *page)
{
    for (Py_ssize_t i = 0; i < page->m; i++) {
        int32_t above = page->parent[i];
        page->around[i] = sets_of(page, i) | (above < 0 ? 0 : page->around[above]);
        page->depth[i] = above < 0 ? 0 : page->depth[above] + 1;
        page->inside[i] = page->end_block[i] - page->first_block[i];
        page->wider[i] = above < 0 ? -1 : page->inside[above] == page->inside[i] ? page->wider[above] : above;
    }
    for (Py_ssize_t i = 0; i < page->n; i++) {
        int32_t node = page->node[i];
        for (int k = 0; k < 4; k++) {
            node = page->wider[node] < 0 ? node : page->wider[node];
            page->containers[k * page->n + i] = node;
            page->spans[2 * (k * page->n + i)] = page->first_block[node];
            page->spans[2 * (k * page->n + i) + 1] = page->end_block[node];
        }
    }
}

#define LONG_WORDS 15 /* as in page/tree.py */

static void derive_blocks(Page *page)
{
    page->all_words = pairwise_sum(page->words, page->n);
    memset(page->link_chars, 0, (size_t)page->n * sizeof *page->link_chars);
    for (Py_ssize_t r = 0; r < page->runs; r++)
        if (has_set(page->around[page->run_node[r]], SET_LINK))
            page->link_chars[page->run_block[r]] += page->run_chars[r];
    for (Py_ssize_t i = 0; i < page->n; i++) {
        const int32_t *classes = page->by_class + 8 * i, *kinds = page->token_kinds + 4 * i;
        page->chars[i] = (double)(page->sizes[i] - classes[SPACE]);
        page->letters[i] = (double)((int64_t)classes[LOWER] + classes[UPPER] + classes[UNCASED] + classes[IDEOGRAPH]);
        page->tokens[i] = (double)((int64_t)kinds[0] + kinds[1] + kinds[2] + kinds[3]);
        page->linked[i] = share_of(page->link_chars[i], page->chars[i]);
        page->link_words[i] = page->words[i] * page->linked[i];
        page->is_long[i] = page->words[i] >= LONG_WORDS && page->link_words[i] < 0.5 * page->words[i];
        page->running[i] = page->is_long[i] ? page->words[i] : 0.0;
        page->in_heading[i] = (uint8_t)is_in(page, i, SET_HEADINGS);
        page->items[i] = (uint8_t)(is_in(page, i, SET_ITEMS) || is_in(page, i, SET_ITEMS + 1));
        page->commas[i] = page->marks[COMMAS * page->n + i];
    }
}

/* Compute running sums over the blocks, and the most words of running text in an element. */
static void derive_sums(Page *page)
{
    memset(page->total, 0, SUMS * sizeof *page->total);
    for (Py_ssize_t i = 0; i < page->n; i++) {
        int heading = has_set(sets_of(page, page->node[i]), SET_HEADINGS);
        const double values[SUMS] = {page->words[i], page->link_words[i], page->sentence_ends[i], page->running[i],
                                     (double)heading};
        for (int k = 0; k < SUMS; k++)
            page->total[(i + 1) * SUMS + k] = page->total[i * SUMS + k] + values[k];
    }
    page->most_long = 0.0;
    for (Py_ssize_t i = 0; i < page->m; i++)
        page->most_long = larger(page->most_long, sum_in(page, i, SUM_RUNNING));
}

static PyObject *shared_arrays(const Page *page)
{
    size_t n = (size_t)page->n, m = (size_t)page->m;
    PyObject *all = PyTuple_New((Py_ssize_t)(sizeof SHARED_NAMES / sizeof *SHARED_NAMES));
    Py_ssize_t place = 0;
#define GIVE(type, name, items)                                                                              \
    if (all != NULL) {                                                                                       \
        PyObject *bytes = PyBytes_FromStringAndSize((const char *)page->name, (Py_ssize_t)(sizeof(type) * (items))); \
        if (bytes == NULL)                                                                                   \
            Py_CLEAR(all);                                                                                   \
        else                                                                                                 \
            PyTuple_SET_ITEM(all, place++, bytes);                                                           \
    }
    SHARED(GIVE)
    return all;
}

static PyObject *filled(Page *page)
{
    char *room = open_room(page);
    if (room == NULL)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    derive_elements(page);
    derive_blocks(page);
    derive_sums(page);
    victor_columns(page);
    word_columns(page);
    container_columns(page);
    repetition_columns(page);
    headline_columns(page);
    context_columns(page);
    whole_columns(page);
    Py_END_ALLOW_THREADS
    PyObject *shared = shared_arrays(page);
    PyMem_Free(room);
    PyMem_Free(page->pairs.slots);
    return shared;
}

/* columns(inputs, places, rows, width): the arrays of `COLUMN_INPUTS`; the row of each column, -1 for none,
 * int32 (first `COLUMNS`, then `steps`, phrases and phrases of headings); rows of n floats or doubles of this
 * width, which are filled -> the `SHARED_ARRAYS` as bytes. */
PyObject *core_columns(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *inputs;
    Array arrays[ALL_INPUTS];
    Py_buffer places, rows;
    int widths[ALL_INPUTS], width;
    if (!PyArg_ParseTuple(args, "O!y*w*i", &PyTuple_Type, &inputs, &places, &rows, &width))
        return NULL;
    PyObject *shared = NULL;
    for (int i = 0; i < ALL_INPUTS; i++)
        widths[i] = SHAPES[i].width;
    if (PyTuple_GET_SIZE(inputs) != ALL_INPUTS)
        PyErr_SetString(PyExc_TypeError, "columns: another number of inputs");
    else if (!open_arrays(((PyTupleObject *)inputs)->ob_item, ALL_INPUTS, widths, arrays)) {
        Page page = {.rows = rows.buf, .places = places.buf, .width = width};
        if (!read_page(&page, arrays)) {
            Py_ssize_t count = places.len / (Py_ssize_t)sizeof(int32_t), stored = 0;
            int fits = (width == (int)sizeof(float) || width == (int)sizeof(double))
                       && !((uintptr_t)rows.buf % (uintptr_t)width) && !((uintptr_t)places.buf % sizeof(int32_t));
            stored = fits ? rows.len / width / page.n : 0;
            for (Py_ssize_t i = 0; fits && i < count; i++)
                fits = page.places[i] < stored;
            if (!fits || count != NAMED_COLUMNS + page.word_groups + 2 * page.phrase_groups)
                PyErr_SetString(PyExc_ValueError, "columns: no such rows");
            else
                shared = filled(&page);
        }
        close_arrays(arrays, ALL_INPUTS);
    }
    PyBuffer_Release(&places);
    PyBuffer_Release(&rows);
    return shared;
}
