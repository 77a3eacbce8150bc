from cpython.bytes cimport PyBytes_AS_STRING
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object, Py_ssize_t *) except NULL

cdef extern from "table.h" nogil:
    ctypedef struct Part:
        const char *bytes
        Py_ssize_t size
    ctypedef struct Bytes:
        char *bytes
        Py_ssize_t size
    ctypedef struct Ints:
        Py_ssize_t size
    ctypedef struct Names:
        Ints ends
    ctypedef struct Groups:
        uint8_t char_sets[65536]
        int32_t split_bits[7]
        int32_t name_groups[17]
        int32_t phrase_groups[8]
    ctypedef struct Page "Table":  # native/table.h says what the fields are, and has those of the columns, too
        Py_ssize_t n, m, runs, links, once, attributes, asides
        Py_ssize_t typed_groups, named_groups, all_phrases
        int32_t *attributes_end
        int32_t *attribute_name
        int32_t *value_start
        int32_t *value_size
        int32_t *run_start
        int32_t *run_size
        int32_t *block_start
        int32_t *block_size
        int32_t *aside_kind
        int32_t *aside_node
        int32_t *aside_run
        int32_t *aside_after
        int32_t *aside_start
        int32_t *aside_size
        char **of_part
        Names tags, classes, attribute_names
        Bytes text, value_text, aside_text
        Py_ssize_t chars_read, noscript_chars
        int torn, is_deep, is_full, is_over, has_frames, has_marks
        const double *words
        const double *sentence_ends
        const int32_t *node
        const int32_t *parent
        const int32_t *end
        const int32_t *first_block
        const int32_t *end_block
        const uint8_t *is_inline
        const int32_t *tag
        const int64_t *class_number
        const uint8_t *likely
        int64_t *name_bits
        int64_t *typed
        uint8_t *is_author
        int32_t *phrase
        int32_t *phrase_kind
        uint8_t *networks
        double *title_likeness
        double *title_weighted
        double *title_single
        double *description_cover
        double *body_cover
        double *log_words
        double *urls
        double *dates
        double *times
        double *declared
        int64_t *text_numbers
        int32_t *link_block
        uint8_t *link_bits
        const Groups *groups
        uint64_t *sets
        uint64_t *sets_around
        int32_t *depth
        int32_t *wider
        double *linked
        double *link_words
        double *running
        uint8_t *is_long
        uint8_t *in_heading
        uint8_t *in_item
        int32_t *start
        int64_t *path_keys
        uint8_t *steps
        const int32_t *run_node
        const int32_t *run_block
        const double *run_chars
    enum: KINDS, COUNTED_PART, WORDED_PART
    Part names_text(const Names *, Py_ssize_t)
    Py_ssize_t names_number(Names *, Part)  # -1 without memory, as functions that let something grow
    int bytes_add(Bytes *, Part)
    int lay_out(Page *, int part)
    enum: SET_ADDRESS, SET_ASIDE, SET_CAPTION, SET_FIGURE, SET_H1, SET_H23, SET_HEADINGS, SET_INNER, SET_LI_TD, SET_LINK, SET_MAIN, SET_PAGE
    bint has_set(uint64_t bits, int set)
    double share_of(double part, double total)
    double pairwise_sum(const double *items, Py_ssize_t n)


cdef class Memory:
    cdef Page page


cdef class Table:
    cdef Memory memory
    cdef Page *page
    cdef Table plain  # of the texts without invisible characters, None if this one has none
    cdef readonly dict formulas
    cdef dict values  # name -> array or other value that is made once
    cdef object wording  # has the `groups`
    cdef int parts  # how many are there
    cdef tuple names  # of attributes
    cdef int put_texts(self, tuple texts, int32_t *starts, int32_t *sizes) except -1
    cdef int put_attributes(self, attributes) except -1
    cdef int put_asides(self, asides) except -1
    cdef int add_tree(self, tuple tag_names, tuple classes, dict arrays) except -1
    cdef int take(self, int part, dict arrays) except -1
    cdef int derive(self) except -1
    cdef object count_steps(self, Page *page)
    cdef Page *at_least(self, int parts) except NULL
    cdef Page *with_groups(self, Py_ssize_t phrases, Py_ssize_t marks) except NULL
    cdef tuple contents(self)
    cdef object array(self, str name)
    cdef str run(self, Py_ssize_t run)
    cdef Py_ssize_t first_attribute(self, Py_ssize_t node) noexcept
    cdef dict mapping(self, Py_ssize_t node)
    cdef list asides_of(self, int kind)


cdef enum:
    COUNTED = 1
    TREE = 2
    WORDED = 3
    FILLED = 4


# texts in UTF-8; one made from an address may have halves of surrogate pairs


cdef inline Part part_of(str text) except *:
    """Return the bytes of a text, which holds them."""
    cdef Part part
    part.bytes = PyUnicode_AsUTF8AndSize(text, &part.size)
    return part


cdef inline Part part_of_bytes(bytes text) noexcept:
    return Part(PyBytes_AS_STRING(text), len(text))


cdef inline str text_of(Part part):
    return PyUnicode_DecodeUTF8(part.bytes, part.size, "surrogatepass")


cdef inline str text_at(const Bytes *texts, int32_t start, int32_t size):
    return text_of(Part(texts.bytes + start, size))


cdef inline list texts_of(const Names *names):
    cdef Py_ssize_t number
    cdef list texts = []
    for number in range(names.ends.size):
        texts.append(text_of(names_text(names, number)))
    return texts
