/* Find the main heading of a page, and the zones outside its content: menus, teasers, promotion, notices, comments.
 * crfclean/features/zones.py gives the groups, kinds and bounds. */
#include "core.h"

/* Arrays of elements, blocks, links, names and tags, and tables, in the order in which Python gives them. */
#define GIVEN(X)                                                                                                     \
    X(int64_t, which) X(int64_t, typed) X(uint8_t, is_inline) X(int32_t, tag) X(int32_t, first)                      \
    X(int32_t, end_block) X(int32_t, end) X(int32_t, parent) X(int32_t, wider) X(int32_t, node) X(double, words)     \
    X(double, running) X(double, link_words) X(double, linked) X(uint8_t, is_long) X(uint8_t, in_heading)            \
    X(int32_t, group) X(int32_t, begins) X(uint8_t, networks) X(double, title) X(double, weighted)                   \
    X(double, single) X(int32_t, link_block) X(uint8_t, link_kinds) X(int64_t, bits) X(uint16_t, sets_of_tag)        \
    X(double, levels) X(int32_t, group_kinds) X(int32_t, kind_words) X(int64_t, numbers) X(double, bounds)
enum { GIVEN(GIVEN_NUMBER) ARRAYS };
static const int WIDTHS[ARRAYS] = {GIVEN(GIVEN_WIDTH)};
enum { TOP = 1, HEADING = 2, FIGURE = 4, INNER = 8, H1 = 16, LINK = 32, PAGE = 64, ASIDE = 128 }; /* sets of tags */
enum { LEGAL, NAVIGATION, NOTICE, PROMO, TEASER, COMMENT, KINDS };
enum { NAV, DIALOG, HEADER, FOOTER, COMMENTS, TYPES }; /* groups of types */
enum { CARD = 2 * KINDS, APART_NAMES, FIRST_TYPE, AD = FIRST_TYPE + TYPES, RELATED, ALL_NUMBERS };
enum { MOST, LONG, VERY_LONG, LINK_SHARE, CARD_SHARE, PROMO_WORDS, NOTICE_WORDS, LEAST_LINKS, HEADLINE_WORDS,
       HEADLINES, CONTENT, EARLY, APART, LEAST, TOKEN, APART_WORDS, LABEL_WORDS, NETWORK_WORDS, READ_ALSO_WORDS,
       TEASER_WORDS, BOUNDS };
enum { TO_NETWORK = 32, TO_HOME = 64 }; /* kinds of links: words.c */

typedef struct {
    GIVEN(GIVEN_FIELD)
    Py_ssize_t m, n, links, names, tag_names, groups, kind_names;
    int32_t kinds[KINDS];
    int64_t named[KINDS], card, types[TYPES];
    int32_t *kind;                                   /* of each element */
    int32_t *zone, *said;                            /* of each block: the result; the kind of its phrase */
    uint8_t *allowed, *wide, *comments, *marks, *up; /* of each element; `up`: at or around it */
    uint16_t *tags;                                  /* of each element: the sets of its tag */
    uint8_t *heads, *rows, *links_home, *in_comments; /* of each block */
    double *total, *own_words, *own_running, *own_links, *sums, *values; /* sums over elements; of blocks */
} Page;

/* Add up the values of the blocks inside each element. */
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

/* Write into `up` whether each element is marked, or is inside a marked one. */
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

/* Give a kind to the marked elements that have none yet. */
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

/* Mark the header and footer of the whole page, by tag or role. */
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

/* Give elements a kind by class, id and type. If their words belong to several groups, the last group counts. */
static void mark_named(Page *page)
{
    spread_tags(page, FIGURE); /* a photograph's copyright is not the page's */
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

/* Mark elements that begin with the heading of a teaser and consist of links. */
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

/* Give the kind to small elements that begin with one of its phrases. */
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

/* Mark the element that holds most running text, those around it, and those inside it: in `marks`. */
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

/* Give a kind to boxes of links outside the content: headlines are teasers, other links are menus. */
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
    for (Py_ssize_t e = 0; e < page->m; e++) /* only elements without a kind, not inside one with a kind */
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

/* Mark elements that are named cards and link to their subject, unless they hold most of the running text. */
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

/* Find the kind of the phrase that each block begins with, if the block is short enough for that kind. */
static void find_said(Page *page)
{
    for (Py_ssize_t i = 0; i < page->n; i++) {
        int32_t kind = page->begins[i], is_link = page->linked[i] > page->bounds[LINK_SHARE];
        double most = is_link && kind == page->kinds[TEASER] ? page->bounds[READ_ALSO_WORDS] : page->kind_words[kind];
        page->said[i] = page->words[i] > most ? 0 : kind;
        int announces = (page->group[i] == page->numbers[RELATED] && page->in_heading[i])
                        || page->said[i] == page->kinds[TEASER];
        page->heads[i] = announces && page->words[i] <= page->bounds[TEASER_WORDS];
    }
}

/* Find blocks that only name social networks, or only link to them in few words. */
static void find_network_rows(Page *page)
{
    double *others = page->values; /* links of a block that lead elsewhere */
    for (Py_ssize_t i = 0; i < page->n; i++)
        others[i] = 0.0;
    for (Py_ssize_t k = 0; k < page->links; k++)
        others[page->link_block[k]] += page->link_kinds[k] & TO_NETWORK ? 0.0 : 1.0;
    memset(page->rows, 0, (size_t)page->n);
    for (Py_ssize_t k = 0; k < page->links; k++) {
        int32_t i = page->link_block[k];
        page->rows[i] = others[i] == 0.0 && page->linked[i] > page->bounds[LINK_SHARE]
                        && page->words[i] <= page->bounds[NETWORK_WORDS];
    }
    for (Py_ssize_t i = 0; i < page->n; i++)
        page->rows[i] |= page->networks[i];
}

/* Write into `up` whether each element is, or is inside, a menu, promotion or the like: no main heading is there. */
static void mark_apart(Page *page)
{
    int64_t types = page->types[NAV] | page->types[DIALOG];
    for (Py_ssize_t e = 0; e < page->m; e++) {
        int is_named_so = is_named(page, e, page->numbers[APART_NAMES])
                          || (is_named(page, e, page->named[COMMENT]) && page->tags[e] & HEADING);
        page->marks[e] = (is_named_so || page->typed[e] & types || page->tags[e] & ASIDE)
                         && page->own_running[e] <= page->bounds[APART_WORDS] && !page->is_inline[e]
                         && !(page->tags[e] & PAGE);
    }
    spread(page, page->marks);
}

/* Find the blocks that link to the site's first page. */
static void find_links_home(Page *page)
{
    memset(page->links_home, 0, (size_t)page->n);
    for (Py_ssize_t k = 0; k < page->links; k++) {
        int32_t i = page->link_block[k];
        if (page->linked[i] > page->bounds[LINK_SHARE])
            page->links_home[i] |= (page->link_kinds[k] & TO_HOME) != 0;
    }
}

/* Return the block that is most likely the main heading, -1 if none is likely. */
static Py_ssize_t find_heading(Page *page)
{
    Py_ssize_t best = -1, long_blocks = 0;
    double most = 0.0;
    mark_apart(page);
    find_links_home(page);
    for (Py_ssize_t i = 0; i < page->n; i++) {
        double level = page->levels[page->tag[page->node[i]]], early;
        long_blocks += page->is_long[i];
        early = long_blocks <= 1 ? page->bounds[EARLY] : 0.0;
        if (page->title[i] + level + early < page->bounds[LEAST])
            continue;
        int in_h1 = (page->tags[page->node[i]] & H1) != 0;
        double likeness = in_h1 && page->single[i] > 0 ? page->bounds[TOKEN] * page->single[i] : page->weighted[i];
        double score = likeness + level + early;
        score -= page->bounds[APART] * (page->up[page->node[i]] || page->links_home[i]);
        if (best < 0 || score > most) {
            most = score;
            best = i;
        }
    }
    return most >= page->bounds[LEAST] ? best : -1;
}

/* Return the kind of a block by its first words. Set `*is_sure` if this holds even inside a menu. */
static int32_t opening_kind(const Page *page, Py_ssize_t i, int *is_sure)
{
    int is_link = page->linked[i] > page->bounds[LINK_SHARE];
    int is_label = page->group[i] == page->numbers[AD] && page->words[i] <= page->bounds[LABEL_WORDS];
    int32_t kind = (is_link || is_label) && page->group[i] >= 0 ? page->group_kinds[page->group[i]] : 0;
    kind = page->rows[i] ? page->kinds[PROMO] : kind;
    if (page->said[i] && (is_link || !page->in_heading[i]))
        kind = page->said[i];
    *is_sure = page->said[i] > 0 || kind == page->kinds[LEGAL] || page->rows[i];
    return kind;
}

/* Find the blocks inside elements for comments, at any height: in `in_comments`. */
static void find_comments(Page *page)
{
    spread(page, page->comments);
    for (Py_ssize_t i = 0; i < page->n; i++)
        page->in_comments[i] = page->up[page->node[i]];
}

/* Give each block the kind of the nearest element around it that has one, or a kind by its first words. */
static void find_block_zones(Page *page)
{
    int32_t *around = page->said + page->n; /* the kind at or around each element */
    for (Py_ssize_t e = 0; e < page->m; e++)
        around[e] = page->kind[e] ? page->kind[e] : page->parent[e] >= 0 ? around[page->parent[e]] : 0;
    for (Py_ssize_t i = 0; i < page->n; i++) {
        int is_sure;
        int32_t kind = around[page->node[i]], said = opening_kind(page, i, &is_sure);
        page->zone[i] = !kind || (kind == page->kinds[NAVIGATION] && said && is_sure) ? said : kind;
    }
    int in_run = 0; /* the heading of a teaser, and the links right after it */
    for (Py_ssize_t i = 0; i < page->n; i++) {
        int is_link = page->linked[i] > page->bounds[LINK_SHARE];
        int starts = page->heads[i] && i + 1 < page->n && page->linked[i + 1] > page->bounds[LINK_SHARE];
        in_run = starts || (is_link && in_run);
        if (in_run && !page->zone[i])
            page->zone[i] = page->kinds[TEASER];
    }
}

/* Return whether the arrays belong together, so that each index is inside. */
static int is_sound(const Page *page, const Array *arrays)
{
    for (int i = I_which; i <= I_wider; i++)
        if (arrays[i].count != page->m)
            return 0;
    for (int i = I_node; i <= I_single; i++)
        if (arrays[i].count != page->n)
            return 0;
    if (arrays[I_link_kinds].count != page->links || arrays[I_levels].count != page->tag_names
        || arrays[I_numbers].count != ALL_NUMBERS || arrays[I_bounds].count != BOUNDS)
        return 0;
    return are_below(page->which, page->m, page->names) && are_parents(page->parent, page->m)
           && are_inside(page->tag, page->m, 0, page->tag_names) && are_inside(page->first, page->m, 0, page->n + 1)
           && are_inside(page->end_block, page->m, 0, page->n + 1) && are_inside(page->wider, page->m, -1, page->m)
           && are_inside(page->node, page->n, 0, page->m) && are_inside(page->group, page->n, -1, page->groups)
           && are_inside(page->begins, page->n, 0, page->kind_names)
           && are_inside(page->link_block, page->links, 0, page->n);
}

/* Find the main heading and all zones. Return the index of the main heading. */
static Py_ssize_t find_all(Page *page)
{
    for (Py_ssize_t e = 0; e < page->m; e++)
        page->tags[e] = page->sets_of_tag[page->tag[e]];
    sum_up(page, page->running, page->own_running);
    Py_ssize_t heading = find_heading(page);
    find_said(page);
    find_zones(page, heading, page->values + page->n); /* room for 2 m + 2 n more */
    find_network_rows(page);
    find_block_zones(page);
    find_comments(page);
    return heading;
}

static PyObject *zones_of(Page *page)
{
    size_t m = (size_t)page->m, n = (size_t)page->n;
    double *doubles = PyMem_Calloc(7 * m + 4 * n + 8, sizeof *doubles);
    uint8_t *bytes = PyMem_Calloc(5 * m + 4 * n + 1, 1);
    int32_t *ints = PyMem_Calloc(2 * m + 2 * n + 1, sizeof *ints);
    page->tags = PyMem_Calloc(m + 1, sizeof *page->tags);
    PyObject *answer = NULL;
    if (doubles == NULL || bytes == NULL || ints == NULL || page->tags == NULL)
        PyErr_NoMemory();
    else {
        double **of_elements[] = {&page->own_words, &page->own_running, &page->own_links, &page->sums};
        uint8_t **marks[] = {&page->allowed, &page->wide, &page->comments, &page->marks, &page->up};
        for (size_t i = 0; i < 4; i++)
            *of_elements[i] = doubles + i * m;
        for (size_t i = 0; i < 5; i++)
            *marks[i] = bytes + i * m;
        page->heads = bytes + 5 * m;
        page->rows = page->heads + n;
        page->links_home = page->rows + n;
        page->in_comments = page->links_home + n;
        page->kind = ints;
        page->zone = ints + m;
        page->said = page->zone + n; /* with room for m more */
        page->total = doubles + 4 * m;
        page->values = page->total + n + 1;
        Py_ssize_t heading;
        Py_BEGIN_ALLOW_THREADS
        heading = find_all(page);
        Py_END_ALLOW_THREADS
        answer = Py_BuildValue("ny#y#y#", heading, (const char *)page->wide, page->m, (const char *)page->zone,
                               page->n * 4, (const char *)page->in_comments, page->n);
    }
    PyMem_Free(doubles);
    PyMem_Free(bytes);
    PyMem_Free(ints);
    PyMem_Free(page->tags);
    return answer;
}

static void take_numbers(Page *page)
{
    for (int i = 0; i < KINDS; i++) {
        page->kinds[i] = (int32_t)page->numbers[i];
        page->named[i] = page->numbers[KINDS + i];
    }
    page->card = page->numbers[CARD];
    for (int i = 0; i < TYPES; i++)
        page->types[i] = page->numbers[FIRST_TYPE + i];
}

/* zones(arrays): a tuple of the arrays above -> the index of the main heading, -1 for none; whether each element is
 * the page, its main part, or holds the main heading, uint8; the kind of each block, int32; whether each block is
 * inside an element for comments, uint8. */
PyObject *core_zones(PyObject *self, PyObject *given)
{
    (void)self;
    Page page = {0};
    Array arrays[ARRAYS];
    if (!PyTuple_Check(given) || PyTuple_GET_SIZE(given) != ARRAYS)
        return PyErr_Format(PyExc_TypeError, "zones(arrays)");
    if (open_arrays(&PyTuple_GET_ITEM(given, 0), ARRAYS, WIDTHS, arrays))
        return NULL;
    GIVEN(GIVEN_TAKEN)
    page.m = arrays[I_which].count;
    page.n = arrays[I_node].count;
    page.links = arrays[I_link_block].count;
    page.names = arrays[I_bits].count;
    page.tag_names = arrays[I_sets_of_tag].count;
    page.groups = arrays[I_group_kinds].count;
    page.kind_names = arrays[I_kind_words].count;
    PyObject *answer = NULL;
    if (is_sound(&page, arrays)) {
        take_numbers(&page);
        answer = zones_of(&page);
    } else
        PyErr_SetString(PyExc_ValueError, "zones: arrays that do not belong together");
    close_arrays(arrays, ARRAYS);
    return answer;
}
