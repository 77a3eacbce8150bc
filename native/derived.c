/* Check the arrays of a table, and derive what follows from its tree. */
#include "table.h"

int is_tree(const Table *page)
{
    if (!are_inside(page->node, page->n, 0, page->m) || !are_inside(page->first_block, page->m, 0, page->n + 1)
        || !are_inside(page->end_block, page->m, 0, page->n + 1) || !are_inside(page->end, page->m, 1, page->m + 1)
        || !are_inside(page->tag, page->m, 0, page->tags.ends.size) || !are_inside(page->run_node, page->runs, 0, page->m)
        || !are_inside(page->run_block, page->runs, 0, page->n)
        || !are_below(page->class_number, page->m, page->classes.ends.size))
        return 0;
    for (Py_ssize_t e = 0; e < page->m; e++)
        if (page->parent[e] < -1 || page->parent[e] >= e || page->first_block[e] > page->end_block[e] || page->end[e] <= e)
            return 0;
    for (Py_ssize_t r = 0; r < page->runs; r++)
        if (page->run_block[r] - (r ? page->run_block[r - 1] : -1) > 1 || (r && page->run_block[r] < page->run_block[r - 1]))
            return 0;
    return page->n ? page->runs && page->run_block[page->runs - 1] == page->n - 1 : !page->runs;
}

/* A form with more than half of the page's words, and so many links, is around the page (ASP.NET): it says nothing. */
#define PAGE_FORM 0.5
#define PAGE_LINKS 10

static inline int is_page_form(uint64_t sets) { return has_set(sets, SET_FORM) && !has_set(sets, SET_FORMS); }

static int holds_the_page(const Table *page, Py_ssize_t form)
{
    double words = 0.0;
    int links = 0;
    for (Py_ssize_t i = page->first_block[form]; i < page->end_block[form]; i++)
        words += page->words[i];
    if (words <= PAGE_FORM * page->all_words)
        return 0;
    for (Py_ssize_t e = form; e < page->end[form] && links < PAGE_LINKS; e++)
        links += has_set(page->sets[e], SET_LINK);
    return links >= PAGE_LINKS;
}

/* Take forms around the page out of the set `FORMS`. */
static void forget_page_forms(Table *page)
{
    for (Py_ssize_t e = 0; e < page->m; e++)
        if (has_set(page->sets[e], SET_FORM) && holds_the_page(page, e))
            page->sets[e] &= ~((uint64_t)1 << SET_FORMS);
}

static void derive_elements(Table *page)
{
    for (Py_ssize_t e = 0; e < page->m; e++) {
        int32_t above = page->parent[e];
        page->sets_around[e] = page->sets[e] | (above < 0 ? 0 : page->sets_around[above]);
        page->depth[e] = above < 0 ? 0 : page->depth[above] + 1;
        page->inside[e] = page->end_block[e] - page->first_block[e];
        page->wider[e] = above < 0 ? -1 : page->inside[above] == page->inside[e] ? page->wider[above] : above;
    }
}

#define LONG_WORDS 15.0 /* a block with so many words, most of them outside links, is running text */

static void derive_blocks(Table *page)
{
    for (Py_ssize_t i = 0; i < page->n; i++)
        page->link_chars[i] = 0.0;
    for (Py_ssize_t r = page->runs - 1; r >= 0; r--)
        page->start[page->run_block[r]] = page->run_node[r];
    for (Py_ssize_t r = 0; r < page->runs; r++)
        if (has_set(page->sets_around[page->run_node[r]], SET_LINK))
            page->link_chars[page->run_block[r]] += page->run_chars[r];
    for (Py_ssize_t i = 0; i < page->n; i++) {
        uint64_t around = page->sets_around[page->node[i]];
        page->chars[i] = (double)(page->sizes[i] - page->by_class[CLASSES * i + SPACE]);
        page->linked[i] = share_of(page->link_chars[i], page->chars[i]);
        page->link_words[i] = page->words[i] * page->linked[i];
        page->is_long[i] = page->words[i] >= LONG_WORDS && page->link_words[i] < 0.5 * page->words[i];
        page->running[i] = page->is_long[i] ? page->words[i] : 0.0;
        page->in_heading[i] = (uint8_t)has_set(around, SET_HEADINGS);
        page->in_item[i] = (uint8_t)(has_set(around, SET_ITEMS) || has_set(around, SET_CELLS));
        int32_t node = page->node[i];
        for (int k = 0; k < 4; k++) { /* ever wider elements */
            node = page->wider[node] < 0 ? node : page->wider[node];
            page->spans[2 * (k * page->n + i)] = page->first_block[node];
            page->spans[2 * (k * page->n + i) + 1] = page->end_block[node];
        }
    }
}

/* Number the kinds, paths, paths of tags, and families of elements. A family is one kind under one parent. */
static void number_elements(Table *page, Pairs *pairs)
{
    for (Py_ssize_t e = 0; e < page->m; e++)
        page->kind_number[e] = (int32_t)number_of_pair(pairs, page->class_number[e], page->tag[e]);
    forget_pairs(pairs);
    for (Py_ssize_t e = 0; e < page->m; e++) {
        int32_t above = page->parent[e] < 0 ? -1 : page->path[page->parent[e]];
        page->path[e] = (int32_t)number_of_pair(pairs, above, page->kind_number[e]);
    }
    forget_pairs(pairs);
    for (Py_ssize_t e = 0; e < page->m; e++) {
        int32_t above = page->parent[e] < 0 ? -1 : page->tag_path[page->parent[e]];
        page->tag_path[e] = (int32_t)number_of_pair(pairs, above, page->tag[e]);
    }
    forget_pairs(pairs);
    for (Py_ssize_t e = 0; e < page->m; e++)
        page->family[e] = (int32_t)number_of_pair(pairs, page->parent[e], page->kind_number[e]);
}

static void number_blocks(Table *page, Pairs *pairs)
{
    forget_pairs(pairs);
    for (Py_ssize_t i = 0; i < page->n; i++)
        page->path_keys[i] = number_of_pair(pairs, 0, page->path[page->node[i]]);
    forget_pairs(pairs);
    for (Py_ssize_t i = 0; i < page->n; i++) {
        int32_t node = page->node[i], above = page->wider[node] < 0 ? node : page->wider[node];
        page->parent_keys[i] = number_of_pair(pairs, page->kind_number[above], page->kind_number[node]);
    }
}

/* Fill the sets of each element's tag. */
static int derive_sets(Table *page)
{
    uint64_t *sets = PyMem_RawCalloc((size_t)page->tags.ends.size + 1, sizeof *sets);
    if (sets == NULL)
        return -1;
    for (int set = 0; set < ALL_SETS; set++)
        for (const char *tag = TAG_SET_NAMES[set].tags, *end; *tag; tag = end + (*end == ' ')) {
            end = tag + strcspn(tag, " ");
            Py_ssize_t number = names_find(&page->tags, (Part){tag, end - tag});
            if (number >= 0)
                sets[number] |= (uint64_t)1 << set;
        }
    for (Py_ssize_t e = 0; e < page->m; e++)
        page->sets[e] = sets[page->tag[e]];
    PyMem_RawFree(sets);
    return 0;
}

int derive(Table *page)
{
    Pairs pairs;
    if (lay_out(page, DERIVED_PART) || derive_sets(page) || open_pairs(&pairs, page->n > page->m ? page->n : page->m))
        return -1;
    page->all_words = pairwise_sum(page->words, page->n);
    forget_page_forms(page);
    derive_elements(page);
    derive_blocks(page);
    number_elements(page, &pairs);
    number_blocks(page, &pairs);
    PyMem_RawFree(pairs.slots);
    return 0;
}

/* Count the steps up from an element to the nearest one with each bit; one row a bit, `n` apart. */
static void count_up(const Table *page, Py_ssize_t element, int is_typed, uint8_t *column)
{
    Py_ssize_t groups = is_typed ? page->typed_groups : page->named_groups;
    uint64_t wanted = groups < 64 ? ((uint64_t)1 << groups) - 1 : ~(uint64_t)0;
    for (int steps = 0; steps < FAR && element >= 0 && wanted; steps++, element = page->parent[element]) {
        uint64_t here = (uint64_t)(is_typed ? page->typed[element] : page->name_bits[element]) & wanted;
        if (is_page_form(page->sets[element]))
            continue;
        wanted &= ~here;
        for (; here; here &= here - 1)
            column[lowest_bit(here) * page->n] = (uint8_t)steps;
    }
}

void count_steps(Table *page)
{
    memset(page->steps, FAR, (size_t)(page->n * (page->typed_groups + page->named_groups)));
    for (Py_ssize_t i = 0; i < page->n; i++) {
        count_up(page, page->start[i], 1, page->steps + i);
        count_up(page, page->start[i], 0, page->steps + page->typed_groups * page->n + i);
    }
}
