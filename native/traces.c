/* Find marks of rare things in a page's bytes, in one pass: control characters, formulas, `</br>`.
 *
 * Marks of formulas are: a name with TeX or MathJax (`tex`, `katex` or `latex` at the end of a part, `MathJax`,
 * `mjx`); the address of a service that draws TeX (`mathtex.cgi`, `mimetex.cgi`, `cht=tx`); `math` as a name or a
 * part of one; `hurmet`; `equation`; and a command of TeX with an argument, which may stand in the text of a picture. */
#include "core.h"

enum { CONTROLS = 1, FORMULAS = 2, BREAK_ENDS = 4 }; /* bits of the result */
#define MAX_COMMAND 16 /* letters of a command of TeX */
#define DIGITS 7       /* of a reference that are read */

typedef struct {
    const unsigned char *bytes;
    Py_ssize_t size;
} Source;

/* Return the byte at a place, a space outside the page. */
static inline int byte_at(const Source *page, Py_ssize_t place)
{
    return 0 <= place && place < page->size ? page->bytes[place] : ' ';
}

static int reads(const Source *page, Py_ssize_t place, const char *text)
{
    for (; *text; text++, place++)
        if (byte_at(page, place) != (unsigned char)*text)
            return 0;
    return 1;
}

static inline int is_letter(int byte) { return 'a' <= byte && byte <= 'z'; }

static int digit_of(int byte, int base)
{
    if ('0' <= byte && byte <= '9')
        return byte - '0';
    byte |= 0x20;
    return base == 16 && 'a' <= byte && byte <= 'f' ? byte - 'a' + 10 : -1;
}

/* Return whether the reference at `&` may stand for a control character, or for a code that parsers replace. */
static int names_control(const Source *page, Py_ssize_t place)
{
    if (byte_at(page, place + 1) != '#')
        return 0;
    int is_hex = (byte_at(page, place + 2) | 0x20) == 'x', step, digit;
    long code = 0;
    for (step = 0; step < DIGITS; step++) {
        if ((digit = digit_of(byte_at(page, place + 2 + is_hex + step), is_hex ? 16 : 10)) < 0)
            break;
        code = code * (is_hex ? 16 : 10) + digit;
    }
    if (step == DIGITS)
        return 1;
    return !(code == 0 || code == 9 || code == 10 || code == 13 || (code >= 32 && code < 127)
             || (code >= 160 && code < 0xD800)
             || (code > 0xDFFF && code != 0xFFFE && code != 0xFFFF));
}

static int has_tex(const Source *page, Py_ssize_t place) /* at `x` */
{
    if (reads(page, place - 2, "Ja") || reads(page, place - 2, "mj") || reads(page, place - 5, "cht=t"))
        return 1;
    if (!reads(page, place - 2, "te"))
        return 0;
    int before = byte_at(page, place - 3);
    int begins = before == 'a' || !is_letter(before) || reads(page, place + 1, ".cgi");
    return begins && !is_letter(byte_at(page, place + 1));
}

static int has_math(const Source *page, Py_ssize_t place) /* at `m` */
{
    if (!reads(page, place + 1, "ath"))
        return 0;
    int before = byte_at(page, place - 1), after = byte_at(page, place + 4);
    int ends = after == '\'' || after == '"' || after == '>';
    if (before == '<' || before == '=' || before == '\'' || before == '"' || (before == ' ' && ends))
        return 1;
    return reads(page, place - 4, "mwe-") || reads(page, place - 5, "data-")
           || reads(page, place + 4, "-inline") || reads(page, place + 4, "-block")
           || reads(page, place + 4, ".now.sh") || reads(page, place + 4, ".me/");
}

static int has_command(const Source *page, Py_ssize_t place) /* at `\` */
{
    int letters = 0;
    while (letters <= MAX_COMMAND && is_letter(byte_at(page, place + 1 + letters)))
        letters++;
    return letters && letters <= MAX_COMMAND && byte_at(page, place + 1 + letters) == '{';
}

/* Return bits of the marks that a pair of bytes begins or is part of; the second byte is at a place. */
static int bits_at(const Source *page, Py_ssize_t place, int before, int byte)
{
    switch (byte) {
    case '#':
        return before == '&' && names_control(page, place - 1) ? CONTROLS : 0;
    case 'x':
        return has_tex(page, place) ? FORMULAS : 0;
    case 'm':
        return reads(page, place - 3, "hur") ? FORMULAS : 0;
    case 'q':
        return before == 'e' && reads(page, place + 1, "uation") ? FORMULAS : 0;
    case '/':
        return before == '<' && (byte_at(page, place + 1) | 0x20) == 'b'
                       && (byte_at(page, place + 2) | 0x20) == 'r'
                   ? BREAK_ENDS
                   : 0;
    case 0xBF:
        return before == 0xEF && byte_at(page, place + 1) >= 0xBE ? CONTROLS : 0;
    default:
        return 0;
    }
}

/* Return the same bits for pairs whose first byte matters, too. */
static int bits_of_pair(const Source *page, Py_ssize_t place, int before, int byte)
{
    if (byte < 32 || byte == 127 || (before == 0xC2 && byte < 0xA0))
        return (byte != '\t' && byte != '\n' && byte != '\r') || before == 0xC2 ? CONTROLS : 0;
    if (before == '\\' && is_letter(byte))
        return has_command(page, place - 1) ? FORMULAS : 0;
    if (before == 'm' && byte == 'a')
        return has_math(page, place - 1) ? FORMULAS : 0;
    return bits_at(page, place, before, byte);
}

/* Kinds of pairs that may be part of a mark. The first byte of such a pair has the bit of its kind in one table, and
 * the second byte in the other. Few other pairs share a bit, so the loop over a page seldom stops. */
static uint8_t firsts[256], seconds[256];

static void mark_pairs(void)
{
    static const struct {
        const char *before, *after;
    } KINDS[] = {{"&", "#"}, {"aejt", "x"}, {"r", "m"}, {"m", "a"}, {"e", "q"}, {"<", "/"}};
    enum { BEYOND = 64, ANY = 128 }; /* `\\` and bytes beyond ASCII; control characters after any byte */
    for (int byte = 0; byte < 256; byte++) {
        firsts[byte] = ANY;
        seconds[byte] = byte < 0xA0 || byte == 0xBF ? BEYOND : 0;
        if (byte == 127 || (byte < 32 && byte != '\t' && byte != '\n' && byte != '\r'))
            seconds[byte] |= ANY;
    }
    firsts['\\'] |= BEYOND, firsts[0xC2] |= BEYOND, firsts[0xEF] |= BEYOND;
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        for (const char *c = KINDS[i].before; *c; c++)
            firsts[(unsigned char)*c] |= (uint8_t)(1 << i);
        seconds[(unsigned char)*KINDS[i].after] |= (uint8_t)(1 << i);
    }
}

/* traces(source) -> bits: the page may have control characters, may have formulas, has end tags of `br`. */
PyObject *core_traces(PyObject *self, PyObject *source)
{
    (void)self;
    if (!PyBytes_Check(source)) {
        PyErr_SetString(PyExc_TypeError, "traces(source): bytes");
        return NULL;
    }
    Source page = {(const unsigned char *)PyBytes_AS_STRING(source), PyBytes_GET_SIZE(source)};
    if (!firsts[0])
        mark_pairs();
    int bits = 0, before = ' ';
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t place = 0; place < page.size; place++) {
        int byte = page.bytes[place];
        if (firsts[before] & seconds[byte])
            bits |= bits_of_pair(&page, place, before, byte);
        before = byte;
    }
    bits |= bits_of_pair(&page, page.size, before, ' '); /* the last pair ends with the space after the end */
    Py_END_ALLOW_THREADS
    return PyLong_FromLong(bits);
}
