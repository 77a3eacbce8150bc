/* Count words, sentences and characters of the texts of a table, by what is known of each character. */
#include "read.h"

static inline int class_of(Py_UCS4 code, const Characters *characters)
{
    if (code < PLANE)
        return characters->classes[code];
    return (code >> 16) == 2 ? IDEOGRAPH : OTHER;
}

typedef struct {
    int32_t by_class[CLASSES], kinds[4];
    double words, capitalised, ends;
} Counts;

static inline int is_plain(Py_UCS4 code, const Characters *characters)
{
    return code < PLANE && characters->classes[code] == LOWER && !(characters->flags[code] & (TERMINATOR | CLOSER | IDEOGRAPHIC_END));
}

/* Count the lower-case letters that follow. Most characters are such letters, so they are counted in one go. */
static inline Py_ssize_t plain_run(const Py_UCS4 *chars, Py_ssize_t i, Py_ssize_t size, const Characters *characters)
{
    Py_ssize_t end = i;
    while (end < size && is_plain(chars[end], characters))
        end++;
    return end - i;
}

/* Count one line: the text and the line break that ends it. */
static void count_chars(const Py_UCS4 *chars, Py_ssize_t size, const Characters *characters, Counts *counts)
{
    int open = 0, letter = 0, digit = 0, word = 0, waits = 0;
    memset(counts, 0, sizeof *counts);
    for (Py_ssize_t i = 0; i <= size; i++) {
        Py_UCS4 code = i < size ? chars[i] : '\n';
        int class = class_of(code, characters);
        uint8_t flag = characters->flags[narrow(code)];
        counts->by_class[class]++;
        if (waits && (class == SPACE || (flag & CLOSER)))
            counts->ends++;
        waits = flag & TERMINATOR;
        if (flag & IDEOGRAPHIC_END) {
            counts->ends++;
            waits = 0;
        }
        if (class == SPACE) {
            if (open) {
                counts->kinds[letter ? (digit ? 2 : 0) : (digit ? 1 : 3)]++;
                counts->words += word;
            }
            open = 0;
            continue;
        }
        if (!open) {
            open = 1;
            letter = digit = word = 0;
            counts->capitalised += class == UPPER;
        }
        letter |= class <= UNCASED || class == IDEOGRAPH;
        digit |= class == DIGIT;
        word |= class <= DIGIT;
        Py_ssize_t run = plain_run(chars, i + 1, size, characters);
        if (run) {
            counts->by_class[LOWER] += (int32_t)run;
            letter = word = 1;
            waits = 0;
            i += run;
        }
    }
    counts->words += counts->by_class[IDEOGRAPH] / 2.0;
}

enum { URL = 1, DATE = 2, TIME = 4 }; /* what a text may have */

static inline int is_digit(Py_UCS4 code, const Characters *characters)
{
    return code >= PLANE - 1 || characters->classes[code] == DIGIT;
}

#define FAR_DIGIT 40 /* characters between the day and the year of a date with a month's name, at most */

/* Return whether the last four digits, up to `i`, may be the year of a date with a month's name: " 2024" after
 * another number, as in "3 May 2024". */
static inline int may_be_year(const Py_UCS4 *chars, Py_ssize_t i, Py_ssize_t number_end)
{
    if (i < 4 || number_end < i - 4 - FAR_DIGIT || chars[i - 4] != ' ')
        return 0;
    Py_UCS4 first = chars[i - 3], second = chars[i - 2];
    return (first == '1' && second == '9') || (first == '2' && second == '0');
}

/* Return whether a digit may begin minutes: it is 0 to 5, and another digit follows. */
static inline int may_be_minute(const Py_UCS4 *chars, Py_ssize_t size, Py_ssize_t i, const Characters *characters)
{
    Py_UCS4 code = chars[i];
    return '0' <= code && code <= '5' && i + 1 < size && is_digit(chars[i + 1], characters);
}

/* Return bits of what a text may have (an address, a date, a time): crfclean/page/measures.py looks closer. */
static inline int likely_in(const Py_UCS4 *chars, Py_ssize_t size, const Characters *characters)
{
    int likely = 0, digits = 0, marked = 0; /* digits in a row; one before the mark of a time */
    int parted = 0;                         /* after the digits and the separator that may begin a date */
    Py_ssize_t number_end = -1 - FAR_DIGIT - 5; /* where the last number before this one ended */
    for (Py_ssize_t i = 0; i < size; i++) {
        Py_UCS4 code = chars[i];
        if (!digits && !parted && code < PLANE - 1 && characters->classes[code] <= UPPER) {
            marked = 0; /* a letter that can end no date or time */
            continue;
        }
        if (is_digit(code, characters)) {
            likely |= ++digits == 4 && may_be_year(chars, i, number_end) ? DATE : 0;
            likely |= marked && may_be_minute(chars, size, i, characters) ? TIME : 0;
            marked = 0;
            continue;
        }
        marked = digits && (code == ':' || code == '.' || code == 'h');
        if (digits && (code == '.' || code == '/' || code == '-')) {
            likely |= parted && digits <= 2 ? DATE : 0;
            parted = 1;
        } else if (parted == 1 && !digits && code == ' ')
            parted = 2; /* one space */
        else
            parted = 0;
        likely |= digits >= 4 && code == 0x5E74 ? DATE : 0;
        number_end = digits ? i - 1 : number_end;
        digits = 0;
        if (code == '@')
            likely |= URL;
        else if (code == ':' && i + 2 < size && chars[i + 1] == '/'
                 && chars[i + 2] == '/')
            likely |= URL;
        else if (code == '.' && i >= 3 && chars[i - 1] == 'w'
                 && chars[i - 2] == 'w' && chars[i - 3] == 'w')
            likely |= URL;
    }
    return likely;
}

/* Read how a line begins and ends. */
static void read_ends(Table *table, Py_ssize_t row, const Py_UCS4 *chars, Py_ssize_t size, const Characters *characters)
{
    Py_ssize_t end = size;
    Py_UCS4 first = size ? chars[0] : '\n';
    while (end && characters->flags[narrow(chars[end - 1])] & CLOSER)
        end--;
    table->sizes[row] = size + 1;
    table->first_codes[row] = narrow(first);
    table->first_classes[row] = (uint8_t)class_of(first, characters);
    table->last_codes[row] = end ? narrow(chars[end - 1]) : PLANE - 1;
    table->end_codes[row] = size ? narrow(chars[size - 1]) : '\n';
    table->before_codes[row] = size > 1 ? narrow(chars[size - 2]) : '\n';
}

/* Decode a line, count its characters in each set, and note characters without width. Return the line's size, and
 * whether it has a character that is needed for an address, a date or a time, other than a stop. */
static Py_ssize_t decode(Table *table, const Table *texts, Py_ssize_t row, Py_UCS4 *chars, int *may, const Characters *characters)
{
    Part text = table_part(&texts->text, texts->block_start[row], texts->block_size[row]);
    Py_ssize_t hits[SETS] = {0}, size = 0;
    const char *end = text.bytes + text.size;
    int flags = 0;
    for (const char *at = text.bytes; at < end; size++) {
        Py_UCS4 code = chars[size] = next_char(&at, end);
        flags |= characters->flags[narrow(code)];
        for (uint8_t bits = characters->sets[narrow(code)], set = 0; bits; set++, bits >>= 1)
            hits[set] += bits & 1;
    }
    table->has_marks |= (flags & WITHOUT_WIDTH) != 0;
    for (Py_ssize_t set = 0; set < SETS; set++)
        table->marks[set * table->n + row] = (double)hits[set];
    *may = flags & FIGURE || has_text(text, "www.");
    return size;
}

static void read_line(Table *table, const Table *texts, Py_ssize_t row, Py_UCS4 *chars, const Characters *characters)
{
    Counts counts;
    int may;
    Py_ssize_t size = decode(table, texts, row, chars, &may, characters);
    count_chars(chars, size, characters, &counts);
    memcpy(table->by_class + row * CLASSES, counts.by_class, sizeof counts.by_class);
    memcpy(table->token_kinds + row * 4, counts.kinds, sizeof counts.kinds);
    table->words[row] = counts.words;
    table->capitalised[row] = counts.capitalised;
    table->sentence_ends[row] = counts.ends;
    table->likely[row] = may ? (uint8_t)likely_in(chars, size, characters) : 0;
    read_ends(table, row, chars, size, characters);
}

static Py_ssize_t solid_chars(Part text, const Characters *characters)
{
    Py_ssize_t solid = 0;
    const char *end = text.bytes + text.size;
    for (const char *at = text.bytes; at < end;)
        solid += class_of(next_char(&at, end), characters) != SPACE;
    return solid;
}

int count_table(Table *table, const Table *texts, const Characters *characters)
{
    Py_ssize_t longest = 0;
    for (Py_ssize_t row = 0; row < table->n; row++)
        longest = texts->block_size[row] > longest ? texts->block_size[row] : longest;
    Py_UCS4 *chars = PyMem_RawMalloc((size_t)(longest + 1) * sizeof *chars);
    if (chars == NULL)
        return -1;
    for (Py_ssize_t row = 0; row < table->n; row++)
        read_line(table, texts, row, chars, characters);
    PyMem_RawFree(chars);
    for (Py_ssize_t run = 0; run < table->runs; run++)
        table->run_chars[run] =
            (double)solid_chars(table_part(&texts->text, texts->run_start[run], texts->run_size[run]), characters);
    return 0;
}
