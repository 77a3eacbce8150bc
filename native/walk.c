/* Walk over a parser's events, and fill the table of a page's elements, runs and blocks.
 *
 * An element that may stand in a line ("flexible") becomes block-level if a boundary begins inside it. `holder` has
 * these elements. The table is `torn` if text before such an element was joined with its own text.
 *
 * The walk needs the interpreter's lock only where it asks Python: which hidden elements are read, and from an element
 * that is a formula, events go to a `FormulaWalk` until it waits for nothing more. */
#include "read.h"
#include <stddef.h>

#define TAG_NAME(name) #name,
static const char *const KNOWN[] = {KNOWN_TAGS(TAG_NAME) "mjx-container"};

static int holds_code(Known tag) { return tag == TAG_pre || tag == TAG_code || tag == TAG_listing || tag == TAG_xmp; }

static int is_reading(Known tag) { return tag == TAG_rt || tag == TAG_rp || tag == TAG_rtc; }

static const struct {
    const char *name;
    size_t place;
} KNOWN_NAMES[] = {{"", 0}, {"style", offsetof(Element, look.style)}, {"hidden", offsetof(Element, look.hidden)},
                   {"class", offsetof(Element, look.class_)}, {"id", offsetof(Element, look.id)},
                   {"role", offsetof(Element, look.role)}, {"open", offsetof(Element, look.open)},
                   {"type", offsetof(Element, type)}, {"shadowrootmode", offsetof(Element, shadow)},
                   {"data-tex", offsetof(Element, tex)}, {"data-latex", offsetof(Element, tex)},
                   {"alt", offsetof(Element, alt)}, {"src", offsetof(Element, src)},
                   {"srcdoc", offsetof(Element, srcdoc)}};
enum { KNOWN_COUNT = sizeof KNOWN_NAMES / sizeof *KNOWN_NAMES };

static const Part ONE_SPACE = {" ", 1}, LINE_END = {"\xE2\x80\xA8", 3}; /* U+2028 as in page/code.py */

static int ends(Walk *walk, State state)
{
    walk->state = state;
    return -1;
}

int walk_fails(Walk *walk) { return ends(walk, NO_MEMORY); }

/* Return what a call without memory returns, and note it. */
static inline int or_fails(Walk *walk, int failed) { return failed ? walk_fails(walk) : 0; }

/* Texts in UTF-8 */

static int is_blank(Part text) /* text.isspace() */
{
    const char *end = text.bytes + text.size;
    for (const char *at = text.bytes; at < end;)
        if (!is_space(next_char(&at, end)))
            return 0;
    return text.size > 0;
}

static Py_ssize_t solid_chars(Part text) /* len("".join(text.split())) */
{
    Py_ssize_t solid = 0;
    const char *end = text.bytes + text.size;
    for (const char *at = text.bytes; at < end;)
        solid += !is_space(next_char(&at, end));
    return solid;
}

static Part stripped(Part text) /* text.strip() */
{
    const char *end = text.bytes + text.size, *first = end, *last = end;
    for (const char *at = text.bytes, *start = at; at < end; start = at)
        if (!is_space(next_char(&at, end))) {
            first = first == end ? start : first;
            last = at;
        }
    return (Part){first, last - first};
}

static int is_letter_run(char byte) { return byte > ' ' && byte < 0x7F; }

/* Whether white space is folded in a text: only single spaces, none at the ends. */
static int is_folded(Part text)
{
    int after_space = 1;
    const char *end = text.bytes + text.size;
    for (const char *at = text.bytes; at < end;) {
        if (is_letter_run(*at)) {
            after_space = 0, at++;
            continue;
        }
        Py_UCS4 code = next_char(&at, end);
        int space = is_space(code);
        if (space && (code != ' ' || after_space))
            return 0;
        after_space = space;
    }
    return !(after_space && text.size);
}

/* Add a text with white space folded, `" ".join(text.split())`. The text may be in the same bytes. */
static int add_folded(Bytes *bytes, Py_ssize_t start, Py_ssize_t size)
{
    if (bytes_room(bytes, size))
        return -1;
    const char *at = bytes->bytes + start, *end = at + size;
    char *out = bytes->bytes + bytes->size, *first = out;
    int gap = 0;
    while (at < end) {
        const char *begin = at;
        if (is_space(next_char(&at, end))) {
            gap = out > first;
            continue;
        }
        while (at < end && is_letter_run(*at))
            at++;
        if (gap)
            *out++ = ' ';
        memcpy(out, begin, (size_t)(at - begin));
        out += at - begin, gap = 0;
    }
    bytes->size += out - first;
    return 0;
}

/* Whether a text, which may be empty, has a visible character. */
static int shows(const Walk *walk, Part text)
{
    const char *end = text.bytes + text.size;
    for (const char *at = text.bytes; at < end;)
        if (!(walk->rules->characters->flags[narrow(next_char(&at, end))] & BLANK))
            return 1;
    return 0;
}

/* The space in place of a control character, 0 to drop it, -1 for another character: `visible` of page/chars.py. */
static int as_visible(Py_UCS4 code)
{
    if (code == '\v' || code == '\f' || (0x1C <= code && code <= 0x1F) || code == 0x85)
        return ' ';
    int is_control = (code < 32 && code != '\t' && code != '\n' && code != '\r') || (0x7F <= code && code <= 0x9F)
                     || (0xD800 <= code && code <= 0xDFFF) || code == 0xFFFE || code == 0xFFFF;
    return is_control ? 0 : -1;
}

int add_visible(Bytes *bytes, Part text)
{
    if (bytes_room(bytes, text.size))
        return -1;
    const char *end = text.bytes + text.size;
    for (const char *at = text.bytes, *start = at; at < end; start = at) {
        int space = as_visible(next_char(&at, end));
        if (space > 0)
            bytes->bytes[bytes->size++] = (char)space;
        for (; space < 0 && start < at; start++)
            bytes->bytes[bytes->size++] = *start;
    }
    return 0;
}

/* The high bit of each byte that is below a space, DEL or beyond ASCII; others may be set with it. */
static inline uint64_t odd_bytes(uint64_t word)
{
    const uint64_t ONES = 0x0101010101010101u;
    return ((word - 0x20 * ONES) | (word + ONES) | word) & 0x80 * ONES;
}

/* Whether a text is printable ASCII, eight bytes at a time. */
static int is_plain(Part text)
{
    uint64_t word, odd = 0;
    Py_ssize_t at = 0;
    for (; at + 8 <= text.size; at += 8) {
        memcpy(&word, text.bytes + at, sizeof word);
        odd |= odd_bytes(word);
    }
    for (; at < text.size; at++)
        odd |= (uint8_t)(text.bytes[at] - ' ') > '~' - ' ';
    return !odd;
}

/* Whether a text has control characters. Few texts have a byte that may be part of one. */
static int has_controls(Part text)
{
    uint8_t may = 0;
    if (is_plain(text))
        return 0;
    for (Py_ssize_t i = 0; i < text.size; i++) {
        uint8_t byte = (uint8_t)text.bytes[i];
        may |= ((byte < 32) & (byte != '\t') & (byte != '\n') & (byte != '\r')) | (byte == 0x7F) | (byte == 0xC2)
               | (byte == 0xED) | (byte == 0xEF);
    }
    const char *at = text.bytes, *end = at + text.size;
    while (may && at < end)
        if (as_visible(next_char(&at, end)) >= 0)
            return 1;
    return 0;
}

/* Drop control characters of a text; the walk holds such a text until the next event. -1 without memory. */
static int clean_part(Walk *walk, Part *text)
{
    if (!has_controls(*text))
        return 0;
    walk->clean.size = 0;
    if (add_visible(&walk->clean, *text))
        return walk_fails(walk);
    *text = (Part){walk->clean.bytes, walk->clean.size};
    return 0;
}

/* Names of the page */

static Tag tag_of_rules(const Rules *rules, Part name)
{
    Tag tag = {FLEXIBLE, -1, TAG_other, 0};
    Py_ssize_t number = names_find(&rules->tags, name);
    for (int known = 0; number >= 0 && known < TAG_other; known++)
        if (is_part(name, KNOWN[known]))
            tag.known = (Known)known;
    if (number >= 0)
        tag.action = rules->actions.items[number], tag.is_chosen = rules->chosen.items[number];
    return tag;
}

int32_t walk_tag(Walk *walk, Part name)
{
    if (clean_part(walk, &name))
        return -1;
    Py_ssize_t known = walk->tags.ends.size, number = names_number(&walk->tags, name);
    if (number < 0)
        return walk_fails(walk);
    if (number < known)
        return (int32_t)number;
    if (number >= walk->tag_room) {
        Tag *tags = PyMem_RawRealloc(walk->tag, (size_t)(2 * number + 64) * sizeof *tags);
        if (tags == NULL)
            return walk_fails(walk);
        walk->tag = tags, walk->tag_room = 2 * number + 64;
    }
    walk->tag[number] = tag_of_rules(walk->rules, name);
    return (int32_t)number;
}

int32_t walk_name(Walk *walk, Part name)
{
    const char *given = name.bytes;
    if (clean_part(walk, &name))
        return -1;
    walk->has_odd_names |= name.bytes != given;
    Py_ssize_t number = names_number(&walk->table->attribute_names, name);
    int kind = 0;
    for (int i = 1; number == walk->kinds.size && i < KNOWN_COUNT; i++)
        if (is_part(name, KNOWN_NAMES[i].name))
            kind = i;
    if (number < 0 || (number == walk->kinds.size && ints_push(&walk->kinds, kind)))
        return walk_fails(walk);
    return (int32_t)number;
}

/* The bits of the words of a class. */
static int meaning_of(const Rules *rules, Part names)
{
    int bits = 0;
    const char *end = names.bytes + names.size, *start = names.bytes;
    for (const char *at = start, *before = at; at < end; before = at) {
        int is_end = is_space(next_char(&at, end));
        const char *stop = is_end ? before : at;
        if (!is_end && at < end)
            continue;
        Py_ssize_t number = stop > start ? names_find(&rules->words, (Part){start, stop - start}) : -1;
        bits |= number < 0 ? 0 : rules->meanings.items[number];
        start = at;
    }
    return bits;
}

/* Return the number of a class in the walk; -1 without memory. */
static Py_ssize_t class_of(Walk *walk, Part names)
{
    Py_ssize_t number = names_number(&walk->classes, names);
    if (number < 0 || number < walk->meaning.size)
        return number;
    return ints_push(&walk->meaning, meaning_of(walk->rules, names)) || ints_push(&walk->class_number, -1) ? -1 : number;
}

static Part name_of(const Walk *walk, int32_t tag) { return names_text(&walk->tags, tag); }

/* The tag of an element in the table. */
static Part tag_of_node(const Walk *walk, int32_t node) { return names_text(&walk->table->tags, walk->table->tag[node]); }

/* Asides: texts and characters in no block */

static Py_ssize_t add_aside(Walk *walk, Aside kind, Py_ssize_t run, int32_t node, Py_ssize_t size)
{
    Table *table = walk->table;
    Py_ssize_t row = add_row(table, ASIDES);
    if (row < 0)
        return walk_fails(walk);
    table->aside_kind[row] = (int32_t)kind;
    table->aside_run[row] = (int32_t)run;
    table->aside_node[row] = node;
    table->aside_after[row] = (int32_t)table->m;
    table->aside_start[row] = (int32_t)table->aside_text.size;
    table->aside_size[row] = (int32_t)size;
    return row;
}

static int add_aside_text(Walk *walk, Part text)
{
    if (bytes_add(&walk->table->aside_text, text))
        return walk_fails(walk);
    walk->table->aside_size[walk->aside] += (int32_t)text.size;
    return 0;
}

enum { MAX_JSON_LD_CHARS = 1000000 }; /* more structured data than this is left out */

/* Whether the texts of the skipped element count. */
static int hears(const Walk *walk) { return walk->aside >= 0 || walk->skipped_tag == TAG_noscript; }

/* Take a text inside the skipped element. */
static int hear(Walk *walk, Part text)
{
    if (!hears(walk))
        return 0;
    if (walk->is_hidden)
        walk->table->aside_size[walk->aside] += (int32_t)chars_in(stripped(text));
    else if (walk->aside < 0)
        walk->table->noscript_chars += chars_in(stripped(text));
    else {
        walk->json_chars += walk->skipped_tag == TAG_script ? chars_in(text) : 0;
        if (walk->skipped_tag != TAG_script || walk->json_chars <= MAX_JSON_LD_CHARS)
            return add_aside_text(walk, text);
    }
    return 0;
}

/* Note a text that is in no block, and the run that it stands before, unless it is blank. */
static int discard(Walk *walk, Part text, Py_ssize_t run, int32_t node)
{
    Py_ssize_t chars = solid_chars(text);
    return chars && add_aside(walk, DISCARDED, run, node, chars) < 0 ? -1 : 0;
}

/* Blocks */

static Part pending_text(const Walk *walk)
{
    const Table *table = walk->table;
    if (!walk->pending)
        return (Part){"", 0};
    int32_t start = table->run_start[table->runs - walk->pending];
    return table_part(&table->text, start, table->text.size - start);
}

static int add_block(Walk *walk, Py_ssize_t start, Py_ssize_t size)
{
    Table *table = walk->table;
    if (table->n == walk->max_blocks)
        return ends(walk, OVER);
    Py_ssize_t row = add_row(table, BLOCKS);
    if (row < 0)
        return walk_fails(walk);
    table->node[row] = ints_last(&walk->boundaries, 0);
    table->split[row] = walk->split_bits;
    table->block_start[row] = (int32_t)start, table->block_size[row] = (int32_t)size;
    walk->split_bits = 0;
    return 0;
}

/* Forget the formulas from a run on. */
static int forget_formulas(Walk *walk, Py_ssize_t first)
{
    if (walk->last_formula < first)
        return 0;
    walk->last_formula = first - 1;
    return walk->asks.forget_formulas(walk->self, first);
}

static int discard_runs(Walk *walk)
{
    Table *table = walk->table;
    Py_ssize_t first = table->runs - walk->pending;
    for (Py_ssize_t i = first; i < table->runs; i++)
        if (discard(walk, table_part(&table->text, table->run_start[i], table->run_size[i]), first, table->run_node[i]))
            return -1;
    table->runs = first;
    table->text.size = table->run_start[first];
    for (Py_ssize_t i = 0; i < walk->closed.size; i++)
        table->end_block[walk->closed.items[i]] = (int32_t)table->n;
    return forget_formulas(walk, first);
}

/* Whether the open text is inside one of the chosen elements, if there are any. */
static int in_chosen(const Walk *walk)
{
    int32_t node = ints_last(&walk->boundaries, -1);
    return !walk->rules->is_restricted
           || (node >= 0 && tag_of_rules(walk->rules, tag_of_node(walk, node)).is_chosen);
}

/* Make a block of the open runs, or discard them if they show nothing. A text that is folded already is not copied. */
static int close_block(Walk *walk)
{
    Table *table = walk->table;
    Part text = pending_text(walk);
    Py_ssize_t start = text.bytes - table->text.bytes;
    if (!walk->has_text || !in_chosen(walk))
        return discard_runs(walk);
    if (!is_folded(text)) {
        Py_ssize_t place = table->text.size;
        if (add_folded(&table->text, start, text.size))
            return walk_fails(walk);
        start = place;
        text = table_part(&table->text, start, table->text.size - start);
    }
    return shows(walk, text) ? add_block(walk, start, text.size) : discard_runs(walk);
}

/* Close the open block. Note what separates it from the next one. */
static int flush(Walk *walk, int bits)
{
    if (walk->pending) {
        if (close_block(walk))
            return -1;
        walk->pending = walk->has_text = walk->after_br = 0;
        walk->closed.size = 0;
    }
    walk->split_bits |= bits;
    return 0;
}

/* Amounts that style sets apart */

enum { MAX_AMOUNT = 24 }; /* characters of a block that may be an amount: "2 yemek kaşığı" */

/* Read the open text if it is short; return its length without spaces at its start, 0 if it is too long. */
static int open_chars(const Walk *walk, Py_UCS4 *chars)
{
    int length = 0;
    Part text = pending_text(walk);
    const char *end = text.bytes + text.size;
    for (const char *at = text.bytes; at < end;) {
        Py_UCS4 code = next_char(&at, end);
        if (!length && is_space(code))
            continue;
        if (length == MAX_AMOUNT)
            return 0;
        chars[length++] = code;
    }
    return length;
}

static int is_cased(Part text, int letters)
{
    const char *at = text.bytes, *end = at + text.size;
    for (; letters; letters--) {
        Py_UCS4 code = at < end ? next_char(&at, end) : ' ';
        if (!Py_UNICODE_ISLOWER(code) && !Py_UNICODE_ISUPPER(code))
            return 0;
    }
    return 1;
}

static int is_in_code(const Walk *walk, int32_t node) /* <code><i>std:</i>string</code> */
{
    for (; node >= 0; node = walk->table->parent[node]) {
        Part tag = tag_of_node(walk, node);
        if (is_part(tag, "code") || is_part(tag, "kbd") || is_part(tag, "samp") || is_part(tag, "tt"))
            return 1;
    }
    return 0;
}

/* Whether the open text is the label of a field, as its own element: `<span>Title:</span>The bridge`. */
static int ends_label(const Walk *walk, Part text)
{
    Part open = pending_text(walk);
    const char *at = text.bytes;
    int32_t label = walk->table->run_node[walk->table->runs - 1];
    return open.size > 1 && open.bytes[open.size - 1] == ':' && label != ints_last(&walk->path, -1)
           && Py_UNICODE_ISALPHA(char_before(open, open.size - 1))
           && Py_UNICODE_ISALPHA(next_char(&at, text.bytes + text.size)) && !is_in_code(walk, label);
}

static int is_raised(const Walk *walk, int32_t node) /* CO<sub>2</sub>, 1<sup>re</sup> */
{
    Part tag = tag_of_node(walk, node);
    return is_part(tag, "sub") || is_part(tag, "sup");
}

/* Return whether a text that touches an element continues an amount, so that style sets the two apart:
 * `<b>98</b><i>grams</i><i>flour</i>`, `<span>Step 1</span>Heat`, but not `<b>1</b>st`. */
static int continues_amount(const Walk *walk, Part text)
{
    Py_UCS4 chars[MAX_AMOUNT];
    const Table *table = walk->table;
    int length = is_cased(text, 2) ? open_chars(walk, chars) : 0, at = length;
    int32_t node = ints_last(&walk->path, -1);
    if (!length || node < 0)
        return 0;
    int32_t before = table->run_node[table->runs - 1];
    if (is_raised(walk, node) || is_raised(walk, before))
        return 0;
    if (Py_UNICODE_ISNUMERIC(chars[length - 1])) {
        while (at && (Py_UNICODE_ISNUMERIC(chars[at - 1]) || (chars[at - 1] < 128 && strchr(".,/-", (int)chars[at - 1]))))
            at--;
        return is_cased(text, 3) && (!at || is_space(chars[at - 1]));
    }
    int is_unit = Py_UNICODE_ISNUMERIC(chars[0]) && Py_UNICODE_ISALPHA(chars[length - 1]);
    return is_unit && node != before && table->parent[node] == table->parent[before];
}

/* Return whether a text touches a source that has ended, so that style sets the two apart: `<cite>Ann Moor</cite>Stones`. */
static int follows_source(const Walk *walk, Part text)
{
    const Table *table = walk->table;
    int32_t node = table->runs ? table->run_node[table->runs - 1] : -1;
    return node >= 0 && node < table->m && node != ints_last(&walk->path, -1) && is_cased(text, 2)
           && is_part(tag_of_node(walk, node), "cite"); /* without elements, runs are in node 0 */
}

/* Texts */

static int add_run(Walk *walk, Part text)
{
    Table *table = walk->table;
    int32_t node = ints_last(&walk->path, -1);
    Py_ssize_t start = table->text.size, row = add_row(table, RUNS);
    if (row < 0 || bytes_add(&table->text, text))
        return walk_fails(walk);
    table->run_node[row] = node >= 0 ? node : walk->body >= 0 ? walk->body : 0;
    table->run_after[row] = (int32_t)table->m;
    table->run_block[row] = (int32_t)table->n;
    table->run_start[row] = (int32_t)start, table->run_size[row] = (int32_t)text.size;
    walk->pending++;
    return 0;
}

/* Note white space in a `pre` before the text of a block. */
static int keep_space(Walk *walk, Part text)
{
    Py_ssize_t row = add_aside(walk, SPACE_BEFORE, walk->table->runs, ints_last(&walk->path, 0), text.size);
    return row < 0 ? -1 : or_fails(walk, bytes_add(&walk->table->aside_text, text));
}

static int take_text(Walk *walk, Part text)
{
    if (walk->skipped)
        return hear(walk, text);
    if (walk->numbers)
        return discard(walk, text, walk->table->runs, ints_last(&walk->path, 0));
    int blank = is_blank(text);
    if (!blank && walk->after < 0 && walk->pending && !walk->pre && !walk->unit && !walk->rules->is_restricted
        && (continues_amount(walk, text) || follows_source(walk, text) || ends_label(walk, text))
        && take_text(walk, ONE_SPACE))
        return -1;
    if (blank && !walk->pending)
        return walk->pre ? keep_space(walk, text) : 0;
    walk->after = 0;
    if (!blank) {
        walk->has_text = 1;
        walk->after_br = 0;
        walk->table->chars_read += chars_in(text);
    }
    return add_run(walk, text);
}

/* Boundaries */

/* Close the block at a second line break in a row; a single one is white space. */
static int line_break(Walk *walk)
{
    if (walk->after_br && !walk->unit && !walk->rules->is_restricted && flush(walk, SPLIT_BR))
        return -1;
    if (!walk->has_text)
        walk->split_bits |= SPLIT_BR;
    walk->after_br = 1;
    return take_text(walk, ONE_SPACE);
}

/* Make the open flexible elements block-level: a boundary begins inside them. */
static int promote(Walk *walk)
{
    Table *table = walk->table;
    Py_ssize_t begun = table->runs - walk->pending;
    for (Py_ssize_t i = 0; i < walk->open_flexible.size; i++) {
        int32_t node = walk->open_flexible.items[i];
        Py_ssize_t row = add_row(table, HOLDERS);
        if (row < 0 || ints_push(&walk->boundaries, node))
            return walk_fails(walk);
        table->holder[row] = node;
        table->actions[node] = SPLIT_BLOCK;
        table->torn |= begun < walk->runs_before.items[i];
    }
    walk->open_flexible.size = walk->runs_before.size = 0;
    walk->split_bits |= SPLIT_BLOCK;
    return 0;
}

/* Note an attribute of an element, if the walk knows its name. */
static void know(const Walk *walk, Element *element, int32_t name, Part value)
{
    int kind = walk->kinds.items[name];
    if (kind)
        memcpy((char *)element + KNOWN_NAMES[kind].place, &value, sizeof value);
}

/* Whether class or style of an element separate its children that touch in the source; siblings ask one by one. */
static int lays_children_apart(Walk *walk, int32_t node)
{
    const Table *table = walk->table;
    if (walk->laid_out == node)
        return walk->is_laid_out;
    Element element = {0};
    for (int32_t i = node ? table->attributes_end[node - 1] : 0; i < table->attributes_end[node]; i++)
        know(walk, &element, table->attribute_name[i],
             table_part(&table->value_text, table->value_start[i], table->value_size[i]));
    walk->laid_out = node;
    return walk->is_laid_out = sets_apart(element.look.class_, element.look.style);
}

/* Whether styles separate an inline element from the one that has ended right before. */
static int stands_apart(Walk *walk, int action)
{
    if (action == LINK && walk->after == LINK)
        return 1;
    return walk->path.size && !walk->pre && lays_children_apart(walk, ints_last(&walk->path, 0));
}

static int separate(Walk *walk, int action)
{
    if (action > 0) {
        if (walk->open_flexible.size && promote(walk))
            return -1;
        return flush(walk, action);
    }
    if (action == BREAK)
        return line_break(walk);
    if (action == CODE_LINE && walk->pending)
        return take_text(walk, LINE_END);
    int is_apart = action == ADD_SPACE || (walk->after < 0 && walk->pending > 0 && stands_apart(walk, action));
    return is_apart ? take_text(walk, ONE_SPACE) : 0;
}

static int marks_of(const Walk *walk, Py_ssize_t node) { return node < walk->marked ? walk->marks[node] : 0; }

/* Return what an element with marks does to the text of code: a boundary inside a unit ends a line. */
static int action_in_code(const Walk *walk, int marks, int action)
{
    if (marks & UNIT)
        return SPLIT_BLOCK;
    return walk->unit && !walk->bar && !(marks & APART) && action > 0 ? CODE_LINE : action;
}

/* Elements */

/* Return what an element does to the text, by its name and style. */
static int own_action(const Walk *walk, const Element *element)
{
    int action = element->tag->action, marks = marks_of(walk, walk->table->m);
    if (action != ROOT && element->class_ >= 0 && walk->meaning.items[element->class_] & IS_DROPPED)
        return DROP;
    if (action == DROP && element->tag->known == TAG_template && element->shadow.bytes != NULL)
        action = FLEXIBLE;
    if (walk->rules->is_restricted)
        return action == FLEXIBLE ? TEXT : action;
    Display display = element->look.style.bytes == NULL ? NO_DISPLAY : display_of(element->look.style);
    if (display == ON_OWN_LINES && (action == TEXT || action == LINK || action == FLEXIBLE))
        action = SPLIT_BLOCK;
    else if ((display == IN_LINE || (marks & SAME_LINE)) && action > 0)
        action = FLEXIBLE;
    if (action == FLEXIBLE && (marks & LEVEL) && !walk->unit)
        action = SPLIT_BLOCK;
    return action_in_code(walk, marks, action);
}

/* Whether an element is a label behind the text of a line that only readers of the screen hear; one at its start may be all
 * that names a colour. */
static int is_unseen(const Walk *walk, const Element *element, int action)
{
    return walk->has_text && (action == TEXT || action == LINK) && element->class_ >= 0
           && walk->meaning.items[element->class_] & IS_UNSEEN;
}

/* Return whether an element is skipped because it is hidden; -1 when the walk ends. */
static int is_skipped(Walk *walk, const Element *element, int action)
{
    const Look *look = &element->look;
    int is_bare = look->style.bytes == NULL && look->hidden.bytes == NULL && element->tag->known != TAG_dialog;
    if (!is_unseen(walk, element, action) && (is_bare || !is_hidden(element->name, look)))
        return 0;
    return walk->asks_hidden ? walk->asks.hides(walk->self, element) : 1;
}

/* Note the marks of an element in code. Its depth is the length of the path that includes it. */
static void enter_code(Walk *walk, int marks)
{
    Py_ssize_t *depth = marks & UNIT ? &walk->unit : marks & APART ? &walk->bar : marks & NUMBERS ? &walk->numbers : NULL;
    if (depth != NULL)
        *depth = walk->path.size;
}

static int add_attributes(Walk *walk, const Element *element)
{
    Table *table = walk->table;
    for (Py_ssize_t i = 0; i < element->count; i++) {
        Py_ssize_t start = table->value_text.size, row = add_row(table, ATTRIBUTES);
        if (row < 0 || bytes_add(&table->value_text, element->attributes[i].value))
            return walk_fails(walk);
        table->attribute_name[row] = element->attributes[i].name;
        table->value_start[row] = (int32_t)start, table->value_size[row] = (int32_t)element->attributes[i].value.size;
    }
    return 0;
}

/* Open an element of the table: note where it is among the open ones. */
static int open_node(Walk *walk, const Element *element, int32_t node, int action)
{
    int failed = ints_push(&walk->path, node);
    if (!failed && (action > 0 || action == ROOT))
        failed = ints_push(&walk->boundaries, node);
    else if (!failed && action == FLEXIBLE)
        failed = ints_push(&walk->open_flexible, node) || ints_push(&walk->runs_before, walk->table->runs);
    if (action == ROOT)
        *(element->tag->known == TAG_html ? &walk->html : &walk->body) = node;
    else if (!walk->pre && element->tag->known == TAG_pre)
        walk->pre = walk->path.size;
    enter_code(walk, marks_of(walk, node));
    return or_fails(walk, failed);
}

/* Return the number of an element's class in the table; -1 without memory. */
static int32_t table_class(Walk *walk, const Element *element)
{
    int32_t *number = element->class_ < 0 ? &walk->no_class : walk->class_number.items + element->class_;
    if (*number < 0)
        *number = (int32_t)names_number(&walk->table->classes, element->class_ < 0 ? (Part){"", 0} : element->look.class_);
    return *number;
}

static int add_node(Walk *walk, Element *element, int32_t tag, int action)
{
    Table *table = walk->table;
    if (table->m >= walk->max_nodes)
        return ends(walk, FULL);
    if (walk->tag[tag].number < 0 && (walk->tag[tag].number = (int32_t)names_number(&table->tags, element->name)) < 0)
        return walk_fails(walk);
    int32_t class_ = table_class(walk, element);
    Py_ssize_t node = class_ < 0 ? -1 : add_row(table, ELEMENTS);
    if (node < 0)
        return walk_fails(walk);
    if (holds_code(element->tag->known) || (element->class_ >= 0 && walk->meaning.items[element->class_] & IS_CODE)) {
        Py_ssize_t row = add_row(table, CODE_NODES);
        if (row < 0)
            return walk_fails(walk);
        table->code_node[row] = (int32_t)node;
    }
    table->class_number[node] = class_;
    table->tag[node] = walk->tag[tag].number;
    table->actions[node] = action;
    table->parent[node] = ints_last(&walk->path, -1);
    table->end[node] = (int32_t)node + 1;
    table->first_block[node] = table->end_block[node] = (int32_t)table->n;
    int failed = add_attributes(walk, element);
    table->attributes_end[node] = (int32_t)table->attributes;
    return failed ? -1 : open_node(walk, element, (int32_t)node, action);
}

static int32_t pop_node(Walk *walk)
{
    int32_t node = walk->path.items[--walk->path.size];
    Py_ssize_t *depths[] = {&walk->pre, &walk->unit, &walk->bar, &walk->numbers};
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++)
        if (walk->path.size < *depths[i])
            *depths[i] = 0;
    return node;
}

/* Begin the aside that gets the texts of the skipped element, if any. */
static int begin_aside(Walk *walk, const Element *element)
{
    int32_t node = walk->too_deep ? -1 : ints_last(&walk->path, -1);
    Known tag = element->tag->known;
    int kind = walk->is_hidden                                ? HIDDEN
               : tag == TAG_title && !walk->has_title         ? TITLE
               : tag == TAG_rt                                ? READING
               : tag == TAG_script && has_text(element->type, "ld+json") ? JSON_LD
                                                              : -1;
    walk->has_title |= kind == TITLE;
    walk->aside = -1;
    return kind < 0 || (walk->aside = add_aside(walk, (Aside)kind, 0, node, 0)) >= 0 ? 0 : -1;
}

/* Skip the element that was just entered, with its content. */
static int skip(Walk *walk, const Element *element)
{
    walk->skipped = 1;
    walk->skipped_tag = element->tag->known;
    if (begin_aside(walk, element))
        return -1;
    if (walk->too_deep) {
        walk->too_deep--;
        return 0;
    }
    int32_t last = pop_node(walk);
    if (ints_last(&walk->boundaries, -1) == last)
        walk->boundaries.size--;
    if (ints_last(&walk->open_flexible, -1) == last) {
        walk->open_flexible.size--;
        walk->runs_before.size--;
    }
    return 0;
}

static int enter(Walk *walk, Element *element, int32_t tag, int action)
{
    if (walk->path.size >= walk->max_depth) {
        walk->table->is_deep = 1;
        walk->too_deep++;
    }
    if (action > 0 && element->tag->known == TAG_img) { /* a picture on a line of its own holds no text */
        if (separate(walk, action))
            return -1;
        action = TEXT;
    }
    walk->table->has_frames |= element->tag->known == TAG_iframe && element->srcdoc.bytes != NULL;
    walk->is_hidden = action == DROP ? 0 : is_skipped(walk, element, action);
    if (walk->is_hidden < 0 || (action != DROP && !walk->is_hidden && separate(walk, action)))
        return -1;
    if (!walk->too_deep && add_node(walk, element, tag, action))
        return -1;
    return action == DROP || walk->is_hidden ? skip(walk, element) : 0;
}

/* Formulas */

/* Whether a class or address has a word of those of pictures of formulas and emoji. */
static int names_sign(Part text)
{
    for (Py_ssize_t at = 0; at < text.size; at++) {
        int found = 0;
        switch (text.bytes[at] | 0x20) {
        case 't': found = reads(text, at, "tex"); break;
        case 'm': found = reads(text, at, "math"); break;
        case 'c': found = reads(text, at, "cht=tx"); break;
        case 'f': found = reads(text, at, "formula"); break;
        case 's': found = reads(text, at, "smil"); break;
        case 'e': found = reads(text, at, "equation") || reads(text, at, "emoji") || reads(text, at, "emot"); break;
        }
        if (found)
            return 1;
    }
    return 0;
}

/* Whether a picture may show a formula or an emoji, by its alternative text, or by its class or address. */
static int may_be_picture(const Element *element)
{
    Part alt = element->alt;
    if (names_sign(element->src) || (alt.size && names_sign(element->look.class_)))
        return 1;
    for (Py_ssize_t at = 0; at < alt.size; at++)
        if (strchr("\\^=\xe2\xf0", alt.bytes[at]) != NULL) /* first bytes of symbols in UTF-8 */
            return 1;
    return 0;
}

/* Whether an element may be a formula; then Python is asked. */
static int may_be_formula(const Walk *walk, const Element *element)
{
    Known tag = element->tag->known;
    if (tag == TAG_img)
        return may_be_picture(element);
    if (tag == TAG_script)
        return has_text(element->type, "math/");
    return tag == TAG_math || tag == TAG_mjx_container || element->tex.bytes != NULL
           || (element->class_ >= 0 && walk->meaning.items[element->class_] & IS_FORMULA);
}

static inline int is_delegated(const Walk *walk) { return walk->in_formula && !walk->is_asked; }

/* Pass an event to the formula walk. */
static int to_formula(Walk *walk, const char *event, const Element *element, Part text)
{
    walk->is_asked = 1;
    int failed = walk->asks.in_formula(walk->self, event, element, text);
    walk->is_asked = 0;
    return failed;
}

/* Events */

/* Set what the walk knows of an element; -1 when the walk ends. */
static int look_at(Walk *walk, Element *element)
{
    for (Py_ssize_t i = 0; i < element->count; i++)
        know(walk, element, element->attributes[i].name, element->attributes[i].value);
    if (element->look.class_.bytes != NULL && (element->class_ = class_of(walk, element->look.class_)) < 0)
        return walk_fails(walk);
    return 0;
}

/* Whether the next element may end the reading that is skipped. */
static int is_in_reading(const Walk *walk)
{
    return walk->skipped == 1 && !walk->is_hidden && is_reading(walk->skipped_tag);
}

/* Enter an element. A root that is open is not opened again: the content of a second one belongs to the first. */
static int start(Walk *walk, Element *element, int32_t tag)
{
    if (!walk->is_asked && !walk->in_formula && !walk->skipped && may_be_formula(walk, element)
        && (walk->in_formula = walk->asks.begins_formula(walk->self, element)) < 0)
        return -1;
    if (is_delegated(walk))
        return to_formula(walk, "start", element, (Part){NULL, 0});
    if (is_in_reading(walk)
        && (is_reading(element->tag->known) || element->tag->known == TAG_rb || element->tag->known == TAG_ruby))
        walk->skipped = 0; /* the next one ends a reading */
    if (walk->skipped) {
        walk->skipped++;
        return 0;
    }
    int action = own_action(walk, element);
    if (action == ROOT && (element->tag->known == TAG_html ? walk->html : walk->body) >= 0)
        return 0;
    return enter(walk, element, tag, action);
}

/* Clean the values of attributes; of two names that are equal without control characters, the last value counts. */
static int clean_attributes(Walk *walk, Element *element)
{
    Attribute *clean = PyMem_RawMalloc((size_t)(element->count + 1) * sizeof *clean);
    Ints places = {NULL, 0, 0};
    Py_ssize_t count = 0;
    walk->clean.size = 0;
    int failed = clean == NULL;
    for (Py_ssize_t i = 0; !failed && i < element->count; i++)
        failed = ints_push(&places, walk->clean.size) || add_visible(&walk->clean, element->attributes[i].value);
    failed = failed || ints_push(&places, walk->clean.size);
    for (Py_ssize_t i = 0, k; !failed && i < element->count; i++) {
        for (k = 0; k < count && clean[k].name != element->attributes[i].name; k++)
            ;
        Py_ssize_t size = places.items[i + 1] - places.items[i];
        clean[k] = (Attribute){element->attributes[i].name, {size ? walk->clean.bytes + places.items[i] : "", size}};
        count = k == count ? count + 1 : count;
    }
    PyMem_RawFree(places.items);
    element->attributes = clean, element->count = count;
    return or_fails(walk, failed);
}

int walk_reads_names(const Walk *walk)
{
    return walk->in_formula || !walk->skipped || is_in_reading(walk);
}

int walk_start(Walk *walk, int32_t tag, const Attribute *attributes, Py_ssize_t count)
{
    if (walk->state != GOES_ON)
        return -1;
    if (!walk_reads_names(walk)) {
        walk->skipped++;
        return 0;
    }
    Tag copy = walk->tag[tag]; /* `tag` may move while Python is asked */
    Element element = {.tag = &copy, .name = name_of(walk, tag), .attributes = attributes, .count = count, .class_ = -1};
    int is_odd = walk->has_odd_names;
    for (Py_ssize_t i = 0; !is_odd && i < count; i++)
        is_odd = has_controls(attributes[i].value);
    int failed = is_odd && clean_attributes(walk, &element);
    failed = failed || look_at(walk, &element) || start(walk, &element, tag);
    if (is_odd)
        PyMem_RawFree((void *)(uintptr_t)element.attributes);
    return failed ? -1 : 0;
}

static int close_node(Walk *walk, int32_t node)
{
    Table *table = walk->table;
    table->end[node] = (int32_t)table->m;
    table->end_block[node] = (int32_t)table->n + walk->has_text;
    return walk->has_text ? or_fails(walk, ints_push(&walk->closed, node)) : 0;
}

static int end_node(Walk *walk, int action)
{
    int32_t node = pop_node(walk);
    if (action > 0) {
        if (flush(walk, action))
            return -1;
        walk->boundaries.size -= walk->boundaries.size > 0;
    } else if (action == ADD_SPACE || action == CODE_LINE) {
        if (separate(walk, action))
            return -1;
    } else if (action == FLEXIBLE && walk->open_flexible.size) {
        walk->open_flexible.size--;
        walk->runs_before.size--;
    }
    return close_node(walk, node);
}

static int leave(Walk *walk, const Tag *tag)
{
    int action = tag->action, failed = 0;
    if (action == DROP && is_reading(tag->known))
        return 0; /* of a reading that has ended before */
    if (action == ROOT) /* what follows `</body>` belongs to `body` */
        failed = flush(walk, 0);
    else if (walk->too_deep) {
        walk->too_deep--;
        if (action > 0 || action == ADD_SPACE)
            failed = separate(walk, action_in_code(walk, 0, action));
    } else if (walk->path.size) {
        action = walk->table->actions[ints_last(&walk->path, 0)];
        failed = end_node(walk, action);
    }
    walk->after = action;
    return failed;
}

int walk_end(Walk *walk, int32_t tag)
{
    if (walk->state != GOES_ON)
        return -1;
    if (is_delegated(walk))
        return to_formula(walk, "end", NULL, name_of(walk, tag));
    if (walk->skipped) {
        walk->skipped--;
        return 0;
    }
    return leave(walk, walk->tag + tag);
}

int walk_data(Walk *walk, Part text)
{
    Py_ssize_t size = text.size;
    if (walk->state != GOES_ON)
        return -1;
    if (walk->skipped && !hears(walk) && !walk->in_formula)
        return 0;
    if (clean_part(walk, &text))
        return -1;
    if (size && !text.size)
        return 0;
    return is_delegated(walk) ? to_formula(walk, "data", NULL, text) : take_text(walk, text);
}

/* End the page, also one that a limit has cut. */
int walk_close(Walk *walk)
{
    if (is_delegated(walk) && walk->state == GOES_ON) { /* it calls this function again */
        int failed = to_formula(walk, "close", NULL, (Part){NULL, 0});
        if (walk->state != FULL)
            return failed;
    }
    if (walk->state != GOES_ON && walk->state != FULL)
        return walk->state == ENDED ? 0 : -1;
    int failed = flush(walk, 0);
    for (Py_ssize_t i = 0; !failed && i < walk->path.size; i++)
        failed = close_node(walk, walk->path.items[i]);
    if (failed)
        return -1;
    walk->table->is_full |= walk->state == FULL;
    walk->state = ENDED;
    return 0;
}

/* Take a formula as a run of text, if it shows anything. */
int walk_formula(Walk *walk, Part text, int *is_taken)
{
    *is_taken = walk->state == GOES_ON && text.size && !is_blank(text) && !walk->skipped;
    if (!*is_taken)
        return walk->state == GOES_ON ? 0 : -1;
    walk->last_formula = walk->table->runs;
    return take_text(walk, text);
}

void begin_walk(Walk *walk)
{
    walk->html = walk->body = walk->laid_out = walk->no_class = -1;
    walk->aside = walk->last_formula = -1;
}

/* Mark an element from an earlier walk; -1 without memory. */
int mark_node(Walk *walk, Py_ssize_t node, int mark)
{
    if (node >= walk->marked) {
        Py_ssize_t room = 2 * node + 64;
        uint8_t *marks = PyMem_RawRealloc(walk->marks, (size_t)room);
        if (marks == NULL)
            return -1;
        memset(marks + walk->marked, 0, (size_t)(room - walk->marked));
        walk->marks = marks, walk->marked = room;
    }
    walk->marks[node] |= (uint8_t)mark;
    return 0;
}

void free_walk(Walk *walk)
{
    Ints *ints[] = {&walk->kinds, &walk->path, &walk->boundaries, &walk->open_flexible, &walk->runs_before, &walk->closed,
                    &walk->class_number, &walk->meaning};
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++)
        PyMem_RawFree(ints[i]->items);
    names_free(&walk->tags);
    names_free(&walk->classes);
    PyMem_RawFree(walk->marks);
    PyMem_RawFree(walk->tag);
    PyMem_RawFree(walk->clean.bytes);
}

int add_rule(Rules *rules, Part tag, int action, int is_chosen)
{
    return names_number(&rules->tags, tag) < 0 || ints_push(&rules->actions, action) || ints_push(&rules->chosen, is_chosen);
}

int add_known_tags(Rules *rules)
{
    int failed = 0;
    for (int i = 0; !failed && i < TAG_other; i++) {
        Part tag = {KNOWN[i], (Py_ssize_t)strlen(KNOWN[i])};
        failed = names_find(&rules->tags, tag) < 0 && add_rule(rules, tag, FLEXIBLE, 0);
    }
    return failed;
}

int add_word(Rules *rules, Part word, int meaning)
{
    Py_ssize_t number = names_number(&rules->words, word);
    if (number < 0 || (number == rules->meanings.size && ints_push(&rules->meanings, 0)))
        return -1;
    rules->meanings.items[number] |= meaning;
    return 0;
}

void free_rules(Rules *rules)
{
    names_free(&rules->tags);
    names_free(&rules->words);
    PyMem_RawFree(rules->meanings.items);
    PyMem_RawFree(rules->actions.items);
    PyMem_RawFree(rules->chosen.items);
}
