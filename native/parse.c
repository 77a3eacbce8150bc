/* Parse a page by the libxml2 that lxml brings, found in its extension module, and give the events to
 * a `Walk` without a detour over Python.
 *
 * Only functions that libxml2 exports are called; of its structures one member is read. The interface
 * is declared here, so that no headers of libxml2 need be installed. */
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

enum { UTF8 = 1, MAGIC = (int)0xDEEDBEAF };
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

/* The attributes of an element: names and values by turns, and the mapping that keeps them. */
typedef struct {
    PyObject *mapping, *texts[MOST];
} AttributeSet;

typedef struct {
    void *context;
    PyObject *walk, *no_attributes;
    int failed;
    PyObject *texts[CACHED]; /* texts in ASCII that were seen last: names and values repeat */
    AttributeSet sets[SETS]; /* those that were seen last: like elements share a mapping, which is only read */
} Parse;

/* The text of some bytes, one object for equal ones; a new reference. Names are interned. */
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
static PyObject *text_at(Parse *parse, const Byte **values, Py_ssize_t place)
{
    const Byte *bytes = values[place] == NULL ? (const Byte *)"" : values[place];
    return text_of(parse, bytes, strlen((const char *)bytes), place % 2 == 0);
}

static PyObject *new_mapping(Parse *parse, const Byte **values, Py_ssize_t count)
{
    PyObject *mapping = PyDict_New();
    for (Py_ssize_t i = 0; mapping != NULL && i < count; i += 2) {
        PyObject *name = text_at(parse, values, i);
        PyObject *value = name == NULL ? NULL : text_at(parse, values, i + 1);
        if (value == NULL || PyDict_SetItem(mapping, name, value))
            Py_CLEAR(mapping);
        Py_XDECREF(name);
        Py_XDECREF(value);
    }
    return mapping;
}

/* The place in the cache of the mapping of these texts, which may have another one. */
static AttributeSet *set_of(Parse *parse, PyObject *const *texts)
{
    uint64_t hash = 0;
    for (int i = 0; i < MOST; i++)
        hash = (hash ^ (uintptr_t)texts[i] >> 4) * 0x9E3779B97F4A7C15u;
    return parse->sets + (hash >> 48 & (SETS - 1));
}

static PyObject *shared_mapping(Parse *parse, const Byte **values, Py_ssize_t count)
{
    PyObject *texts[MOST] = {NULL}, *mapping = NULL;
    int failed = 0;
    for (Py_ssize_t i = 0; i < count && !failed; i++)
        failed = (texts[i] = text_at(parse, values, i)) == NULL;
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
static PyObject *attributes_of(Parse *parse, const Byte **values)
{
    Py_ssize_t count = 0;
    while (values != NULL && values[count] != NULL)
        count += 2;
    if (!count)
        return Py_NewRef(parse->no_attributes);
    return count <= MOST ? shared_mapping(parse, values, count) : new_mapping(parse, values, count);
}

static void end_if(Parse *parse, int failed)
{
    if (failed) {
        parse->failed = 1;
        parser.stop(parse->context);
    }
}

static void start_element(void *data, const Byte *name, const Byte **values)
{
    Parse *parse = data;
    if (parse->failed)
        return;
    PyObject *tag = text_of(parse, name, strlen((const char *)name), 1), *attributes = NULL;
    int counts = walk_counts_only(parse->walk);
    if (tag != NULL && !counts)
        attributes = attributes_of(parse, values);
    end_if(parse, tag == NULL || (attributes == NULL && !counts) || walk_enter(parse->walk, tag, attributes));
    Py_XDECREF(tag);
    Py_XDECREF(attributes);
}

static void end_element(void *data, const Byte *name)
{
    Parse *parse = data;
    if (parse->failed)
        return;
    PyObject *tag = text_of(parse, name, strlen((const char *)name), 1);
    end_if(parse, tag == NULL || walk_leave(parse->walk, tag));
    Py_XDECREF(tag);
}

/* White space of ASCII, as str.isspace has it. */
static int is_blank(const Byte *bytes, int size)
{
    for (int i = 0; i < size; i++)
        if (!((bytes[i] >= 9 && bytes[i] <= 13) || (bytes[i] >= 28 && bytes[i] <= 32)))
            return 0;
    return size > 0;
}

static void characters(void *data, const Byte *bytes, int size)
{
    Parse *parse = data;
    if (parse->failed || size < 0 || walk_ignores(parse->walk, is_blank(bytes, size)))
        return;
    PyObject *text = text_of(parse, bytes, (size_t)size, 0);
    end_if(parse, text == NULL || walk_take(parse->walk, text));
    Py_XDECREF(text);
}

static void no_characters(void *data, const Byte *bytes, int size)
{
    (void)data, (void)bytes, (void)size;
}

static void no_error(void *data, const void *error) { (void)data, (void)error; }

/* The document's type decides which white space counts: libxml2 keeps it in an otherwise empty tree. */
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

static int feed(Parse *parse, const char *source, Py_ssize_t size)
{
    Sax sax = {.internal_subset = internal_subset, .start_document = start_document,
               .start_element = start_element, .end_element = end_element, .characters = characters,
               .ignorable = no_characters, .cdata = characters, .initialized = (unsigned)MAGIC,
               .error = no_error};
    int first = size < 4 ? (int)size : 4; /* as lxml: the rest has its own call */
    parse->context = parser.create(&sax, parse, source, first, NULL, UTF8);
    if (parse->context == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    parser.use_options(parse->context, OPTIONS);
    if (size > first)
        parser.parse_chunk(parse->context, source + first, (int)(size - first), 0);
    if (!parse->failed)
        parser.parse_chunk(parse->context, NULL, 0, 1);
    void *document = document_of(parse->context);
    parser.free_context(parse->context);
    if (document != NULL)
        parser.free_document(document);
    return parse->failed ? -1 : 0;
}

/* parse(source in UTF-8, walk): give the page's events to the walk, whose exceptions end it. */
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
    PyMem_Free(parse);
    if (failed)
        return NULL;
    Py_RETURN_NONE;
}
