/* What reads a page: characters, what elements do to the text, and the walk that fills the table. */
#ifndef CRFCLEAN_READ_H
#define CRFCLEAN_READ_H

#include "table.h"

/* Actions of elements that are no boundary with `SPLIT` bits. The actions from BREAK to LINK may separate words. A
 * FLEXIBLE element is inline until a boundary begins inside it. A CODE_LINE is a boundary that only ends a line, inside
 * code. */
enum { TEXT = -1, DROP = -2, ROOT = -3, BREAK = -4, ADD_SPACE = -5, LINK = -6, FLEXIBLE = -7, CODE_LINE = -8 };
enum { SPLIT_BR = 1, SPLIT_BLOCK = 64 }; /* bits of the boundaries between a block and the one before */

enum { TERMINATOR = 1, CLOSER = 2, IDEOGRAPHIC_END = 4, BLANK = 8, WITHOUT_WIDTH = 16, FIGURE = 32 }; /* flags of characters */
enum { SETS = 6 };    /* sets of characters that are counted */
#define PLANE 65536   /* characters of the basic plane */

/* What is known of each character of the basic plane; others count as the last one. */
typedef struct {
    uint8_t classes[PLANE], flags[PLANE], sets[PLANE];
} Characters;

static inline uint16_t narrow(Py_UCS4 code) { return code < PLANE ? (uint16_t)code : PLANE - 1; }

/* Read the character at a place, and move the place behind it. Broken UTF-8 gives some character. */
static inline Py_UCS4 next_char(const char **at, const char *end)
{
    Py_UCS4 code = (unsigned char)*(*at)++;
    if (code < 0x80)
        return code;
    int more = code >= 0xF0 ? 3 : code >= 0xE0 ? 2 : 1;
    code &= 0x3Fu >> more;
    for (; more && *at < end; more--)
        code = code << 6 | ((unsigned char)*(*at)++ & 0x3F);
    return code;
}

/* The macro of Python reads its argument twice. */
static inline int is_space(Py_UCS4 code) { return Py_UNICODE_ISSPACE(code); }

static inline int is_part(Part text, const char *other)
{
    return (size_t)text.size == strlen(other) && memcmp(text.bytes, other, (size_t)text.size) == 0;
}

static inline Py_ssize_t chars_in(Part text) /* len(text) */
{
    Py_ssize_t chars = 0;
    for (Py_ssize_t i = 0; i < text.size; i++)
        chars += (text.bytes[i] & 0xC0) != 0x80;
    return chars;
}

/* Kinds of asides: the title, a script with structured data, the reading of a ruby, white space in a `pre` before the
 * text of a block, what a hidden element has, text that is in no block. */
typedef enum { TITLE, JSON_LD, READING, SPACE_BEFORE, HIDDEN, DISCARDED } Aside;

int count_table(Table *table, const Table *texts, const Characters *characters); /* counts.c; -1 without memory */

/* What style and names of an element say: styles.c. A part without bytes stands for no such attribute. */
typedef enum { NO_DISPLAY, ON_OWN_LINES, IN_LINE } Display;
typedef struct {
    Part style, hidden, class_, id, role, open;
} Look;
Display display_of(Part style);
int sets_apart(Part class_, Part style);
int is_hidden(Part tag, const Look *look);
Py_UCS4 char_before(Part text, Py_ssize_t at); /* a space at the start */
int has_text(Part text, const char *lower); /* without regard to case */
int reads(Part text, Py_ssize_t at, const char *lower); /* whether it has it at a place, without regard to case */

/* What elements do to the text, by tag. Walks with the same settings share it. */
typedef struct {
    const Characters *characters;
    Names tags, words;    /* words of classes that stand for something */
    Ints actions, chosen; /* by number of `tags` */
    Ints meanings;        /* bits by number of `words` */
    int is_restricted;    /* blocks are restricted to the chosen tags */
} Rules;

enum { IS_CODE = 1, IS_FORMULA = 2, IS_DROPPED = 4, IS_UNSEEN = 8 }; /* meanings of words of classes */
int add_rule(Rules *rules, Part tag, int action, int is_chosen);
int add_known_tags(Rules *rules); /* so that all tags that the walk knows have a rule */
int add_word(Rules *rules, Part word, int meaning);
void free_rules(Rules *rules);

/* Tags that the walk knows by name. */
#define KNOWN_TAGS(X) \
    X(html) X(body) X(img) X(pre) X(template) X(dialog) X(script) X(title) X(noscript) X(rt) X(rp) X(rtc) X(rb) \
    X(ruby) X(math) X(iframe) X(code) X(listing) X(xmp)
#define TAG_NUMBER(name) TAG_##name,
typedef enum { KNOWN_TAGS(TAG_NUMBER) TAG_mjx_container, TAG_other } Known;

/* A tag of the page: what it does, and its number in the table, -1 while it is in none. */
typedef struct {
    int32_t action, number;
    Known known;
    int is_chosen;
} Tag;

typedef struct {
    int32_t name; /* number of walk_name */
    Part value;
} Attribute;

/* An element that begins: its attributes, and those that the walk knows. */
typedef struct {
    const Tag *tag;
    Part name;
    const Attribute *attributes;
    Py_ssize_t count;
    Py_ssize_t class_; /* number of the class in the walk, -1 for none */
    Look look;
    Part type, shadow, tex, alt, src, srcdoc;
} Element;

/* What the walk asks Python, which takes the interpreter's lock: whether an element is hidden from it, and from an element
 * that is a formula, to read the events. Each returns -1 when it fails. */
typedef struct {
    int (*hides)(void *self, const Element *element);
    int (*begins_formula)(void *self, const Element *element);
    int (*in_formula)(void *self, const char *event, const Element *element, Part text);
    int (*forget_formulas)(void *self, Py_ssize_t first_run);
} Asks;

enum { LEVEL = 1, UNIT = 2, APART = 4, NUMBERS = 8, SAME_LINE = 16 }; /* marks of elements from an earlier walk */
typedef enum { GOES_ON, ENDED, FULL, OVER, NO_MEMORY, RAISED } State;

typedef struct {
    const Rules *rules;
    Table *table;
    void *self; /* whom it asks */
    Asks asks;
    int asks_hidden;                 /* which hidden elements are read */
    int in_formula, is_asked;        /* events go to a formula walk, which has the event now */
    State state;
    Py_ssize_t max_blocks, max_depth, max_nodes;
    uint8_t *marks;                  /* of each element, up to the last with one */
    Py_ssize_t marked;
    Names tags;                      /* of the page, with those that are not in the table */
    Tag *tag;                        /* by number of `tags` */
    Py_ssize_t tag_room;
    Names classes;                   /* of the page, with those that are not in the table */
    Ints class_number, meaning;      /* by number of `classes`: the number in the table, -1 for none; bits */
    int32_t no_class;                /* the number in the table of "", -1 until it has one */
    Ints kinds;                      /* of the names of attributes: places in `KNOWN_NAMES` */
    int has_odd_names;               /* attributes' names had control characters, so that two may be equal */
    Ints path, boundaries, open_flexible, runs_before, closed;
    Bytes clean;                     /* texts of one event without control characters */
    Py_ssize_t pre, unit, bar, numbers; /* depths of the open ones, 0 for none */
    Py_ssize_t skipped, too_deep, pending;
    Py_ssize_t last_formula;         /* run of the last formula, -1 for none */
    int32_t html, body;              /* the elements, -1 for none */
    Known skipped_tag;
    Py_ssize_t aside;                /* the aside that gets texts, -1 for none */
    Py_ssize_t json_chars;
    int has_title, is_hidden, has_text, after_br, after, split_bits;
    int32_t laid_out;                /* the element that was last asked whether its children stand apart, and the answer */
    int is_laid_out;
} Walk;

/* Entry points of a walk for the events of a parser. They return -1 when the walk ends. */
void begin_walk(Walk *walk);
void free_walk(Walk *walk);
int mark_node(Walk *walk, Py_ssize_t node, int mark);
int32_t walk_tag(Walk *walk, Part name);  /* number of a tag; -1 without memory */
int32_t walk_name(Walk *walk, Part name); /* number of an attribute's name; -1 without memory */
int walk_start(Walk *walk, int32_t tag, const Attribute *attributes, Py_ssize_t count);
int walk_end(Walk *walk, int32_t tag);
int walk_data(Walk *walk, Part text);
int walk_formula(Walk *walk, Part text, int *is_taken);
int walk_close(Walk *walk);
int walk_fails(Walk *walk);             /* note that there is no memory; -1 */
int walk_reads_names(const Walk *walk); /* whether attributes of the next element count */

int add_visible(Bytes *bytes, Part text); /* without control characters */
int open_parser(const char *path);        /* parse.c: whether libxml2 was found in lxml's module */
int parse(Walk *walk, const char *source, int size);
int page_signs(const char *source, Py_ssize_t size);
char *put_encoded(char *out, int kind, const void *chars, Py_ssize_t size);

#endif
