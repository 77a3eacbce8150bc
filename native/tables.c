/* Figures of a page's tables: `table_figures` of crfclean/page/data_tables.py. */
#include "core.h"

enum { TABLE = 1, ROW = 2, CELL = 4, MARKED = 8, LAYOUT = 16 }; /* bits of tags, in the order of `_TAGS` */
enum { ELEMENT, ROWS, CELLS, MARKS, PARTS, NESTED, LARGEST, CHARS, FIGURES };

typedef struct {
    Py_ssize_t m, n, tags;
    const int32_t *parent, *end, *first_block, *end_block, *tag; /* (m,) */
    const uint8_t *kinds;                                        /* bits of each tag, (tags,) */
    const double *chars;                                         /* of each block, (n,) */
} Page;

/* Whether all places are inside; parents stand before their children. */
static int is_sound(const Page *page)
{
    for (Py_ssize_t i = 0; i < page->m; i++)
        if (page->parent[i] < -1 || page->parent[i] >= i || page->end[i] <= i || page->end[i] > page->m
            || page->tag[i] < 0 || page->tag[i] >= page->tags || page->first_block[i] < 0
            || page->first_block[i] > page->n || page->end_block[i] < 0 || page->end_block[i] > page->n)
            return 0;
    return 1;
}

/* Count an element for the nearest table at or around it. */
static void count_element(uint8_t kinds, double chars, double *of_table)
{
    of_table[ROWS] += (kinds & ROW) != 0;
    of_table[CELLS] += (kinds & CELL) != 0;
    of_table[MARKS] += (kinds & MARKED) != 0;
    if (kinds & CELL && chars > of_table[LARGEST])
        of_table[LARGEST] = chars;
}

/* Room that is needed on the way: for each element the nearest table at or around it, and what begins before it. */
typedef struct {
    int32_t *nearest, *tables, *parts; /* (m,), (m + 1,), (m + 1,) */
    double *sums;                      /* characters before each block, (n + 1,) */
} Room;

/* Number the tables in page order, and count what begins before each element. */
static void number_tables(const Page *page, const Room *room)
{
    room->tables[0] = room->parts[0] = 0;
    for (Py_ssize_t i = 0; i < page->m; i++) {
        uint8_t kinds = page->kinds[page->tag[i]];
        int32_t above = page->parent[i] < 0 ? -1 : room->nearest[page->parent[i]];
        room->nearest[i] = kinds & TABLE ? room->tables[i] : above;
        room->tables[i + 1] = room->tables[i] + ((kinds & TABLE) != 0);
        room->parts[i + 1] = room->parts[i] + ((kinds & LAYOUT) != 0);
    }
    room->sums[0] = 0.0;
    for (Py_ssize_t i = 0; i < page->n; i++)
        room->sums[i + 1] = room->sums[i] + page->chars[i];
}

/* The figures of all tables, `FIGURES` each, which are 0 before. */
static void fill(const Page *page, const Room *room, double *figures)
{
    for (Py_ssize_t i = 0; i < page->m; i++) {
        uint8_t kinds = page->kinds[page->tag[i]];
        if (room->nearest[i] < 0)
            continue;
        double chars = room->sums[page->end_block[i]] - room->sums[page->first_block[i]];
        double *of_table = figures + room->nearest[i] * FIGURES;
        count_element(kinds, chars, of_table);
        if (kinds & TABLE) {
            of_table[ELEMENT] = (double)i;
            of_table[CHARS] = chars;
            of_table[NESTED] = room->tables[page->end[i]] - room->tables[i] - 1;
            of_table[PARTS] = room->parts[page->end[i]] - room->parts[i];
        }
    }
}

/* The figures of all tables as bytes; NULL with an exception. */
static PyObject *figures_of(const Page *page)
{
    size_t m = (size_t)page->m, n = (size_t)page->n;
    int32_t *places = PyMem_Malloc((3 * m + 2) * sizeof *places);
    double *sums = PyMem_Malloc((n + 1) * sizeof *sums);
    PyObject *bytes = NULL;
    if (places == NULL || sums == NULL)
        PyErr_NoMemory();
    else {
        Room room = {places, places + m, places + 2 * m + 1, sums};
        number_tables(page, &room);
        bytes = PyBytes_FromStringAndSize(NULL, room.tables[m] * FIGURES * (Py_ssize_t)sizeof(double));
        if (bytes != NULL) {
            memset(PyBytes_AS_STRING(bytes), 0, (size_t)PyBytes_GET_SIZE(bytes));
            fill(page, &room, (double *)(void *)PyBytes_AS_STRING(bytes));
        }
    }
    PyMem_Free(places);
    PyMem_Free(sums);
    return bytes;
}

/* tables(parent, end, first_block, end_block, tag, kinds, chars): int32 (m,) five times; bits of each tag, uint8;
 * characters of each block, double (n,) -> for each table in page order its element, rows, cells, header cells and the like,
 * parts of pages, tables inside, characters of the largest cell and of all, double. */
PyObject *core_tables(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    (void)self;
    static const int widths[7] = {4, 4, 4, 4, 4, 1, 8};
    Array arrays[7];
    if (n != 7)
        return PyErr_Format(PyExc_TypeError, "tables(parent, end, first_block, end_block, tag, kinds, chars)");
    if (open_arrays(args, 7, widths, arrays))
        return NULL;
    Page page = {arrays[0].count, arrays[6].count, arrays[5].count, arrays[0].view.buf, arrays[1].view.buf,
                 arrays[2].view.buf, arrays[3].view.buf, arrays[4].view.buf, arrays[5].view.buf, arrays[6].view.buf};
    int fits = page.m < INT32_MAX / 2;
    for (int i = 1; i < 5; i++)
        fits &= arrays[i].count == page.m;
    PyObject *bytes = NULL;
    if (fits && is_sound(&page))
        bytes = figures_of(&page);
    else
        PyErr_SetString(PyExc_ValueError, "tables: a place that is not there");
    close_arrays(arrays, 7);
    return bytes;
}
