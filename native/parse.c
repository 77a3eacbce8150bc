/* Parse a page with the libxml2 inside lxml's extension module, and pass the events to a `Walk` without a detour
 * through Python. The parser runs without the interpreter's lock and writes its events to a buffer. The walk reads
 * the buffer with the lock, many events at a time.
 *
 * The code calls only functions that libxml2 exports, and reads two members of its structures. It declares them
 * itself, so that a build needs no headers of libxml2. */
#include "core.h"

#ifndef _WIN32
#include <dlfcn.h>
#endif
#include <limits.h>

typedef unsigned char Byte;
typedef void (*Handler)(void);
typedef struct { /* xmlSAXHandler */
    void (*internal_subset)(void *, const Byte *, const Byte *, const Byte *);
    Handler unused[11];
    void (*start_document)(void *);
    Handler end_document;
    void (*start_element)(void *, const Byte *, const Byte **);
    void (*end_element)(void *, const Byte *);
    Handler reference;
    void (*characters)(void *, const Byte *, int);
    void (*ignorable)(void *, const Byte *, int);
    Handler others[6];
    void (*cdata)(void *, const Byte *, int);
    Handler external_subset;
    unsigned int initialized;
    void *private_data;
    Handler start_ns, end_ns;
    void (*error)(void *, const void *);
} Sax;

enum { UTF8 = 1, NO_MEMORY = 2, MAGIC = (int)0xDEEDBEAF };
/* recover, no errors, no warnings, no network, compact, huge: as lxml's parser of page/blocks.py */
enum { OPTIONS = 1 << 0 | 1 << 5 | 1 << 6 | 1 << 11 | 1 << 16 | 1 << 19 };

static struct {
    void *(*create)(Sax *, void *, const char *, int, const char *, int);
    int (*use_options)(void *, int);
    int (*parse_chunk)(void *, const char *, int, int);
    void (*stop)(void *);
    void (*start_document)(void *);
    void (*internal_subset)(void *, const Byte *, const Byte *, const Byte *);
    void (*free_document)(void *);
    void (*free_context)(void *);
} parser;
static int is_open;

/* open_parser(path of lxml's module): whether libxml2 was found in it. */
PyObject *core_open_parser(PyObject *self, PyObject *path)
{
    (void)self;
#ifndef _WIN32
    static const char *const NAMES[] = {"htmlCreatePushParserCtxt", "htmlCtxtUseOptions", "htmlParseChunk",
                                        "xmlStopParser", "xmlSAX2StartDocument", "xmlSAX2InternalSubset",
                                        "xmlFreeDoc", "htmlFreeParserCtxt"};
    const char *name = PyUnicode_AsUTF8(path);
    if (name == NULL)
        return NULL;
    void *library = dlopen(name, RTLD_NOW | RTLD_NOLOAD);
    is_open = library != NULL;
    for (size_t i = 0; is_open && i < sizeof NAMES / sizeof *NAMES; i++) {
        void *symbol = dlsym(library, NAMES[i]);
        memcpy((char *)&parser + i * sizeof symbol, &symbol, sizeof symbol);
        is_open = symbol != NULL;
    }
#endif
    return PyBool_FromLong(is_open);
}

enum { CACHED = 1024, LONGEST = 96, SETS = 512, MOST = 8 };
enum { START, END, TEXT }; /* kinds of events */
#define AT_ONCE (1 << 18)  /* bytes of events in the buffer before the walk gets them */

/* The attributes of an element: names and values in turn, and the mapping that holds them. */
typedef struct {
    PyObject *mapping, *texts[MOST];
} AttributeSet;

/* A name, value or text in the events. */
typedef struct {
    const Byte *bytes;
    size_t size;
} Part;

typedef struct {
    void *context;
    PyObject *walk, *no_attributes;
    PyThreadState *outside; /* the thread's state while the parser runs */
    int failed, full;       /* no memory for events */
    char *events;           /* int32 numbers and zero-terminated texts in turn */
    size_t size, room;
    Part *parts; /* names and values of one element */
    size_t parts_room;
    PyObject *texts[CACHED]; /* the latest ASCII texts: names and values repeat */
    AttributeSet sets[SETS]; /* the latest ones: elements with equal attributes share a mapping, which is only read */
} Parse;

/* Return the text of some bytes, the same object for equal bytes; a new reference. Names are interned. */
static PyObject *text_of(Parse *parse, const Byte *bytes, size_t size, int is_name)
{
    if (size > LONGEST)
        return PyUnicode_DecodeUTF8((const char *)bytes, (Py_ssize_t)size, NULL);
    uint64_t hash = is_name ? 7 : 2166136261u, part = 0;
    size_t at = 0;
    for (; at + sizeof part <= size; at += sizeof part) {
        memcpy(&part, bytes + at, sizeof part);
        hash = (hash ^ part) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    for (part = size; at < size; at++)
        part = part << 8 ^ bytes[at];
    hash = (hash ^ part) * 0x9E3779B97F4A7C15u;
    PyObject **place = parse->texts + (hash >> 48 & (CACHED - 1)), *text = *place;
    if (text != NULL && (size_t)PyUnicode_GET_LENGTH(text) == size
        && memcmp(PyUnicode_1BYTE_DATA(text), bytes, size) == 0)
        return Py_NewRef(text);
    text = PyUnicode_DecodeUTF8((const char *)bytes, (Py_ssize_t)size, NULL);
    if (text == NULL || !PyUnicode_IS_ASCII(text))
        return text;
    if (is_name)
        PyUnicode_InternInPlace(&text);
    Py_XSETREF(*place, Py_NewRef(text));
    return text;
}

/* The text of a name (an even place) or value; a new reference. */
static PyObject *text_at(Parse *parse, const Part *parts, Py_ssize_t place)
{
    return text_of(parse, parts[place].bytes, parts[place].size, place % 2 == 0);
}

static PyObject *new_mapping(Parse *parse, const Part *parts, Py_ssize_t count)
{
    PyObject *mapping = PyDict_New();
    for (Py_ssize_t i = 0; mapping != NULL && i < count; i += 2) {
        PyObject *name = text_at(parse, parts, i);
        PyObject *value = name == NULL ? NULL : text_at(parse, parts, i + 1);
        if (value == NULL || PyDict_SetItem(mapping, name, value))
            Py_CLEAR(mapping);
        Py_XDECREF(name);
        Py_XDECREF(value);
    }
    return mapping;
}

/* Return the place in the cache for the mapping of these texts; it may hold another mapping. */
static AttributeSet *set_of(Parse *parse, PyObject *const *texts)
{
    uint64_t hash = 0;
    for (int i = 0; i < MOST; i++)
        hash = (hash ^ (uintptr_t)texts[i] >> 4) * 0x9E3779B97F4A7C15u;
    return parse->sets + (hash >> 48 & (SETS - 1));
}

static PyObject *shared_mapping(Parse *parse, const Part *parts, Py_ssize_t count)
{
    PyObject *texts[MOST] = {NULL}, *mapping = NULL;
    int failed = 0;
    for (Py_ssize_t i = 0; i < count && !failed; i++)
        failed = (texts[i] = text_at(parse, parts, i)) == NULL;
    AttributeSet *set = set_of(parse, texts);
    if (!failed && set->mapping != NULL && memcmp(set->texts, texts, sizeof texts) == 0)
        mapping = Py_NewRef(set->mapping);
    else if (!failed && (mapping = PyDict_New()) != NULL) {
        for (Py_ssize_t i = 0; i < count && mapping != NULL; i += 2)
            if (PyDict_SetItem(mapping, texts[i], texts[i + 1]))
                Py_CLEAR(mapping);
        if (mapping != NULL && PyDict_GET_SIZE(mapping) * 2 == count) { /* it keeps all the texts alive */
            Py_XSETREF(set->mapping, Py_NewRef(mapping));
            memcpy(set->texts, texts, sizeof texts);
        }
    }
    for (Py_ssize_t i = 0; i < count; i++)
        Py_XDECREF(texts[i]);
    return mapping;
}

/* The attributes of an element as a mapping; a new reference. */
static PyObject *attributes_of(Parse *parse, const Part *parts, Py_ssize_t count)
{
    if (!count)
        return Py_NewRef(parse->no_attributes);
    return count <= MOST ? shared_mapping(parse, parts, count) : new_mapping(parse, parts, count);
}

static int begin(Parse *parse, PyObject *tag, const Part *parts, Py_ssize_t count)
{
    if (walk_counts_only(parse->walk))
        return walk_enter(parse->walk, tag, NULL);
    PyObject *attributes = attributes_of(parse, parts, count);
    int failed = attributes == NULL || walk_enter(parse->walk, tag, attributes);
    Py_XDECREF(attributes);
    return failed;
}

/* Return whether all bytes are ASCII white space, as `str.isspace` has it. */
static int is_blank(const Byte *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!((bytes[i] >= 9 && bytes[i] <= 13) || (bytes[i] >= 28 && bytes[i] <= 32)))
            return 0;
    return size > 0;
}

static int take(Parse *parse, Part text)
{
    if (walk_ignores(parse->walk, is_blank(text.bytes, text.size)))
        return 0;
    PyObject *taken = text_of(parse, text.bytes, text.size, 0);
    int failed = taken == NULL || walk_take(parse->walk, taken);
    Py_XDECREF(taken);
    return failed;
}

static int32_t next_number(const char **event)
{
    int32_t number;
    memcpy(&number, *event, sizeof number);
    *event += sizeof number;
    return number;
}

static Part next_part(const char **event)
{
    size_t size = (size_t)next_number(event);
    Part part = {(const Byte *)*event, size};
    *event += size;
    return part;
}

/* Pass the events so far to the walk; nonzero with an exception. */
static int replay(Parse *parse)
{
    const char *event = parse->events, *end = event + parse->size;
    int failed = 0;
    while (event < end && !failed) {
        int32_t kind = next_number(&event), count = kind == START ? next_number(&event) : 0;
        Part name = next_part(&event);
        for (int32_t i = 0; i < count; i++)
            parse->parts[i] = next_part(&event);
        if (kind == TEXT) {
            failed = take(parse, name);
            continue;
        }
        PyObject *tag = text_of(parse, name.bytes, name.size, 1);
        failed = tag == NULL || (kind == START ? begin(parse, tag, parse->parts, count) : walk_leave(parse->walk, tag));
        Py_XDECREF(tag);
    }
    parse->size = 0;
    return failed;
}

/* Make room for so many bytes and parts; 0 without memory. The interpreter's lock is not held. */
static int has_room(Parse *parse, size_t bytes, size_t parts)
{
    if (parse->size + bytes > parse->room) {
        size_t room = 2 * (parse->size + bytes);
        char *events = PyMem_RawRealloc(parse->events, room);
        if (events == NULL)
            return 0;
        parse->events = events, parse->room = room;
    }
    if (parts > parse->parts_room) {
        Part *grown = PyMem_RawRealloc(parse->parts, 2 * parts * sizeof *grown);
        if (grown == NULL)
            return 0;
        parse->parts = grown, parse->parts_room = 2 * parts;
    }
    return 1;
}

static void put_number(Parse *parse, size_t number)
{
    int32_t narrow = (int32_t)number;
    memcpy(parse->events + parse->size, &narrow, sizeof narrow);
    parse->size += sizeof narrow;
}

static void put_part(Parse *parse, const Byte *bytes, size_t size)
{
    put_number(parse, size);
    memcpy(parse->events + parse->size, bytes, size);
    parse->size += size;
}

/* Write an event to the buffer; pass all events to the walk when there are many. */
static void note(Parse *parse, int kind, Part name, const Byte **values)
{
    size_t count = 0, bytes = 3 * sizeof(int32_t) + name.size;
    if (parse->failed)
        return;
    for (; values != NULL && values[count] != NULL; count += 2)
        for (size_t i = count; i < count + 2; i++)
            bytes += sizeof(int32_t) + (values[i] == NULL ? 0 : strlen((const char *)values[i]));
    if (has_room(parse, bytes, count)) {
        put_number(parse, (size_t)kind);
        if (kind == START)
            put_number(parse, count);
        put_part(parse, name.bytes, name.size);
        for (size_t i = 0; i < count; i++) {
            const Byte *value = values[i] == NULL ? (const Byte *)"" : values[i];
            put_part(parse, value, strlen((const char *)value));
        }
    } else
        parse->failed = parse->full = 1;
    if (!parse->failed && parse->size > AT_ONCE) {
        PyEval_RestoreThread(parse->outside);
        parse->failed = replay(parse);
        parse->outside = PyEval_SaveThread();
    }
    if (parse->failed)
        parser.stop(parse->context);
}

static Part name_of(const Byte *name) { return (Part){name, strlen((const char *)name)}; }

static void start_element(void *data, const Byte *name, const Byte **values) { note(data, START, name_of(name), values); }

static void end_element(void *data, const Byte *name) { note(data, END, name_of(name), NULL); }

static void characters(void *data, const Byte *bytes, int size)
{
    if (size >= 0)
        note(data, TEXT, (Part){bytes, (size_t)size}, NULL);
}

static void no_characters(void *data, const Byte *bytes, int size)
{
    (void)data, (void)bytes, (void)size;
}

/* Note that the parser lacked memory and left out text: libxml2 only reports this as an error. */
static void note_error(void *data, const void *error)
{
    Parse *parse = data;
    if (((const int *)error)[1] == NO_MEMORY) /* its second member, in all versions */
        parse->failed = parse->full = 1;
}

/* Start the document: libxml2 keeps its type, which decides which white space counts, in an otherwise empty tree. */
static void start_document(void *data)
{
    Parse *parse = data;
    parser.start_document(parse->context);
}

static void internal_subset(void *data, const Byte *name, const Byte *external, const Byte *system)
{
    Parse *parse = data;
    parser.internal_subset(parse->context, name, external, system);
}

static void *document_of(void *context) /* its third member, in all versions */
{
    return ((void **)context)[2];
}

/* Let the parser read a page, without the interpreter's lock; -1 without memory. */
static int run_parser(Parse *parse, const char *source, Py_ssize_t size)
{
    Sax sax = {.internal_subset = internal_subset, .start_document = start_document,
               .start_element = start_element, .end_element = end_element, .characters = characters,
               .ignorable = no_characters, .cdata = characters, .initialized = (unsigned)MAGIC,
               .error = note_error};
    int first = size < 4 ? (int)size : 4; /* as lxml does: the rest follows in another call */
    parse->context = parser.create(&sax, parse, source, first, NULL, UTF8);
    if (parse->context == NULL)
        return -1;
    parser.use_options(parse->context, OPTIONS);
    if (size > first)
        parser.parse_chunk(parse->context, source + first, (int)(size - first), 0);
    if (!parse->failed)
        parser.parse_chunk(parse->context, NULL, 0, 1);
    void *document = document_of(parse->context);
    parser.free_context(parse->context);
    if (document != NULL)
        parser.free_document(document);
    return parse->full ? -1 : 0;
}

static int feed(Parse *parse, const char *source, Py_ssize_t size)
{
    parse->outside = PyEval_SaveThread();
    int full = run_parser(parse, source, size);
    PyEval_RestoreThread(parse->outside);
    if (full)
        PyErr_NoMemory();
    return full || parse->failed || replay(parse) ? -1 : 0;
}

/* parse(source in UTF-8, walk): pass the page's events to the walk; an exception of the walk ends the parse. */
PyObject *core_parse(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    (void)self;
    if (n != 2 || !PyBytes_Check(args[0]) || !PyObject_TypeCheck(args[1], &WalkType) || !is_open
        || PyBytes_GET_SIZE(args[0]) > INT_MAX) {
        PyErr_SetString(PyExc_TypeError, "parse(source, walk), after open_parser");
        return NULL;
    }
    Parse *parse = PyMem_Calloc(1, sizeof *parse);
    if (parse == NULL)
        return PyErr_NoMemory();
    parse->walk = args[1];
    parse->no_attributes = PyDict_New();
    int failed = parse->no_attributes == NULL
                 || feed(parse, PyBytes_AS_STRING(args[0]), PyBytes_GET_SIZE(args[0]));
    for (int i = 0; i < CACHED; i++)
        Py_XDECREF(parse->texts[i]);
    for (int i = 0; i < SETS; i++)
        Py_XDECREF(parse->sets[i].mapping);
    Py_XDECREF(parse->no_attributes);
    PyMem_RawFree(parse->events);
    PyMem_RawFree(parse->parts);
    PyMem_Free(parse);
    if (failed)
        return NULL;
    Py_RETURN_NONE;
}
