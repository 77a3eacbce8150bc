/* The object of a line of JSON: crfclean/corpus/json_lines.py. What is not plain is left to Python. */
#include "core.h"

#include <string.h>
#if defined(__SSE2__) && defined(__GNUC__)
#include <emmintrin.h>
#endif

#define MAX_DEPTH 100 /* of a value inside: more is left to Python */
#define ONES 0x0101010101010101u

typedef struct {
    const unsigned char *bytes;
    Py_ssize_t size, at;
    unsigned char *text; /* room for the longest string */
    PyObject *loads;     /* what reads a value that is no string */
} Line;

enum { PLAIN = 0, OTHER = 1, FAILED = -1 }; /* FAILED: with an exception */

static inline int is_end(unsigned char byte) { return byte == '"' || byte == '\\' || byte < 0x20; }

/* The byte here, 0 at the end. */
static inline int here(const Line *line) { return line->at < line->size ? line->bytes[line->at] : 0; }

static void skip_space(Line *line)
{
    for (int c = here(line); c == ' ' || c == '\t' || c == '\n' || c == '\r'; c = here(line))
        line->at++;
}

#if defined(__SSE2__) && defined(__GNUC__)
enum { STEP = 16 };

/* Copy a step of bytes; how many of them stand before the first that ends a run. */
static inline int copy_step(unsigned char *to, const unsigned char *from)
{
    __m128i bytes = _mm_loadu_si128((const __m128i *)from), least = _mm_set1_epi8(0x1F);
    _mm_storeu_si128((__m128i *)to, bytes);
    __m128i quotes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
    __m128i backslashes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
    __m128i controls = _mm_cmpeq_epi8(_mm_min_epu8(bytes, least), bytes);
    int bits = _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quotes, backslashes), controls));
    return bits ? __builtin_ctz((unsigned)bits) : STEP;
}
#else
enum { STEP = 8 };

static inline uint64_t zeros(uint64_t word) { return (word - ONES) & ~word & ONES * 0x80; }

/* Bits of eight bytes of which some end a run of plain ones: a quote, a backslash, a control.
 * The lowest bit is that of the first such byte of a little-endian word; those above it may be wrong. */
static inline uint64_t ends(uint64_t word)
{
    return zeros(word ^ ONES * '"') | zeros(word ^ ONES * '\\')
           | ((word - ONES * 0x20) & ~word & ONES * 0x80);
}

/* How many of eight bytes stand before the first that ends a run; 0 where that is not known. */
static inline int plain_bytes(uint64_t bits)
{
#if defined(__GNUC__) && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return __builtin_ctzll(bits) / 8;
#else
    (void)bits;
    return 0;
#endif
}

/* Copy a step of bytes; how many of them surely stand before the first that ends a run. */
static inline int copy_step(unsigned char *to, const unsigned char *from)
{
    uint64_t word;
    memcpy(&word, from, STEP);
    memcpy(to, &word, STEP);
    uint64_t bits = ends(word);
    return bits ? plain_bytes(bits) : STEP;
}
#endif

/* Copy bytes up to the end of a run behind the first `size` of the text; their new number. */
static inline Py_ssize_t copy_run(Line *line, Py_ssize_t size)
{
    const unsigned char *bytes = line->bytes;
    Py_ssize_t at = line->at;
    for (int count = STEP; count == STEP && at + STEP <= line->size; at += count, size += count)
        count = copy_step(line->text + size, bytes + at);
    while (at < line->size && !is_end(bytes[at]))
        line->text[size++] = bytes[at++];
    line->at = at;
    return size;
}

/* The code of four hexadecimal digits here, which are taken; -1 for others. */
static long take_code(Line *line)
{
    long code = 0;
    if (line->size - line->at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        int byte = line->bytes[line->at++], letter = byte | 0x20;
        int is_letter = 'a' <= letter && letter <= 'f';
        if (!is_letter && !('0' <= byte && byte <= '9'))
            return -1;
        code = code * 16 + (is_letter ? letter - 'a' + 10 : byte - '0');
    }
    return code;
}

/* The code behind `\u`, of two escapes if they are a pair of surrogates; -1 for none. */
static long take_escape(Line *line)
{
    long code = take_code(line);
    if (code < 0xD800 || code > 0xDBFF || line->size - line->at < 6
        || memcmp(line->bytes + line->at, "\\u", 2))
        return code;
    Line ahead = *line;
    ahead.at += 2;
    long low = take_code(&ahead);
    if (low < 0xDC00 || low > 0xDFFF)
        return code;
    line->at = ahead.at;
    return 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
}

/* Write a code as UTF-8, a lone surrogate in three bytes; how many there are. */
static Py_ssize_t put_code(unsigned char *text, long code)
{
    int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char FIRST[] = {0, 0xC0, 0xE0, 0xF0};
    text[0] = (unsigned char)(FIRST[more] | code >> 6 * more);
    for (int i = 1; i <= more; i++)
        text[i] = (unsigned char)(0x80 | (code >> 6 * (more - i) & 0x3F));
    return more + 1;
}

/* Read an escape behind its backslash; its code, -1 for none. */
static inline long escaped(Line *line)
{
    static const unsigned char CODES[256] = {
        ['"'] = '"', ['\\'] = '\\', ['/'] = '/', ['b'] = '\b', ['f'] = '\f', ['n'] = '\n',
        ['r'] = '\r', ['t'] = '\t',
    };
    int name = here(line);
    line->at++;
    if (name == 'u')
        return take_escape(line);
    return CODES[name] ? CODES[name] : -1;
}

static int is_ascii(const Line *line, Py_ssize_t start)
{
    for (; start < line->at; start++)
        if (line->bytes[start] >= 0x80)
            return 0;
    return 1;
}

/* The text of a string behind its first quote. */
static int read_string(Line *line, PyObject **value)
{
    Py_ssize_t start = line->at, size = 0;
    int lone = 0; /* surrogates */
    for (;;) {
        size = copy_run(line, size);
        int byte = here(line);
        line->at++;
        if (byte == '"')
            break;
        long code = byte == '\\' ? escaped(line) : -1;
        if (code < 0)
            return OTHER;
        lone |= 0xD800 <= code && code <= 0xDFFF;
        size += put_code(line->text + size, code);
    }
    if (lone && !is_ascii(line, start)) /* bytes that look like a surrogate are none */
        return OTHER;
    *value = PyUnicode_DecodeUTF8((char *)line->text, size, lone ? "surrogatepass" : NULL);
    return *value == NULL ? FAILED : PLAIN;
}

/* Skip a string behind its first quote. */
static void skip_string(Line *line)
{
    for (int byte; (byte = here(line)) != '"' && line->at < line->size; line->at++)
        line->at += byte == '\\';
    line->at++;
}

/* Skip an object or array with all that is in it; whether it ends, and is not too deep. */
static int skip_nested(Line *line)
{
    int depth = 0;
    do {
        int byte = here(line);
        if (line->at++ >= line->size)
            return 0;
        if (byte == '"')
            skip_string(line);
        depth += (byte == '{' || byte == '[') - (byte == '}' || byte == ']');
    } while (0 < depth && depth < MAX_DEPTH);
    return depth == 0 && line->at <= line->size;
}

static void skip_scalar(Line *line)
{
    while (line->at < line->size && strchr(",}] \t\n\r", line->bytes[line->at]) == NULL)
        line->at++;
}

/* A value that is no string, read by Python. */
static int read_other(Line *line, PyObject **value)
{
    Py_ssize_t start = line->at;
    if (here(line) != '{' && here(line) != '[')
        skip_scalar(line);
    else if (!skip_nested(line))
        return OTHER;
    PyObject *text = PyUnicode_DecodeUTF8((const char *)line->bytes + start, line->at - start, NULL);
    *value = text == NULL ? NULL : PyObject_CallOneArg(line->loads, text);
    Py_XDECREF(text);
    return *value == NULL ? FAILED : PLAIN;
}

/* Read a string behind its first quote, as a key with its colon. */
static int read_key(Line *line, PyObject **key)
{
    if (here(line) != '"')
        return OTHER;
    line->at++;
    int state = read_string(line, key);
    skip_space(line);
    if (state == PLAIN && here(line) != ':')
        state = OTHER;
    line->at++;
    skip_space(line);
    return state;
}

static int read_value(Line *line, PyObject **value)
{
    if (here(line) != '"')
        return read_other(line, value);
    line->at++;
    return read_string(line, value);
}

/* Read a key and its value into the object. */
static int read_field(Line *line, PyObject *object)
{
    PyObject *key = NULL, *value = NULL;
    int state = read_key(line, &key);
    if (state == PLAIN)
        state = read_value(line, &value);
    if (state == PLAIN)
        state = PyDict_SetItem(object, key, value) ? FAILED : PLAIN;
    Py_XDECREF(key);
    Py_XDECREF(value);
    return state;
}

/* Read all fields behind the first brace, up to the end of the line. */
static int read_fields(Line *line, PyObject *object)
{
    int byte, state;
    do {
        skip_space(line);
        if ((state = read_field(line, object)) != PLAIN)
            return state;
        skip_space(line);
        byte = here(line);
        line->at++;
    } while (byte == ',');
    skip_space(line);
    return byte == '}' && line->at == line->size ? PLAIN : OTHER;
}

static int read_line(Line *line, PyObject *object)
{
    if (line->size >= 3 && !memcmp(line->bytes, "\xEF\xBB\xBF", 3))
        line->at = 3;
    skip_space(line);
    if (here(line) != '{')
        return OTHER;
    line->at++;
    return read_fields(line, object);
}

/* What is no plain JSON is left to Python, which says why. */
static int may_fail(int state)
{
    if (state != FAILED)
        return state;
    if (!PyErr_ExceptionMatches(PyExc_ValueError) && !PyErr_ExceptionMatches(PyExc_RecursionError))
        return FAILED;
    PyErr_Clear();
    return OTHER;
}

/* json_fields(line, loads): the object of a line of JSON in UTF-8; None where it is not plain. */
PyObject *core_json_fields(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    Array source;
    if (nargs != 2) {
        PyErr_SetString(PyExc_TypeError, "json_fields(line, loads)");
        return NULL;
    }
    if (open_arrays(args, 1, (const int[]){1}, &source))
        return NULL;
    Line line = {source.view.buf, source.count, 0, PyMem_Malloc((size_t)source.count + STEP), args[1]};
    PyObject *object = PyDict_New();
    int state = FAILED;
    if (line.text == NULL)
        PyErr_NoMemory();
    else if (object != NULL)
        state = may_fail(read_line(&line, object));
    PyMem_Free(line.text);
    close_arrays(&source, 1);
    if (state != PLAIN)
        Py_CLEAR(object);
    return state == OTHER ? Py_NewRef(Py_None) : object;
}
