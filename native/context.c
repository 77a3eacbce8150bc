/* Columns of the main heading, and of the neighbours of each block. */
#include "columns.h"

#define FAR_BLOCKS 100.0

/* Find the block that is most likely the main heading, -1 if none is likely. */
static Py_ssize_t find_headline(const Columns *page)
{
    Py_ssize_t best = 0, long_blocks = 0;
    double most = 0.0;
    for (Py_ssize_t i = 0; i < page->n; i++) {
        uint64_t sets = page->sets[page->node[i]];
        double level = has_set(sets, SET_H1) * 0.5 + has_set(sets, SET_H23) * 0.25;
        long_blocks += page->is_long[i];
        double score = page->title_likeness[i] + level + 0.1 * (long_blocks <= 1);
        if (!i || score > most) {
            most = score;
            best = i;
        }
    }
    return most >= 0.5 ? best : -1;
}

void headline_columns(Columns *page)
{
    Py_ssize_t index = find_headline(page);
    COLUMN(C_title_likeness, page->title_likeness[i]);
    COLUMN(C_description_cover, page->description_cover[i]);
    COLUMN(C_body_cover, page->body_cover[i]);
    COLUMN(C_has_body, page->declared[0]);
    COLUMN(C_is_headline, i == index);
    COLUMN(C_from_headline, index < 0 ? 0.0 : larger((double)(i - index), 0.0));
    COLUMN(C_to_headline, larger((double)(index - i), 0.0));
    COLUMN(C_has_headline, index >= 0);
}

/* Fill the columns of the mean of a value over each block and its neighbours, for each reach. */
static void smooth(Columns *page, int column, const double *value)
{
    static const Py_ssize_t reaches[3] = {2, 5, 12};
    double *total = page->values; /* n + 1 of them */
    total[0] = 0.0;
    for (Py_ssize_t i = 0; i < page->n; i++)
        total[i + 1] = i ? total[i] + value[i] : value[0];
    for (int k = 0; k < 3; k++) {
        for (Py_ssize_t i = 0; i < page->n; i++) {
            Py_ssize_t low = i - reaches[k] < 0 ? 0 : i - reaches[k];
            Py_ssize_t high = i + reaches[k] + 1 > page->n ? page->n : i + reaches[k] + 1;
            page->row[i] = (total[high] - total[low]) / (double)(high - low);
        }
        COLUMN(column + k, page->row[i]);
    }
}

static void smooth_columns(Columns *page)
{
    double *value = page->values + 2 * page->n; /* behind the n + 1 running sums */
    smooth(page, C_words_around2, page->log_words);
    smooth(page, C_links_around2, page->linked);
    for (Py_ssize_t i = 0; i < page->n; i++)
        value[i] = page->is_long[i];
    smooth(page, C_long_around2, value);
    for (Py_ssize_t i = 0; i < page->n; i++)
        value[i] = page->sentence_ends[i] > 0;
    smooth(page, C_ends_around2, value);
}

static inline double near(Py_ssize_t blocks) { return (double)blocks < FAR_BLOCKS ? (double)blocks : FAR_BLOCKS; }

/* Fill a column with the blocks since the last one that is running text, or begins with a phrase (-1: running text). */
static void since_column(Columns *page, int column, int32_t phrase)
{
    Py_ssize_t last = -1;
    for (Py_ssize_t i = 0; i < page->n; i++) {
        last = (phrase < 0 ? page->is_long[i] : page->phrase[i] == phrase) ? i : last;
        page->row[i] = last < 0 ? FAR_BLOCKS : near(i - last);
    }
    COLUMN(column, page->row[i]);
}

static void long_columns(Columns *page)
{
    since_column(page, C_since_long, -1);
    Py_ssize_t next = -1;
    for (Py_ssize_t i = page->n - 1; i >= 0; i--) {
        next = page->is_long[i] ? i : next;
        page->row[i] = next < 0 ? FAR_BLOCKS : near(next - i);
    }
    COLUMN(C_until_long, page->row[i]);
    double all = pairwise_sum(page->running, page->n), until = 0.0;
    for (Py_ssize_t i = 0; i < page->n; i++)
        page->values[i] = until += page->running[i];
    COLUMN(C_long_before, share_of(page->values[i] - page->running[i], all));
    COLUMN(C_long_left, share_of(all - page->values[i], all));
}

/* The level of the highest heading that a block is in, 0 for none. */
static inline int level_of(const Columns *page, Py_ssize_t block)
{
    for (int level = 1; level <= 6; level++)
        if (is_in(page, block, SET_H1 + level - 1))
            return level;
    return 0;
}

static void heading_columns(Columns *page)
{
    const int32_t *above = page->above;
    COLUMN(C_heading_level, above[i] < 0 ? 0 : level_of(page, above[i]));
    COLUMN(C_since_heading, above[i] < 0 ? FAR_BLOCKS : near(i - above[i]));
    COLUMN(C_heading_title, above[i] < 0 ? 0.0 : page->title_likeness[above[i]]);
    int after_h1 = 0;
    for (Py_ssize_t i = 0; i < page->n; i++)
        page->values[i] = after_h1 |= is_in(page, i, SET_H1);
    COLUMN(C_h1_above, page->values[i]);
}

static void link_run_column(Columns *page)
{
    for (Py_ssize_t start = 0, end; start < page->n; start = end) {
        int is_link = page->linked[start] > 0.8;
        for (end = start + 1; end < page->n && (page->linked[end] > 0.8) == is_link;)
            end++;
        for (Py_ssize_t i = start; i < end; i++)
            page->row[i] = is_link ? (double)(end - start) : 0.0;
    }
    COLUMN(C_link_run, page->row[i]);
}

void context_columns(Columns *page)
{
    smooth_columns(page);
    long_columns(page);
    heading_columns(page);
    link_run_column(page);
    for (int k = 0; k < 4; k++)
        since_column(page, C_since_related + k, page->groups->phrase_groups[4 + k]);
}
