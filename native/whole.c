/* Columns that are the same for all blocks of a page. */
#include "columns.h"

/* Fill a column, and note its value in `page_figures`, which has all columns of this file in order. */
#define FIGURE(column, value)                                      \
    do {                                                           \
        double figure = (double)(value);                           \
        page->page_figures[(column) - C_page_links] = figure;      \
        COLUMN(column, figure);                                    \
    } while (0)

static inline double ratio(double part, double total) { return total != 0.0 ? part / total : 0.0; }

static void text_columns(Columns *page)
{
    double running = pairwise_sum(page->running, page->n), long_blocks = 0.0, most = 0.0;
    int64_t letters = 0, ideographs = 0, cased = 0;
    Py_ssize_t dated = 0, depth = 0;
    for (Py_ssize_t i = 0; i < page->n; i++) {
        const int32_t *classes = page->by_class + 8 * i;
        long_blocks += page->is_long[i];
        most = larger(most, page->words[i]);
        letters += (int64_t)page->letters[i];
        ideographs += classes[IDEOGRAPH];
        cased += (int64_t)classes[LOWER] + classes[UPPER];
        dated += page->dates[i] > 0;
        depth += page->depth[page->node[i]];
    }
    double links = ratio(pairwise_sum(page->link_words, page->n), page->all_words);
    FIGURE(C_page_links, links);
    FIGURE(C_page_running, ratio(running, page->all_words));
    FIGURE(C_page_running_blocks, long_blocks);
    FIGURE(C_page_mean_running, ratio(running, long_blocks));
    FIGURE(C_page_best, larger(share_of(sum_in(page, page->best, SUM_RUNNING), page->most_long), 0.0));
    FIGURE(C_page_largest_block, most);
    FIGURE(C_page_dated, (double)dated / (double)page->n);
    FIGURE(C_page_depth, (double)depth / (double)page->n);
    FIGURE(C_page_ideographs, ratio((double)ideographs, (double)letters));
    FIGURE(C_page_cased, ratio((double)cased, (double)letters));
}

/* Fill the columns of lists of cards; `repetition_columns` runs before. */
static void card_columns(Columns *page)
{
    Py_ssize_t inside = 0, largest = 0;
    double most = -1.0;
    for (Py_ssize_t i = 0; i < page->n; i++) {
        double words = page->card[i] < 0 ? 0.0 : page->bins[(Py_ssize_t)page->card_keys[i] * 7 + 1];
        inside += page->card[i] >= 0;
        if (words > most) {
            most = words;
            largest = i;
        }
    }
    double count = page->card[largest] < 0 ? 0.0 : page->bins[(Py_ssize_t)page->card_keys[largest] * 7];
    FIGURE(C_page_cards, (double)inside / (double)page->n);
    FIGURE(C_page_largest_cards, larger(most, 0.0));
    FIGURE(C_page_card_count, count);
}

static void path_column(Columns *page)
{
    double *count = page->bins;
    memset(count, 0, (size_t)page->m * sizeof *count);
    for (Py_ssize_t i = 0; i < page->n; i++)
        count[page->path_keys[i]]++;
    for (Py_ssize_t i = 0; i < page->n; i++)
        page->values[i] = 1.0 / count[page->path_keys[i]];
    double variety = pairwise_sum(page->values, page->n) / (double)page->n;
    FIGURE(C_page_paths, variety);
}

enum { COUNTED = 9, MARKED = 9, OF_BODY = 8 }; /* sets of tags; groups of all elements, of `html` and `body` */
static const int SETS[COUNTED] = {SET_H1, SET_H23, SET_ARTICLE, SET_FORM, SET_INPUTS, SET_TABLE, SET_TD, SET_CODE, SET_IMG};

static void element_columns(Columns *page)
{
    Py_ssize_t tags[ALL_SETS] = {0}, marked[MARKED] = {0};
    uint64_t of_body = 0, counted = 0;
    for (int k = 0; k < COUNTED; k++)
        counted |= (uint64_t)1 << SETS[k];
    for (Py_ssize_t e = 0; e < page->m; e++) {
        uint64_t bits = (uint64_t)page->name_bits[e];
        for (uint64_t sets = page->sets[e] & counted; sets; sets &= sets - 1)
            tags[lowest_bit(sets)]++;
        for (int k = 0; bits && k < MARKED; k++)
            marked[k] += has_set(bits, page->groups->name_groups[k]);
        of_body |= has_set(page->sets[e], SET_PAGE) ? bits : 0;
    }
    for (int k = 0; k < COUNTED; k++)
        FIGURE(C_page_h1 + k, tags[SETS[k]]);
    for (int k = 0; k < MARKED; k++)
        FIGURE(C_page_marked_comment + k, (double)marked[k] / (double)page->m);
    for (int k = 0; k < OF_BODY; k++)
        FIGURE(C_page_body_article + k, has_set(of_body, page->groups->name_groups[MARKED + k]));
}

static void said_columns(Columns *page)
{
    for (int k = 0; k < 8; k++)
        FIGURE(C_page_is_news + k, page->declared[1 + k]);
    for (int k = 0; k < 4; k++) {
        Py_ssize_t count = 0;
        for (Py_ssize_t i = 0; i < page->n; i++)
            count += page->phrase[i] == page->groups->phrase_groups[k];
        FIGURE(C_page_said_comments + k, (double)count / (double)page->n);
    }
}

void whole_columns(Columns *page)
{
    text_columns(page);
    card_columns(page);
    path_column(page);
    element_columns(page);
    said_columns(page);
}
