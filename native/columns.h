/* The columns of a page, and what is computed for them on the way. crfclean/model/table.toml says what each column means. */
#ifndef CRFCLEAN_COLUMNS_H
#define CRFCLEAN_COLUMNS_H

#include "table.h"

#include <math.h>

#define PLACE_COLUMNS(X, place)                                                                      \
    X(place##_words_share) X(place##_long_share) X(place##_running_share) X(place##_link_share)      \
    X(place##_blocks) X(place##_mean_words) X(place##_sentence_rate) X(place##_heading_rate)         \
    X(place##_place_in)
#define GROUP_COLUMNS(X, key) X(key##_count) X(key##_words) X(key##_mean) X(key##_links) X(key##_running)
#define LIST_COLUMNS(X, list) GROUP_COLUMNS(X, list) X(list##_blocks) X(list##_spread)
#define AROUND_COLUMNS(X, name) X(name##_around2) X(name##_around5) X(name##_around12)

/* The columns by group. Columns of steps and phrases follow them (`word_columns`). */
#define COLUMNS(X)                                                                                        \
    X(container_p) X(container_div) X(container_li) X(container_td) X(container_h1) X(container_h2)       \
    X(container_heading) X(container_quote) X(in_list) X(in_table) X(in_form) X(in_heading)               \
    X(bold_share) X(italic_share) X(underlined_share) X(link_density) X(links) X(links_per_word)          \
    X(images) X(split_p) X(split_br) X(split_hr) X(split_heading) X(split_list) X(split_cell)             \
    X(split_block) X(letter_share) X(upper_share) X(digit_share) X(punct_share) X(other_share)            \
    X(white_share) X(alpha_tokens) X(numeric_tokens) X(mixed_tokens) X(other_tokens)                      \
    X(alpha_token_share) X(numeric_token_share) X(mixed_token_share) X(other_token_share)                 \
    X(capitalised_share) X(chars) X(words) X(sentences) X(sentence_length) X(begins_sentence)             \
    X(ends_sentence) X(ends_with_colon) X(is_repeat) X(duplicates) X(has_url) X(has_date) X(has_time)     \
    X(has_bullet) X(position) X(word_position) X(page_words) X(page_sentences) X(page_blocks)             \
    X(page_share) X(div_group) X(td_group) X(largest_div_group) X(largest_td_group) X(div_group_rank)     \
    X(depth)                                                                                              \
    PLACE_COLUMNS(X, up1) PLACE_COLUMNS(X, up2) PLACE_COLUMNS(X, up3) PLACE_COLUMNS(X, up4)               \
    PLACE_COLUMNS(X, div) PLACE_COLUMNS(X, big) PLACE_COLUMNS(X, best)                                    \
    X(in_best) X(after_best) X(before_best) X(best_common) X(paragraph_score)                             \
    GROUP_COLUMNS(X, path) GROUP_COLUMNS(X, tag_path) GROUP_COLUMNS(X, parent)                            \
    LIST_COLUMNS(X, cell) LIST_COLUMNS(X, card) X(cell_place_in) X(card_place_in)                         \
    X(title_likeness) X(description_cover) X(body_cover) X(has_body)                                      \
    X(is_headline) X(from_headline) X(to_headline) X(has_headline)                                        \
    X(href_fragment) X(href_action) X(href_absolute) X(href_tag) X(href_share) X(commas_per_word)         \
    X(clauses) X(quotes_per_word) X(questions_per_word) X(bars_per_word) X(money) X(copyright)            \
    X(ends_ellipsis) X(ends_question) X(begins_bracket) X(word_length) X(is_whole_link) X(text_words)     \
    AROUND_COLUMNS(X, words) AROUND_COLUMNS(X, links) AROUND_COLUMNS(X, long) AROUND_COLUMNS(X, ends)     \
    X(since_long) X(until_long) X(long_before) X(long_left) X(heading_level) X(since_heading)             \
    X(heading_title) X(h1_above) X(link_run) X(since_related) X(since_comments) X(since_byline)           \
    X(since_legal) X(page_links) X(page_running) X(page_running_blocks) X(page_mean_running)              \
    X(page_best) X(page_largest_block) X(page_cards) X(page_largest_cards) X(page_card_count)             \
    X(page_paths) X(page_h1) X(page_h2) X(page_articles) X(page_forms) X(page_inputs) X(page_tables)      \
    X(page_cells) X(page_code) X(page_images) X(page_dated) X(page_depth) X(page_ideographs)              \
    X(page_cased) X(page_is_news) X(page_is_product) X(page_is_site) X(page_is_forum) X(page_is_faq)      \
    X(page_is_business) X(page_is_recipe) X(page_is_video) X(page_marked_comment) X(page_marked_post)     \
    X(page_marked_product) X(page_marked_list) X(page_marked_hero) X(page_marked_code)                    \
    X(page_marked_faq) X(page_marked_user) X(page_marked_article) X(page_body_article)                    \
    X(page_body_post) X(page_body_product) X(page_body_list) X(page_body_code) X(page_body_hero)          \
    X(page_body_tag) X(page_body_content) X(page_said_comments) X(page_said_related) X(page_said_ad)      \
    X(page_said_share)

#define COLUMN_NUMBER(name) C_##name,
enum { COLUMNS(COLUMN_NUMBER) NAMED_COLUMNS };

/* The columns of the whole page stand last, and are `page_figures`: else this does not compile. */
typedef char fits_page_figures[NAMED_COLUMNS - C_page_links == PAGE_FIGURES ? 1 : -1];

/* Arrays that are computed on the way, with their sizes; all lie in one piece of memory. */
#define ROOM(X)                                                                                        \
    X(double, letters, n) X(double, tokens, n) X(double, link_count, n) X(double, commas, n)           \
    X(double, values, 8 * n + 8) X(double, row, n) X(double, total, 5 * (n + 1)) X(double, scores, m)  \
    X(double, half_scores, m) X(double, bins, 7 * (m + 1)) X(int32_t, up, m) X(int32_t, cell, n)       \
    X(int32_t, card, n) X(int32_t, place, n) X(int32_t, above, n) X(int32_t, div, n)                   \
    X(int32_t, containers, 4 * n) X(uint8_t, mask, m) X(uint8_t, repeated, m)

/* The fields of the page come first, as in `Table`. */
typedef struct {
    TABLE_FIELDS
    ROOM(ARRAY)
    double most_long;      /* most running words in an element */
    Py_ssize_t best;       /* the element with the best score */
    char *rows;            /* columns as rows of n floats or doubles */
    const int32_t *places; /* the row of each column, -1 for none */
    int width;             /* bytes of an item of the rows */
} Columns;

static inline double larger(double one, double other) { return one > other ? one : other; }

/* Return whether the tag of a block's element, or of one around it, is in a set. */
static inline int is_in(const Columns *page, Py_ssize_t block, int set)
{
    return has_set(page->sets_around[page->node[block]], set);
}

/* Add up a value over the blocks inside an element: `SUM_WORDS` and the like. */
enum { SUM_WORDS, SUM_LINKS, SUM_ENDS, SUM_RUNNING, SUM_HEADINGS, SUMS };
static inline double sum_in(const Columns *page, Py_ssize_t element, int sum)
{
    return page->total[page->end_block[element] * SUMS + sum] - page->total[page->first_block[element] * SUMS + sum];
}

void nearest_marked(Columns *page);                     /* `up`: the nearest element of `mask`, or -1 */

/* Fill a column, if it is requested, with an expression of block `i`. It is evaluated for each block: compute sums over
 * the page first. */
#define COLUMN(column, value)                                                                        \
    do {                                                                                             \
        if (page->places[column] < 0)                                                                \
            break;                                                                                   \
        void *items = page->rows + (Py_ssize_t)page->places[column] * page->n * page->width;         \
        if (page->width == (int)sizeof(float))                                                       \
            for (Py_ssize_t i = 0; i < page->n; i++)                                                 \
                ((float *)items)[i] = (float)(double)(value);                                        \
        else                                                                                         \
            for (Py_ssize_t i = 0; i < page->n; i++)                                                 \
                ((double *)items)[i] = (double)(value);                                              \
    } while (0)

void victor_columns(Columns *page);     /* victor.c */
void word_columns(Columns *page);       /* victor.c */
void container_columns(Columns *page);  /* containers.c */
void repetition_columns(Columns *page); /* repetition.c */
void headline_columns(Columns *page);   /* context.c */
void context_columns(Columns *page);    /* context.c */
void whole_columns(Columns *page);      /* whole.c */

#endif
