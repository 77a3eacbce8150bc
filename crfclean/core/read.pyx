# cython: language_level=3, boundscheck=False, wraparound=False
"""Read a page, from its bytes or a parser's events, to the table of its elements, runs and blocks."""

from cpython.buffer cimport PyBuffer_FillInfo
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawMalloc
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy, memset

from operator import itemgetter
from sys import intern

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object, Py_ssize_t *) except NULL
    int PyUnicode_KIND(object)
    void *PyUnicode_DATA(object)
    bint PyUnicode_IS_ASCII(object)

cdef extern from "read.h" nogil:
    int _TEXT "TEXT", _DROP "DROP", _ROOT "ROOT", _BREAK "BREAK", _ADD_SPACE "ADD_SPACE", _LINK "LINK"
    int _FLEXIBLE "FLEXIBLE", _CODE_LINE "CODE_LINE", _SPLIT_BR "SPLIT_BR", _SPLIT_BLOCK "SPLIT_BLOCK"
    int _LOWER "LOWER", _UPPER "UPPER", _UNCASED "UNCASED", _DIGIT "DIGIT", _PUNCT "PUNCT", _SPACE "SPACE"
    int _OTHER "OTHER", _IDEOGRAPH "IDEOGRAPH", CLASSES, SETS, PLANE
    int TERMINATOR, CLOSER, IDEOGRAPHIC_END, BLANK, WITHOUT_WIDTH, FIGURE
    int TITLE, JSON_LD, READING, SPACE_BEFORE, HIDDEN, DISCARDED
    int GOES_ON, ENDED, FULL, OVER, NO_MEMORY, RAISED, LEVEL, UNIT, APART, NUMBERS, IS_CODE, IS_FORMULA

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
    ctypedef struct Rows:
        Py_ssize_t count, room
    ctypedef struct CTable "Table":
        Rows nodes, runs, blocks, asides, counted, counted_runs
        int32_t *tag
        int32_t *attributes_end
        int32_t *attribute_name
        int32_t *value_start
        int32_t *value_size
        int32_t *run_start
        int32_t *run_size
        int32_t *run_block
        int32_t *block_start
        int32_t *block_size
        int32_t *aside_kind
        int32_t *aside_node
        int32_t *aside_run
        int32_t *aside_after
        int32_t *aside_start
        int32_t *aside_size
        Names tags, classes, attribute_names
        Bytes text, values, aside_text
        Py_ssize_t chars, noscript_chars
        int torn, is_deep, is_full, is_over, has_frames, has_marks
    ctypedef struct CCharacters "Characters":
        uint8_t classes[65536]
        uint8_t flags[65536]
        uint8_t sets[65536]
    ctypedef struct CRules "Rules":
        const CCharacters *characters
        int is_restricted
    ctypedef struct Attribute:
        int32_t name
        Part value
    ctypedef struct Look:
        Part style, hidden, class_, id, role, open
    ctypedef struct Element:
        Part name
        const Attribute *attributes
        Py_ssize_t count
    ctypedef struct Asks:
        int (*hides)(void *, const Element *) noexcept
        int (*begins_formula)(void *, const Element *) noexcept
        int (*in_formula)(void *, const char *, const Element *, Part) noexcept
        int (*forget_formulas)(void *, Py_ssize_t) noexcept
    ctypedef struct CWalk "Walk":
        const CRules *rules
        CTable *table
        void *self
        Asks asks
        int asks_hidden, in_formula, state
        Py_ssize_t max_blocks, max_depth, max_nodes, skipped

    Part names_text(const Names *, Py_ssize_t)
    Py_ssize_t names_number(Names *, Part)
    void names_free(Names *)
    int bytes_add(Bytes *, Part)
    int add_zeros(CTable *, Rows *, Py_ssize_t)
    int finish_table(CTable *)
    void free_table(CTable *)
    int find_column(const CTable *, const char *, void **, Py_ssize_t *)
    int count_table(CTable *, const CCharacters *)
    int c_is_hidden "is_hidden"(Part, const Look *)
    int add_rule(CRules *, Part, int, int)
    int add_known_tags(CRules *)
    int add_word(CRules *, Part, int)
    void free_rules(CRules *)
    void begin_walk(CWalk *)
    void free_walk(CWalk *)
    int mark_node(CWalk *, Py_ssize_t, int)
    int32_t walk_tag(CWalk *, Part)
    int32_t walk_name(CWalk *, Part)
    int walk_start(CWalk *, int32_t, const Attribute *, Py_ssize_t)
    int walk_end(CWalk *, int32_t)
    int walk_data(CWalk *, Part)
    int walk_formula(CWalk *, Part, int *)
    int walk_close(CWalk *)
    int walk_reads_names(const CWalk *)
    int add_visible(Bytes *, Part)
    int c_open_parser "open_parser"(const char *)
    int c_parse "parse"(CWalk *, const char *, int)
    int c_has_break_ends "has_break_ends"(const char *, Py_ssize_t)
    char *put_encoded(char *, int, const void *, Py_ssize_t)

# numbers of read.h

TEXT, DROP, ROOT, BREAK, ADD_SPACE, LINK = _TEXT, _DROP, _ROOT, _BREAK, _ADD_SPACE, _LINK
FLEXIBLE, CODE_LINE, SPLIT_BR, SPLIT_BLOCK = _FLEXIBLE, _CODE_LINE, _SPLIT_BR, _SPLIT_BLOCK
LOWER, UPPER, UNCASED, DIGIT, PUNCT = _LOWER, _UPPER, _UNCASED, _DIGIT, _PUNCT
SPACE, OTHER, IDEOGRAPH = _SPACE, _OTHER, _IDEOGRAPH

COMPARED = (
    "tag parent node_end first_block end_block actions which_class run_node run_after run_block "
    "block_node block_split holder code_node words by_class likely marks run_chars"
).split()
"""Columns that equal tables have in common."""

_VALUE = itemgetter(3)  # of a row of asides

cdef dict NO_ATTRIBUTES = {}  # of all elements without any; it is only read

# Lists grow by `append`: where memory fails, a list comprehension of Cython 3.3 frees an item twice.

# texts in UTF-8; one made from an address may have halves of surrogate pairs


cdef Part part_of(str text) except *:
    """Return the bytes of a text, which holds them."""
    cdef Part part
    part.bytes = PyUnicode_AsUTF8AndSize(text, &part.size)
    return part


cdef Part part_of_bytes(bytes text) noexcept:
    return Part(PyBytes_AS_STRING(text), len(text))


cdef str text_of(Part part):
    return PyUnicode_DecodeUTF8(part.bytes, part.size, "surrogatepass")


cdef str text_at(const Bytes *texts, int32_t start, int32_t size):
    return text_of(Part(texts.bytes + start, size))


cdef list texts_of(const Names *names):
    cdef Py_ssize_t number
    cdef list texts = []
    for number in range(names.ends.size):
        texts.append(text_of(names_text(names, number)))
    return texts


def visible(str text not None):
    """Return a text without control characters."""
    cdef Bytes clean = Bytes(NULL, 0)
    encoded = text.encode("utf-8", "surrogatepass")
    try:
        if add_visible(&clean, part_of_bytes(encoded)):
            raise MemoryError
        return text_of(Part(clean.bytes, clean.size))
    finally:
        PyMem_RawFree(clean.bytes)


def encoded(str text not None):
    """Return a text in UTF-8; halves of surrogate pairs become question marks."""
    cdef Py_ssize_t size = len(text)
    cdef int kind = PyUnicode_KIND(text)
    cdef const void *chars = PyUnicode_DATA(text)
    cdef char *end
    if PyUnicode_IS_ASCII(text):
        return PyBytes_FromStringAndSize(<const char *>chars, size)
    cdef bytes source = PyBytes_FromStringAndSize(NULL, size * min(4, kind + 1))
    cdef char *start = PyBytes_AS_STRING(source)
    with nogil:
        end = put_encoded(start, kind, chars, size)
    return source[: end - start]


def has_break_ends(bytes source not None):
    """Return whether a page has end tags of `br`."""
    return bool(c_has_break_ends(PyBytes_AS_STRING(source), len(source)))


def is_hidden(str tag not None, attributes not None):
    """Return whether HTML or an inline style hides an element."""
    cdef Look look
    look.style = attribute(attributes, "style")
    look.hidden = attribute(attributes, "hidden")
    look.class_ = attribute(attributes, "class")
    look.id = attribute(attributes, "id")
    look.role = attribute(attributes, "role")
    look.open = attribute(attributes, "open")
    return bool(c_is_hidden(part_of(tag), &look))


cdef Part attribute(attributes, str name) except *:
    value = attributes.get(name)
    return Part(NULL, 0) if value is None else part_of(value)


cdef class Characters:
    """What is known of each character of the basic plane: its class, and sets that it is in."""

    cdef CCharacters *characters

    def __cinit__(self, *, bytes classes not None, str terminators, str closers, str ideographic_ends,
                  str blanks, str without_width, tuple sets not None):
        self.characters = <CCharacters *>PyMem_RawCalloc(1, sizeof(CCharacters))
        if self.characters == NULL:
            raise MemoryError
        if len(classes) != PLANE or max(classes) >= CLASSES or len(sets) != SETS:
            raise ValueError("Characters: classes of the basic plane, and six sets")
        memcpy(self.characters.classes, PyBytes_AS_STRING(classes), PLANE)
        cdef int code
        for code in range(PLANE):
            if self.characters.classes[code] == _DIGIT:
                self.characters.flags[code] |= FIGURE
        for chars, flag in (
            (terminators, TERMINATOR), (closers, CLOSER), (ideographic_ends, IDEOGRAPHIC_END),
            (blanks, BLANK), (without_width, WITHOUT_WIDTH), ("@:\uffff", FIGURE),
        ):
            set_bit(self.characters.flags, chars, flag)
        for number, chars in enumerate(sets):
            set_bit(self.characters.sets, chars, 1 << number)

    def __dealloc__(self):
        PyMem_RawFree(self.characters)


cdef int set_bit(uint8_t *table, str chars, int bit) except -1:
    if chars is None:
        raise TypeError("Characters: sets are str")
    for char in chars:
        table[min(ord(char), PLANE - 1)] |= bit
    return 0


def any_marks(tuple texts not None, Characters characters not None):
    """Return whether the texts have characters without width, none of which is in ASCII."""
    cdef Py_UCS4 char
    cdef unsigned int last = PLANE - 1
    cdef str text
    for text in texts:
        if text is None:
            raise TypeError("each text is a str")
        if not PyUnicode_IS_ASCII(text):
            for char in text:
                if characters.characters.flags[min(<unsigned int>char, last)] & WITHOUT_WIDTH:
                    return True
    return False


# the table


cdef class Column:
    """A column of a table, a buffer."""

    cdef Table table
    cdef void *items
    cdef Py_ssize_t size

    def __getbuffer__(self, Py_buffer *view, int flags):
        PyBuffer_FillInfo(view, self, self.items, self.size, 1, flags)


cdef class Table:
    """The elements, runs and blocks of a page: columns by name, texts and attributes.

    `Table(texts=..., runs=...)` is a table of texts alone, to count them.
    """

    cdef CTable *page
    cdef readonly dict formulas
    cdef tuple made_texts, names  # names of attributes
    cdef list made_runs, made_attributes

    def __cinit__(self, *, tuple texts not None, tuple runs not None):
        self.page, self.formulas = <CTable *>PyMem_RawCalloc(1, sizeof(CTable)), {}
        if self.page == NULL or add_zeros(self.page, &self.page.blocks, len(texts)) \
                or add_zeros(self.page, &self.page.runs, len(runs)):
            raise MemoryError
        self.add_texts(texts, self.page.block_start, self.page.block_size)
        self.add_texts(runs, self.page.run_start, self.page.run_size)

    cdef int add_texts(self, tuple texts, int32_t *starts, int32_t *sizes) except -1:
        cdef str text
        cdef bytes source
        for place, text in enumerate(texts):
            if text is None:
                raise TypeError("each text is a str")
            source = text.encode("utf-8", "surrogatepass")
            starts[place], sizes[place] = self.page.text.size, len(source)
            if bytes_add(&self.page.text, part_of_bytes(source)):
                raise MemoryError
        return 0

    def __dealloc__(self):
        free_table(self.page)

    def __getattr__(self, str name):
        cdef Column column = Column.__new__(Column)
        if not find_column(self.page, part_of(name).bytes, &column.items, &column.size):
            raise AttributeError(name)
        column.table = self
        return column

    def __eq__(self, other):
        if not isinstance(other, Table):
            return NotImplemented
        return self.contents() == (<Table>other).contents()

    cdef tuple contents(self):
        """Return all that a table has from a walk."""
        cdef CTable *page = self.page
        columns = list(map(bytes, map(self.__getattr__, COMPARED)))
        asides = self.title, self.json_ld, self.readings, self.blanks, self.discarded, self.hidden
        limits = page.torn, page.is_deep, page.is_full, page.is_over, page.has_frames
        return (columns, asides, limits, self.tags, self.classes, self.texts, list(self.attributes),
                list(self.run_texts), self.formulas, page.chars, page.noscript_chars)

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
        for node in range(self.page.nodes.count):
            tags.append(names[self.page.tag[node]])
        return tuple(tags)

    @property
    def classes(self):
        """The different classes in order of occurrence; `which_class` has that of each element."""
        return texts_of(&self.page.classes)

    @property
    def texts(self):
        """The text of each block."""
        cdef CTable *page = self.page
        cdef Py_ssize_t block
        cdef list texts = []
        if self.made_texts is None:
            for block in range(page.blocks.count):
                texts.append(text_at(&page.text, page.block_start[block], page.block_size[block]))
            self.made_texts = tuple(texts)
        return self.made_texts

    @property
    def attributes(self):
        """The attributes of each element."""
        if self.made_attributes is None:
            self.names = tuple(map(intern, texts_of(&self.page.attribute_names)))
            self.made_attributes = [None] * self.page.nodes.count
        return items_of(self, self.made_attributes, 0, self.page.nodes.count)

    @property
    def run_texts(self):
        """The text of each run."""
        if self.made_runs is None:
            self.made_runs = [None] * self.page.runs.count
        return items_of(self, self.made_runs, 0, self.page.runs.count)

    cdef object make(self, list made, Py_ssize_t place):
        made[place] = item = self.run(place) if made is self.made_runs else self.mapping(place)
        return item

    cdef str run(self, Py_ssize_t run):
        """Return the text of a run: that of its block if it is all of it."""
        cdef CTable *page = self.page
        cdef int32_t block = page.run_block[run]
        if (block < page.blocks.count and page.run_start[run] == page.block_start[block]
                and page.run_size[run] == page.block_size[block]):
            return self.texts[block]
        return text_at(&page.text, page.run_start[run], page.run_size[run])

    cdef Py_ssize_t first_attribute(self, Py_ssize_t node) noexcept:
        return self.page.attributes_end[node - 1] if node else 0

    cdef dict mapping(self, Py_ssize_t node):
        cdef CTable *page = self.page
        cdef Py_ssize_t at, first = self.first_attribute(node)
        cdef dict mapping = {}
        if first == page.attributes_end[node]:
            return NO_ATTRIBUTES
        for at in range(first, page.attributes_end[node]):
            name = self.names[page.attribute_name[at]]
            mapping[name] = text_at(&page.values, page.value_start[at], page.value_size[at])
        return mapping

    cdef list asides(self, int kind, bint are_texts):
        cdef CTable *page = self.page
        cdef Py_ssize_t row
        rows = []
        for row in range(page.asides.count):
            if page.aside_kind[row] == kind:
                size = page.aside_size[row]
                value = text_at(&page.aside_text, page.aside_start[row], size) if are_texts else size
                rows.append((page.aside_run[row], page.aside_node[row], page.aside_after[row], value))
        return rows

    @property
    def title(self):
        """The text of the page's title."""
        return "".join(map(_VALUE, self.asides(TITLE, True)))

    @property
    def json_ld(self):
        """The text of each script with structured data."""
        return list(map(_VALUE, self.asides(JSON_LD, True)))

    @property
    def readings(self):
        """The reading of a ruby by element."""
        return {node: text for _, node, _, text in self.asides(READING, True) if node >= 0}

    @property
    def blanks(self):
        """White space in a `pre` before a text: the run that follows, element, elements before, space."""
        return tuple(self.asides(SPACE_BEFORE, True))

    @property
    def discarded(self):
        """Text in no block: the run that follows, element, characters; in the order of the runs."""
        rows = map(itemgetter(0, 1, 3), self.asides(DISCARDED, False))
        return tuple(sorted(rows, key=itemgetter(0)))

    @property
    def hidden(self):
        """Characters of hidden elements, -1 for those that are in no table."""
        chars = {}
        for _, node, _, size in self.asides(HIDDEN, False):
            if size:
                chars[node] = chars.get(node, 0) + size
        return chars

    @property
    def chars(self):
        """Characters of the texts."""
        return self.page.chars

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

    def count(self, Characters characters not None):
        """Count the texts, once."""
        cdef CTable *page = self.page
        cdef int failed
        if page.counted.room:
            return
        if add_zeros(page, &page.counted, page.blocks.count) \
                or add_zeros(page, &page.counted_runs, page.runs.count):
            raise MemoryError
        with nogil:
            failed = count_table(page, characters.characters)
        if failed:
            raise MemoryError


cdef Items items_of(Table table, list made, Py_ssize_t first, Py_ssize_t count):
    cdef Items items = Items.__new__(Items)
    items.table, items.made, items.first, items.count = table, made, first, count
    return items


cdef class Items:
    """Attributes of elements, or texts of runs, each made when it is asked for."""

    cdef Table table
    cdef list made
    cdef Py_ssize_t first, count

    def __len__(self):
        return self.count

    def __getitem__(self, place):
        if isinstance(place, slice):
            start, stop, step = place.indices(self.count)
            if step == 1:
                return items_of(self.table, self.made, self.first + start, max(0, stop - start))
            return tuple(self)[place]
        cdef Py_ssize_t at = place
        at += self.count if at < 0 else 0
        if not 0 <= at < self.count:
            raise IndexError("no such item")
        item = self.made[self.first + at]
        return item if item is not None else self.table.make(self.made, self.first + at)

    def __eq__(self, other):
        if not isinstance(other, (Items, tuple)):
            return NotImplemented
        return tuple(self) == tuple(other)

    def __reduce__(self):
        return tuple, (tuple(self),)

    cdef int check(self) except -1:
        if self.made is not self.table.made_attributes:
            raise TypeError("these items have no attributes")
        return 0

    def having(self, tuple names not None):
        """Return the places of the items with one of the named attributes."""
        self.check()
        cdef CTable *page = self.table.page
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
        """Return the number of each item's value of an attribute, int64, and the different values."""
        self.check()
        cdef CTable *page = self.table.page
        cdef Py_ssize_t node, at
        cdef Names distinct
        cdef int64_t number
        cdef Py_ssize_t which = self.table.names.index(name) if name in self.table.names else -1
        numbers = PyBytes_FromStringAndSize(NULL, 8 * self.count)
        cdef int64_t *items = <int64_t *>PyBytes_AS_STRING(numbers)
        cdef Part value
        memset(&distinct, 0, sizeof(Names))
        try:
            for node in range(self.first, self.first + self.count):
                value = Part(b"", 0)
                for at in range(self.table.first_attribute(node), page.attributes_end[node]):
                    if page.attribute_name[at] == which:
                        value = Part(page.values.bytes + page.value_start[at], page.value_size[at])
                        break
                number = names_number(&distinct, value)
                if number < 0:
                    raise MemoryError
                items[node - self.first] = number
            return numbers, texts_of(&distinct)
        finally:
            names_free(&distinct)


# walks


class WalkEndedError(Exception):
    """A limit has ended a walk, or it has ended before."""


cdef class Rules:
    """What elements do to the text, by tag; a tag without an action is FLEXIBLE.

    `chosen` are the tags that blocks are restricted to, if there are any. `code_classes` and
    `formula_classes` are words of the classes of elements that are code or a formula.
    """

    cdef CRules rules
    cdef Characters characters

    def __cinit__(self, *, Characters characters not None, dict actions not None, tuple chosen not None,
                  tuple code_classes not None, tuple formula_classes not None):
        self.characters, self.rules.characters = characters, characters.characters
        self.rules.is_restricted = len(chosen) > 0
        for tag, action in actions.items():
            if not CODE_LINE <= action <= 0xFFFF:
                raise ValueError("Rules: no such action")
            self.check(add_rule(&self.rules, part_of(tag), action, tag in chosen))
        self.check(add_known_tags(&self.rules))
        for words, meaning in ((code_classes, IS_CODE), (formula_classes, IS_FORMULA)):
            for word in words:
                self.check(add_word(&self.rules, part_of(word), meaning))

    cdef int check(self, int failed) except -1:
        if failed:
            raise MemoryError
        return 0

    def __dealloc__(self):
        free_rules(&self.rules)


cdef class Walk:
    """The state of one parse: a target for the events of lxml, or of the core's own parser.

    `hides(tag, attributes)` says which hidden elements are skipped, None for all. `formulas()` gives
    the type of formula walks. `units`, `apart` and `numbers` are elements of code, `block_level` those
    that are block-level from their start.
    """

    cdef CWalk walk
    cdef Table page  # None once it was given
    cdef Rules rules
    cdef object hides, formulas, formula_walk, error

    def __cinit__(self, Rules rules not None, *, hides=None, formulas=None, Py_ssize_t max_blocks=-1,
                  Py_ssize_t max_depth=2**30, Py_ssize_t max_nodes=2**30, block_level=(), units=(),
                  apart=(), numbers=()):
        walk = &self.walk
        begin_walk(walk)
        self.rules, self.page = rules, Table(texts=(), runs=())
        self.hides, self.formulas = hides, formulas
        walk.rules, walk.table, walk.self = &rules.rules, self.page.page, <void *>self
        walk.asks = Asks(asks_hides, begins_formula, in_formula, forget_formulas)
        walk.asks_hidden = hides is not None
        walk.max_blocks, walk.max_depth, walk.max_nodes = max_blocks, max_depth, max_nodes
        for nodes, mark in ((block_level, LEVEL), (units, UNIT), (apart, APART), (numbers, NUMBERS)):
            for node in nodes:
                if not 0 <= node < 2**30:
                    raise ValueError("Walk: no such element")
                if mark_node(walk, node, mark):
                    raise MemoryError

    def __dealloc__(self):
        free_walk(&self.walk)

    @property
    def skipped(self):
        """The depth in an element that is skipped."""
        return self.walk.skipped

    cdef int fails(self, error) noexcept:
        """Note an exception of Python."""
        if self.walk.state == GOES_ON:
            self.walk.state, self.error = RAISED, error
        return -1

    cdef object check(self, int failed):
        """Raise what has ended the walk."""
        if failed:
            error, self.error = self.error, None
            if error is not None:
                raise error
            raise MemoryError if self.walk.state == NO_MEMORY else WalkEndedError

    cdef int32_t tag(self, str tag) except -1:
        self.check(self.walk.state != GOES_ON)
        cdef int32_t number = walk_tag(&self.walk, part_of(tag))
        self.check(number < 0)
        return number

    def start(self, str tag not None, attributes not None):
        """Enter an element."""
        cdef dict mapping = dict(attributes)
        cdef int32_t number = self.tag(tag)
        cdef Py_ssize_t count = 0
        cdef Attribute *given = <Attribute *>PyMem_RawMalloc((len(mapping) + 1) * sizeof(Attribute))
        if given == NULL:
            raise MemoryError
        try:
            for name, value in mapping.items() if walk_reads_names(&self.walk) else ():
                given[count].name = walk_name(&self.walk, part_of(name))
                given[count].value = part_of(value)
                self.check(given[count].name < 0)
                count += 1
            self.check(walk_start(&self.walk, number, given, count))
        finally:
            PyMem_RawFree(given)

    def end(self, str tag not None):
        """Leave an element."""
        self.check(walk_end(&self.walk, self.tag(tag)))

    def data(self, str text not None):
        """Take a text."""
        self.check(walk_data(&self.walk, part_of(text)))

    def formula(self, formula):
        """Take a formula as a run of text, if it shows anything."""
        cdef int is_taken = 0
        cdef bytes text = formula.shown.encode("utf-8", "surrogatepass")
        self.check(self.walk.state != GOES_ON)
        run = self.page.page.runs.count
        failed = walk_formula(&self.walk, part_of_bytes(text), &is_taken)
        if is_taken:
            self.page.formulas[run] = formula
        self.check(failed)

    def close(self):
        """End the page, also one that a limit has cut."""
        self.check(walk_close(&self.walk))

    def table(self):
        """End the page, and return its table, once: lxml keeps a target until garbage is collected."""
        if self.page is None:
            raise ValueError("the walk has given its table")
        self.page.page.is_over = self.walk.state == OVER
        if self.walk.state != OVER:
            self.close()
        if finish_table(self.page.page):
            raise MemoryError
        self.walk.state, self.walk.table = ENDED, NULL
        page, self.page = self.page, None
        return page


cdef dict mapping_of(CWalk *walk, const Element *element):
    cdef Py_ssize_t place
    return {
        text_of(names_text(&walk.table.attribute_names, element.attributes[place].name)):
            text_of(element.attributes[place].value)
        for place in range(element.count)
    }


cdef int asks_hides(void *self, const Element *element) noexcept with gil:
    walk = <Walk>self
    try:
        return bool(walk.hides(text_of(element.name), mapping_of(&walk.walk, element)))
    except BaseException as error:
        return walk.fails(error)


cdef int begins_formula(void *self, const Element *element) noexcept with gil:
    """Begin a formula walk if an element is a formula."""
    walk = <Walk>self
    try:
        formulas = None if walk.formulas is None else walk.formulas()
        if formulas is None or not formulas.begins(text_of(element.name), mapping_of(&walk.walk, element)):
            return 0
        walk.formula_walk = formulas(walk)
        return 1
    except BaseException as error:
        return walk.fails(error)


cdef int in_formula(void *self, const char *event, const Element *element, Part text) noexcept with gil:
    """Pass an event to the formula walk; forget it when it waits for nothing more, or fails."""
    walk, failed = <Walk>self, 0
    try:
        if element != NULL:
            walk.formula_walk.start(text_of(element.name), mapping_of(&walk.walk, element))
        elif text.bytes != NULL:
            getattr(walk.formula_walk, event.decode())(text_of(text))
        else:
            walk.formula_walk.close()
        if walk.formula_walk.waits:
            return 0
    except BaseException as error:
        failed = walk.fails(error)
    walk.formula_walk, walk.walk.in_formula = None, 0  # they hold references to each other
    return failed


cdef int forget_formulas(void *self, Py_ssize_t first) noexcept with gil:
    walk = <Walk>self
    try:
        for run in sorted(walk.page.formulas):
            if run >= first:
                del walk.page.formulas[run]
        return 0
    except BaseException as error:
        return walk.fails(error)


# libxml2

cdef bint is_open = False


def open_parser(str path not None):
    """Return whether libxml2 was found in lxml's module at a path."""
    global is_open
    is_open = c_open_parser(part_of(path).bytes)
    return is_open


def parse(bytes source not None, Walk walk not None):
    """Pass a page, in UTF-8, to a walk, and end it; a limit ends the parse, as the table tells."""
    cdef int failed, size
    if not is_open or len(source) > 2**31 - 1 or walk.walk.state != GOES_ON:
        raise TypeError("parse(source, walk), after open_parser")
    cdef const char *chars = PyBytes_AS_STRING(source)
    size = len(source)
    with nogil:
        failed = c_parse(&walk.walk, chars, size)
    if walk.walk.state not in (FULL, OVER):
        walk.check(failed)
