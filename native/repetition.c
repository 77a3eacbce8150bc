/* Columns of groups of similar blocks and elements. */
#include "columns.h"

#define MIN_SIBLINGS 3

enum { COUNT, WORDS, LINKED, LONG, GROUP_SUMS };

/* Fill the columns of each block's group; groups have numbers below the number of elements. */
static void columns_of_group(Columns *page, int column, const int32_t *group)
{
    memset(page->bins, 0, (size_t)page->m * GROUP_SUMS * sizeof *page->bins);
    for (Py_ssize_t i = 0; i < page->n; i++) {
        double *bins = page->bins + (Py_ssize_t)group[i] * GROUP_SUMS;
        bins[COUNT] += 1.0;
        bins[WORDS] += page->words[i];
        bins[LINKED] += page->link_words[i];
        bins[LONG] += page->running[i];
    }
#define BIN(sum) page->bins[(Py_ssize_t)group[i] * GROUP_SUMS + (sum)]
    COLUMN(column, BIN(COUNT));
    COLUMN(column + 1, share_of(BIN(WORDS), page->all_words));
    COLUMN(column + 2, share_of(BIN(WORDS), BIN(COUNT)));
    COLUMN(column + 3, share_of(BIN(LINKED), BIN(WORDS)));
    COLUMN(column + 4, share_of(BIN(LONG), BIN(WORDS)));
}

static void group_columns(Columns *page)
{
    int32_t *group = page->place;
    for (Py_ssize_t i = 0; i < page->n; i++)
        group[i] = page->path[page->node[i]];
    columns_of_group(page, C_path_count, group);
    for (Py_ssize_t i = 0; i < page->n; i++)
        group[i] = page->tag_path[page->node[i]];
    columns_of_group(page, C_tag_path_count, group);
    for (Py_ssize_t i = 0; i < page->n; i++)
        group[i] = (int32_t)page->parent_keys[i];
    columns_of_group(page, C_parent_count, group);
}

enum { LIST_SUMS = 7 }; /* items, words, squares of words, words in links and in running text, blocks; items with blocks */

/* Add up the elements of each family in `bins`, in the order of the elements. */
static void sum_families(Columns *page)
{
    memset(page->bins, 0, (size_t)page->m * LIST_SUMS * sizeof *page->bins);
    for (Py_ssize_t e = 0; e < page->m; e++) {
        double *bins = page->bins + (Py_ssize_t)page->family[e] * LIST_SUMS, words = sum_in(page, e, SUM_WORDS);
        bins[0] += 1.0;
        bins[1] += words;
        bins[2] += words * words;
        bins[3] += sum_in(page, e, SUM_LINKS);
        bins[4] += sum_in(page, e, SUM_RUNNING);
        bins[5] += (double)page->inside[e];
        bins[6] += page->inside[e] > 0;
    }
}

/* Replace the sums of each family by the seven figures of its list. */
static void figure_families(Columns *page)
{
    for (Py_ssize_t e = 0; e < page->m; e++) {
        double *bins = page->bins + e * LIST_SUMS, sums[LIST_SUMS];
        memcpy(sums, bins, sizeof sums);
        double mean = share_of(sums[1], sums[0]), variance = share_of(sums[2], sums[0]) - mean * mean;
        /* `<a href>one<a href>two<p>three`: the elements of a list may lie in each other, and have words twice */
        bins[1] = sums[1] > page->all_words ? 1.0 : share_of(sums[1], page->all_words);
        bins[2] = mean;
        bins[3] = share_of(sums[3], sums[1]);
        bins[4] = share_of(sums[4], sums[1]);
        bins[5] = share_of(sums[5], sums[0]);
        bins[6] = share_of(sqrt(larger(0.0, variance)), mean);
    }
}

/* Find the nearest repeated element around each block, and the nearest one in a list of cards; -1 for none. */
static void find_items(Columns *page)
{
    for (Py_ssize_t e = 0; e < page->m; e++)
        page->mask[e] = page->repeated[e] =
            page->inside[e] > 0 && page->bins[(Py_ssize_t)page->family[e] * LIST_SUMS + 6] >= MIN_SIBLINGS;
    nearest_marked(page);
    uint8_t *largest = page->mask; /* whether a family has an element of two blocks or more */
    for (Py_ssize_t i = 0; i < page->n; i++)
        page->cell[i] = page->up[page->node[i]];
    memset(largest, 0, (size_t)page->m);
    for (Py_ssize_t e = 0; e < page->m; e++)
        if (page->repeated[e] && page->inside[e] >= 2)
            largest[page->family[e]] = 1;
    for (Py_ssize_t e = 0; e < page->m; e++)
        page->up[e] = page->repeated[e] && largest[page->family[e]] ? (int32_t)e
                      : page->parent[e] < 0                         ? -1
                                                                    : page->up[page->parent[e]];
    for (Py_ssize_t i = 0; i < page->n; i++) {
        int32_t card = page->card[i] = page->up[page->node[i]];
        page->card_keys[i] = card < 0 ? -1 : page->family[card];
    }
}

static void list_columns(Columns *page, int column, int place_in, const int32_t *item)
{
    for (int k = 0; k < LIST_SUMS; k++)
        COLUMN(column + k, item[i] < 0 ? 0.0 : page->bins[(Py_ssize_t)page->family[item[i]] * LIST_SUMS + k]);
    COLUMN(place_in,
           item[i] < 0 ? 0.0 : share_of((double)(i - page->first_block[item[i]]), page->inside[item[i]]));
}

void repetition_columns(Columns *page)
{
    group_columns(page);
    sum_families(page);
    find_items(page);
    figure_families(page);
    list_columns(page, C_cell_count, C_cell_place_in, page->cell);
    list_columns(page, C_card_count, C_card_place_in, page->card);
}
