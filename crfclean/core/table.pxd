from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

cdef extern from "table.h" nogil:
    ctypedef struct Page:  # native/table.h says what the fields are, and has those of the columns, too
        Py_ssize_t n, m, runs, names, links, typed_groups, named_groups, all_phrases
        double all_words
        const double *words
        const double *sentence_ends
        const int32_t *node
        const int32_t *parent
        const int32_t *end
        const int32_t *first_block
        const int32_t *end_block
        const uint8_t *is_inline
        const int32_t *tag
        const int64_t *name
        const int64_t *name_bits
        const int64_t *typed
        const uint8_t *is_author
        const int32_t *phrase
        const int32_t *phrase_kind
        const uint8_t *networks
        const double *title_likeness
        const double *title_weighted
        const double *title_single
        const int32_t *link_block
        const uint8_t *link_bits
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
        double *page_figures
        uint8_t *steps
    enum: KINDS
    enum: SET_ADDRESS, SET_ASIDE, SET_CAPTION, SET_FIGURE, SET_H1, SET_H23, SET_HEADINGS, SET_INNER, SET_LI_TD, SET_LINK, SET_MAIN, SET_PAGE
    bint has_set(uint64_t bits, int set)
    double share_of(double part, double total)
    double pairwise_sum(const double *items, Py_ssize_t n)


cdef class Table:
    cdef Page page
    cdef readonly tuple tag_names
    cdef dict arrays  # name -> array
    cdef int parts  # how many are there: the tree, markup, texts, columns
    cdef take(self, int part, dict arrays)
    cdef derived(self, name)
    cdef Page *at_least(self, int parts) except NULL
    cdef Page *with_groups(self, Py_ssize_t phrases, Py_ssize_t marks) except NULL


cdef enum:
    TREE = 1
    MARKUP = 2
    TEXTS = 3
    FILLED = 4
