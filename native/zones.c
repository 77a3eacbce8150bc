/* What each element is there for beside a page's content: `zone_elements` of crfclean/features/zones.py,
 * with `link_boxes` of features/link_boxes.py. Groups, kinds and bounds are given by Python. */
#include "core.h"

enum { WHICH, BITS, TYPED, INLINE, TAGS, FIRST, END_BLOCK, END, PARENT, NODE, WORDS, RUNNING, LINK_WORDS, LINKED, SAID,
       HEADS, WIDER, ARRAYS };
static const int WIDTHS[ARRAYS] = {8, 8, 8, 1, 1, 4, 4, 4, 4, 4, 8, 8, 8, 8, 4, 1, 4};
enum { TOP = 1, HEADING = 2, FIGURE = 4, INNER = 8, H1 = 16, LINK = 32 }; /* sets of tags */
enum { LEGAL, NAVIGATION, NOTICE, PROMO, TEASER, COMMENT, KINDS };
enum { NAV, DIALOG, HEADER, FOOTER, COMMENTS, TYPES }; /* groups of types */
enum { MOST, LONG, VERY_LONG, LINK_SHARE, CARD_SHARE, PROMO_WORDS, NOTICE_WORDS, LEAST_LINKS, HEADLINE_WORDS,
       HEADLINES, CONTENT, BOUNDS };

typedef struct {
    const int64_t *which, *bits, *typed;
    const uint8_t *is_inline, *tags, *heads;
    const int32_t *first, *end_block, *end, *parent, *node, *said, *wider;
    const double *words, *running, *link_words, *linked;
    Py_ssize_t m, n, names;
    int32_t kinds[KINDS];
    int64_t named[KINDS], card, types[TYPES];
    double bounds[BOUNDS];
    int32_t *kind;                                   /* of each element: the result */
    uint8_t *allowed, *wide, *comments, *marks, *up; /* of each element; `up`: at or around it */
    double *total, *own_words, *own_running, *own_links, *sums, *values; /* sums over elements; of blocks */
} Page;

/* Sums of the blocks' values inside each element. */
static void sum_up(const Page *page, const double *values, double *sums)
{
    page->total[0] = 0.0;
    for (Py_ssize_t i = 0; i < page->n; i++)
        page->total[i + 1] = page->total[i] + values[i];
    for (Py_ssize_t e = 0; e < page->m; e++)
        sums[e] = page->total[page->end_block[e]] - page->total[page->first[e]];
}

static double sum_of(const Page *page, const double *values)
{
    double sum = 0.0;
    for (Py_ssize_t i = 0; i < page->n; i++)
        sum += values[i];
    return sum;
}

/* Whether any marked element is at or around each one: in `up`. */
static void spread(const Page *page, const uint8_t *marks)
{
    for (Py_ssize_t e = 0; e < page->m; e++)
        page->up[e] = marks[e] || (page->parent[e] >= 0 && page->up[page->parent[e]]);
}

static void spread_tags(const Page *page, int set)
{
    for (Py_ssize_t e = 0; e < page->m; e++)
        page->marks[e] = (page->tags[e] & set) != 0;
    spread(page, page->marks);
}

static inline int is_named(const Page *page, Py_ssize_t e, int64_t bit)
{
    return (page->bits[page->which[e]] & bit) != 0;
}

/* Make the marked elements that are nothing yet one of a kind. */
static void take_marked(const Page *page, int kind)
{
    for (Py_ssize_t e = 0; e < page->m; e++)
        if (page->marks[e] && page->allowed[e] && !page->kind[e])
            page->kind[e] = page->kinds[kind];
}

static void allow(Page *page, Py_ssize_t heading)
{
    double most = page->bounds[MOST] * sum_of(page, page->running);
    for (Py_ssize_t e = 0; e < page->m; e++) {
        int holds_heading = page->first[e] <= heading && heading < page->end_block[e];
        page->wide[e] = (page->tags[e] & TOP) || holds_heading;
        page->allowed[e] = !page->is_inline[e] && !page->wide[e] && !(page->own_running[e] > most);
        page->comments[e] = (is_named(page, e, page->named[COMMENT]) || page->typed[e] & page->types[COMMENTS])
                            && !page->is_inline[e] && !page->wide[e];
    }
}

/* The header and footer of the whole page, by tag or role. */
static void mark_frames(Page *page)
{
    spread_tags(page, H1);
    for (Py_ssize_t i = 0; i < page->n; i++)
        page->values[i] = page->up[page->node[i]];
    sum_up(page, page->values, page->sums);
    spread_tags(page, INNER);
    for (Py_ssize_t e = 0; e < page->m; e++) {
        int is_top = (page->typed[e] & (page->types[HEADER] | page->types[FOOTER])) != 0;
        page->marks[e] = is_top && !page->up[e] && page->sums[e] == 0.0;
    }
    take_marked(page, NAVIGATION);
}

/* What class, id and type say; of words of several groups the last group counts. */
static void mark_named(Page *page)
{
    spread_tags(page, FIGURE); /* a photograph's copyright is none of the page's */
    for (Py_ssize_t e = 0; e < page->m; e++) {
        if (!page->allowed[e])
            continue;
        int is_long = page->own_running[e] > page->bounds[LONG];
        int is_very_long = page->own_running[e] > page->bounds[VERY_LONG];
        const int barred[] = {page->up[e], is_long, is_very_long, is_long, 0};
        for (int kind = LEGAL; kind <= TEASER && !(page->tags[e] & HEADING); kind++)
            if (is_named(page, e, page->named[kind]) && !barred[kind])
                page->kind[e] = page->kinds[kind];
        if (page->typed[e] & page->types[NAV])
            page->kind[e] = page->kinds[NAVIGATION];
        if (page->typed[e] & page->types[DIALOG] && page->own_words[e] <= page->bounds[LONG] && !page->kind[e])
            page->kind[e] = page->kinds[NOTICE];
    }
}

/* Elements that begin with the heading of a teaser and consist of links. */
static void mark_headed(Page *page)
{
    memset(page->marks, 0, (size_t)page->m);
    for (Py_ssize_t i = 0; i < page->n; i++) {
        int32_t around = page->heads[i] ? page->wider[page->node[i]] : -1;
        if (around < 0 || page->first[around] != i || !(page->own_links[around] > 0))
            continue;
        double others = page->own_words[around] - page->words[i];
        page->marks[around] |= page->own_links[around] >= page->bounds[LINK_SHARE] * others;
    }
    take_marked(page, TEASER);
}

/* Small elements that begin with a phrase of the kind. */
static void mark_said(Page *page, int kind, double most)
{
    memset(page->marks, 0, (size_t)page->m);
    for (Py_ssize_t i = 0; i < page->n; i++) {
        int32_t around = page->said[i] == page->kinds[kind] ? page->wider[page->node[i]] : -1;
        if (around >= 0 && page->first[around] == i && page->own_words[around] <= most)
            page->marks[around] = 1;
    }
    take_marked(page, kind);
}

/* Whether each element is, holds, or is inside the one that holds most running text: in `marks`. */
static void mark_content(Page *page)
{
    double most = page->bounds[CONTENT] * sum_of(page, page->running);
    Py_ssize_t lowest = -1;
    for (Py_ssize_t e = 0; e < page->m; e++) {
        page->marks[e] = page->own_running[e] > most;
        if (page->marks[e] && page->end_block[e] - page->first[e] > 1)
            lowest = e;
    }
    for (Py_ssize_t e = 0; e < page->m; e++)
        page->marks[e] |= lowest < 0 || (lowest <= e && e < page->end[lowest]);
}

/* Boxes of links beside the content: of headlines, or menus. */
static void take_link_boxes(Page *page, double *count, double *headlines, double *link_text)
{
    for (Py_ssize_t i = 0; i < page->n; i++)
        headlines[i] = 0.0;
    for (Py_ssize_t e = 0; e < page->m; e++)
        if (page->tags[e] & LINK && page->first[e] < page->n)
            headlines[page->first[e]] += 1.0;
    for (Py_ssize_t i = 0; i < page->n; i++) {
        int is_link = page->linked[i] > page->bounds[LINK_SHARE];
        double a_link = page->words[i] / (headlines[i] > 1.0 ? headlines[i] : 1.0);
        page->values[i] = is_link;
        link_text[i] = is_link ? page->words[i] : 0.0;
        headlines[i] = a_link >= page->bounds[HEADLINE_WORDS] ? link_text[i] : 0.0;
    }
    sum_up(page, page->values, count);
    sum_up(page, headlines, page->sums);
    sum_up(page, link_text, headlines + page->n); /* sums of elements behind the blocks */
    mark_content(page);
    for (Py_ssize_t e = 0; e < page->m; e++) /* of elements that are nothing yet, inside none that is */
        page->up[e] = page->kind[e] || (page->parent[e] >= 0 && page->up[page->parent[e]]);
    for (Py_ssize_t e = 0; e < page->m; e++) {
        int is_box = count[e] >= page->bounds[LEAST_LINKS] && !page->marks[e]
                     && page->own_links[e] >= page->bounds[LINK_SHARE] * page->own_words[e];
        if (!is_box || !page->allowed[e] || page->up[e])
            continue;
        int advertises = page->sums[e] > page->bounds[HEADLINES] * headlines[page->n + e];
        page->kind[e] = page->kinds[advertises ? TEASER : NAVIGATION];
    }
}

/* Elements named as cards that link to what they are about, unless these hold most running text. */
static void mark_cards(Page *page)
{
    for (Py_ssize_t e = 0; e < page->m; e++)
        page->marks[e] = is_named(page, e, page->card) && !page->is_inline[e]
                         && page->own_links[e] >= page->bounds[CARD_SHARE] * page->own_words[e];
    spread(page, page->marks);
    double inside = 0.0;
    for (Py_ssize_t i = 0; i < page->n; i++)
        inside += page->up[page->node[i]] ? page->running[i] : 0.0;
    if (!(inside > page->bounds[MOST] * sum_of(page, page->running)))
        take_marked(page, TEASER);
}

static void find_zones(Page *page, Py_ssize_t heading, double *room)
{
    sum_up(page, page->words, page->own_words);
    sum_up(page, page->running, page->own_running);
    sum_up(page, page->link_words, page->own_links);
    allow(page, heading);
    mark_frames(page);
    mark_named(page);
    mark_headed(page);
    mark_said(page, PROMO, page->bounds[PROMO_WORDS]);
    mark_said(page, NOTICE, page->bounds[NOTICE_WORDS]);
    take_link_boxes(page, room, room + page->m, room + 2 * page->m + page->n);
    mark_cards(page);
    for (Py_ssize_t e = 0; e < page->m; e++)
        if (page->comments[e] && !(is_named(page, e, page->named[TEASER]) && page->allowed[e]))
            page->kind[e] = page->kinds[COMMENT];
}

/* Whether the arrays belong together, so that each index is inside. */
static int is_sound(const Page *page, const Array *arrays)
{
    static const int OF_ELEMENTS[] = {WHICH, TYPED, INLINE, TAGS, FIRST, END_BLOCK, END, PARENT, WIDER};
    static const int OF_BLOCKS[] = {NODE, WORDS, RUNNING, LINK_WORDS, LINKED, SAID, HEADS};
    for (size_t i = 0; i < sizeof OF_ELEMENTS / sizeof *OF_ELEMENTS; i++)
        if (arrays[OF_ELEMENTS[i]].count != page->m)
            return 0;
    for (size_t i = 0; i < sizeof OF_BLOCKS / sizeof *OF_BLOCKS; i++)
        if (arrays[OF_BLOCKS[i]].count != page->n)
            return 0;
    for (Py_ssize_t e = 0; e < page->m; e++)
        if (page->which[e] < 0 || page->which[e] >= page->names || page->first[e] < 0 || page->first[e] > page->n
            || page->end_block[e] < 0 || page->end_block[e] > page->n || page->parent[e] >= e || page->wider[e] < -1
            || page->wider[e] >= page->m)
            return 0;
    for (Py_ssize_t i = 0; i < page->n; i++)
        if (page->node[i] < 0 || page->node[i] >= page->m)
            return 0;
    return 1;
}

static PyObject *zones_of(Page *page, Py_ssize_t heading)
{
    size_t m = (size_t)page->m, n = (size_t)page->n;
    double *doubles = PyMem_Calloc(7 * m + 4 * n + 8, sizeof *doubles);
    uint8_t *bytes = PyMem_Calloc(5 * m + 1, 1);
    page->kind = PyMem_Calloc(m + 1, sizeof *page->kind);
    PyObject *answer = NULL;
    if (doubles == NULL || bytes == NULL || page->kind == NULL)
        PyErr_NoMemory();
    else {
        double **of_elements[] = {&page->own_words, &page->own_running, &page->own_links, &page->sums};
        uint8_t **marks[] = {&page->allowed, &page->wide, &page->comments, &page->marks, &page->up};
        for (size_t i = 0; i < 4; i++)
            *of_elements[i] = doubles + i * m;
        for (size_t i = 0; i < 5; i++)
            *marks[i] = bytes + i * m;
        page->total = doubles + 4 * m;
        page->values = page->total + n + 1;
        find_zones(page, heading, page->values + n); /* room for 2 m + 2 n more */
        answer = Py_BuildValue("y#y#y#", (const char *)page->kind, page->m * 4, (const char *)page->allowed, page->m,
                               (const char *)page->comments, page->m);
    }
    PyMem_Free(doubles);
    PyMem_Free(bytes);
    PyMem_Free(page->kind);
    return answer;
}

/* zones(arrays, heading, kinds, named, types, bounds): a tuple of the arrays above; the index of the main
 * heading; values of kinds; bits of their names and of cards; bits of types; bounds -> the kind of each
 * element, int32, whether it may be of one, and whether it is for comments, uint8. */
PyObject *core_zones(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *objects;
    Py_ssize_t heading;
    Page page = {0};
    int32_t *k = page.kinds;
    long long b[KINDS + 1 + TYPES];
    double *x = page.bounds;
    if (!PyArg_ParseTuple(args, "O!n(iiiiii)(LLLLLLL)(LLLLL)(ddddddddddd)", &PyTuple_Type, &objects, &heading, k, k + 1,
                          k + 2, k + 3, k + 4, k + 5, b, b + 1, b + 2, b + 3, b + 4, b + 5, b + 6, b + 7, b + 8, b + 9,
                          b + 10, b + 11, x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7, x + 8, x + 9, x + 10))
        return NULL;
    if (PyTuple_GET_SIZE(objects) != ARRAYS)
        return PyErr_Format(PyExc_TypeError, "zones: another number of arrays");
    for (int i = 0; i < KINDS; i++)
        page.named[i] = b[i];
    page.card = b[KINDS];
    for (int i = 0; i < TYPES; i++)
        page.types[i] = b[KINDS + 1 + i];
    Array arrays[ARRAYS];
    if (open_arrays(&PyTuple_GET_ITEM(objects, 0), ARRAYS, WIDTHS, arrays))
        return NULL;
    const void **fields[ARRAYS] = {
        (const void **)&page.which, (const void **)&page.bits, (const void **)&page.typed,
        (const void **)&page.is_inline, (const void **)&page.tags, (const void **)&page.first,
        (const void **)&page.end_block, (const void **)&page.end, (const void **)&page.parent,
        (const void **)&page.node, (const void **)&page.words, (const void **)&page.running,
        (const void **)&page.link_words, (const void **)&page.linked, (const void **)&page.said,
        (const void **)&page.heads, (const void **)&page.wider,
    };
    for (int i = 0; i < ARRAYS; i++)
        *fields[i] = arrays[i].view.buf;
    page.m = arrays[WHICH].count;
    page.n = arrays[NODE].count;
    page.names = arrays[BITS].count;
    PyObject *answer = NULL;
    if (is_sound(&page, arrays))
        answer = zones_of(&page, heading);
    else
        PyErr_SetString(PyExc_ValueError, "zones: arrays that do not belong together");
    close_arrays(arrays, ARRAYS);
    return answer;
}
