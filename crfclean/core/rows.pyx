# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""What rows say of a page: XPaths, and the places of texts."""

from libc.stdint cimport int32_t, int64_t, uint8_t

import numpy as np

from crfclean.core.table cimport COUNTED, TREE, Page, Table


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
        others = [(run, node, size) for run, node, size in discarded if 0 <= node < page.m]  # no indexing: bounds are not checked here
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
