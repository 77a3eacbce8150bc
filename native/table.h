/* The table of a page: its elements, runs of text and blocks, with what is counted in them and follows from them. C and
 * Cython read it by name; `Table` of crfclean/core/table.pyx owns it. */
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

/* Rows of `marks` (`MARKS` of page/chars.py). */
enum { COMMAS, QUOTES, QUESTIONS, BARS, MONEY, COPYRIGHT, MARKS };

/* Sets of characters that blocks begin or end with: `char_sets` has their bits, by character. */
#define CHAR_SETS(X) X(OPENERS) X(TERMINATORS) X(COLONS) X(BULLETS) X(QUESTIONS) X(BRACKETS) X(ELLIPSES) X(ARROWS)
#define CHAR_SET_NUMBER(name) ON_##name,
enum { CHAR_SETS(CHAR_SET_NUMBER) };

/* Lists of rows, with the field of the table that counts them; FIXED arrays have the same size on every page. Holders
 * are elements that proved block-level; asides are texts in no block. */
#define LISTS(X)                                                                                              \
    X(BLOCKS, n) X(ELEMENTS, m) X(RUNS, runs) X(LINKS, links) X(FIXED, once)                                    \
    X(ATTRIBUTES, attributes) X(HOLDERS, holders) X(CODE_NODES, code_nodes) X(ASIDES, asides)
#define LIST_NUMBER(list, count) list,
enum { LISTS(LIST_NUMBER) ALL_LISTS };

/* The arrays of a page in parts: type, name, what they have items for, and how many for each.
 *
 * A walk fills WALKED and TREE. The elements inside element i are i + 1 to `end[i]` - 1, and its attributes end before
 * `attributes_end[i]`. A text is its first byte in a text of the table and its bytes. Runs and blocks share `text`. An
 * aside is a text, or a number of characters (`aside_size`), that is in no block: `Aside` in read.h says what it is. */
#define WALKED(X)                                                                                             \
    X(i4, actions, ELEMENTS, 1) X(i4, attributes_end, ELEMENTS, 1) X(i4, attribute_name, ATTRIBUTES, 1)       \
    X(i4, value_start, ATTRIBUTES, 1) X(i4, value_size, ATTRIBUTES, 1) X(i4, run_start, RUNS, 1)              \
    X(i4, run_size, RUNS, 1) X(i4, block_start, BLOCKS, 1) X(i4, block_size, BLOCKS, 1)                       \
    X(i4, holder, HOLDERS, 1) X(i4, code_node, CODE_NODES, 1)                                                 \
    X(i4, aside_kind, ASIDES, 1) X(i4, aside_node, ASIDES, 1) X(i4, aside_run, ASIDES, 1)                     \
    X(i4, aside_after, ASIDES, 1) X(i4, aside_start, ASIDES, 1) X(i4, aside_size, ASIDES, 1)
#define TREE(X)                                                                                               \
    X(i4, node, BLOCKS, 1) X(i4, split, BLOCKS, 1) X(i4, parent, ELEMENTS, 1) X(i4, end, ELEMENTS, 1)         \
    X(i4, first_block, ELEMENTS, 1) X(i4, end_block, ELEMENTS, 1) X(b1, is_inline, ELEMENTS, 1)               \
    X(i4, tag, ELEMENTS, 1) X(i8, class_number, ELEMENTS, 1) X(i4, run_node, RUNS, 1) X(i4, run_block, RUNS, 1) \
    X(i4, run_after, RUNS, 1)
#define COUNTED(X)                                                                                            \
    X(f8, words, BLOCKS, 1) X(i8, sizes, BLOCKS, 1) X(i4, by_class, BLOCKS, CLASSES)                          \
    X(i4, token_kinds, BLOCKS, 4) X(f8, capitalised, BLOCKS, 1) X(f8, sentence_ends, BLOCKS, 1)               \
    X(u2, first_codes, BLOCKS, 1) X(u1, first_classes, BLOCKS, 1) X(u2, last_codes, BLOCKS, 1)                \
    X(u2, end_codes, BLOCKS, 1) X(u2, before_codes, BLOCKS, 1) X(u1, likely, BLOCKS, 1)                       \
    X(f8, marks, BLOCKS, MARKS) X(f8, run_chars, RUNS, 1)
#define WORDED(X)                                                                                             \
    X(i8, name_bits, ELEMENTS, 1) X(i8, typed, ELEMENTS, 1) X(b1, is_author, ELEMENTS, 1)                     \
    X(i4, phrase, BLOCKS, 1) X(i4, phrase_kind, BLOCKS, 1) X(b1, networks, BLOCKS, 1)                         \
    X(f8, title_likeness, BLOCKS, 1) X(f8, title_weighted, BLOCKS, 1) X(f8, title_single, BLOCKS, 1)          \
    X(f8, description_cover, BLOCKS, 1) X(f8, body_cover, BLOCKS, 1) X(i4, link_block, LINKS, 1)              \
    X(u1, link_bits, LINKS, 1) X(f8, log_words, BLOCKS, 1) X(i8, text_numbers, BLOCKS, 1)                     \
    X(f8, urls, BLOCKS, 1) X(f8, dates, BLOCKS, 1) X(f8, times, BLOCKS, 1) X(f8, declared, FIXED, 9)

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

/* A text in UTF-8, which another value holds. */
typedef struct {
    const char *bytes;
    Py_ssize_t size;
} Part;

/* Growing bytes and numbers. Functions that let them grow need no interpreter lock, and return -1 without memory. */
typedef struct {
    char *bytes;
    Py_ssize_t size, room;
} Bytes;

typedef struct {
    int32_t *items;
    Py_ssize_t size, room;
} Ints;

/* Texts that are numbered in order of occurrence: open addressing, at most half full. */
typedef struct {
    Bytes texts;
    Ints ends, slots; /* where each text ends; number + 1, 0 for a free slot */
} Names;

enum { WALK_PART, TREE_PART, COUNTED_PART, DERIVED_PART, WORDED_PART, PARTS };

/* Groups of characters, boundaries, names and phrases that columns stand for, in the order of the columns. */
typedef struct {
    uint8_t char_sets[65536];
    int32_t split_bits[7], name_groups[17], phrase_groups[8];
} Groups;

#define ARRAY(type, name, ...) type *name;
#define COUNT(list, count) Py_ssize_t count;
#define TABLE_FIELDS                                                                                          \
    union {                                                                                                   \
        Py_ssize_t counts[ALL_LISTS];                                                                         \
        struct { LISTS(COUNT) };                                                                              \
    };                                                                                                        \
    Py_ssize_t rooms[ALL_LISTS];                         /* rows that there is memory for */                  \
    Py_ssize_t typed_groups, named_groups, all_phrases; /* groups of `typed`, of `name_bits`, of phrases */   \
    double all_words;                                                                                         \
    WALKED(ARRAY) TREE(ARRAY) COUNTED(ARRAY) DERIVED(ARRAY) WORDED(ARRAY)                                     \
    const Groups *groups;                                                                                     \
    char *of_part[PARTS]; /* memory of the arrays of the later parts */                                       \
    uint8_t *steps; /* (typed_groups + named_groups, n): up to the nearest element with each bit, FAR for none */ \
    Names tags, classes, attribute_names;                                                                     \
    Bytes text, value_text, aside_text;                                                                           \
    Py_ssize_t chars_read, noscript_chars; /* of the texts; of `noscript` */                                  \
    int torn, is_deep, is_full, is_over; /* a text was joined with that of an element before; limits that cut the page */ \
    int has_frames, has_marks; /* a frame has a page; the texts have characters without width */

typedef struct { TABLE_FIELDS } Table;

#define FAR 31 /* the largest distance that is counted */

/* An array of the table: its type, the codes of its items in a buffer, its sizes and its place. */
typedef struct {
    const char *name, *type, *codes;
    int part, width, each, times;
    size_t place;
} Field;
typedef struct { const char *name, *tags; } TagSet;

extern const Field FIELDS[];         /* closed by one without a name */
extern const TagSet TAG_SET_NAMES[]; /* closed by one without a name */

#define ROUNDED(bytes) (((size_t)(bytes) + 7) / 8 * 8)
static inline double share_of(double part, double total) { return total > 0 ? part / total : 0.0; }
static inline int has_set(uint64_t bits, int set) { return (int)(bits >> set & 1); }


static inline void *array_of(const Table *table, const Field *field)
{
    void *array;
    memcpy(&array, (const char *)table + field->place, sizeof array);
    return array;
}

static inline void set_array(Table *table, const Field *field, const void *array)
{
    memcpy((char *)table + field->place, &array, sizeof array);
}

static inline size_t bytes_of(const Table *table, const Field *field)
{
    return (size_t)field->width * (size_t)field->times * (size_t)table->counts[field->each];
}

static inline int32_t ints_last(const Ints *ints, int32_t none)
{
    return ints->size ? ints->items[ints->size - 1] : none;
}

static inline Part table_part(const Bytes *texts, Py_ssize_t start, Py_ssize_t size)
{
    return (Part){texts->bytes + start, size};
}

int bytes_room(Bytes *bytes, Py_ssize_t more);
int bytes_add(Bytes *bytes, Part text);
int ints_push(Ints *ints, Py_ssize_t value);
Py_ssize_t names_number(Names *names, Part text);     /* a new number at the first occurrence; -1 without memory */
Py_ssize_t names_find(const Names *names, Part text); /* -1 for a text without a number */
Part names_text(const Names *names, Py_ssize_t number);
void names_clear(Names *names); /* which keeps its memory */
void names_free(Names *names);

Py_ssize_t add_row(Table *table, int list); /* the place of a new row; -1 without memory */
int add_zeros(Table *table, int list, Py_ssize_t count);
int lay_out(Table *table, int part); /* memory for the arrays of a part; -1 without */
int finish_table(Table *table);      /* after a walk; -1 without memory */
void free_table(Table *table);

int is_tree(const Table *table); /* whether indexes are in bounds, parents before children, and every block has a run */
int derive(Table *table);        /* fill what follows from the tree; -1 without memory */
void count_steps(Table *table);  /* fill `steps` */
int fill_columns(Table *table, const int32_t *places, char *rows, int width); /* columns.c; -1 without memory */
Py_ssize_t all_columns(const Table *table); /* named ones, and those of steps and phrases */
extern const char *const COLUMN_NAMES[], *const CHAR_SET_NAMES[]; /* closed by NULL */

#endif
