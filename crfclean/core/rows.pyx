# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""What rows say of a page: XPaths, the places of texts, and JSON."""

from libc.math cimport isinf, isnan
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport strlen

import numpy as np

from crfclean.core.table cimport COUNTED, TREE, Bytes, Page, Part, Table, bytes_add, part_of, part_of_bytes, text_of

cdef extern from "Python.h":
    int Py_DTSF_ADD_DOT_0
    char *PyOS_double_to_string(double, char code, int precision, int flags, int *kind) except NULL
    void PyMem_Free(void *)
    void PyMem_RawFree(void *)


cdef class Paths:
    """The XPaths of a page's elements, made when they are asked for, and the places of its texts.

    `tests` has the node test of each of the table's tags.
    """

    cdef Table table
    cdef list tests, paths
    cdef int32_t[::1] ordinals

    def __cinit__(self, Table table not None, list tests not None):
        cdef Page *page = table.at_least(TREE)
        cdef Py_ssize_t parent, sibling, end
        cdef int32_t[::1] counts = np.zeros(len(tests) + 1, np.int32)
        if len(tests) != page.tags.ends.size:
            raise ValueError("other tests than tags")
        self.table, self.tests, self.paths = table, tests, [None] * page.m
        self.ordinals = np.empty(page.m, np.int32)
        for parent in range(-1, page.m):
            end = page.m if parent < 0 else page.end[parent]
            sibling = parent + 1
            while sibling < end:
                counts[page.tag[sibling]] += 1
                self.ordinals[sibling] = counts[page.tag[sibling]]
                sibling = page.end[sibling]
            sibling = parent + 1
            while sibling < end:
                counts[page.tag[sibling]] = 0
                sibling = page.end[sibling]

    def __getitem__(self, Py_ssize_t node):
        """The absolute XPath of an element, with a position in every step."""
        cdef Page *page = self.table.page
        cdef Py_ssize_t step = node
        cdef str path = ""
        if not 0 <= node < page.m:
            raise IndexError("no such element")
        steps = []
        while step >= 0 and self.paths[step] is None:
            steps.append(step)
            step = page.parent[step]
        if step >= 0:
            path = self.paths[step]
        for step in reversed(steps):
            path = f"{path}/{self.tests[page.tag[step]]}[{self.ordinals[step]}]"
            self.paths[step] = path
        return self.paths[node]

    def places(self, blocks, discarded, Table counts not None):
        """Find the pieces of some blocks, (path, start, end) by index; `counts` has the characters of the runs.

        `discarded` are the texts in no block: the run that follows, element, characters.
        """
        cdef Page *page = self.table.page
        cdef Page *counted = counts.at_least(COUNTED)
        cdef Py_ssize_t run, block, node, at = 0
        cdef int32_t size
        cdef int64_t start, end
        pieces = {block: [] for block in blocks}
        if counted.runs != page.runs or any([not 0 <= block < page.n for block in pieces]):
            raise ValueError("no such block or run")
        cdef uint8_t[::1] chosen = np.zeros(page.n, np.uint8)
        cdef int64_t[::1] ends = np.zeros(page.m, np.int64)  # characters of each element so far
        for block in pieces:
            chosen[block] = 1
        others = [each for each in discarded if 0 <= each[1] < page.m]
        for run in range(page.runs):
            while at < len(others) and others[at][0] <= run:
                _, node, size = others[at]
                ends[node] += size
                at += 1
            node, block = page.run_node[run], page.run_block[run]
            start = ends[node]
            end = ends[node] = start + <int64_t>counted.run_chars[run]
            if start < end and chosen[block]:
                add_piece(pieces[block], node, start, end)
        for block, of_block in pieces.items():
            of_block[:] = [(self.path(page.node[block], node), start, end) for node, start, end in of_block]
        return pieces

    cdef str path(self, Py_ssize_t own, Py_ssize_t node):
        """The XPath of an element from that of its block, "." for the same; absolute if it is not inside."""
        return "." if node == own else self[node].removeprefix(f"{self[own]}/")


cdef add_piece(list pieces, Py_ssize_t node, int64_t start, int64_t end):
    """Add a piece, or lengthen the last one if it ends at the start."""
    last = pieces[len(pieces) - 1] if pieces else None
    if last is not None and last[0] == node and last[2] == start:
        start = pieces.pop()[1]
    pieces.append((node, start, end))


# JSON


def to_json(dict fields not None, *, bint indented):
    """Write fields as JSON, each field and each entry of a list on a line of its own if `indented`.

    Raises `TypeError` for a value that JSON does not have.
    """
    cdef Bytes out = Bytes(NULL, 0)
    try:
        if indented:
            write_lines(&out, fields)
        else:
            write(&out, fields)
        return text_of(Part(out.bytes, out.size))
    finally:
        PyMem_RawFree(out.bytes)


cdef int write_lines(Bytes *out, dict fields) except -1:
    put(out, b"{\n")
    for number, (name, value) in enumerate(fields.items()):
        put(out, b",\n " if number else b" ")
        write_text(out, name)
        put(out, b": ")
        if isinstance(value, list) and value:
            for place, entry in enumerate(<list>value):
                put(out, b",\n  " if place else b"[\n  ")
                write(out, entry)
            put(out, b"\n ]")
        else:
            write(out, value)
    return put(out, b"\n}")


cdef int write(Bytes *out, value) except -1:
    if isinstance(value, str):
        return write_text(out, value)
    if value is None:
        return put(out, b"null")
    if isinstance(value, bool):
        return put(out, b"true" if value else b"false")
    if isinstance(value, int):
        return put(out, int.__repr__(value).encode())
    if isinstance(value, float):
        return write_float(out, value)
    if isinstance(value, dict):
        return write_fields(out, value)
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"JSON has no {type(value).__name__}")
    put(out, b"[")
    for place, entry in enumerate(value):
        if place:
            put(out, b", ")
        write(out, entry)
    return put(out, b"]")


cdef int write_float(Bytes *out, double value) except -1:
    """Write the shortest digits that mean a number; names of what is none, as `json` has them."""
    if isinf(value) or isnan(value):
        return put(out, b"NaN" if isnan(value) else b"Infinity" if value > 0 else b"-Infinity")
    cdef char *digits = PyOS_double_to_string(value, c"r", 0, Py_DTSF_ADD_DOT_0, NULL)
    try:
        return add(out, Part(digits, strlen(digits)))
    finally:
        PyMem_Free(digits)


cdef int write_fields(Bytes *out, dict fields) except -1:
    cdef bint is_first = True
    put(out, b"{")
    for name, value in fields.items():
        if not is_first:
            put(out, b", ")
        is_first = False
        write_text(out, name)
        put(out, b": ")
        write(out, value)
    return put(out, b"}")


cdef int write_text(Bytes *out, str text) except -1:
    """Write a text in quotation marks; control characters, quotation marks and backslashes are escaped."""
    cdef bytes spelled
    cdef Part part
    try:
        part = part_of(text)
    except UnicodeEncodeError:  # halves of surrogate pairs
        spelled = text.encode("utf-8", "surrogatepass")
        part = part_of_bytes(spelled)
    cdef Py_ssize_t at, start = 0
    cdef unsigned char byte
    put(out, b'"')
    for at in range(part.size):
        byte = <unsigned char>part.bytes[at]
        if byte < 32 or byte == c'"' or byte == c"\\":
            add(out, Part(part.bytes + start, at - start))
            put(out, ESCAPES[byte])
            start = at + 1
    add(out, Part(part.bytes + start, part.size - start))
    return put(out, b'"')


cdef dict ESCAPES = {byte: b"\\u%04x" % byte for byte in range(32)}
ESCAPES.update({ord(char): b"\\" + name for char, name in zip('"\\\n\r\t\b\f', (b'"', b"\\", b"n", b"r", b"t", b"b", b"f"))})


cdef inline int put(Bytes *out, bytes text) except -1:
    return add(out, part_of_bytes(text))


cdef inline int add(Bytes *out, Part part) except -1:
    if bytes_add(out, part):
        raise MemoryError
    return 0
