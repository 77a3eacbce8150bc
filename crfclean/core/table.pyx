# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The table of a page: its elements, runs and blocks, read by name."""

from cpython.buffer cimport (
    PyBUF_C_CONTIGUOUS,
    PyBUF_FORMAT,
    PyBuffer_FillInfo,
    PyBuffer_Release,
    PyObject_GetBuffer,
)
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.object cimport PyObject_GenericGetAttr
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy, memset, strchr

from operator import itemgetter
from sys import intern

import numpy as np

cdef extern from "read.h" nogil:
    enum: TITLE, JSON_LD, READING, SPACE_BEFORE, HIDDEN, DISCARDED
cdef extern from "table.h" nogil:
    ctypedef struct Field:
        const char *name
        const char *type
        const char *codes
        int part, width, each, times
    enum: TREE_PART, DERIVED_PART, BLOCKS, ELEMENTS, RUNS, ATTRIBUTES, ASIDES
    const Field *FIELDS
    const char *const *COLUMN_NAMES
    const char *const *CHAR_SET_NAMES
    int STEPS_FAR "FAR"
    void names_free(Names *)
    int add_zeros(Page *, int list, Py_ssize_t)
    Py_ssize_t add_row(Page *, int list)
    void *array_of(const Page *, const Field *)
    size_t bytes_of(const Page *, const Field *)
    void free_table(Page *)
    bint is_tree(const Page *)
    int derive(Page *)
    void count_steps(Page *)
    Py_ssize_t all_columns(const Page *)
cdef extern from "table.h":
    void PyMem_RawFree(void *)
    int fill_columns(Page *, const int32_t *places, char *rows, int width) except -1


cdef tuple names_in(const char *const *names):
    """The texts of a list that NULL closes."""
    texts = []
    while names[len(texts)] != NULL:
        texts.append(names[len(texts)].decode("ascii"))
    return tuple(texts)


cdef dict fields():
    """The place in `FIELDS` of each array by name."""
    places = {}
    while FIELDS[len(places)].name != NULL:
        places[FIELDS[len(places)].name.decode("ascii")] = len(places)
    return places


cdef dict PLACES = fields()
cdef list TYPES = [np.dtype(FIELDS[place].type.decode("ascii").replace("b1", "?")) for place in range(len(PLACES))]


cdef tuple names_of(int part):
    """The names of the arrays of a part."""
    return tuple([name for name, place in PLACES.items() if FIELDS[<Py_ssize_t>place].part == part])


COLUMNS = names_in(COLUMN_NAMES)
"""The columns by name; those of steps, of phrases, and of phrases of headings follow them."""

CHAR_SETS = names_in(CHAR_SET_NAMES)
"""Names of the sets of characters that blocks begin or end with."""

FAR = STEPS_FAR
"""Steps up to the nearest marked element: the largest number that is counted."""

TREE_NAMES, COUNT_NAMES = names_of(TREE_PART), names_of(COUNTED_PART)
"""Names of the arrays of a page's elements, runs and blocks, and of those that are counted in texts."""

cdef frozenset KEPT = frozenset(
    ("tag_names tags classes texts attributes run_texts asides title json_ld readings blanks discarded hidden").split()
)

cdef int64_t NOTHING  # an empty array, too, has an address that is right for its items
cdef Py_ssize_t MOST_BLOCKS = 100_000_000  # so that no size of an array overflows

COMPARED = (*TREE_NAMES, "actions", "holder", "code_node")
"""Arrays that equal tables have in common."""

cdef tuple WITH_TEXT = (TITLE, JSON_LD, READING, SPACE_BEFORE)  # kinds of asides; others have a number of characters

cdef dict NO_ATTRIBUTES = {}  # of all elements without any; it is only read

# Lists grow by `append`: where memory fails, a list comprehension of Cython 3.3 frees an item twice.


cdef class Memory:
    """The memory of a table, in which arrays outlive it."""

    def __cinit__(self):
        self.page.once = 1

    def __dealloc__(self):
        free_table(&self.page)


cdef class Column:
    """An array of a table, a buffer."""

    cdef Memory memory
    cdef void *items
    cdef Py_ssize_t size

    def __getbuffer__(self, Py_buffer *view, int flags):
        PyBuffer_FillInfo(view, self, self.items, self.size, 1, flags)


cdef Column column_of(Table table, const Field *field):
    cdef Column column = Column.__new__(Column)
    column.memory, column.size = table.memory, bytes_of(table.page, field)
    column.items = array_of(table.page, field) if column.size else &NOTHING
    return column


cdef Py_ssize_t put_name(Names *names, str text) except -1:
    """Add a text to others, if it is not there yet; return its number."""
    cdef bytes source = text.encode("utf-8", "surrogatepass")
    cdef Py_ssize_t number = names_number(names, part_of_bytes(source))
    if number < 0:
        raise MemoryError
    return number


cdef int put_text(Bytes *texts, str text, int32_t *start, int32_t *size) except -1:
    """Add a text to others; tell its first byte and its size."""
    if text is None:
        raise TypeError("each text is a str")
    cdef bytes source = text.encode("utf-8", "surrogatepass")
    start[0], size[0] = texts.size, len(source)
    if bytes_add(texts, part_of_bytes(source)):
        raise MemoryError
    return 0


cdef class Table:
    """The elements, runs and blocks of a page: arrays, texts and attributes by name.

    A walk fills it. `native/table.h` lists the arrays for n blocks and m elements. `count` fills the counts of
    texts; columns derived from the tree are computed on first use; a `Wording` fills the columns of words. Raises `ValueError` for arrays that do not belong together,
    `TypeError` for missing or surplus ones.

    `Table(texts=..., runs=...)` is a table of texts alone, to count them. `Table(**table.named())` is a copy
    of what a walk has given: all arrays of `TREE_NAMES`, names, attributes and asides. Arrays of
    `COUNT_NAMES` may be given, too.
    """

    def __cinit__(self, *, tuple texts not None, tuple runs not None, tuple tag_names not None=(),
                  tuple classes not None=(), attributes=(), asides=(), dict formulas not None={}, **arrays):
        self.memory, self.values, self.formulas = Memory(), {}, dict(formulas)
        self.page = &self.memory.page
        if add_zeros(self.page, BLOCKS, len(texts)) or add_zeros(self.page, RUNS, len(runs)):
            raise MemoryError
        self.put_texts(texts, self.page.block_start, self.page.block_size)
        self.put_texts(runs, self.page.run_start, self.page.run_size)
        if arrays:
            self.add_tree(tag_names, classes, arrays)
            self.put_attributes(attributes)
            self.put_asides(asides)

    def named(self):
        """Return what the walk has given, by name."""
        return {name: getattr(self, name) for name in TREE_NAMES} | {
            "texts": self.texts,
            "runs": tuple(self.run_texts),
            "tag_names": self.tag_names,
            "classes": self.classes,
            "attributes": tuple(self.attributes),
            "asides": self.asides,
            "formulas": self.formulas,
        }

    cdef int put_texts(self, tuple texts, int32_t *starts, int32_t *sizes) except -1:
        cdef Py_ssize_t place
        for place in range(len(texts)):
            put_text(&self.page.text, texts[place], &starts[place], &sizes[place])
        return 0

    cdef int put_attributes(self, attributes) except -1:
        """Copy the attributes of the elements."""
        cdef Page *page = self.page
        cdef Py_ssize_t at, node
        if len(attributes) > page.m:
            raise ValueError("table: attributes of other elements")
        for node, mapping in enumerate(attributes):
            for name, value in mapping.items():
                at = add_row(page, ATTRIBUTES)
                if at < 0:
                    raise MemoryError
                page.attribute_name[at] = put_name(&page.attribute_names, name)
                put_text(&page.value_text, value, &page.value_start[at], &page.value_size[at])
            page.attributes_end[node] = page.attributes
        for node in range(len(attributes), page.m):
            page.attributes_end[node] = page.attributes
        return 0

    cdef int put_asides(self, asides) except -1:
        """Copy texts, and numbers of characters, that are in no block."""
        cdef Page *page = self.page
        cdef Py_ssize_t at
        for kind, run, node, after, value in asides:
            at = add_row(page, ASIDES)
            if at < 0:
                raise MemoryError
            page.aside_kind[at], page.aside_run[at], page.aside_node[at], page.aside_after[at] = kind, run, node, after
            page.aside_start[at] = page.aside_size[at] = 0
            if kind in WITH_TEXT:
                put_text(&page.aside_text, value, &page.aside_start[at], &page.aside_size[at])
            else:
                page.aside_size[at] = value
        return 0

    cdef int add_tree(self, tuple tag_names, tuple classes, dict arrays) except -1:
        """Copy the arrays of a tree, and the counts of its texts, if they are given."""
        counts = {name: arrays.pop(name) for name in COUNT_NAMES if name in arrays}
        for tag in tag_names:
            put_name(&self.page.tags, tag)
        for name in classes:
            put_name(&self.page.classes, name)
        if add_zeros(self.page, ELEMENTS, len(arrays.get("parent", ()))):
            raise MemoryError
        self.take(TREE_PART, arrays)
        if not is_tree(self.page):
            raise ValueError("table: a place that is not there")
        if counts:
            if lay_out(self.page, COUNTED_PART):
                raise MemoryError
            self.take(COUNTED_PART, counts)
            self.parts = COUNTED
        return 0

    def __eq__(self, other):
        if not isinstance(other, Table):
            return NotImplemented
        return self.contents() == (<Table>other).contents()

    cdef tuple contents(self):
        """Return all that a table has from a walk."""
        cdef Page *page = self.page
        columns = [getattr(self, name).tobytes() for name in COMPARED]
        limits = page.torn, page.is_deep, page.is_full, page.is_over, page.has_frames
        return (columns, self.asides, limits, self.tags, self.classes, self.texts, list(self.attributes),
                list(self.run_texts), self.formulas, page.chars_read, page.noscript_chars)

    @property
    def tag_names(self):
        """The different tags in order of occurrence."""
        return tuple(map(intern, texts_of(&self.page.tags)))

    @property
    def tags(self):
        """The tag of each element."""
        cdef tuple names = self.tag_names
        cdef Py_ssize_t node
        cdef list tags = []
        for node in range(self.page.m):
            tags.append(names[self.page.tag[node]])
        return tuple(tags)

    @property
    def classes(self):
        """The different classes in order of occurrence; `class_number` has that of each element."""
        return tuple(texts_of(&self.page.classes))

    @property
    def texts(self):
        """The text of each block."""
        cdef Page *page = self.page
        cdef Py_ssize_t block
        cdef list texts = []
        for block in range(page.n):
            texts.append(text_at(&page.text, page.block_start[block], page.block_size[block]))
        return tuple(texts)

    @property
    def plain_texts(self):
        """The text of each block without invisible characters, such as soft hyphens."""
        return self.texts if self.plain is None else self.plain.texts

    @property
    def attributes(self):
        """The attributes of each element."""
        self.names = tuple(map(intern, texts_of(&self.page.attribute_names)))
        return items_of(self, False, [None] * self.page.m, 0, self.page.m)

    @property
    def run_texts(self):
        """The text of each run."""
        return items_of(self, True, [None] * self.page.runs, 0, self.page.runs)

    cdef str run(self, Py_ssize_t run):
        """Return the text of a run: that of its block if it is all of it."""
        cdef Page *page = self.page
        cdef int32_t block = page.run_block[run]
        if (block < page.n and page.run_start[run] == page.block_start[block]
                and page.run_size[run] == page.block_size[block]):
            return self.texts[block]
        return text_at(&page.text, page.run_start[run], page.run_size[run])

    cdef Py_ssize_t first_attribute(self, Py_ssize_t node) noexcept:
        return self.page.attributes_end[node - 1] if node else 0

    cdef dict mapping(self, Py_ssize_t node):
        cdef Page *page = self.page
        cdef Py_ssize_t at, first = self.first_attribute(node)
        cdef dict mapping = {}
        if first == page.attributes_end[node]:
            return NO_ATTRIBUTES
        for at in range(first, page.attributes_end[node]):
            name = self.names[page.attribute_name[at]]
            mapping[name] = text_at(&page.value_text, page.value_start[at], page.value_size[at])
        return mapping

    @property
    def asides(self):
        """What is in no block: kind, the run that follows, element, elements before, and text or characters."""
        cdef Page *page = self.page
        cdef Py_ssize_t row
        rows = []
        for row in range(page.asides):
            kind, value = page.aside_kind[row], page.aside_size[row]
            if kind in WITH_TEXT:
                value = text_at(&page.aside_text, page.aside_start[row], page.aside_size[row])
            rows.append((kind, page.aside_run[row], page.aside_node[row], page.aside_after[row], value))
        return tuple(rows)

    cdef list asides_of(self, int kind):
        """Return the rows of a kind, without it."""
        rows = []
        for row in self.asides:
            if row[0] == kind:
                rows.append(row[1:])
        return rows

    @property
    def title(self):
        """The text of the page's title, in one line."""
        return " ".join("".join([row[3] for row in self.asides_of(TITLE)]).split())

    @property
    def json_ld(self):
        """The text of each script with structured data."""
        return tuple([row[3] for row in self.asides_of(JSON_LD)])

    @property
    def readings(self):
        """The reading of a ruby by element."""
        return {node: text for _, node, _, text in self.asides_of(READING) if node >= 0}

    @property
    def blanks(self):
        """White space in a `pre` before a text: the run that follows, element, elements before, space."""
        return tuple(self.asides_of(SPACE_BEFORE))

    @property
    def discarded(self):
        """Text in no block: the run that follows, element, characters; in the order of the runs."""
        rows = map(itemgetter(0, 1, 3), self.asides_of(DISCARDED))
        return tuple(sorted(rows, key=itemgetter(0)))

    @property
    def hidden(self):
        """Characters of hidden elements, -1 for those that are in no table."""
        chars = {}
        for _, node, _, size in self.asides_of(HIDDEN):
            if size:
                chars[node] = chars.get(node, 0) + size
        return chars

    @property
    def chars_read(self):
        """Characters of the texts."""
        return self.page.chars_read

    @property
    def noscript_chars(self):
        """Characters in `noscript`."""
        return self.page.noscript_chars

    @property
    def torn(self):
        """True if a text was joined with that of an element that proved block-level."""
        return bool(self.page.torn)

    @property
    def has_frames(self):
        """True if a frame has its page in `srcdoc`."""
        return bool(self.page.has_frames)

    @property
    def has_marks(self):
        """True if the counted texts have characters without width."""
        return bool(self.page.has_marks)

    @property
    def is_over(self):
        """True if the page has too many blocks."""
        return bool(self.page.is_over)

    @property
    def truncated(self):
        """The limit that cut the page: "nodes", "depth" or ""."""
        return "nodes" if self.page.is_full else "depth" if self.page.is_deep else ""

    # arrays

    def __getattribute__(self, str name):
        """A value by name; arrays, and what is made of `KEPT` names, are made once."""
        value = self.values.get(name)
        if value is not None:
            return value
        if name in PLACES:
            value = self.array(name)
        else:
            value = PyObject_GenericGetAttr(self, name)
            if name not in KEPT:
                return value
        self.values[name] = value
        return value

    cdef object array(self, str name):
        """Make an array by name."""
        cdef const Field *field = &FIELDS[<Py_ssize_t>PLACES[name]]
        if field.part >= DERIVED_PART:
            self.at_least(TREE if field.part == DERIVED_PART else WORDED)
        elif field.part == COUNTED_PART:
            self.at_least(COUNTED)
        return np.frombuffer(column_of(self, field), TYPES[<Py_ssize_t>PLACES[name]])

    # elements

    def blocks_in(self, node):
        """The blocks inside an element."""
        return range(self.first_block[node], self.end_block[node])

    def around(self, Py_ssize_t node, most=None):
        """Return an element and the elements around it, from the inside out, at most so many."""
        cdef Py_ssize_t left = self.page.m if most is None else most
        cdef list elements = []
        while left > 0 and 0 <= node < self.page.m:
            elements.append(node)
            node, left = self.page.parent[node], left - 1
        return elements

    def attribute(self, str name not None):
        """Number each element's value of an attribute, "" for none, (m,); also return the distinct values."""
        if name == "class":
            return self.class_number, self.classes
        key = "attribute", name
        if key not in self.values:
            self.values[key] = self.attributes.values(name)
        return self.values[key]

    def is_tag(self, *tags):
        """Mark each element that has one of the tags, (m,)."""
        cdef Page *page = self.page
        cdef Py_ssize_t e
        cdef bytes chosen
        cdef uint8_t[::1] marks
        key = "is_tag", tags
        if key not in self.values:
            chosen, mask = bytes([tag in tags for tag in self.tag_names]), np.empty(page.m, np.bool_)
            marks = mask.view(np.uint8)
            for e in range(page.m):
                marks[e] = chosen[page.tag[e]]
            mask.setflags(write=False)
            self.values[key] = mask
        return self.values[key]

    def within(self, *tags):
        """Count the elements with the given tags at or around each element, (m,)."""
        cdef Page *page = self.at_least(TREE)
        cdef Py_ssize_t e
        cdef const uint8_t[::1] marks
        cdef int64_t[::1] counts
        key = "within", tags
        if key not in self.values:
            marks, made = self.is_tag(*tags).view(np.uint8), np.empty(page.m, np.int64)
            counts = made
            for e in range(page.m):
                counts[e] = marks[e] + (counts[page.parent[e]] if page.parent[e] >= 0 else 0)
            self.values[key] = made
        return self.values[key]

    cdef Page *at_least(self, int parts) except NULL:
        """The page with so many parts; raises `ValueError` if one is not there yet."""
        if self.parts == COUNTED and parts >= TREE:
            self.derive()
        if self.parts < parts:
            raise ValueError("table: a part is missing")
        return self.page

    cdef int derive(self) except -1:
        """Derive what follows from the tree; threads may do so side by side."""
        cdef Page page = self.page[0]
        cdef int failed
        if not is_tree(&page) or max(page.n, page.m) > MOST_BLOCKS:
            raise ValueError("table: a place that is not there")
        with nogil:
            failed = derive(&page)
        if failed or self.parts != COUNTED:
            PyMem_RawFree(page.of_part[DERIVED_PART])
        else:
            self.page[0], self.parts = page, TREE
        if failed:
            raise MemoryError
        return 0

    cdef object count_steps(self, Page *page):
        """Count the steps up from each block to the nearest element of each type and name; (groups, n)."""
        cdef Py_ssize_t groups = page.typed_groups + page.named_groups
        steps = PyBytes_FromStringAndSize(NULL, page.n * groups)
        page.steps = <uint8_t *>PyBytes_AS_STRING(steps)
        with nogil:
            count_steps(page)
        return np.frombuffer(steps, np.uint8).reshape(groups, page.n)

    cdef int take(self, int part, dict arrays) except -1:
        """Copy the arrays of a part."""
        cdef const Field *field
        cdef Py_buffer view
        cdef bint fits
        names = names_of(part)
        if len(arrays) != len(names):
            raise TypeError(f"table: other arrays: {set(arrays).symmetric_difference(names)}")
        for name in names:
            field, values = &FIELDS[<Py_ssize_t>PLACES[name]], arrays[name]
            PyObject_GetBuffer(values, &view, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS)
            fits = view.itemsize == field.width and strchr(field.codes, view.format[0]) != NULL
            if not fits and isinstance(values, bytes):
                fits = view.len % field.width == 0
            fits = fits and <size_t>view.buf % field.width == 0
            if not fits or view.len != <Py_ssize_t>bytes_of(self.page, field):
                PyBuffer_Release(&view)
                raise ValueError(f"table: {name} has another {'size' if fits else 'type'}")
            memcpy(array_of(self.page, field), view.buf, view.len)
            PyBuffer_Release(&view)
        return 0

    cdef Page *with_groups(self, Py_ssize_t phrases, Py_ssize_t marks) except NULL:
        """The page with markup of so many groups; raises `ValueError`."""
        cdef Page *page = self.at_least(WORDED)
        if page.all_phrases != phrases or page.typed_groups + page.named_groups != marks:
            raise ValueError("table: other groups of phrases or marks")
        return page

    @property
    def has_columns(self):
        """Whether columns were filled, with `card_keys` and `page_figures`."""
        return self.parts == FILLED

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
        cdef Page *page = self.at_least(WORDED)
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


cdef Items items_of(Table table, bint are_runs, list made, Py_ssize_t first, Py_ssize_t count):
    cdef Items items = Items.__new__(Items)
    items.table, items.are_runs, items.made, items.first, items.count = table, are_runs, made, first, count
    return items


cdef class Items:
    """Attributes of elements, or texts of runs, each made when it is asked for."""

    cdef Table table
    cdef bint are_runs
    cdef list made
    cdef Py_ssize_t first, count

    def __len__(self):
        return self.count

    def __getitem__(self, place):
        if isinstance(place, slice):
            start, stop, step = place.indices(self.count)
            if step != 1:
                raise ValueError("items have no steps")
            return items_of(self.table, self.are_runs, self.made, self.first + start, max(0, stop - start))
        cdef Py_ssize_t at = place
        at += self.count if at < 0 else 0
        if not 0 <= at < self.count:
            raise IndexError("no such item")
        at += self.first
        item = self.made[at]
        if item is None:
            self.made[at] = item = self.table.run(at) if self.are_runs else self.table.mapping(at)
        return item

    def __eq__(self, other):
        if not isinstance(other, (Items, tuple)):
            return NotImplemented
        return tuple(self) == tuple(other)

    cdef int check(self) except -1:
        if self.are_runs:
            raise TypeError("these items have no attributes")
        return 0

    def having(self, tuple names not None):
        """Return the places of the items with one of the named attributes."""
        self.check()
        cdef Page *page = self.table.page
        cdef Py_ssize_t node, at
        cdef bytes chosen = bytes(map(names.__contains__, self.table.names))
        cdef const char *is_chosen = PyBytes_AS_STRING(chosen)
        places = []
        for node in range(self.first, self.first + self.count if any(chosen) else 0):
            for at in range(self.table.first_attribute(node), page.attributes_end[node]):
                if is_chosen[page.attribute_name[at]]:
                    places.append(node - self.first)
                    break
        return places

    def values(self, str name not None):
        """Return the number of each item's value of an attribute, "" for none, and the different values."""
        self.check()
        cdef Page *page = self.table.page
        cdef Py_ssize_t node, at
        cdef Names distinct
        cdef int64_t number, nothing = -1  # the number of ""
        cdef Py_ssize_t which = self.table.names.index(name) if name in self.table.names else -1
        if which < 0:
            return np.zeros(self.count, np.int64), [""] if self.count else []
        numbers = np.empty(self.count, np.int64)
        cdef int64_t[::1] items = numbers
        cdef Part value
        memset(&distinct, 0, sizeof(Names))
        try:
            for node in range(self.first, self.first + self.count):
                value = Part(b"", 0)
                for at in range(self.table.first_attribute(node), page.attributes_end[node]):
                    if page.attribute_name[at] == which:
                        value = Part(page.value_text.bytes + page.value_start[at], page.value_size[at])
                        break
                number = nothing if not value.size and nothing >= 0 else names_number(&distinct, value)
                if number < 0:
                    raise MemoryError
                nothing = nothing if value.size else number
                items[node - self.first] = number
            return numbers, texts_of(&distinct)
        finally:
            names_free(&distinct)


