# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""A page as arrays that are checked once, and read by name."""

from cpython.buffer cimport PyBUF_C_CONTIGUOUS, PyBUF_FORMAT, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.string cimport strchr

import numpy as np

cdef extern from "table.h" nogil:
    ctypedef struct Field:
        const char *name
        const char *type
        const char *codes
        int width, each, times
        size_t place
    ctypedef struct TagSet:
        const char *name
        const char *tags
    enum: FIXED, SORTS, IN_TREE, IN_MARKUP, IN_TEXTS, PARTS, BLOCKS, ELEMENTS, RUNS, NAMES, LINKS
    const Field *const *FIELDS
    const Field *DERIVED_FIELDS
    const TagSet *TAG_SET_NAMES
    const char *const *COLUMN_NAMES
    const char *const *CHAR_SET_NAMES
    int STEPS_FAR "FAR"
    bint is_tree(const Page *page)
    bint is_markup(const Page *page)
    bint is_texts(const Page *page)
    size_t derived_size(const Page *page)
    void place_derived(Page *page, char *room)
    void count_steps(Page *page)
    Py_ssize_t all_columns(const Page *page)
cdef extern from "table.h":
    int derive(Page *page) except -1
    int fill_columns(Page *page, const int32_t *places, char *rows, int width) except -1


cdef tuple texts_of(const char *const *names):
    """The texts of a list that NULL closes."""
    texts = []
    while names[len(texts)] != NULL:
        texts.append(names[len(texts)].decode("ascii"))
    return tuple(texts)


cdef dict fields_of(const Field *fields):
    """The places of fields by name, and the types of their items."""
    places = {}
    while fields[len(places)].name != NULL:
        field = &fields[len(places)]
        places[field.name.decode("ascii")] = np.dtype(field.type.decode("ascii").replace("b1", "?"))
    return places


cdef dict sets_of_tags():
    """Tag -> a bit for each set of tags that it is in."""
    sets, number = {}, 0
    while TAG_SET_NAMES[number].name != NULL:
        for tag in TAG_SET_NAMES[number].tags.decode("ascii").split():
            sets[tag] = sets.get(tag, 0) | 1 << number
        number += 1
    return sets


COLUMNS = texts_of(COLUMN_NAMES)
"""The columns by name; those of steps, of phrases, and of phrases of headings follow them."""

CHAR_SETS = texts_of(CHAR_SET_NAMES)
"""Names of the sets of characters that blocks begin or end with."""

FAR = STEPS_FAR
"""Steps up to the nearest marked element: the largest number that is counted."""

cdef Py_ssize_t UNKNOWN = -1  # a number of items before the first array
cdef Py_ssize_t MOST_BLOCKS = 100_000_000  # so that no size of an array overflows


ROOM = ""  # the name of the bytes in which the derived arrays lie
cdef tuple GIVEN = tuple([fields_of(FIELDS[part]) for part in range(PARTS)])
cdef dict DERIVED = fields_of(DERIVED_FIELDS)
cdef dict SETS_OF_TAG = sets_of_tags()


cdef class Table:
    """The arrays of a page with n blocks and m elements; `native/table.h` lists them.

    Arrays of the tree are given at first, those of markup and of texts when a stage needs them. Each is
    read by its name, as in `table.words`. Raises `ValueError` for arrays that do not belong together,
    `TypeError` for missing or surplus ones.
    """

    def __cinit__(self, tag_names, **arrays):
        self.arrays, self.tag_names = {}, tuple(tag_names)
        self.page.n = self.page.m = self.page.runs = UNKNOWN
        self.take(IN_TREE, arrays)
        if not is_tree(&self.page) or max(self.page.n, self.page.m) > MOST_BLOCKS:
            raise ValueError("table: a place that is not there")
        room = PyBytes_FromStringAndSize(NULL, derived_size(&self.page))
        self.arrays[ROOM] = room
        place_derived(&self.page, PyBytes_AS_STRING(room))
        cdef const uint64_t[::1] sets = np.array([SETS_OF_TAG.get(tag, 0) for tag in self.tag_names], np.uint64)
        cdef Py_ssize_t e
        for e in range(self.page.m):
            if not 0 <= self.page.tag[e] < sets.shape[0]:
                raise ValueError("table: a place that is not there")
            self.page.sets[e] = sets[self.page.tag[e]]
        derive(&self.page)
        self.parts = TREE

    def add_markup(self, Py_ssize_t typed_groups, Py_ssize_t named_groups, Py_ssize_t all_phrases, **arrays):
        """Add the arrays of markup, and the numbers of groups of types, of names and of phrases."""
        self.at_least(TREE)
        self.parts = TREE
        self.page.names = self.page.links = UNKNOWN
        self.page.typed_groups, self.page.named_groups = typed_groups, named_groups
        self.page.all_phrases = all_phrases
        self.take(IN_MARKUP, arrays)
        if not (0 <= typed_groups <= 64 and 0 <= named_groups <= 64 and is_markup(&self.page)):
            raise ValueError("table: a place that is not there")
        steps = PyBytes_FromStringAndSize(NULL, self.page.n * (typed_groups + named_groups))
        self.page.steps = <uint8_t *>PyBytes_AS_STRING(steps)
        with nogil:
            count_steps(&self.page)
        self.arrays["steps"] = np.frombuffer(steps, np.uint8).reshape(typed_groups + named_groups, self.page.n)
        self.parts = MARKUP

    def add_texts(self, **arrays):
        """Add the arrays of texts."""
        self.at_least(MARKUP)
        self.parts = MARKUP
        self.take(IN_TEXTS, arrays)
        if not is_texts(&self.page):
            raise ValueError("table: a place that is not there")
        self.parts = TEXTS

    cdef take(self, int part, dict arrays):
        """Take the arrays of a part; the first one of a sort says how many items of it there are."""
        cdef Py_ssize_t *counts = [self.page.n, self.page.m, self.page.runs, self.page.names, self.page.links, 1]
        cdef const Field *field = FIELDS[part]
        cdef Py_buffer view
        cdef bint fits
        if len(arrays) != len(GIVEN[part]):
            raise TypeError(f"table: other arrays: {set(arrays).symmetric_difference(GIVEN[part])}")
        for name in GIVEN[part]:
            values = arrays[name]
            PyObject_GetBuffer(values, &view, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS)
            fits = view.itemsize == field.width and strchr(field.codes, view.format[0]) != NULL
            if not fits and isinstance(values, bytes):
                fits = view.len % field.width == 0
            fits = fits and <size_t>view.buf % field.width == 0
            if counts[field.each] == UNKNOWN:
                counts[field.each] = view.len // field.width // field.times
            if not fits or view.len != counts[field.each] * field.times * field.width:
                PyBuffer_Release(&view)
                raise ValueError(f"table: {name} has another {'size' if fits else 'type'}")
            (<void **>(<char *>&self.page + field.place))[0] = view.buf
            PyBuffer_Release(&view)  # the array stays as it is, as long as this table has it
            self.arrays[name] = values
            field += 1
        self.page.n, self.page.m, self.page.runs = counts[BLOCKS], counts[ELEMENTS], counts[RUNS]
        self.page.names, self.page.links = counts[NAMES], counts[LINKS]

    cdef Page *at_least(self, int parts) except NULL:
        """The page; raises `ValueError` if a part is not there yet."""
        if self.parts < parts:
            raise ValueError("table: a part is missing")
        return &self.page

    cdef Page *with_groups(self, Py_ssize_t phrases, Py_ssize_t marks) except NULL:
        """The page with markup of so many groups; raises `ValueError`."""
        cdef Page *page = self.at_least(MARKUP)
        if page.all_phrases != phrases or page.typed_groups + page.named_groups != marks:
            raise ValueError("table: other groups of phrases or marks")
        return page

    @property
    def has_columns(self):
        """Whether columns were filled, with `card_keys` and `page_figures`."""
        return self.parts == FILLED

    def __getattr__(self, name):
        """An array by name."""
        array = self.arrays.get(name)
        if isinstance(array, bytes):
            self.arrays[name] = array = np.frombuffer(array, next(part[name] for part in GIVEN if name in part))
        return self.derived(name) if array is None else array

    cdef derived(self, name):
        """A derived array, which is kept."""
        if name not in DERIVED:
            raise AttributeError(f"table: no array {name!r}")
        cdef const Field *field = &DERIVED_FIELDS[list(DERIVED).index(name)]
        cdef char *start = (<char **>(<char *>&self.page + field.place))[0]
        count = field.times * (self.page.n if field.each == BLOCKS else self.page.m if field.each == ELEMENTS else 1)
        room = self.arrays[ROOM]
        self.arrays[name] = array = np.frombuffer(room, DERIVED[name], count, start - PyBytes_AS_STRING(room))
        return array

    def nearest(self, mask):
        """Find the nearest element of a mask (m,) at or around each element, -1 for none; (m,)."""
        cdef const uint8_t[::1] marks = np.ascontiguousarray(mask, np.bool_).view(np.uint8)
        cdef Py_ssize_t e
        if marks.shape[0] != self.page.m:
            raise ValueError("table: a mask of another size")
        nearest = np.empty(self.page.m, np.int64)
        cdef int64_t[::1] up = nearest
        for e in range(self.page.m):
            up[e] = e if marks[e] else -1 if self.page.parent[e] < 0 else up[self.page.parent[e]]
        return nearest

    def fill(self, const int32_t[::1] places, rows):
        """Fill rows (features, n) of floats or doubles: `places` has the row of each column, -1 for none."""
        cdef Page *page = self.at_least(TEXTS)
        cdef Py_ssize_t k
        cdef bint fits = rows.dtype in (np.float32, np.float64) and rows.flags.carray
        fits = fits and rows.ndim == 2 and rows.shape[1] == page.n and places.shape[0] == all_columns(page)
        for k in range(places.shape[0]):
            fits = fits and places[k] < <Py_ssize_t>rows.shape[0]
        if not fits or page.n < 1:
            raise ValueError("table: no such rows")
        cdef char[:, ::1] room = rows.view(np.int8) if len(rows) else np.empty((1, 1), np.int8)
        fill_columns(page, &places[0], &room[0, 0], rows.itemsize)
        self.parts = FILLED
