/* Columns of a block's markup and text, its phrases, and its nearness to marked elements. */
#include "columns.h"

static void tag_columns(Columns *page)
{
    static const int containers[] = {SET_P, SET_DIVS, SET_ITEMS, SET_CELLS, SET_H1, SET_H2, SET_HEADINGS, SET_QUOTE};
    static const int outer[] = {SET_LISTS, SET_TABLE, SET_FORMS, SET_HEADINGS};
    static const int text[] = {SET_BOLD, SET_ITALIC, SET_UNDERLINED, SET_LINK};
    for (int k = 0; k < 8; k++)
        COLUMN(C_container_p + k, has_set(page->sets[page->node[i]], containers[k]));
    for (int k = 0; k < 4; k++)
        COLUMN(C_in_list + k, is_in(page, i, outer[k]));
    for (int k = 0; k < 4; k++) {
        memset(page->values, 0, (size_t)page->n * sizeof *page->values);
        for (Py_ssize_t r = 0; r < page->runs; r++)
            if (has_set(page->sets_around[page->run_node[r]], text[k]))
                page->values[page->run_block[r]] += page->run_chars[r];
        COLUMN(C_bold_share + k, share_of(page->values[i], page->chars[i]));
    }
    for (int k = 0; k < 7; k++)
        COLUMN(C_split_p + k, (page->split[i] & page->groups->split_bits[k]) > 0);
    COLUMN(C_depth, page->depth[page->node[i]]);
}

/* Count the elements of a set that begin in each block. */
static void count_in_blocks(const Columns *page, int set, double *counts)
{
    memset(counts, 0, (size_t)page->n * sizeof *counts);
    for (Py_ssize_t e = 0; e < page->m; e++)
        if (has_set(page->sets[e], set) && page->first_block[e] < page->n)
            counts[page->first_block[e]]++;
}

static void link_columns(Columns *page)
{
    count_in_blocks(page, SET_IMAGES, page->values);
    COLUMN(C_images, page->values[i]);
    count_in_blocks(page, SET_LINK, page->link_count);
    COLUMN(C_links, page->link_count[i]);
    COLUMN(C_links_per_word, share_of(page->link_count[i], page->words[i]));
    for (int k = 0; k < 5; k++) {
        memset(page->values, 0, (size_t)page->n * sizeof *page->values);
        for (Py_ssize_t l = 0; l < page->links; l++)
            page->values[page->link_block[l]] += page->link_bits[l] >> k & 1;
        COLUMN(C_href_fragment + k, share_of(page->values[i], page->link_count[i]));
    }
    COLUMN(C_is_whole_link, page->link_chars[i] > 0.9 * page->chars[i]);
    COLUMN(C_text_words, page->words[i] * (1.0 - page->linked[i]));
}

static void count_columns(Columns *page)
{
    static const int classes[4] = {UPPER, DIGIT, PUNCT, OTHER};
    COLUMN(C_letter_share, share_of(page->letters[i], page->chars[i]));
    for (int k = 0; k < 4; k++)
        COLUMN(C_upper_share + k, share_of(page->by_class[8 * i + classes[k]], page->chars[i]));
    COLUMN(C_white_share, share_of((double)page->sizes[i] - page->chars[i], (double)page->sizes[i]));
    for (int k = 0; k < 4; k++) {
        COLUMN(C_alpha_tokens + k, page->token_kinds[4 * i + k]);
        COLUMN(C_alpha_token_share + k, share_of(page->token_kinds[4 * i + k], page->tokens[i]));
    }
    COLUMN(C_capitalised_share, share_of(page->capitalised[i], page->tokens[i]));
    COLUMN(C_chars, page->chars[i]);
    COLUMN(C_words, page->words[i]);
    COLUMN(C_sentences, page->sentence_ends[i]);
    COLUMN(C_sentence_length, share_of(page->words[i], larger(1.0, page->sentence_ends[i])));
    COLUMN(C_word_length, share_of(page->letters[i], page->words[i]));
    COLUMN(C_commas_per_word, share_of(page->commas[i], page->words[i]));
    COLUMN(C_clauses, page->commas[i] + page->sentence_ends[i]);
    for (int k = QUOTES; k < MARKS; k++)
        COLUMN(C_quotes_per_word + k - QUOTES, share_of(page->marks[k * page->n + i], page->words[i]));
}

static inline int may_begin(const Columns *page, Py_ssize_t i)
{
    int class = page->first_classes[i];
    return !(class == LOWER || class == PUNCT || class == OTHER) || has_set(page->groups->char_sets[page->first_codes[i]], ON_OPENERS);
}

static inline int ends_in_ellipsis(const Columns *page, Py_ssize_t i)
{
    return has_set(page->groups->char_sets[page->last_codes[i]], ON_ELLIPSES) || has_set(page->groups->char_sets[page->end_codes[i]], ON_ARROWS)
           || (page->end_codes[i] == '.' && page->before_codes[i] == '.');
}

static void end_columns(Columns *page)
{
    COLUMN(C_begins_sentence, may_begin(page, i));
    COLUMN(C_ends_sentence, has_set(page->groups->char_sets[page->last_codes[i]], ON_TERMINATORS));
    COLUMN(C_ends_with_colon, has_set(page->groups->char_sets[page->last_codes[i]], ON_COLONS));
    COLUMN(C_has_bullet, has_set(page->groups->char_sets[page->first_codes[i]], ON_BULLETS));
    COLUMN(C_ends_question, has_set(page->groups->char_sets[page->last_codes[i]], ON_QUESTIONS));
    COLUMN(C_begins_bracket, has_set(page->groups->char_sets[page->first_codes[i]], ON_BRACKETS));
    COLUMN(C_ends_ellipsis, ends_in_ellipsis(page, i));
    COLUMN(C_has_url, page->urls[i] > 0);
    COLUMN(C_has_date, page->dates[i] > 0);
    COLUMN(C_has_time, page->times[i] > 0);
    double *same = page->values; /* blocks with the same text, by its number */
    memset(same, 0, (size_t)page->n * sizeof *same);
    for (Py_ssize_t i = 0; i < page->n; i++)
        page->row[i] = same[page->text_numbers[i]]++ > 0;
    COLUMN(C_is_repeat, page->row[i]);
    COLUMN(C_duplicates, same[page->text_numbers[i]] - 1);
}

/* Write into `values` the share of the page's words in the blocks that have the same nearest element of a set as
 * each block. Return the largest share. These elements are then in `up`. */
static double group_shares(Columns *page, int set)
{
    double largest = 0.0;
    for (Py_ssize_t e = 0; e < page->m; e++) {
        page->mask[e] = (uint8_t)has_set(page->sets[e], set);
        page->bins[e] = 0.0;
    }
    nearest_marked(page);
    for (Py_ssize_t i = 0; i < page->n; i++)
        if (page->up[page->node[i]] >= 0)
            page->bins[page->up[page->node[i]]] += page->words[i];
    for (Py_ssize_t i = 0; i < page->n; i++) {
        int32_t group = page->up[page->node[i]];
        page->values[i] = group < 0 ? 0.0 : share_of(page->bins[group], page->all_words);
        largest = larger(largest, page->values[i]);
    }
    return largest;
}

static void place_columns(Columns *page)
{
    double last = (double)(page->n > 1 ? page->n - 1 : 1), before = 0.0;
    double ends = pairwise_sum(page->sentence_ends, page->n);
    COLUMN(C_position, (double)i / last);
    for (Py_ssize_t i = 0; i < page->n; i++) {
        before += page->words[i];
        page->values[i] = before - page->words[i];
    }
    COLUMN(C_word_position, share_of(page->values[i], page->all_words));
    COLUMN(C_page_words, page->all_words);
    COLUMN(C_page_sentences, ends);
    COLUMN(C_page_blocks, page->n);
    COLUMN(C_page_share, share_of(page->words[i], page->all_words));
    double largest = group_shares(page, SET_CELLS);
    COLUMN(C_td_group, page->values[i]);
    COLUMN(C_largest_td_group, largest);
    largest = group_shares(page, SET_DIVS);
    COLUMN(C_div_group, page->values[i]);
    COLUMN(C_largest_div_group, largest);
    COLUMN(C_div_group_rank, share_of(page->values[i], largest));
    for (Py_ssize_t i = 0; i < page->n; i++)
        page->div[i] = page->up[page->node[i]];
}

void victor_columns(Columns *page)
{
    tag_columns(page);
    link_columns(page);
    count_columns(page);
    end_columns(page);
    place_columns(page);
}

/* Fill the columns of nearness (from `steps`), of phrases, and of phrases of headings. */
void word_columns(Columns *page)
{
    int column = NAMED_COLUMNS;
    double nearness[256] = {0};
    int32_t above = -1;
    for (int k = 0; k < FAR; k++)
        nearness[k] = 1.0 / (double)(k + 1);
    for (Py_ssize_t k = 0; k < page->typed_groups + page->named_groups; k++, column++)
        COLUMN(column, nearness[page->steps[k * page->n + i]]);
    for (Py_ssize_t i = 0; i < page->n; i++)
        page->above[i] = above = page->in_heading[i] ? (int32_t)i : above;
    for (Py_ssize_t k = 0; k < page->all_phrases; k++, column++)
        COLUMN(column, page->phrase[i] == k);
    for (Py_ssize_t k = 0; k < page->all_phrases; k++, column++)
        COLUMN(column, page->above[i] >= 0 && page->phrase[page->above[i]] == k);
}
