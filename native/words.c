/* Look up words in names, addresses and texts; split texts into tokens, and compare them. */
#include "core.h"

typedef struct {
    uint32_t hash;
    int32_t length; /* 0: free; a word has at least one character */
    Py_ssize_t start;
    int64_t bits;
    int begins; /* may begin a word of two parts */
} Entry;

/* A table of words in UTF-8: open addressing, at most half full. */
typedef struct {
    PyObject_HEAD
    Entry *entries;
    char *pool;
    size_t room;
    Py_ssize_t used, pool_room;
} Words;

#define FACTOR 0x9E3779B97F4A7C15u

/* Hash a word, eight bytes at a time; `length` is at least 1. */
static inline uint32_t hash_of(const char *word, Py_ssize_t length)
{
    uint64_t hash = (uint64_t)length * FACTOR, part;
    for (; length >= 8; length -= 8, word += 8) {
        memcpy(&part, word, 8);
        hash = (hash ^ part) * FACTOR;
        hash ^= hash >> 29;
    }
    if (length >= 4) {
        uint32_t first, last;
        memcpy(&first, word, 4);
        memcpy(&last, word + length - 4, 4);
        hash = (hash ^ ((uint64_t)first << 32 | last)) * FACTOR;
    } else if (length > 0) {
        part = (uint64_t)(unsigned char)word[0] << 16 | (uint64_t)(unsigned char)word[length >> 1] << 8
               | (uint64_t)(unsigned char)word[length - 1];
        hash = (hash ^ part) * FACTOR;
    }
    return (uint32_t)(hash >> 32);
}

/* Find the place of a word, or a free place if the table does not have it. */
static Entry *place_of(const Words *words, const char *word, Py_ssize_t length, uint32_t hash)
{
    size_t at = (hash ^ hash >> 15) & (words->room - 1);
    for (;; at = (at + 1) & (words->room - 1)) {
        Entry *entry = words->entries + at;
        if (!entry->length
            || (entry->hash == hash && entry->length == length
                && memcmp(words->pool + entry->start, word, (size_t)length) == 0))
            return entry;
    }
}

/* Return the entry of a word, added if it is new. NULL with an exception, or for a word that no text can have: an
 * empty one, or one without UTF-8. */
static Entry *added(Words *words, PyObject *text)
{
    if (!PyUnicode_Check(text)) {
        PyErr_SetString(PyExc_TypeError, "Words: each word is a str");
        return NULL;
    }
    Py_ssize_t length;
    const char *word = PyUnicode_AsUTF8AndSize(text, &length);
    if (word == NULL && PyErr_ExceptionMatches(PyExc_UnicodeEncodeError))
        PyErr_Clear();
    if (word == NULL || !length || length > INT32_MAX)
        return NULL;
    uint32_t hash = hash_of(word, length);
    Entry *entry = place_of(words, word, length, hash);
    if (entry->length)
        return entry;
    if (words->used + length > words->pool_room) {
        Py_ssize_t room = 2 * (words->used + length);
        char *pool = PyMem_Realloc(words->pool, (size_t)room);
        if (pool == NULL) {
            PyErr_NoMemory();
            return NULL;
        }
        words->pool = pool;
        words->pool_room = room;
    }
    memcpy(words->pool + words->used, word, (size_t)length);
    *entry = (Entry){hash, (int32_t)length, words->used, 0, 0};
    words->used += length;
    return entry;
}

static int fill(Words *words, PyObject *bits, PyObject *begins)
{
    size_t count = (size_t)PyDict_GET_SIZE(bits) + (size_t)PySet_GET_SIZE(begins);
    for (words->room = 16; words->room < 2 * count + 2;)
        words->room *= 2;
    words->entries = PyMem_Calloc(words->room, sizeof *words->entries);
    if (words->entries == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    PyObject *word, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(bits, &at, &word, &value)) {
        Entry *entry = added(words, word);
        int64_t number = PyLong_AsLongLong(value);
        if (PyErr_Occurred())
            return -1;
        if (entry != NULL)
            entry->bits = number;
    }
    PyObject *all = PyObject_GetIter(begins);
    while (all != NULL && (word = PyIter_Next(all))) {
        Entry *entry = added(words, word);
        Py_DECREF(word);
        if (entry != NULL)
            entry->begins = 1;
        else if (PyErr_Occurred())
            break;
    }
    Py_XDECREF(all);
    return PyErr_Occurred() ? -1 : 0;
}

/* Words(bits, begins): a dict of words and their bits, a frozenset of the words that may begin a word of two parts. */
static PyObject *words_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *bits, *begins;
    if (kwargs != NULL || !PyArg_ParseTuple(args, "O!O!", &PyDict_Type, &bits, &PyFrozenSet_Type, &begins))
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "Words takes positions alone");
    Words *words = (Words *)type->tp_alloc(type, 0);
    if (words != NULL && fill(words, bits, begins))
        Py_CLEAR(words);
    return (PyObject *)words;
}

static void words_dealloc(PyObject *self)
{
    PyMem_Free(((Words *)self)->entries);
    PyMem_Free(((Words *)self)->pool);
    Py_TYPE(self)->tp_free(self);
}

PyTypeObject WordsType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "crfclean.core._core.Words",
    .tp_basicsize = sizeof(Words),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "A table of words.",
    .tp_new = words_new,
    .tp_dealloc = words_dealloc,
};

static inline int is_lower(Py_UCS4 code) { return 'a' <= code && code <= 'z'; }
static inline int is_upper(Py_UCS4 code) { return 'A' <= code && code <= 'Z'; }

/* Find the next word of a name from `*at` on, `[A-Z]?[a-z]+|[A-Z]+(?![a-z])`, and write it to `word` in lower case.
 * Return its length, 0 for none, and set `*at` to its end. */
static inline Py_ssize_t next_word(int kind, const void *chars, Py_ssize_t size, Py_ssize_t *at, char *word)
{
    Py_ssize_t start = *at, end;
    while (start < size && !is_lower(PyUnicode_READ(kind, chars, start))
           && !is_upper(PyUnicode_READ(kind, chars, start)))
        start++;
    if (start >= size)
        return 0;
    for (end = start; end < size && is_upper(PyUnicode_READ(kind, chars, end));)
        end++;
    Py_ssize_t uppers = end - start;
    int lower_follows = end < size && is_lower(PyUnicode_READ(kind, chars, end));
    if (uppers > 1 && lower_follows)
        end--; /* the last capital begins the next word */
    else
        while (end < size && is_lower(PyUnicode_READ(kind, chars, end)))
            end++;
    for (Py_ssize_t i = start; i < end; i++)
        word[i - start] = (char)(PyUnicode_READ(kind, chars, i) | 0x20);
    *at = end;
    return end - start;
}

/* Return the bits of a name. Two words in a row may form one, if the first may begin one. */
static inline int64_t bits_of(int kind, const void *chars, Py_ssize_t size, const Words *words, char *word)
{
    Py_ssize_t at = 0, before = 0, length;
    int64_t bits = 0;
    while ((length = next_word(kind, chars, size, &at, word + before))) { /* behind the word before */
        const Entry *own = place_of(words, word + before, length, hash_of(word + before, length));
        bits |= own->bits;
        if (before)
            bits |= place_of(words, word, before + length, hash_of(word, before + length))->bits;
        if (own->begins)
            memmove(word, word + before, (size_t)length);
        before = own->begins ? length : 0;
    }
    return bits;
}

static int64_t name_bits(PyObject *name, Py_ssize_t most, const Words *words, char *word)
{
    Py_ssize_t size = PyUnicode_GET_LENGTH(name);
    const void *chars = PyUnicode_DATA(name);
    size = size > most ? most : size;
    return PyUnicode_KIND(name) == 1 ? bits_of(1, chars, size, words, word)
                                     : bits_of(PyUnicode_KIND(name), chars, size, words, word);
}

/* Return the bits of two texts joined by a space; the first `most` characters are read. */
static int64_t bits_of_pair(PyObject *first, PyObject *second, Py_ssize_t most, const Words *words, Py_UCS4 *room,
                            char *word)
{
    Py_ssize_t size = 0;
    for (Py_ssize_t i = 0; i < PyUnicode_GET_LENGTH(first) && size < most; i++)
        room[size++] = PyUnicode_READ_CHAR(first, i);
    if (size < most)
        room[size++] = ' ';
    for (Py_ssize_t i = 0; i < PyUnicode_GET_LENGTH(second) && size < most; i++)
        room[size++] = PyUnicode_READ_CHAR(second, i);
    return bits_of(PyUnicode_4BYTE_KIND, room, size, words, word);
}

/* Return whether each item of a list or tuple is a text. */
static int are_texts(PyObject *items)
{
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items); i++)
        if (!PyUnicode_Check(PySequence_Fast_GET_ITEM(items, i)))
            return 0;
    return 1;
}

#define MOST_NAME 1000 /* characters of a name that may be read */

/* Number the pairs of arrays[0] and arrays[1] in `which`; the bits of each pair in `bits`. */
static Py_ssize_t number_pairs(Pairs *pairs, const Array *arrays, PyObject *firsts, PyObject *seconds,
                               Py_ssize_t most, const Words *words, int64_t *which, int64_t *bits)
{
    const int64_t *first = arrays[0].view.buf, *second = arrays[1].view.buf;
    Py_UCS4 room[MOST_NAME];
    char word[2 * MOST_NAME + 1];
    for (Py_ssize_t i = 0; i < arrays[0].count; i++) {
        if (first[i] < 0 || first[i] >= PyList_GET_SIZE(firsts) || second[i] < 0
            || second[i] >= PyList_GET_SIZE(seconds))
            return -1;
        int64_t known = pairs->next;
        which[i] = number_of_pair(pairs, first[i], second[i]);
        if (pairs->next > known)
            bits[known] = bits_of_pair(PyList_GET_ITEM(firsts, first[i]), PyList_GET_ITEM(seconds, second[i]), most,
                                       words, room, word);
    }
    return pairs->next;
}

/* pair_bits(class_number, classes, id_number, ids, most, words): the place of each element's class in `classes`, int64
 * (m,), and the same for ids -> the number of each pair, int64 (m,), and the bits of each distinct pair, int64. */
PyObject *core_pair_bits(PyObject *self, PyObject *args, PyObject *named)
{
    (void)self;
    static char *names[] = {"class_number", "classes", "id_number", "ids", "most", "words", NULL};
    static const int widths[2] = {8, 8};
    Array arrays[2];
    PyObject *objects[2], *classes, *ids;
    Words *words;
    Py_ssize_t most, size = -1;
    if (!PyArg_ParseTupleAndKeywords(args, named, "$OO!OO!nO!", names, &objects[0], &PyList_Type, &classes, &objects[1],
                                     &PyList_Type, &ids, &most, &WordsType, &words))
        return NULL;
    if (!are_texts(classes) || !are_texts(ids))
        return PyErr_Format(PyExc_TypeError, "pair_bits: each class and id is a str");
    if (open_arrays(objects, 2, widths, arrays))
        return NULL;
    Pairs pairs = {NULL, 0, 0, 0};
    PyObject *which = PyBytes_FromStringAndSize(NULL, arrays[0].view.len), *pair = NULL;
    int64_t *bits = PyMem_Malloc((size_t)arrays[0].view.len + 8);
    if (which == NULL || bits == NULL || open_pairs(&pairs, arrays[0].count))
        PyErr_NoMemory();
    else if (arrays[0].count != arrays[1].count || most < 0 || most > MOST_NAME
             || (size = number_pairs(&pairs, arrays, classes, ids, most, words,
                                     (int64_t *)(void *)PyBytes_AS_STRING(which), bits)) < 0)
        PyErr_SetString(PyExc_ValueError, "pair_bits: no such texts");
    else
        pair = Py_BuildValue("Oy#", which, (const char *)bits, size * (Py_ssize_t)sizeof *bits);
    Py_XDECREF(which);
    PyMem_Free(bits);
    PyMem_RawFree(pairs.slots);
    close_arrays(arrays, 2);
    return pair;
}

/* Return whether a text, from `at` on, begins with some ASCII letters in any case. */
static int begins_with(PyObject *text, Py_ssize_t at, PyObject *start)
{
    if (!PyUnicode_IS_ASCII(start) || PyUnicode_GET_LENGTH(text) - at < PyUnicode_GET_LENGTH(start))
        return 0;
    for (Py_ssize_t i = 0; i < PyUnicode_GET_LENGTH(start); i++) {
        Py_UCS4 code = PyUnicode_READ_CHAR(text, at + i);
        if ((is_upper(code) ? code | 0x20 : code) != PyUnicode_READ_CHAR(start, i))
            return 0;
    }
    return 1;
}

enum { FRAGMENT = 1, ACTION = 2, ABSOLUTE = 4, TO_TAG = 8, TO_SHARE = 16,
       TO_NETWORK = 32, TO_HOME = 64 };

/* An address without the white space around it. */
typedef struct {
    const void *chars;
    Py_ssize_t at, size;
    int kind;
} Href;

/* A character of an address; 0 beyond its end. */
static inline Py_UCS4 code_at(const Href *href, Py_ssize_t at)
{
    return at < href->size ? PyUnicode_READ(href->kind, href->chars, at) : 0;
}

/* Return the character in lower case, if that is one character. */
static inline Py_UCS4 lower_at(const Href *href, Py_ssize_t at)
{
    Py_UCS4 code = code_at(href, at);
    return code < 128 ? (is_upper(code) ? code | 0x20 : code) : code == 0x130 ? code : Py_UNICODE_TOLOWER(code);
}

static inline int is_word_char(Py_UCS4 code) { return code == '_' || Py_UNICODE_ISALNUM(code); }

static int has_at(const Href *href, Py_ssize_t at, const char *ascii)
{
    for (; *ascii; ascii++, at++)
        if (lower_at(href, at) != (Py_UCS4)*ascii)
            return 0;
    return 1;
}

#define MOST_HOST 32 /* characters of a host's name that are looked up */

/* Return whether a name of the table and the end of a host stand at a place. */
static int is_host_at(const Href *href, Py_ssize_t at, const Words *hosts)
{
    static const char *const ends[] = {".com", ".net", ".me", ".be"};
    char name[MOST_HOST];
    Py_ssize_t size = 0;
    for (Py_UCS4 code; size < MOST_HOST && is_lower(code = lower_at(href, at + size)); size++)
        name[size] = (char)code;
    if (!size || size == MOST_HOST || !place_of(hosts, name, size, hash_of(name, size))->length)
        return 0;
    for (int i = 0; i < 4; i++) {
        Py_ssize_t end = at + size + (Py_ssize_t)strlen(ends[i]);
        if (has_at(href, at + size, ends[i]) && (end >= href->size || !is_word_char(lower_at(href, end))))
            return 1;
    }
    return 0;
}

/* Return the place after "http:" or "https:" if an address begins so, else its beginning. */
static Py_ssize_t after_scheme(const Href *href, int in_lower)
{
    Py_ssize_t at = href->at + 4 + ((in_lower ? lower_at : code_at)(href, href->at + 4) == 's');
    for (int i = 0; i < 4; i++)
        if ((in_lower ? lower_at : code_at)(href, href->at + i) != (Py_UCS4)"http"[i])
            return href->at;
    return code_at(href, at) == ':' ? at + 1 : href->at;
}

/* Return whether an address is on the host of a network: `(?:https?:)?//(?:[a-z]{1,4}\.)?NAME\.(?:com|net|me|be)\b`. */
static int is_network(const Href *href, const Words *hosts)
{
    Py_ssize_t at = after_scheme(href, 1), label = 0;
    if (code_at(href, at) != '/' || code_at(href, at + 1) != '/')
        return 0;
    at += 2;
    while (label < 4 && is_lower(lower_at(href, at + label)))
        label++;
    return is_host_at(href, at, hosts)
           || (label && code_at(href, at + label) == '.' && is_host_at(href, at + label + 1, hosts));
}

/* Return whether an address is that of a site's first page: `(?:https?:)?(?://[^/?#]+)?/?(?:\./|index\.\w{2,5})?`. */
static int is_home(const Href *href)
{
    Py_ssize_t at = after_scheme(href, 0), size = href->size;
    if (code_at(href, at) == '/' && code_at(href, at + 1) == '/' && at + 2 < size && code_at(href, at + 2) != '/'
        && code_at(href, at + 2) != '?' && code_at(href, at + 2) != '#')
        for (at += 2; at < size && code_at(href, at) != '/' && code_at(href, at) != '?' && code_at(href, at) != '#';)
            at++;
    at += at < size && code_at(href, at) == '/';
    if (at == size || (size - at == 2 && code_at(href, at) == '.' && code_at(href, at + 1) == '/'))
        return 1;
    static const char index[] = "index.";
    for (int i = 0; i < 6; i++)
        if (code_at(href, at + i) != (Py_UCS4)index[i])
            return 0;
    for (Py_ssize_t i = at + 6; i < size; i++)
        if (!is_word_char(code_at(href, i)))
            return 0;
    return size - at >= 8 && size - at <= 11;
}

/* The parameters of `href_bits`. */
typedef struct {
    const Words *words, *hosts;
    PyObject *actions;
    int64_t tagged, sharing;
    Py_ssize_t most, most_home, cut; /* characters: for names, of a first page; of an address that was cut off */
} Asked;

static uint8_t kinds_of_href(PyObject *text, const Asked *asked)
{
    Py_ssize_t size = PyUnicode_GET_LENGTH(text), at = 0;
    uint8_t kinds = 0;
    while (at < size && Py_UNICODE_ISSPACE(PyUnicode_READ_CHAR(text, at)))
        at++;
    while (size > at && Py_UNICODE_ISSPACE(PyUnicode_READ_CHAR(text, size - 1)))
        size--;
    const Href href = {PyUnicode_DATA(text), at, size, (int)PyUnicode_KIND(text)};
    if (code_at(&href, at) == '#')
        kinds |= FRAGMENT;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(asked->actions); i++)
        kinds |= begins_with(text, at, PyTuple_GET_ITEM(asked->actions, i)) ? ACTION : 0;
    for (Py_ssize_t i = at; i + 1 < size && i < at + 6; i++) { /* "//", or "://" in the first eight */
        int slashes = code_at(&href, i) == '/' && code_at(&href, i + 1) == '/';
        kinds |= slashes && (i == at || code_at(&href, i - 1) == ':') ? ABSOLUTE : 0;
    }
    if (at + 7 < size && code_at(&href, at + 5) == ':' && code_at(&href, at + 6) == '/' && code_at(&href, at + 7) == '/')
        kinds |= ABSOLUTE;
    kinds |= is_network(&href, asked->hosts) ? TO_NETWORK : 0;
    if (at < size && size - at <= asked->most_home && PyUnicode_GET_LENGTH(text) < asked->cut && is_home(&href))
        kinds |= TO_HOME;
    return kinds;
}

/* href_bits(hrefs, words, hosts, actions, tagged, sharing, most, most_home, cut): a list of addresses; words of names, and
 * of hosts; lower-case beginnings of actions; bits of words that mark pages of tags, and pages for sharing; the
 * characters to read for names, the most characters of a site's first page, and the length from which an address was
 * cut off, so that it is no first page -> bits of each address, bytes of uint8. */
PyObject *core_href_bits(PyObject *self, PyObject *args, PyObject *named)
{
    (void)self;
    static char *names[] = {"hrefs", "words", "hosts", "actions", "tagged", "sharing", "most", "most_home", "cut", NULL};
    PyObject *hrefs;
    long long tagged, sharing;
    Asked asked;
    if (!PyArg_ParseTupleAndKeywords(args, named, "$O!O!O!O!LLnnn", names, &PyList_Type, &hrefs, &WordsType, &asked.words,
                                     &WordsType, &asked.hosts, &PyTuple_Type, &asked.actions, &tagged, &sharing,
                                     &asked.most, &asked.most_home, &asked.cut))
        return NULL;
    if (!are_texts(hrefs) || !are_texts(asked.actions))
        return PyErr_Format(PyExc_TypeError, "href_bits: each address and each beginning is a str");
    if (asked.most < 0 || asked.most > MOST_NAME)
        return PyErr_Format(PyExc_ValueError, "href_bits: bad number of characters");
    char word[2 * MOST_NAME + 1];
    PyObject *array = PyBytes_FromStringAndSize(NULL, PyList_GET_SIZE(hrefs));
    for (Py_ssize_t i = 0; array != NULL && i < PyList_GET_SIZE(hrefs); i++) {
        PyObject *href = PyList_GET_ITEM(hrefs, i);
        int64_t bits = name_bits(href, asked.most, asked.words, word);
        int named = (bits & tagged ? TO_TAG : 0) | (bits & sharing ? TO_SHARE : 0);
        PyBytes_AS_STRING(array)[i] = (char)(kinds_of_href(href, &asked) | named);
    }
    return array;
}

/* The tokens of a text: runs of letters and numbers in lower case. In scripts without spaces between words, each
 * character is a token. */
typedef struct {
    PyObject *text; /* owned */
    int kind;
    const void *chars;
    Py_ssize_t size, at;
    char *token; /* the last one, in UTF-8 */
    Py_ssize_t length;
    uint32_t hash;
} Tokens;

#define ALPHABETS 0x530 /* all characters of Latin, Greek and Cyrillic are below */
#define MOST_BYTES 4    /* of a character in UTF-8 */

/* The lower case of letters and numbers below `ALPHABETS`, 0 for other characters; filled at the first use. */
static uint16_t PLAIN[ALPHABETS];

static void fill_plain(void)
{
    for (Py_UCS4 code = '0'; code < ALPHABETS; code++)
        PLAIN[code] = (uint16_t)(Py_UNICODE_ISALNUM(code) ? Py_UNICODE_TOLOWER(code) : 0);
}

/* Ranges of characters of the scripts Thai, Han, Hiragana and Katakana (Unicode 17). */
static const Py_UCS4 UNSPACED[][2] = {
    {0xE01, 0xE3A},     {0xE40, 0xE5B},     {0x2E80, 0x2E99},   {0x2E9B, 0x2EF3},   {0x2F00, 0x2FD5},
    {0x3005, 0x3005},   {0x3007, 0x3007},   {0x3021, 0x3029},   {0x3038, 0x303B},   {0x3041, 0x3096},
    {0x309D, 0x309F},   {0x30A1, 0x30FA},   {0x30FD, 0x30FF},   {0x31F0, 0x31FF},   {0x32D0, 0x32FE},
    {0x3300, 0x3357},   {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFA6D},   {0xFA70, 0xFAD9},
    {0xFF66, 0xFF6F},   {0xFF71, 0xFF9D},   {0x16FE2, 0x16FE3}, {0x16FF0, 0x16FF6}, {0x1AFF0, 0x1AFF3},
    {0x1AFF5, 0x1AFFB}, {0x1AFFD, 0x1AFFE}, {0x1B000, 0x1B128}, {0x1B132, 0x1B132}, {0x1B150, 0x1B152},
    {0x1B155, 0x1B155}, {0x1B164, 0x1B168}, {0x1F200, 0x1F200}, {0x20000, 0x2A6DF}, {0x2A700, 0x2B81E},
    {0x2B820, 0x2CEAD}, {0x2CEB0, 0x2EBE0}, {0x2EBF0, 0x2EE5D}, {0x2F800, 0x2FA1D}, {0x30000, 0x3134A},
    {0x31350, 0x33479},
};

static inline int is_unspaced(Py_UCS4 code)
{
    int low = 0, high = (int)(sizeof UNSPACED / sizeof *UNSPACED);
    if (0x4E00 <= code && code <= 0x9FFF)
        return 1;
    while (low < high) { /* the first range that does not end before the character */
        int middle = (low + high) / 2;
        if (UNSPACED[middle][1] < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low < (int)(sizeof UNSPACED / sizeof *UNSPACED) && UNSPACED[low][0] <= code;
}

/* Write a character in UTF-8; returns the end. */
static inline char *put(char *end, Py_UCS4 code)
{
    if (code < 0x80) {
        *end++ = (char)code;
        return end;
    }
    if (code < 0x800)
        *end++ = (char)(0xC0 | code >> 6);
    else {
        if (code < 0x10000)
            *end++ = (char)(0xE0 | code >> 12);
        else {
            *end++ = (char)(0xF0 | code >> 18);
            *end++ = (char)(0x80 | (code >> 12 & 0x3F));
        }
        *end++ = (char)(0x80 | (code >> 6 & 0x3F));
    }
    *end++ = (char)(0x80 | (code & 0x3F));
    return end;
}

static inline int next_token_of(int kind, Tokens *tokens)
{
    char *token = tokens->token + tokens->length, *end = token;
    Py_ssize_t at = tokens->at, size = tokens->size;
    for (; at < size; at++) {
        Py_UCS4 code = PyUnicode_READ(kind, tokens->chars, at), plain;
        if (code < ALPHABETS)
            plain = PLAIN[code];
        else if (is_unspaced(code)) {
            if (end == token) {
                end = put(end, code);
                at++;
            }
            break;
        } else
            plain = Py_UNICODE_ISALNUM(code) ? Py_UNICODE_TOLOWER(code) : 0;
        if (plain)
            end = put(end, plain);
        else if (end > token)
            break;
    }
    tokens->at = at;
    tokens->token = token;
    tokens->length = end - token;
    tokens->hash = end > token ? hash_of(token, end - token) : 0;
    return end > token;
}

/* Read the next token; 0 at the end. */
static int next_token(Tokens *tokens)
{
    return tokens->kind == 1   ? next_token_of(1, tokens)
           : tokens->kind == 2 ? next_token_of(2, tokens)
                               : next_token_of(4, tokens);
}

/* Open a text, with room for `MOST_BYTES` a character; -1 with an exception. */
static int open_tokens(PyObject *text, char *room, Tokens *tokens)
{
    if (!PLAIN['0'])
        fill_plain();
    PyObject *plain = without_odd_case(text, PyUnicode_GET_LENGTH(text));
    if (plain == NULL)
        return -1;
    *tokens = (Tokens){plain, (int)PyUnicode_KIND(plain), PyUnicode_DATA(plain), PyUnicode_GET_LENGTH(plain), 0, room, 0, 0};
    return 0;
}

static void close_tokens(Tokens *tokens) { Py_DECREF(tokens->text); }

/* Return the length of the longest text of those in the mask `asked` (NULL: of all); -1 with an exception. */
static Py_ssize_t longest_of(PyObject *texts, const uint8_t *asked)
{
    Py_ssize_t longest = 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(texts); i++) {
        PyObject *text = PyTuple_GET_ITEM(texts, i);
        if (!PyUnicode_Check(text)) {
            PyErr_SetString(PyExc_TypeError, "each text is a str");
            return -1;
        }
        if ((asked == NULL || asked[i]) && PyUnicode_GET_LENGTH(text) > longest)
            longest = PyUnicode_GET_LENGTH(text);
    }
    return longest;
}

/* The tokens of a text as a list; NULL with an exception. */
static PyObject *token_list(PyObject *text, char *room)
{
    Tokens tokens;
    PyObject *list = open_tokens(text, room, &tokens) ? NULL : PyList_New(0);
    if (list == NULL)
        return NULL;
    while (list != NULL && next_token(&tokens)) {
        PyObject *token = PyUnicode_FromStringAndSize(tokens.token, tokens.length);
        if (token == NULL || PyList_Append(list, token))
            Py_CLEAR(list);
        Py_XDECREF(token);
    }
    close_tokens(&tokens);
    return list;
}

/* tokens(texts): a tuple of str -> the list of tokens of each. */
PyObject *core_tokens(PyObject *self, PyObject *texts)
{
    (void)self;
    if (!PyTuple_Check(texts))
        return PyErr_Format(PyExc_TypeError, "tokens(texts): a tuple");
    Py_ssize_t count = PyTuple_GET_SIZE(texts), longest = longest_of(texts, NULL);
    char *room = longest < 0 ? NULL : PyMem_Malloc(MOST_BYTES * (size_t)longest + 1);
    if (room == NULL)
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    PyObject *lists = PyList_New(count);
    for (Py_ssize_t i = 0; lists != NULL && i < count; i++) {
        PyObject *list = token_list(PyTuple_GET_ITEM(texts, i), room);
        if (list == NULL)
            Py_CLEAR(lists);
        else
            PyList_SET_ITEM(lists, i, list);
    }
    PyMem_Free(room);
    return lists;
}

/* Number the words of lists of tokens, and their sequences of three tokens; -1 with an exception. */
static int read_sequences(PyObject *lists, Words *words, Pairs *pairs)
{
    int64_t numbers = 0;
    for (Py_ssize_t k = 0; k < PyList_GET_SIZE(lists); k++) {
        PyObject *tokens = PyList_GET_ITEM(lists, k);
        int64_t last[2] = {0, 0}; /* 0: not in the table */
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(tokens); i++) {
            Entry *entry = added(words, PyList_GET_ITEM(tokens, i));
            if (PyErr_Occurred())
                return -1;
            if (entry != NULL && !entry->bits)
                entry->bits = ++numbers;
            int64_t number = entry == NULL ? 0 : entry->bits;
            if (last[0] && last[1] && number)
                number_of_pair(pairs, last[0] << 31 | last[1], number);
            last[0] = last[1], last[1] = number;
        }
    }
    return 0;
}

/* The share of a text's sequences of three tokens that are among the pairs; -1 with an exception. */
static double share_of_sequences(PyObject *text, const Words *words, const Pairs *pairs, char *room)
{
    Tokens tokens;
    int64_t last[2] = {0, 0}, hits = 0, count = 0;
    if (open_tokens(text, room, &tokens))
        return -1.0;
    for (; next_token(&tokens); count++) {
        int64_t number = place_of(words, tokens.token, tokens.length, tokens.hash)->bits;
        if (number && last[0] && last[1])
            hits += has_pair(pairs, last[0] << 31 | last[1], number);
        last[0] = last[1], last[1] = number;
    }
    close_tokens(&tokens);
    return (double)hits / (double)(count > 3 ? count - 2 : 1);
}

/* The tokens of all lists, -1 with an exception where they are no lists, or too many. */
static Py_ssize_t count_tokens(PyObject *lists)
{
    Py_ssize_t count = 0;
    for (Py_ssize_t k = 0; k < PyList_GET_SIZE(lists); k++) {
        if (!PyList_Check(PyList_GET_ITEM(lists, k))) {
            PyErr_SetString(PyExc_TypeError, "cover: lists of lists");
            return -1;
        }
        count += PyList_GET_SIZE(PyList_GET_ITEM(lists, k));
    }
    if (count < INT32_MAX / 2)
        return count;
    PyErr_SetString(PyExc_ValueError, "cover: too many words");
    return -1;
}

/* cover(texts, lists): a tuple of str, a list of lists of tokens -> the share of each text's sequences of
 * three tokens that are in the lists, double (n,). */
PyObject *core_cover(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    (void)self;
    if (n != 2 || !PyTuple_Check(args[0]) || !PyList_Check(args[1]))
        return PyErr_Format(PyExc_TypeError, "cover(texts, lists)");
    Py_ssize_t count = PyTuple_GET_SIZE(args[0]), longest = longest_of(args[0], NULL), tokens = count_tokens(args[1]);
    if (longest < 0 || tokens < 0)
        return NULL;
    Words words = {.room = 16};
    Pairs pairs = {NULL, 0, 0, 0};
    while (words.room < 2 * (size_t)tokens + 2)
        words.room *= 2;
    words.entries = PyMem_Calloc(words.room, sizeof *words.entries);
    char *room = PyMem_Malloc(MOST_BYTES * (size_t)longest + 1);
    PyObject *array = NULL;
    if (words.entries == NULL || room == NULL || open_pairs(&pairs, tokens))
        PyErr_NoMemory();
    else if (!read_sequences(args[1], &words, &pairs))
        array = PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(double));
    for (Py_ssize_t i = 0; array != NULL && i < count; i++) {
        double share = share_of_sequences(PyTuple_GET_ITEM(args[0], i), &words, &pairs, room);
        ((double *)(void *)PyBytes_AS_STRING(array))[i] = share;
        if (share < 0)
            Py_CLEAR(array);
    }
    PyMem_Free(room);
    PyMem_RawFree(pairs.slots);
    PyMem_Free(words.entries);
    PyMem_Free(words.pool);
    return array;
}

/* A token of a text; `next` is the previous token in the same chain of the hash table, -1 for none. */
typedef struct {
    const char *token;
    uint64_t titles; /* bits */
    int32_t length, next;
    uint32_t hash;
} Slot;

#define MOST_TITLES 63 /* bits of a word that say which titles have it */

/* Titles, and how alike a text is to them. */
typedef struct {
    const Words *words;                    /* whose bits are those of titles */
    const int64_t *sizes, *plain_sizes;    /* tokens of each title; the same, 0 for those with weights only */
    const double *weights;
    Py_ssize_t count;
    double plain, weighted, single; /* the result */
} Titles;

static double dice_of(int64_t shared, double tokens, double weight)
{
    return weight * 2.0 * (double)shared / tokens;
}

/* Compare a text of `distinct` tokens with the titles that share tokens with it. */
static void liken_tokens(Titles *titles, const int64_t *shared, int64_t distinct)
{
    titles->plain = titles->weighted = titles->single = 0.0;
    for (Py_ssize_t k = 0; k < titles->count; k++) {
        int64_t size = titles->sizes[k];
        double tokens = (double)distinct + (double)size;
        double weighted = shared[k] ? dice_of(shared[k], tokens, titles->weights[k]) : 0.0;
        double plain = shared[k] && titles->plain_sizes[k] ? dice_of(shared[k], tokens, 1.0) : 0.0;
        if (distinct > 1 && plain > titles->plain)
            titles->plain = plain;
        if (distinct > 1 && size > 1 && weighted > titles->weighted)
            titles->weighted = weighted;
        if (distinct == 1 && size == 1 && shared[k])
            titles->single = titles->weights[k];
    }
}

/* Count the distinct tokens among a text's `count` tokens, and how many each title shares; return the number of
 * distinct tokens. `chains` holds the last token of each chain: room for `count`, rounded up to a power of two. */
static int64_t share_titles(Slot *slots, int32_t count, int32_t *chains, int64_t *shared)
{
    uint32_t room = 16;
    int64_t distinct = 0;
    while (room < (uint32_t)count)
        room *= 2;
    memset(chains, 0xFF, room * sizeof *chains);
    for (int32_t i = 0, other; i < count; i++) {
        const Slot *slot = slots + i;
        int32_t *chain = chains + ((slot->hash ^ slot->hash >> 15) & (room - 1));
        for (other = *chain; other >= 0; other = slots[other].next)
            if (slots[other].hash == slot->hash && slots[other].length == slot->length
                && memcmp(slots[other].token, slot->token, (size_t)slot->length) == 0)
                break;
        if (other >= 0)
            continue;
        slots[i].next = *chain;
        *chain = i;
        distinct++;
        for (uint64_t bits = slot->titles; bits; bits &= bits - 1)
            shared[lowest_bit(bits)]++;
    }
    return distinct;
}

/* Room for the longest text to compare: its tokens in UTF-8, a slot for each, and their chains. */
typedef struct {
    char *tokens;
    Slot *slots;
    int32_t *chains;
} Room;

static void close_room(Room *room)
{
    PyMem_Free(room->tokens);
    PyMem_Free(room->slots);
    PyMem_Free(room->chains);
}

/* Make room for so many characters; -1 with an exception. */
static int open_room(Py_ssize_t chars, Room *room)
{
    size_t size = (size_t)chars + 1;
    *room = (Room){PyMem_Malloc(MOST_BYTES * size), PyMem_Malloc(size * sizeof(Slot)),
                   PyMem_Malloc((2 * size + 16) * sizeof(int32_t))};
    if (room->tokens != NULL && room->slots != NULL && room->chains != NULL && chars < INT32_MAX / 4)
        return 0;
    close_room(room);
    PyErr_NoMemory();
    return -1;
}

/* Compare a text with the titles; -1 with an exception. */
static int liken(PyObject *text, Titles *titles, Room *room)
{
    Tokens tokens;
    int64_t shared[64] = {0};
    uint64_t any = 0;
    int32_t count = 0;
    if (open_tokens(text, room->tokens, &tokens))
        return -1;
    for (; next_token(&tokens); count++) {
        uint64_t bits = (uint64_t)place_of(titles->words, tokens.token, tokens.length, tokens.hash)->bits;
        room->slots[count] = (Slot){tokens.token, bits, (int32_t)tokens.length, -1, tokens.hash};
        any |= bits;
    }
    close_tokens(&tokens);
    liken_tokens(titles, shared, any ? share_titles(room->slots, count, room->chains, shared) : 0);
    return 0;
}

/* Compare the texts in the mask `asked` with the titles; -1 with an exception. */
static int liken_all(PyObject *texts, const uint8_t *asked, Titles *titles, double *rows)
{
    Room room;
    Py_ssize_t count = PyTuple_GET_SIZE(texts), longest = longest_of(texts, asked);
    if (longest < 0 || open_room(longest, &room))
        return -1;
    int failed = 0;
    for (Py_ssize_t i = 0; i < count && !failed; i++) {
        if (!asked[i])
            continue;
        failed = liken(PyTuple_GET_ITEM(texts, i), titles, &room);
        rows[i] = titles->plain;
        rows[count + i] = titles->weighted;
        rows[2 * count + i] = titles->single;
    }
    close_room(&room);
    return failed;
}

/* likeness(texts, asked, words, sizes, plain_sizes, weights): texts; which of them to compare, bool (n,); words whose bits
 * name up to 63 titles; the number of tokens of each title, and the same with 0 for titles that count only with
 * weights, int64; weights, double -> double (3, n), 0 for other texts: the largest Dice coefficient with a plain
 * title; the largest with a title of several tokens, times its weight; the weight of a title that is a text's only
 * token. */
PyObject *core_likeness(PyObject *self, PyObject *args, PyObject *named)
{
    (void)self;
    static char *names[] = {"texts", "asked", "words", "sizes", "plain_sizes", "weights", NULL};
    static const int widths[4] = {1, 8, 8, 8};
    Array arrays[4];
    PyObject *texts, *objects[4];
    Words *words;
    if (!PyArg_ParseTupleAndKeywords(args, named, "$O!OO!OOO", names, &PyTuple_Type, &texts, &objects[0], &WordsType,
                                     &words, &objects[1], &objects[2], &objects[3]))
        return NULL;
    if (open_arrays(objects, 4, widths, arrays))
        return NULL;
    Py_ssize_t count = PyTuple_GET_SIZE(texts);
    Titles titles = {words, arrays[1].view.buf, arrays[2].view.buf, arrays[3].view.buf, arrays[1].count, 0.0, 0.0, 0.0};
    PyObject *rows = NULL;
    if (arrays[0].count != count || titles.count > MOST_TITLES || arrays[2].count != titles.count
        || arrays[3].count != titles.count)
        PyErr_SetString(PyExc_ValueError, "likeness: other texts, or too many titles");
    else if ((rows = PyBytes_FromStringAndSize(NULL, 3 * count * 8)) != NULL) {
        memset(PyBytes_AS_STRING(rows), 0, 3 * (size_t)count * 8);
        if (liken_all(texts, arrays[0].view.buf, &titles, (double *)(void *)PyBytes_AS_STRING(rows)))
            Py_CLEAR(rows);
    }
    close_arrays(arrays, 4);
    return rows;
}
