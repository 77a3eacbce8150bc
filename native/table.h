/* A page as arrays: what `Table` of crfclean/core/table.pyx holds. C and Cython read it by name. */
#ifndef CRFCLEAN_TABLE_H
#define CRFCLEAN_TABLE_H

#include "chars.h"
#include "core.h"

#include <stddef.h>

/* Types of items, by the names of numpy; u8 has eight bytes. */
typedef double f8;
typedef int32_t i4;
typedef int64_t i8;
typedef uint8_t b1, u1;
typedef uint16_t u2;
typedef uint64_t u8;

/* What an array has items for; FIXED arrays have the same size on every page. */
enum { BLOCKS, ELEMENTS, RUNS, NAMES, LINKS, FIXED, SORTS };

/* Rows of `marks` (`MARKS` of page/chars.py). */
enum { COMMAS, QUOTES, QUESTIONS, BARS, MONEY, COPYRIGHT, MARKS };

/* Sets of characters that blocks begin or end with: `char_sets` has their bits, by character. */
#define CHAR_SETS(X) X(OPENERS) X(TERMINATORS) X(COLONS) X(BULLETS) X(QUESTIONS) X(BRACKETS) X(ELLIPSES) X(ARROWS)
#define CHAR_SET_NUMBER(name) ON_##name,
enum { CHAR_SETS(CHAR_SET_NUMBER) };

/* The arrays of a page in three parts: type, name, what they have items for, and how many for each. */
#define TREE(X)                                                                                               \
    X(f8, words, BLOCKS, 1) X(i8, sizes, BLOCKS, 1) X(i4, by_class, BLOCKS, CLASSES)                          \
    X(i4, token_kinds, BLOCKS, 4) X(f8, capitalised, BLOCKS, 1) X(f8, sentence_ends, BLOCKS, 1)               \
    X(u2, first_codes, BLOCKS, 1) X(u1, first_classes, BLOCKS, 1) X(u2, last_codes, BLOCKS, 1)                \
    X(u2, end_codes, BLOCKS, 1) X(u2, before_codes, BLOCKS, 1) X(f8, marks, BLOCKS, MARKS)                    \
    X(i4, node, BLOCKS, 1) X(i4, split, BLOCKS, 1) X(i4, parent, ELEMENTS, 1) X(i4, end, ELEMENTS, 1)         \
    X(i4, first_block, ELEMENTS, 1) X(i4, end_block, ELEMENTS, 1) X(b1, is_inline, ELEMENTS, 1)                  \
    X(i4, tag, ELEMENTS, 1) X(i8, class_number, ELEMENTS, 1) X(i4, run_node, RUNS, 1)                         \
    X(i4, run_block, RUNS, 1) X(f8, run_chars, RUNS, 1)
#define MARKUP(X)                                                                                             \
    X(i8, name, ELEMENTS, 1) X(i8, name_bits, NAMES, 1) X(i8, typed, ELEMENTS, 1)                             \
    X(b1, is_author, ELEMENTS, 1) X(i4, phrase, BLOCKS, 1) X(i4, phrase_kind, BLOCKS, 1)                      \
    X(b1, networks, BLOCKS, 1) X(f8, title_likeness, BLOCKS, 1) X(f8, title_weighted, BLOCKS, 1)              \
    X(f8, title_single, BLOCKS, 1) X(i4, link_block, LINKS, 1) X(u1, link_bits, LINKS, 1)
#define TEXTS(X)                                                                                              \
    X(f8, log_words, BLOCKS, 1) X(i8, text_numbers, BLOCKS, 1) X(f8, urls, BLOCKS, 1) X(f8, dates, BLOCKS, 1) \
    X(f8, times, BLOCKS, 1) X(f8, description_cover, BLOCKS, 1) X(f8, body_cover, BLOCKS, 1)                  \
    X(u1, char_sets, FIXED, 65536) X(i4, split_bits, FIXED, 7) X(f8, declared, FIXED, 9)                      \
    X(i4, name_groups, FIXED, 17) X(i4, phrase_groups, FIXED, 8)

/* What follows from the tree. The last two arrays are filled with the columns. */
#define DERIVED(X)                                                                                            \
    X(u8, sets, ELEMENTS, 1) X(u8, sets_around, ELEMENTS, 1) X(i4, depth, ELEMENTS, 1)                        \
    X(i4, inside, ELEMENTS, 1) X(i4, wider, ELEMENTS, 1) X(f8, chars, BLOCKS, 1) X(f8, link_chars, BLOCKS, 1) \
    X(f8, linked, BLOCKS, 1) X(f8, link_words, BLOCKS, 1) X(f8, running, BLOCKS, 1) X(b1, is_long, BLOCKS, 1) \
    X(b1, in_heading, BLOCKS, 1) X(b1, in_item, BLOCKS, 1) X(i4, start, BLOCKS, 1)                            \
    X(i4, kind_number, ELEMENTS, 1) X(i4, path, ELEMENTS, 1) X(i4, tag_path, ELEMENTS, 1)                     \
    X(i4, family, ELEMENTS, 1) X(i8, spans, BLOCKS, 8) X(i8, path_keys, BLOCKS, 1)                            \
    X(i8, parent_keys, BLOCKS, 1) X(i8, card_keys, BLOCKS, 1) X(f8, page_figures, FIXED, PAGE_FIGURES)
enum { PAGE_FIGURES = 52 }; /* columns of the whole page: columns.h */

enum { KINDS = 32 }; /* kinds of blocks (`Kind`) are below: zones have a row of them */

/* Sets of tags: `sets` has the bit of each that an element's tag is in. */
#define TAG_SETS(X)                                                                                           \
    X(P, "p") X(DIVS, "div article section main") X(ITEMS, "li dd dt") X(CELLS, "td th") X(QUOTE, "blockquote pre") \
    X(H1, "h1") X(H2, "h2") X(H3, "h3") X(H4, "h4") X(H5, "h5") X(H6, "h6") X(HEADINGS, "h1 h2 h3 h4 h5 h6")  \
    X(LISTS, "ul ol dl") X(TABLE, "table") X(FORMS, "form fieldset button") X(BOLD, "b strong th h1 h2 h3 h4 h5 h6") \
    X(ITALIC, "i em cite") X(UNDERLINED, "u ins") X(LINK, "a") X(IMAGES, "img svg") X(H23, "h2 h3")           \
    X(PAGE, "html body") X(MAIN, "html body main") X(ARTICLE, "article") X(FORM, "form") X(INPUTS, "input button") \
    X(TD, "td") X(CODE, "pre code") X(IMG, "img") X(FIGURE, "figure") X(ASIDE, "footer aside")                \
    X(INNER, "article main blockquote figure section") X(LI_TD, "li td") X(CAPTION, "figcaption caption")     \
    X(ADDRESS, "address")
#define SET_NUMBER(name, tags) SET_##name,
enum { TAG_SETS(SET_NUMBER) ALL_SETS };

#define FIELD(type, name, ...) const type *name;
#define ARRAY(type, name, ...) type *name;
#define TABLE_FIELDS                                                                                  \
    Py_ssize_t n, m, runs, names, links;               /* blocks, elements, runs, names of class and id, links */ \
    Py_ssize_t typed_groups, named_groups, all_phrases; /* groups of `typed`, of `name_bits`, of phrases */         \
    double all_words;                                                                                 \
    TREE(FIELD) MARKUP(FIELD) TEXTS(FIELD) DERIVED(ARRAY)                                             \
    uint8_t *steps; /* (typed_groups + named_groups, n): up to the nearest element with each bit, FAR for none */

typedef struct { TABLE_FIELDS } Page;

#define FAR 31 /* the largest distance that is counted */

/* A field of `Page` for Python: its type, the codes of its items in a buffer, its sizes and its place. */
typedef struct {
    const char *name, *type, *codes;
    int width, each, times;
    size_t place;
} Field;
typedef struct { const char *name, *tags; } TagSet;

enum { IN_TREE, IN_MARKUP, IN_TEXTS, PARTS };
extern const Field *const FIELDS[PARTS]; /* of each part, closed by one without a name */
extern const Field DERIVED_FIELDS[];
extern const TagSet TAG_SET_NAMES[];     /* closed by one without a name */

#define ROUNDED(bytes) (((size_t)(bytes) + 7) / 8 * 8)
static inline double share_of(double part, double total) { return total > 0 ? part / total : 0.0; }
static inline int has_set(uint64_t bits, int set) { return (int)(bits >> set & 1); }

int is_tree(const Page *page); /* whether indexes are in bounds, parents before children, and every block has a run */
int is_markup(const Page *page);
int is_texts(const Page *page);
size_t derived_size(const Page *page);           /* bytes for all derived arrays */
void place_derived(Page *page, char *room);      /* let them lie there, one behind the other */
int derive(Page *page);                          /* -1 without memory; `sets` are filled before */
void count_steps(Page *page);                    /* fill `steps` */
int fill_columns(Page *page, const int32_t *places, char *rows, int width); /* columns.c; -1 without memory */
Py_ssize_t all_columns(const Page *page);        /* named ones, and those of steps and phrases */
extern const char *const COLUMN_NAMES[], *const CHAR_SET_NAMES[]; /* closed by NULL */

#endif
