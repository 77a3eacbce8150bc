/* Columns of the elements around a block. */
#include "columns.h"

#define BIG_SHARE 0.3
#define MIN_SCORED_CHARS 25

static inline int32_t wider_or_same(const Columns *page, int32_t element)
{
    return page->wider[element] < 0 ? element : page->wider[element];
}

/* Compute Readability's scores of elements, and find the best one. */
static void score_elements(Columns *page)
{
    memset(page->scores, 0, (size_t)page->m * sizeof *page->scores);
    memset(page->half_scores, 0, (size_t)page->m * sizeof *page->half_scores);
    for (Py_ssize_t i = 0; i < page->n; i++) {
        double points = page->chars[i] / 100.0;
        points = (points < 3.0 ? points : 3.0) + page->commas[i] + 1.0;
        points = page->chars[i] >= MIN_SCORED_CHARS && page->is_long[i] ? points : 0.0;
        int32_t above = wider_or_same(page, page->node[i]);
        page->scores[above] += points;
        page->half_scores[wider_or_same(page, above)] += points / 2.0;
    }
    page->best = 0;
    for (Py_ssize_t e = 0; e < page->m; e++) {
        double linked = share_of(sum_in(page, e, SUM_LINKS), sum_in(page, e, SUM_WORDS));
        page->scores[e] = (page->scores[e] + page->half_scores[e]) * (1.0 - linked);
        if (page->scores[e] > page->scores[page->best])
            page->best = e;
    }
}

enum { FIGURES = 8 }; /* `ELEMENT_FIGURES` */

static void figures_of(const Columns *page, int32_t element, double *figures)
{
    memset(figures, 0, FIGURES * sizeof *figures);
    if (element < 0)
        return;
    double blocks = page->inside[element], words = sum_in(page, element, SUM_WORDS);
    double running = sum_in(page, element, SUM_RUNNING);
    figures[0] = share_of(words, page->all_words);
    figures[1] = share_of(running, page->most_long);
    figures[2] = share_of(running, words);
    figures[3] = share_of(sum_in(page, element, SUM_LINKS), words);
    figures[4] = blocks;
    figures[5] = share_of(words, blocks);
    figures[6] = share_of(sum_in(page, element, SUM_ENDS), blocks);
    figures[7] = share_of(sum_in(page, element, SUM_HEADINGS), blocks);
}

/* Fill the columns of an element for each block (-1: none), and the block's place in it. */
static void columns_of_place(Columns *page, int column, const int32_t *element)
{
    double figures[FIGURES];
    for (Py_ssize_t i = 0; i < page->n; i++) {
        if (!i || element[i] != element[i - 1])
            figures_of(page, element[i], figures);
        for (int k = 0; k < FIGURES; k++)
            page->values[k * page->n + i] = figures[k];
    }
    for (int k = 0; k < FIGURES; k++)
        COLUMN(column + k, page->values[k * page->n + i]);
    COLUMN(column + FIGURES, element[i] < 0 ? 0.0 : share_of((double)(i - page->first_block[element[i]]),
                                                             page->inside[element[i]]));
}

/* Find the smallest element around each block with a large part of the page's words, in `place`. */
static void find_big(Columns *page)
{
    for (Py_ssize_t e = 0; e < page->m; e++)
        page->mask[e] = sum_in(page, e, SUM_WORDS) >= BIG_SHARE * page->all_words;
    nearest_marked(page);
    for (Py_ssize_t i = 0; i < page->n; i++)
        page->place[i] = page->up[page->node[i]];
}

static void best_columns(Columns *page)
{
    Py_ssize_t first = page->first_block[page->best], end = page->end_block[page->best];
    COLUMN(C_in_best, i >= first && i < end);
    COLUMN(C_after_best, larger((double)i - ((double)end - 1.0), 0.0));
    COLUMN(C_before_best, larger((double)(first - i), 0.0));
    for (Py_ssize_t e = 0; e < page->m; e++)
        page->mask[e] = page->first_block[e] <= first && page->end_block[e] >= end;
    nearest_marked(page);
    for (Py_ssize_t i = 0; i < page->n; i++) {
        int32_t common = page->up[page->node[i]];
        page->values[i] = common < 0 ? 1.0 : share_of(sum_in(page, common, SUM_WORDS), page->all_words);
    }
    COLUMN(C_best_common, page->values[i]);
    double most = larger(page->scores[page->best], 0.0);
    COLUMN(C_paragraph_score, share_of(page->scores[page->containers[i]], most));
}

void container_columns(Columns *page)
{
    score_elements(page);
    static const int levels[4] = {C_up1_words_share, C_up2_words_share, C_up3_words_share, C_up4_words_share};
    for (int k = 0; k < 4; k++)
        columns_of_place(page, levels[k], page->containers + k * page->n);
    columns_of_place(page, C_div_words_share, page->div);
    find_big(page);
    columns_of_place(page, C_big_words_share, page->place);
    for (Py_ssize_t i = 0; i < page->n; i++)
        page->place[i] = (int32_t)page->best;
    columns_of_place(page, C_best_words_share, page->place);
    best_columns(page);
}
