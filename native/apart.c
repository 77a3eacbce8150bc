/* Find the title, and the blocks that are no plain text, such as captions and bylines: `apart_kinds` of
 * crfclean/features/zones.py. Python gives the groups, kinds and bounds. */
#include "core.h"

/* Arrays of elements, of blocks, of names and tags, and tables, in the order in which Python gives them. */
#define GIVEN(X)                                                                                                    \
    X(int64_t, which) X(int64_t, typed) X(uint8_t, author) X(int32_t, tag) X(int32_t, first) X(int32_t, end_block)  \
    X(int32_t, parent) X(int32_t, node) X(int32_t, start) X(double, words) X(double, running) X(double, ends)       \
    X(uint8_t, in_heading) X(int32_t, group) X(int32_t, zone) X(uint8_t, steps) X(int64_t, bits)                    \
    X(uint8_t, sets_of_tag) X(int64_t, numbers) X(double, bounds)
enum { GIVEN(GIVEN_NUMBER) ARRAYS };
static const int WIDTHS[ARRAYS] = {GIVEN(GIVEN_WIDTH)};
enum { ITEM = 1, CAPTION_TAG = 2, ADDRESS = 4 }; /* sets of tags */
enum { BYLINE_GROUP, BYLINE_NAME, TIME_TYPE, BYLINE, CAPTION, COMMENT, TITLE, NEAR_STEPS, SIGNED_ROWS,
       CAPTION_ROWS = SIGNED_ROWS + 4, ALL_NUMBERS = CAPTION_ROWS + 2 };
enum { MOST_WORDS, BOX_WORDS, MOST, BOUNDS };

typedef struct {
    GIVEN(GIVEN_FIELD)
    Py_ssize_t m, n, names, tag_names;
    uint8_t *up, *bylines, *captions, *worded; /* of elements: at or around; of blocks */
    double *total;
} Page;

/* Write into `up` whether each element has one of the tags, or is inside one that has. */
static void spread_tags(const Page *page, int set)
{
    for (Py_ssize_t e = 0; e < page->m; e++)
        page->up[e] = (page->sets_of_tag[page->tag[e]] & set) || (page->parent[e] >= 0 && page->up[page->parent[e]]);
}

/* Return whether a block stands near an element that is marked by one of some groups. */
static int is_near(const Page *page, Py_ssize_t i, int first, int count)
{
    for (int k = first; k < first + count; k++)
        if (page->steps[page->numbers[k] * page->n + i] <= page->numbers[NEAR_STEPS])
            return 1;
    return 0;
}

/* Find the short blocks whose markup or words say who wrote something, or when. Return whether there are any. */
static int find_signed(Page *page)
{
    int any = 0;
    spread_tags(page, ITEM);
    for (Py_ssize_t i = 0; i < page->n; i++) {
        page->worded[i] = page->group[i] == page->numbers[BYLINE_GROUP] && page->ends[i] == 0.0
                          && !page->up[page->node[i]];
        page->bylines[i] = page->words[i] < page->bounds[MOST_WORDS] && !page->in_heading[i]
                           && (page->worded[i] || is_near(page, i, SIGNED_ROWS, 4));
        any |= page->bylines[i];
    }
    return any;
}

/* Of these, keep the blocks that say so in words, and those in a small element for bylines. */
static void keep_signatures(Page *page)
{
    page->total[0] = 0.0;
    for (Py_ssize_t i = 0; i < page->n; i++)
        page->total[i + 1] = page->total[i] + page->words[i];
    for (Py_ssize_t e = 0; e < page->m; e++) {
        int marks = (page->bits[page->which[e]] & page->numbers[BYLINE_NAME]) || (page->typed[e] & page->numbers[TIME_TYPE])
                    || (page->sets_of_tag[page->tag[e]] & ADDRESS) || page->author[e];
        double words = page->total[page->end_block[e]] - page->total[page->first[e]];
        page->up[e] = (marks && words <= page->bounds[BOX_WORDS]) || (page->parent[e] >= 0 && page->up[page->parent[e]]);
    }
    for (Py_ssize_t i = 0; i < page->n; i++)
        page->bylines[i] = page->bylines[i] && (page->worded[i] || page->up[page->start[i]]);
}

/* Find the blocks in captions. If captions hold most of the running text, they are the page's text. */
static void find_captions(Page *page)
{
    double running = 0.0, inside = 0.0;
    spread_tags(page, CAPTION_TAG);
    for (Py_ssize_t i = 0; i < page->n; i++) {
        page->captions[i] = page->up[page->node[i]] || is_near(page, i, CAPTION_ROWS, 2);
        running += page->running[i];
        inside += page->captions[i] ? page->running[i] : 0.0;
    }
    for (Py_ssize_t i = 0; i < page->n && inside > page->bounds[MOST] * running; i++)
        page->captions[i] = 0;
}

static void find_kinds(Page *page, Py_ssize_t heading, int32_t *kinds)
{
    if (find_signed(page))
        keep_signatures(page);
    find_captions(page);
    for (Py_ssize_t i = 0; i < page->n; i++) {
        int64_t own = page->captions[i] ? page->numbers[CAPTION] : page->bylines[i] ? page->numbers[BYLINE] : 0;
        int is_sign = page->zone[i] == page->numbers[COMMENT] && own;
        kinds[i] = page->zone[i] > 0 && !is_sign ? page->zone[i] : (int32_t)own;
    }
    if (heading >= 0)
        kinds[heading] = (int32_t)page->numbers[TITLE];
}

/* Return whether the arrays belong together, so that each index is inside. */
static int is_sound(const Page *page, const Array *arrays)
{
    for (int i = I_which; i <= I_parent; i++)
        if (arrays[i].count != page->m)
            return 0;
    for (int i = I_node; i <= I_zone; i++)
        if (arrays[i].count != page->n)
            return 0;
    if (arrays[I_numbers].count != ALL_NUMBERS || arrays[I_bounds].count != BOUNDS)
        return 0;
    for (int k = SIGNED_ROWS; k < ALL_NUMBERS; k++)
        if (page->numbers[k] < 0 || (page->n && page->numbers[k] >= arrays[I_steps].count / page->n))
            return 0;
    return are_below(page->which, page->m, page->names) && are_parents(page->parent, page->m)
           && are_inside(page->tag, page->m, 0, page->tag_names) && are_inside(page->first, page->m, 0, page->n + 1)
           && are_inside(page->end_block, page->m, 0, page->n + 1) && are_inside(page->node, page->n, 0, page->m)
           && are_inside(page->start, page->n, 0, page->m);
}

static PyObject *apart_of(Page *page, Py_ssize_t heading)
{
    uint8_t *bytes = PyMem_Calloc((size_t)page->m + 3 * (size_t)page->n + 1, 1);
    page->total = PyMem_Malloc(((size_t)page->n + 1) * sizeof *page->total);
    PyObject *kinds = PyBytes_FromStringAndSize(NULL, page->n * 4);
    if (bytes == NULL || page->total == NULL || kinds == NULL) {
        Py_CLEAR(kinds);
        PyErr_NoMemory();
    } else {
        page->up = bytes;
        page->bylines = bytes + page->m;
        page->captions = page->bylines + page->n;
        page->worded = page->captions + page->n;
        find_kinds(page, heading, (int32_t *)(void *)PyBytes_AS_STRING(kinds));
    }
    PyMem_Free(bytes);
    PyMem_Free(page->total);
    return kinds;
}

/* apart(arrays, heading): a tuple of the arrays above; the index of the main heading, -1 for none -> the kind
 * of each block that is the title or no plain text, 0 for other blocks, int32. */
PyObject *core_apart(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    (void)self;
    Page page = {0};
    Array arrays[ARRAYS];
    if (n != 2 || !PyTuple_Check(args[0]) || PyTuple_GET_SIZE(args[0]) != ARRAYS || !PyLong_Check(args[1]))
        return PyErr_Format(PyExc_TypeError, "apart(arrays, heading)");
    Py_ssize_t heading = PyLong_AsSsize_t(args[1]);
    if (PyErr_Occurred() || open_arrays(&PyTuple_GET_ITEM(args[0], 0), ARRAYS, WIDTHS, arrays))
        return NULL;
    GIVEN(GIVEN_TAKEN)
    page.m = arrays[I_which].count;
    page.n = arrays[I_node].count;
    page.names = arrays[I_bits].count;
    page.tag_names = arrays[I_sets_of_tag].count;
    PyObject *answer = NULL;
    if (heading < page.n && is_sound(&page, arrays))
        answer = apart_of(&page, heading);
    else
        PyErr_SetString(PyExc_ValueError, "apart: arrays that do not belong together");
    close_arrays(arrays, ARRAYS);
    return answer;
}
