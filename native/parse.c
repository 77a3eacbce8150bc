/* Parse a page with the libxml2 inside lxml's extension module, and pass the events to a `Walk` without a detour
 * through Python, and without the interpreter's lock unless the walk asks Python.
 *
 * The code calls only functions that libxml2 exports, and reads two members of its structures. It declares them
 * itself, so that a build needs no headers of libxml2. */
#include "read.h"

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

enum { UTF8 = 1, OUT_OF_MEMORY = 2, MAGIC = (int)0xDEEDBEAF };
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

int open_parser(const char *path)
{
    is_open = 0;
#ifndef _WIN32
    static const char *const NAMES[] = {"htmlCreatePushParserCtxt", "htmlCtxtUseOptions", "htmlParseChunk",
                                        "xmlStopParser", "xmlSAX2StartDocument", "xmlSAX2InternalSubset",
                                        "xmlFreeDoc", "htmlFreeParserCtxt"};
    void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    is_open = library != NULL;
    for (size_t i = 0; is_open && i < sizeof NAMES / sizeof *NAMES; i++) {
        void *symbol = dlsym(library, NAMES[i]);
        memcpy((char *)&parser + i * sizeof symbol, &symbol, sizeof symbol);
        is_open = symbol != NULL;
    }
#endif
    return is_open;
}

enum { SEEN = 512 }; /* places for names of this parser, which has one pointer for equal names */

typedef struct {
    const Byte *name;
    int32_t number;
} Seen;

typedef struct {
    void *context;
    Walk *walk;
    Attribute *attributes; /* of one element */
    size_t room;
    Seen tags[SEEN], names[SEEN];
} Parse;

/* Return the number of a name in the walk, by its pointer if it was seen before; -1 without memory. */
static int32_t number_of(Parse *parse, Seen *seen, const Byte *name, int32_t (*number)(Walk *, Part))
{
    uint64_t hash = (uint64_t)(uintptr_t)name * 0x9E3779B97F4A7C15u;
    Seen *place = seen + (hash >> 48 & (SEEN - 1));
    if (place->name != name) {
        place->number = number(parse->walk, (Part){(const char *)name, (Py_ssize_t)strlen((const char *)name)});
        place->name = place->number < 0 ? NULL : name;
    }
    return place->number;
}

/* Make room for attributes; nonzero when the walk ends. */
static int more_attributes(Parse *parse, size_t count)
{
    if (count < parse->room)
        return 0;
    Attribute *grown = PyMem_RawRealloc(parse->attributes, (2 * count + 16) * sizeof *grown);
    if (grown == NULL)
        return walk_fails(parse->walk);
    parse->attributes = grown, parse->room = 2 * count + 16;
    return 0;
}

/* Read the attributes of an element; return their number, -1 when the walk ends. */
static Py_ssize_t take_attributes(Parse *parse, const Byte **values)
{
    size_t count = 0;
    for (; values != NULL && values[2 * count] != NULL; count++) {
        const char *value = values[2 * count + 1] == NULL ? "" : (const char *)values[2 * count + 1];
        int32_t name = number_of(parse, parse->names, values[2 * count], walk_name);
        if (name < 0 || more_attributes(parse, count))
            return -1;
        parse->attributes[count] = (Attribute){name, {value, (Py_ssize_t)strlen(value)}};
    }
    return (Py_ssize_t)count;
}

static void stop_if(const Parse *parse, int failed)
{
    if (failed)
        parser.stop(parse->context);
}

static void start_element(void *data, const Byte *name, const Byte **values)
{
    Parse *parse = data;
    Py_ssize_t count = walk_reads_names(parse->walk) ? take_attributes(parse, values) : 0;
    int32_t tag = count < 0 ? -1 : number_of(parse, parse->tags, name, walk_tag);
    stop_if(parse, tag < 0 || walk_start(parse->walk, tag, parse->attributes, count));
}

static void end_element(void *data, const Byte *name)
{
    Parse *parse = data;
    int32_t tag = number_of(parse, parse->tags, name, walk_tag);
    stop_if(parse, tag < 0 || walk_end(parse->walk, tag));
}

static void characters(void *data, const Byte *bytes, int size)
{
    Parse *parse = data;
    if (size >= 0)
        stop_if(parse, walk_data(parse->walk, (Part){(const char *)bytes, size}));
}

static void no_characters(void *data, const Byte *bytes, int size)
{
    (void)data, (void)bytes, (void)size;
}

/* Note that the parser lacked memory and left out text: libxml2 only reports this as an error. */
static void note_error(void *data, const void *error)
{
    Parse *parse = data;
    if (((const int *)error)[1] == OUT_OF_MEMORY) /* its second member, in all versions */
        walk_fails(parse->walk);
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

/* Let the parser read a page; nonzero when the walk has ended before, or failed. */
static int run_parser(Parse *parse, const char *source, int size)
{
    Sax sax = {.internal_subset = internal_subset, .start_document = start_document,
               .start_element = start_element, .end_element = end_element, .characters = characters,
               .ignorable = no_characters, .cdata = characters, .initialized = (unsigned)MAGIC,
               .error = note_error};
    int first = size < 4 ? size : 4; /* as lxml does: the rest follows in another call */
    parse->context = parser.create(&sax, parse, source, first, NULL, UTF8);
    if (parse->context == NULL)
        return walk_fails(parse->walk);
    parser.use_options(parse->context, OPTIONS);
    if (size > first)
        parser.parse_chunk(parse->context, source + first, size - first, 0);
    if (parse->walk->state == GOES_ON)
        parser.parse_chunk(parse->context, NULL, 0, 1);
    void *document = document_of(parse->context);
    parser.free_context(parse->context);
    if (document != NULL)
        parser.free_document(document);
    return parse->walk->state == GOES_ON ? walk_close(parse->walk) : -1;
}

int parse(Walk *walk, const char *source, int size)
{
    Parse *parse = is_open ? PyMem_RawCalloc(1, sizeof *parse) : NULL;
    if (parse == NULL)
        return walk_fails(walk);
    parse->walk = walk;
    int failed = run_parser(parse, source, size);
    PyMem_RawFree(parse->attributes);
    PyMem_RawFree(parse);
    return failed;
}

static char *put_char(char *out, Py_UCS4 code)
{
    static const int FIRST[] = {0, 0, 0xC0, 0xE0, 0xF0};
    int size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (0xD800 <= code && code <= 0xDFFF)
        code = '?', size = 1;
    for (int i = size - 1; i > 0; i--, code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3F));
    *out = (char)(FIRST[size] | (int)code);
    return out + size;
}

/* Write characters in UTF-8; return the end. Most stand among ASCII, which is copied in one go. */
static inline char *put_chars(char *out, int kind, const void *chars, Py_ssize_t size)
{
    enum { TOGETHER = 32 };
    Py_ssize_t i = 0;
    while (i < size) {
        Py_UCS4 all = 0;
        for (Py_ssize_t k = 0; i + TOGETHER <= size && k < TOGETHER; k++)
            all |= PyUnicode_READ(kind, chars, i + k);
        if (i + TOGETHER <= size && all < 0x80)
            for (Py_ssize_t k = 0; k < TOGETHER; k++, i++)
                *out++ = (char)PyUnicode_READ(kind, chars, i);
        else
            for (Py_ssize_t k = 0; i < size && k < TOGETHER; k++, i++)
                out = put_char(out, PyUnicode_READ(kind, chars, i));
    }
    return out;
}

char *put_encoded(char *out, int kind, const void *chars, Py_ssize_t size)
{
    return kind == 1   ? put_chars(out, 1, chars, size)
           : kind == 2 ? put_chars(out, 2, chars, size)
                       : put_chars(out, 4, chars, size);
}

/* Whether a page has end tags of `br` (browsers break the line there, the parser ignores them) or `<nos`, as in
 * `<noscript`: bits 1 and 2. The compiler makes vectors of the loop, which a search for one text does not use. */
int page_signs(const char *source, Py_ssize_t size)
{
    int ends = 0, noscript = 0;
    for (Py_ssize_t i = 0; i + 3 < size; i++) {
        ends |= (source[i] == '<') & (source[i + 1] == '/') & ((source[i + 2] | 0x20) == 'b') & ((source[i + 3] | 0x20) == 'r');
        noscript |= (source[i] == '<') & (source[i + 1] == 'n') & (source[i + 2] == 'o') & (source[i + 3] == 's');
    }
    return ends | noscript << 1;
}
