# cython: language_level=3, boundscheck=False, wraparound=False
"""Read a page, from its bytes or a parser's events, to the table of its elements, runs and blocks."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawMalloc
from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memcpy, memset

from crfclean.core.table cimport (
    COUNTED,
    COUNTED_PART,
    Bytes,
    Page,
    Part,
    Table,
    lay_out,
    names_text,
    part_of,
    part_of_bytes,
    text_of,
)

cdef extern from "Python.h":
    int PyUnicode_KIND(object)
    void *PyUnicode_DATA(object)
    bint PyUnicode_IS_ASCII(object)

cdef extern from "read.h" nogil:
    int _TEXT "TEXT", _DROP "DROP", _ROOT "ROOT", _BREAK "BREAK", _ADD_SPACE "ADD_SPACE", _LINK "LINK"
    int _FLEXIBLE "FLEXIBLE", _CODE_LINE "CODE_LINE", _SPLIT_BR "SPLIT_BR", _SPLIT_BLOCK "SPLIT_BLOCK"
    int _LOWER "LOWER", _UPPER "UPPER", _UNCASED "UNCASED", _DIGIT "DIGIT", _PUNCT "PUNCT", _SPACE "SPACE"
    int _OTHER "OTHER", _IDEOGRAPH "IDEOGRAPH", CLASSES, SETS, PLANE
    int TERMINATOR, CLOSER, IDEOGRAPHIC_END, BLANK, WITHOUT_WIDTH, FIGURE
    int GOES_ON, ENDED, FULL, OVER, NO_MEMORY, RAISED, LEVEL, UNIT, APART, NUMBERS, SAME_LINE
    int IS_CODE, IS_FORMULA, IS_DROPPED, IS_UNSEEN

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
        Page *table
        void *self
        Asks asks
        int asks_hidden, in_formula, state
        Py_ssize_t max_blocks, max_depth, max_nodes, skipped

    int finish_table(Page *)
    int count_table(Page *, const Page *, const CCharacters *)
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
    int page_signs(const char *, Py_ssize_t)
    char *put_encoded(char *, int, const void *, Py_ssize_t)

# numbers of read.h

TEXT, DROP, ROOT, BREAK, ADD_SPACE, LINK = _TEXT, _DROP, _ROOT, _BREAK, _ADD_SPACE, _LINK
FLEXIBLE, CODE_LINE, SPLIT_BR, SPLIT_BLOCK = _FLEXIBLE, _CODE_LINE, _SPLIT_BR, _SPLIT_BLOCK
LOWER, UPPER, UNCASED, DIGIT, PUNCT = _LOWER, _UPPER, _UNCASED, _DIGIT, _PUNCT
SPACE, OTHER, IDEOGRAPH = _SPACE, _OTHER, _IDEOGRAPH

# texts


def visible(str text not None):
    """Return a text without control characters."""
    cdef Bytes clean
    memset(&clean, 0, sizeof(Bytes))
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


def signs(bytes source not None):
    """Return whether a page has end tags of `br`, and whether it may have `<noscript`."""
    cdef int bits = page_signs(PyBytes_AS_STRING(source), len(source))
    return bool(bits & 1), bool(bits & 2)


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


def count(Table table not None, Characters characters not None, Table plain=None):
    """Count the texts and runs of a table, once; or those of a table of as many, in their place."""
    cdef Page *page = table.page
    cdef Page *texts = page if plain is None else plain.page
    cdef int failed
    if (table.parts > COUNTED if plain is None else table.parts != COUNTED or texts.n != page.n or texts.runs != page.runs):
        raise ValueError("count: other texts")
    if table.parts < COUNTED and lay_out(page, COUNTED_PART):
        raise MemoryError
    with nogil:
        failed = count_table(page, texts, characters.characters)
    if failed:
        raise MemoryError
    table.parts, table.plain = COUNTED, plain


# walks


class WalkEndedError(Exception):
    """A limit has ended a walk, or it has ended before."""


cdef class Rules:
    """What elements do to the text, by tag; a tag without an action is FLEXIBLE.

    `chosen` are the tags that blocks are restricted to, if there are any. `code_classes` and
    `formula_classes` are words of the classes of elements that are code or a formula,
    `dropped_classes` those of elements that never give text, and `unseen_classes` those of labels
    that are not seen.
    """

    cdef CRules rules
    cdef Characters characters

    def __cinit__(self, *, Characters characters not None, dict actions not None, tuple chosen not None,
                  tuple code_classes not None, tuple formula_classes not None, tuple dropped_classes not None,
                  tuple unseen_classes not None):
        self.characters, self.rules.characters = characters, characters.characters
        self.rules.is_restricted = len(chosen) > 0
        for tag, action in actions.items():
            if not CODE_LINE <= action <= 0xFFFF:
                raise ValueError("Rules: no such action")
            self.check(add_rule(&self.rules, part_of(tag), action, tag in chosen))
        self.check(add_known_tags(&self.rules))
        for words, meaning in (
            (code_classes, IS_CODE), (formula_classes, IS_FORMULA), (dropped_classes, IS_DROPPED),
            (unseen_classes, IS_UNSEEN),
        ):
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
    that are block-level from their start, `in_text` those that stand inside a line.
    """

    cdef CWalk walk
    cdef Table page  # None once it was given
    cdef Rules rules
    cdef object hides, formulas, formula_walk, error

    def __cinit__(self, Rules rules not None, *, hides=None, formulas=None, Py_ssize_t max_blocks=-1,
                  Py_ssize_t max_depth=2**30, Py_ssize_t max_nodes=2**30, block_level=(), units=(),
                  apart=(), numbers=(), in_text=()):
        walk = &self.walk
        begin_walk(walk)
        self.rules, self.page = rules, Table(texts=(), runs=())
        self.hides, self.formulas = hides, formulas
        walk.rules, walk.table, walk.self = &rules.rules, self.page.page, <void *>self
        walk.asks = Asks(asks_hides, begins_formula, in_formula, forget_formulas)
        walk.asks_hidden = hides is not None
        walk.max_blocks, walk.max_depth, walk.max_nodes = max_blocks, max_depth, max_nodes
        for nodes, mark in ((block_level, LEVEL), (units, UNIT), (apart, APART), (numbers, NUMBERS), (in_text, SAME_LINE)):
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
        run = self.page.page.runs
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
