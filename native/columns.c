/* Compute the columns of a page in one call. This file derives the arrays that several groups of columns need. The
 * groups are in victor.c, containers.c, repetition.c, context.c and whole.c. crfclean/model/table.toml says what
 * each column means. */
#include "columns.h"

#define NAME_TEXT(name) #name,
const char *const COLUMN_NAMES[] = {COLUMNS(NAME_TEXT) NULL}, *const CHAR_SET_NAMES[] = {CHAR_SETS(NAME_TEXT) NULL};

void nearest_marked(Columns *page)
{
    for (Py_ssize_t i = 0; i < page->m; i++)
        page->up[i] = page->mask[i] ? (int32_t)i : page->parent[i] < 0 ? -1 : page->up[page->parent[i]];
}

/* Allocate one piece of memory for the arrays of `ROOM`; NULL with an exception. */
static char *open_room(Columns *page)
{
    size_t size = 0, n = (size_t)page->n, m = (size_t)page->m;
#define ADD_SIZE(type, name, items) size += ROUNDED(sizeof(type) * (items));
    ROOM(ADD_SIZE)
    char *room = PyMem_Malloc(size), *next = room;
    if (room == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
#define TAKE_ROOM(type, name, items) page->name = (type *)(void *)next, next += ROUNDED(sizeof(type) * (items));
    ROOM(TAKE_ROOM)
    return room;
}

static void derive_blocks(Columns *page)
{
    for (Py_ssize_t i = 0; i < page->n; i++) {
        const int32_t *classes = page->by_class + CLASSES * i, *kinds = page->token_kinds + 4 * i;
        int32_t node = page->node[i];
        for (int k = 0; k < 4; k++)
            page->containers[k * page->n + i] = node = page->wider[node] < 0 ? node : page->wider[node];
        page->letters[i] = (double)((int64_t)classes[LOWER] + classes[UPPER] + classes[UNCASED] + classes[IDEOGRAPH]);
        page->tokens[i] = (double)((int64_t)kinds[0] + kinds[1] + kinds[2] + kinds[3]);
        page->commas[i] = page->marks[COMMAS * page->n + i];
    }
}

/* Compute running sums over the blocks, and the most words of running text in an element. */
static void derive_sums(Columns *page)
{
    memset(page->total, 0, SUMS * sizeof *page->total);
    for (Py_ssize_t i = 0; i < page->n; i++) {
        int heading = has_set(page->sets[page->node[i]], SET_HEADINGS);
        const double values[SUMS] = {page->words[i], page->link_words[i], page->sentence_ends[i], page->running[i],
                                     (double)heading};
        for (int k = 0; k < SUMS; k++)
            page->total[(i + 1) * SUMS + k] = page->total[i * SUMS + k] + values[k];
    }
    page->most_long = 0.0;
    for (Py_ssize_t i = 0; i < page->m; i++)
        page->most_long = larger(page->most_long, sum_in(page, i, SUM_RUNNING));
}

Py_ssize_t all_columns(const Table *page)
{
    return NAMED_COLUMNS + page->typed_groups + page->named_groups + 2 * page->all_phrases;
}

int fill_columns(Table *table, const int32_t *places, char *rows, int width)
{
    Columns columns = {.rows = rows, .places = places, .width = width}, *page = &columns;
    memcpy(page, table, sizeof *table);
    char *room = open_room(page);
    if (room == NULL)
        return -1;
    Py_BEGIN_ALLOW_THREADS
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
    PyMem_Free(room);
    return 0;
}
