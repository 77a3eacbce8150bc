# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Look up words in names, addresses and texts, find phrases, and compare texts with titles.

All texts are read in UTF-8. Those of blocks are the plain ones of a table: without invisible characters.
"""

from cython cimport cdivision
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memchr, memcmp, memmove, memset

import numpy as np

from crfclean.core.table cimport (
    Bytes,
    Names,
    Page,
    Part,
    Table,
    names_number,
    part_of,
    part_of_bytes,
    text_of,
)

ctypedef unsigned int Code  # of a character

cdef extern from "Python.h" nogil:
    bint Py_UNICODE_ISALNUM(Code)
    bint Py_UNICODE_ISALPHA(Code)
    bint Py_UNICODE_ISDECIMAL(Code)
    Code Py_UNICODE_TOLOWER(Code)
    void PyMem_RawFree(void *)
    void *PyMem_RawRealloc(void *, size_t)

cdef extern from "read.h" nogil:
    ctypedef struct Pairs:
        int64_t next
    Code next_char(const char **at, const char *end)
    bint is_space(Code)
    int lowest_bit(uint64_t)
    int bytes_room(Bytes *, Py_ssize_t more)
    Py_ssize_t names_find(const Names *, Part)
    void names_clear(Names *)
    void names_free(Names *)
    int open_pairs(Pairs *, Py_ssize_t count)
    void close_pairs(Pairs *)
    bint has_pair(const Pairs *, int64_t, int64_t)
    int64_t number_of_pair(Pairs *, int64_t, int64_t)

# characters

cdef enum:
    DOTTED_I = 0x130  # the only letter whose lower case is two characters


cdef inline bint is_lower(Code code) noexcept nogil:
    return c'a' <= code <= c'z'


cdef inline bint is_upper(Code code) noexcept nogil:
    return c'A' <= code <= c'Z'


cdef inline Code lowered(Code code) noexcept nogil:
    """Return a character in lower case, if that is one character."""
    if code < 128:
        return code | 0x20 if is_upper(code) else code
    return code if code == DOTTED_I else Py_UNICODE_TOLOWER(code)


cdef inline Code char_at(const char *at, const char *end) noexcept nogil:
    """Return the character at a place, 0 at the end."""
    return next_char(&at, end) if at < end else 0


cdef inline Code char_after(const char **at, const char *end) noexcept nogil:
    """Return the character at a place, 0 at the end, and move the place behind it."""
    return next_char(at, end) if at[0] < end else 0


cdef inline Code byte_at(const char *at, const char *end) noexcept nogil:
    return <unsigned char>at[0] if at < end else 0


cdef inline char *put(char *end, Code code) noexcept nogil:
    """Write a character in UTF-8, at most four bytes; return the end."""
    cdef int more = 1 if code < 0x800 else 2 if code < 0x10000 else 3
    if code < 0x80:
        end[0] = <char>code
        return end + 1
    end[0] = <char>(code >> 6 * more | (0xFF00 >> (more + 1) & 0xFF))
    for more in range(more, 0, -1):
        end += 1
        end[0] = <char>(0x80 | (code >> 6 * (more - 1) & 0x3F))
    return end + 1


cdef bint has_odd_case(Part text) noexcept nogil:
    """Return whether a text has letters whose lower case only `str.lower` gets right: DOTTED_I, and the capital sigma.

    The lower case of sigma depends on its place in the word.
    """
    return has_pair_of(text, 0xC4, 0xB0) or has_pair_of(text, 0xCE, 0xA3)


cdef inline bint has_pair_of(Part text, unsigned char first, unsigned char second) noexcept nogil:
    cdef const char *end = text.bytes + text.size
    cdef const char *at = <const char *>memchr(text.bytes, first, text.size) if text.size else NULL
    while at != NULL and byte_at(at + 1, end) != second:
        at = <const char *>memchr(at + 1, first, end - at - 1)
    return at != NULL


cdef bytes in_lower_case(Part text):
    return text_of(text).lower().encode("utf-8", "surrogatepass")


cdef Part first_chars(Part text, Py_ssize_t most) noexcept nogil:
    """Return the first characters of a text, or all of it."""
    cdef Py_ssize_t at, chars = 0
    for at in range(text.size if text.size > most else 0):
        chars += (text.bytes[at] & 0xC0) != 0x80
        if chars > most:
            return Part(text.bytes, at)
    return text


cdef inline Py_ssize_t chars_of(const char *at, const char *end) noexcept nogil:
    cdef Py_ssize_t chars = 0
    while at < end:
        chars += (at[0] & 0xC0) != 0x80
        at += 1
    return chars


cdef inline const Page *plain_page(Table table) noexcept:
    """Return the page that has the plain texts of a table."""
    return table.page if table.plain is None else table.plain.page


cdef inline Part block_text(const Page *page, Py_ssize_t block) noexcept nogil:
    return Part(page.text.bytes + page.block_start[block], page.block_size[block])


cdef const double *words_of(Table table) except NULL:
    """Return the number of words of each block."""
    if table.parts < 1:
        raise ValueError("words: texts that were not counted")
    return table.page.words if table.page.n else <const double *>table.page


def number_texts(Table table not None):
    """Number the texts of blocks in order of occurrence; int64, (n,)."""
    cdef const Page *page = plain_page(table)
    cdef Py_ssize_t block
    cdef Names distinct
    numbers = np.empty(page.n, np.int64)
    cdef int64_t[::1] items = numbers
    memset(&distinct, 0, sizeof(Names))
    try:
        for block in range(page.n):
            items[block] = names_number(&distinct, block_text(page, block))
            if items[block] < 0:
                raise MemoryError
    finally:
        names_free(&distinct)
    return numbers


# words of names

cdef enum:
    MOST_NAME = 1_000  # characters of a name that may be read
    MOST_HOST = 32  # characters of a host's name that are looked up


cdef class Words:
    """Words with their bits; those in `begins` may begin a word of two parts."""

    cdef Names names
    cdef const int64_t[::1] bits
    cdef const uint8_t[::1] begins
    cdef uint64_t[256] sizes  # by the first byte: bits of the sizes of words, to look up few others

    def __cinit__(self, dict bits not None, *, frozenset begins not None=frozenset()):
        merged = dict.fromkeys(begins, 0) | bits
        for word in merged:
            source = word.encode("utf-8", "surrogatepass")
            if names_number(&self.names, part_of_bytes(source)) < 0:
                raise MemoryError
            self.sizes[source[0] if source else 0] |= <uint64_t>1 << (len(source) & 63)
        self.bits = np.array(list(merged.values()), np.int64)
        self.begins = np.array([word in begins for word in merged], np.uint8)

    def __dealloc__(self):
        names_free(&self.names)



cdef inline Py_ssize_t number_of(Words words, Part word) noexcept:
    """Return the number of a word that is not empty, -1 for one that is not listed."""
    if not words.sizes[<unsigned char>word.bytes[0]] >> (word.size & 63) & 1:
        return -1
    return names_find(&words.names, word)


cdef inline int64_t bits_of(Words words, Part word) noexcept:
    cdef Py_ssize_t number = number_of(words, word)
    return words.bits[number] if number >= 0 else 0


cdef inline Py_ssize_t next_word(const char **from_, const char *end, char *word) noexcept nogil:
    """Write the next word of a name, `[A-Z]?[a-z]+|[A-Z]+(?![a-z])`, in lower case; return its length, 0 for none."""
    cdef const char *start = from_[0]
    cdef const char *at
    cdef Py_ssize_t i
    while start < end and not is_lower(<unsigned char>start[0]) and not is_upper(<unsigned char>start[0]):
        start += 1
    at = start
    while at < end and is_upper(<unsigned char>at[0]):
        at += 1
    if at - start > 1 and is_lower(byte_at(at, end)):
        at -= 1  # the last capital begins the next word
    else:
        while at < end and is_lower(<unsigned char>at[0]):
            at += 1
    for i in range(at - start):
        word[i] = start[i] | 0x20
    from_[0] = at
    return at - start


cdef int64_t bits_in(Words words, Part name, char *word, Py_ssize_t *before) noexcept:
    """Return the bits of a name. Two words in a row may form one, if the first may begin one.

    `word` has such a word of `before` characters, if there is one.
    """
    cdef const char *at = name.bytes
    cdef Py_ssize_t length, number
    cdef int64_t bits = 0
    while True:
        length = next_word(&at, name.bytes + name.size, word + before[0])
        if not length:
            return bits
        number = number_of(words, Part(word + before[0], length))
        if before[0]:
            bits |= bits_of(words, Part(word, before[0] + length))
        if number >= 0:
            bits |= words.bits[number]
        if number >= 0 and words.begins[number]:
            memmove(word, word + before[0], length)
            before[0] = length
        else:
            before[0] = 0


def pair_bits(
    *, const int64_t[::1] class_number not None, list classes not None, const int64_t[::1] id_number not None,
    list ids not None, Words words not None, Py_ssize_t most
):
    """Number the pairs of class and id of elements, int64 (m,), and return the bits of each pair, int64.

    An element has a place in `classes` and one in `ids`; `most` characters of both are read.
    """
    cdef Py_ssize_t m = len(class_number), e, before, count = len(classes)
    cdef Pairs pairs
    cdef char[2 * MOST_NAME + 1] word
    cdef Part name
    if not 0 <= most <= MOST_NAME or len(id_number) != m:
        raise ValueError("pair_bits: no such texts")
    which = np.empty(m, np.int64)
    cdef int64_t[::1] numbers = which
    bits, nothing = [], ids.index("") if "" in ids else -1
    cdef Py_ssize_t no_id = nothing
    for e in range(m):
        count += id_number[e] != no_id  # most elements have no id: there are few pairs
    if open_pairs(&pairs, count):
        raise MemoryError
    try:
        for e in range(m):
            if not 0 <= class_number[e] < len(classes) or not 0 <= id_number[e] < len(ids):
                raise ValueError("pair_bits: no such texts")
            numbers[e] = number_of_pair(&pairs, class_number[e], id_number[e])
            if pairs.next > len(bits):
                before, name = 0, first_chars(part_of(classes[class_number[e]]), most)
                own = bits_in(words, name, word, &before)
                name = first_chars(part_of(ids[id_number[e]]), max(0, most - 1 - chars_of(name.bytes, name.bytes + name.size)))
                bits.append(own | bits_in(words, name, word, &before))
    finally:
        close_pairs(&pairs)
    return which, np.array(bits, np.int64)


# addresses

cdef enum:
    FRAGMENT = 1
    ACTION = 2
    ABSOLUTE = 4
    TO_TAG = 8
    TO_SHARE = 16
    TO_NETWORK = 32
    TO_HOME = 64


cdef inline bint begins_with(const char *at, const char *end, const char *ascii, bint in_lower) noexcept nogil:
    """Return whether an address goes on with some characters, in lower case or as it is."""
    cdef Code code
    while ascii[0]:
        code = char_after(&at, end)
        if (lowered(code) if in_lower else code) != <unsigned char>ascii[0]:
            return False
        ascii += 1
    return True


cdef inline bint is_word_char(Code code) noexcept nogil:
    return code == c'_' or Py_UNICODE_ISALNUM(code)


cdef tuple HOST_ENDS = (b".com", b".net", b".me", b".be")


cdef bint is_host_at(Words hosts, const char *at, const char *end) noexcept:
    """Return whether a listed name and the end of a host stand at a place."""
    cdef char[MOST_HOST] name
    cdef Py_ssize_t size = 0
    cdef bytes ending
    while size < MOST_HOST and is_lower(lowered(char_at(at, end))):
        name[size] = <char>lowered(next_char(&at, end))
        size += 1
    if not size or size == MOST_HOST or number_of(hosts, Part(&name[0], size)) < 0:
        return False
    for ending in HOST_ENDS:
        if begins_with(at, end, ending, True) and not is_word_char(lowered(char_at(at + len(ending), end))):
            return True
    return False


cdef const char *after_scheme(const char *at, const char *end, bint in_lower) noexcept nogil:
    """Return the place after "http:" or "https:" if an address begins so, else its beginning."""
    if begins_with(at, end, b"http:", in_lower):
        return at + 5
    return at + 6 if begins_with(at, end, b"https:", in_lower) else at


cdef bint is_network(Words hosts, const char *at, const char *end) noexcept:
    r"""Whether the host is that of a network: `(?:https?:)?//(?:[a-z]{1,4}\.)?NAME\.(?:com|net|me|be)\b`."""
    cdef int label = 0
    at = after_scheme(at, end, True)
    if not begins_with(at, end, b"//", True):
        return False
    at += 2
    if is_host_at(hosts, at, end):
        return True
    while label < 4 and is_lower(lowered(char_at(at, end))):
        next_char(&at, end)
        label += 1
    return label > 0 and byte_at(at, end) == c'.' and is_host_at(hosts, at + 1, end)


cdef inline bint ends_host(Code code) noexcept nogil:
    return code == c'/' or code == c'?' or code == c'#'


cdef bint is_home(const char *at, const char *end) noexcept nogil:
    r"""Whether an address is a first page: `(?:https?:)?(?://[^/?#]+)?/?(?:\./|index\.\w{2,5})?`."""
    cdef int count = 0
    at = after_scheme(at, end, False)
    if begins_with(at, end, b"//", False) and at + 2 < end and not ends_host(<unsigned char>at[2]):
        at += 2
        while at < end and not ends_host(<unsigned char>at[0]):
            at += 1
    at += byte_at(at, end) == c'/'
    if at == end or (end - at == 2 and memcmp(at, b"./", 2) == 0):
        return True
    if not begins_with(at, end, b"index.", False):
        return False
    at += 6
    while at < end:
        if not is_word_char(next_char(&at, end)):
            return False
        count += 1
    return 2 <= count <= 5


cdef int kinds_of_href(Part href, tuple actions, Words hosts, Py_ssize_t most_home) except -1:
    """Return the bits of an address without white space around it, but for those of its words."""
    cdef const char *at = href.bytes
    cdef const char *end = at + href.size
    cdef bytes action
    cdef int kinds = FRAGMENT if byte_at(at, end) == c'#' else 0
    for action in actions:
        if begins_with(at, end, action, True):
            kinds |= ACTION
    if begins_with(at, end, b"//", False):
        kinds |= ABSOLUTE
    for _ in range(6):  # "://" in the first eight characters
        if begins_with(at, end, b"://", False):
            kinds |= ABSOLUTE
        char_after(&at, end)
    at = href.bytes
    if is_network(hosts, at, end):
        kinds |= TO_NETWORK
    if at < end and chars_of(at, end) <= most_home and is_home(at, end):
        kinds |= TO_HOME
    return kinds


def href_bits(
    list hrefs not None, *, Words words not None, Words hosts not None, tuple actions not None, int64_t tagged,
    int64_t sharing, Py_ssize_t most_home, Py_ssize_t cut
):
    """Return bits of each address, uint8.

    `actions` are lower-case beginnings; `tagged` and `sharing` are bits of words in addresses of pages of tags, and for
    sharing. A site's first page has at most `most_home` characters, and was not cut off at `cut` of them.
    """
    cdef char[2 * MOST_NAME + 1] word
    cdef Py_ssize_t before, at
    cdef int64_t named
    cdef str href, stripped
    bits = np.empty(len(hrefs), np.uint8)
    cdef uint8_t[::1] kinds = bits
    for at, href in enumerate(hrefs):
        if href is None:
            raise TypeError("href_bits: each address is a str")
        before = 0
        named = bits_in(words, first_chars(part_of(href), MOST_NAME), word, &before)
        stripped = href.strip()
        kinds[at] = kinds_of_href(part_of(stripped), actions, hosts, most_home if len(href) < cut else 0)
        kinds[at] |= (TO_TAG if named & tagged else 0) | (TO_SHARE if named & sharing else 0)
    return bits


# phrases


cdef inline bint goes_on(Code code) noexcept nogil:
    r"""Whether a character is a letter that continues a word: `[a-z\u00df-\u024f\u0370-\u052f]`."""
    return c'a' <= code <= c'z' or 0xDF <= code <= 0x24F or 0x370 <= code <= 0x52F


cdef struct Node:
    unsigned char byte
    int32_t child, sibling, value  # -1: none


cdef class Phrases:
    """Phrases in lower case with numbers from 0 on: a tree of their bytes."""

    cdef Node *nodes
    cdef int32_t count, room
    cdef int32_t[256] roots
    cdef uint8_t[8_192] starts  # bits of the first two bytes of phrases

    def __cinit__(self, dict numbers not None):
        cdef int at
        for at in range(256):
            self.roots[at] = -1
        for text, number in numbers.items():
            if number < 0:
                raise ValueError("Phrases: a number below 0")
            self.add(text.encode("utf-8", "surrogatepass"), number)

    def __dealloc__(self):
        PyMem_RawFree(self.nodes)

    cdef int add(self, bytes text, int32_t number) except -1:
        cdef int32_t node = -1
        cdef int32_t *link
        cdef unsigned char byte
        cdef int pair
        for byte in text:
            link = self.link(node, byte)
            if link[0] < 0:
                if self.count == self.room:
                    self.grow()
                    link = self.link(node, byte)
                self.nodes[self.count] = Node(byte, -1, -1, -1)
                link[0] = self.count
                self.count += 1
            node = link[0]
        if node >= 0:
            self.nodes[node].value = number
        for byte in text[1:2] or (range(256) if text else ()):
            pair = text[0] << 8 | byte
            self.starts[pair >> 3] |= 1 << (pair & 7)
        return 0

    cdef int grow(self) except -1:
        cdef int32_t room = 2 * self.room + 1_024
        nodes = <Node *>PyMem_RawRealloc(self.nodes, room * sizeof(Node))
        if nodes == NULL:
            raise MemoryError
        self.nodes, self.room = nodes, room
        return 0

    cdef inline int32_t *link(self, int32_t parent, unsigned char byte) noexcept nogil:
        """Return the link to the node of a byte below `parent`, -1 for the start."""
        cdef int32_t *link = &self.roots[byte] if parent < 0 else &self.nodes[parent].child
        while link[0] >= 0 and self.nodes[link[0]].byte != byte:
            link = &self.nodes[link[0]].sibling
        return link

    cdef inline bint may_stand(self, const char *at, const char *end) noexcept nogil:
        """Whether any phrase may stand at a place; this saves most looks at the tree."""
        cdef Code first = byte_at(at, end), second = byte_at(at + 1, end)
        cdef Code pair = lowered(first) << 8 | lowered(second)
        return (first | second) >= 128 or self.starts[pair >> 3] >> (pair & 7) & 1

    cdef inline int32_t step(self, int32_t node, Code code) noexcept nogil:
        """Return the node of a character, in lower case, below a node; -1 for none."""
        cdef char[4] bytes
        cdef char *at = &bytes[0]
        cdef char *end = put(at, lowered(code))
        while at < end:
            node = self.link(node, <unsigned char>at[0])[0]
            if node < 0:
                return -1
            at += 1
        return node

    cdef int32_t longest_at(self, const char *at, const char *end) noexcept nogil:
        """Return the number of the longest phrase at a place that ends where a word ends, -1 for none."""
        cdef int32_t node = -1, longest = -1
        cdef Code code
        while at < end and (node >= 0 or self.may_stand(at, end)):
            code = next_char(&at, end)
            node = self.step(node, code)
            if node < 0:
                return longest
            if self.nodes[node].value >= 0 and not (goes_on(lowered(code)) and goes_on(lowered(char_at(at, end)))):
                longest = self.nodes[node].value
        return longest

    cdef int32_t first_at(self, const char *at, const char *end) noexcept nogil:
        """Return the least number of the phrases at a place of a text, -1 for none."""
        cdef int32_t node = -1, least = -1, value
        while at < end and (node >= 0 or self.may_stand(at, end)):
            node = self.step(node, next_char(&at, end))
            if node < 0:
                return least
            value = self.nodes[node].value
            least = value if value >= 0 and (least < 0 or value < least) else least
        return least

    cdef bint are_all(self, Part text) noexcept nogil:
        """Whether a text has words, and each of them is one of the phrases."""
        cdef const char *at = text.bytes
        cdef const char *end = at + text.size
        cdef const char *before
        cdef int32_t node = -1, words = 0
        cdef Code code
        while at < end:
            before, code = at, next_char(&at, end)
            if Py_UNICODE_ISALNUM(code):
                node = self.step(node, code) if node >= 0 or self.may_stand(before, end) else -1
                if node < 0:
                    return False
            elif node >= 0:
                if self.nodes[node].value < 0:
                    return False
                node, words = -1, words + 1
        return self.nodes[node].value >= 0 if node >= 0 else words > 0

    def within(self, str text not None):
        """Return the bits of the numbers of all phrases anywhere in a text."""
        cdef bytes source = text.encode("utf-8", "surrogatepass")
        cdef const char *at = source
        cdef const char *end = at + len(source)
        cdef const char *start
        cdef int32_t node
        cdef int64_t bits = 0
        cdef unsigned int pair
        start = at
        while start < end:
            node, at = -1, start
            pair = <unsigned int>(<unsigned char>at[0]) << 8 | byte_at(at + 1, end)
            while at < end and (node >= 0 or self.starts[pair >> 3] >> (pair & 7) & 1):
                node = self.link(node, <unsigned char>at[0])[0]
                if node < 0:
                    break
                bits |= max(0, self.nodes[node].value)
                at += 1
            start += 1
        return bits


cdef bint is_common_mark(Code code) noexcept nogil:
    """Whether a character is a mark of Latin-1, punctuation, a currency, an arrow, an operator or a shape."""
    if code < 0xC0:
        return code != 0xAA and code != 0xB5 and code != 0xBA
    return (
        0x2010 <= code < 0x203F or 0x20A0 <= code < 0x20C0 or code == 0x2116 or 0x2190 <= code < 0x2300
        or 0x25A0 <= code < 0x2600
    )


cdef bint is_in_word(Code code) except -1:
    """Whether a character is part of a word: a letter or digit, a combining or joining mark, a circled letter."""
    if code < 128:
        return Py_UNICODE_ISALNUM(code)
    if is_common_mark(code):
        return False
    if Py_UNICODE_ISALPHA(code) or Py_UNICODE_ISDECIMAL(code) or code == 0x200C or code == 0x200D:
        return True
    if 0x20DD <= code <= 0x20E4 or 0x24B6 <= code <= 0x24E9 or 0x1F130 <= code <= 0x1F189:
        return True
    return ("a" + chr(code)).isidentifier()  # identifiers may contain combining and joining marks


cdef Part head_of(Part text, Py_ssize_t most, list odd) except *:
    """Return the first characters of a text; in lower case and held by `odd` if `lowered` does not get it right."""
    text = first_chars(text, most)
    if has_odd_case(text):
        odd[0] = in_lower_case(text)
        return part_of_bytes(odd[0])
    return text


cdef int group_of(Part head, Phrases phrases, const int32_t[::1] groups, int legal) except? -2:
    """Return the group of the first phrase behind leading marks, -1 for none."""
    cdef const char *at = head.bytes
    cdef const char *end = at + head.size
    cdef const char *start
    cdef bint has_copyright = False
    cdef Code code
    if not Py_UNICODE_ISALPHA(lowered(char_at(at, end))):
        while at < end:
            start, code = at, lowered(next_char(&at, end))
            if is_in_word(code):
                at = start
                break
            has_copyright |= code == 0xA9
    number = phrases.first_at(at, end)
    if number < 0:
        return legal if has_copyright else -1
    return groups[number] if number < len(groups) else -1


def beginnings(
    Table table not None, *, Phrases phrases not None, const int32_t[::1] groups not None, int legal,
    Phrases kind_phrases not None, str marks not None, Phrases names not None, Py_ssize_t most_chars,
    Py_ssize_t most_name_chars, double most_words, double most_kind_words, double most_names
):
    """Return what each block begins with: a group, a kind, both int32, and whether it only has names, bool.

    The numbers of `phrases` are places in `groups`; `legal` is the group of the copyright mark; the numbers of
    `kind_phrases` are kinds, and `marks` may stand before them. At most `most_chars` characters are read, and
    `most_name_chars` for names; only of blocks of at most so many words.
    """
    cdef const Page *page = plain_page(table)
    cdef const double *words = words_of(table)
    cdef list odd = [b""]
    cdef const char *at
    cdef const char *end
    cdef Part head
    cdef Py_ssize_t block
    answer = np.full(page.n, -1, np.int32), np.zeros(page.n, np.int32), np.zeros(page.n, np.bool_)
    cdef int32_t[::1] found = answer[0], kinds = answer[1]
    cdef uint8_t[::1] are_names = answer[2].view(np.uint8)
    for block in range(page.n):
        if words[block] <= max(most_words, most_kind_words):
            head = head_of(block_text(page, block), most_chars, odd)
            if words[block] <= most_words:
                found[block] = group_of(head, phrases, groups, legal)
            if words[block] <= most_kind_words:
                at, end = head.bytes, head.bytes + head.size
                while at < end and <Py_UCS4>char_at(at, end) in marks:
                    next_char(&at, end)
                kinds[block] = max(0, kind_phrases.longest_at(at, end))
        if words[block] <= most_names:
            are_names[block] = names.are_all(head_of(block_text(page, block), most_name_chars, odd))
    return answer


# tokens: runs of letters and numbers in lower case; in scripts without spaces between words, characters

cdef enum:
    ALPHABETS = 0x530  # all characters of Latin, Greek and Cyrillic are below

cdef uint16_t[ALPHABETS] PLAIN  # the lower case of letters and numbers, 0 for other characters
cdef Code[41][2] UNSPACED  # ranges of characters of the scripts Thai, Han, Hiragana and Katakana (Unicode 17)

UNSPACED = [
    [0xE01, 0xE3A], [0xE40, 0xE5B], [0x2E80, 0x2E99], [0x2E9B, 0x2EF3], [0x2F00, 0x2FD5], [0x3005, 0x3005],
    [0x3007, 0x3007], [0x3021, 0x3029], [0x3038, 0x303B], [0x3041, 0x3096], [0x309D, 0x309F], [0x30A1, 0x30FA],
    [0x30FD, 0x30FF], [0x31F0, 0x31FF], [0x32D0, 0x32FE], [0x3300, 0x3357], [0x3400, 0x4DBF], [0x4E00, 0x9FFF],
    [0xF900, 0xFA6D], [0xFA70, 0xFAD9], [0xFF66, 0xFF6F], [0xFF71, 0xFF9D], [0x16FE2, 0x16FE3], [0x16FF0, 0x16FF6],
    [0x1AFF0, 0x1AFF3], [0x1AFF5, 0x1AFFB], [0x1AFFD, 0x1AFFE], [0x1B000, 0x1B128], [0x1B132, 0x1B132],
    [0x1B150, 0x1B152], [0x1B155, 0x1B155], [0x1B164, 0x1B168], [0x1F200, 0x1F200], [0x20000, 0x2A6DF],
    [0x2A700, 0x2B81E], [0x2B820, 0x2CEAD], [0x2CEB0, 0x2EBE0], [0x2EBF0, 0x2EE5D], [0x2F800, 0x2FA1D],
    [0x30000, 0x3134A], [0x31350, 0x33479],
]


cdef int fill_plain() except -1:
    cdef int code
    for code in range(ALPHABETS):
        PLAIN[code] = lowered(code) if Py_UNICODE_ISALNUM(code) else 0
    return 0


fill_plain()


cdef bint is_unspaced(Code code) noexcept nogil:
    cdef int low = 0, high = 41, middle
    if 0x4E00 <= code <= 0x9FFF:
        return True
    while low < high:  # the first range that does not end before the character
        middle = (low + high) // 2
        if UNSPACED[middle][1] < code:
            low = middle + 1
        else:
            high = middle
    return low < 41 and UNSPACED[low][0] <= code


cdef struct Tokens:
    const char *at
    const char *end
    Part token  # the last one


cdef class _Room:
    """_Room for a token of a text."""

    cdef Bytes bytes
    cdef bytes odd

    def __dealloc__(self):
        PyMem_RawFree(self.bytes.bytes)

    cdef Tokens open(self, Part text) except *:
        """Return the place before the first token of a text."""
        if has_odd_case(text):
            self.odd = in_lower_case(text)
            text = part_of_bytes(self.odd)
        if bytes_room(&self.bytes, 2 * text.size + 4):
            raise MemoryError
        return Tokens(text.bytes, text.bytes + text.size, Part(self.bytes.bytes, 0))


cdef bint next_token(Tokens *tokens) noexcept nogil:
    """Read the next token; false at the end."""
    cdef char *start = <char *>tokens.token.bytes
    cdef char *out = start
    cdef const char *before
    cdef Code code, plain
    while tokens.at < tokens.end:
        before = tokens.at
        code = next_char(&tokens.at, tokens.end)
        if code < ALPHABETS:
            plain = PLAIN[code]
        elif is_unspaced(code):
            if out == start:
                out = put(out, code)
            else:
                tokens.at = before
            break
        else:
            plain = lowered(code) if Py_UNICODE_ISALNUM(code) else 0
        if plain:
            out = put(out, plain)
        elif out > start:
            break
    tokens.token.size = out - start
    return out > start


def tokens(tuple texts not None):
    """Return the list of tokens of each text."""
    cdef _Room room = _Room()
    cdef Tokens each
    cdef bytes source
    cdef list lists = []
    for text in texts:
        source = text.encode("utf-8", "surrogatepass")
        each = room.open(part_of_bytes(source))
        found = []
        while next_token(&each):
            found.append(text_of(each.token))
        lists.append(found)
    return lists


# sequences of three tokens


cdef class _Sequences:
    """The sequences of three tokens in texts."""

    cdef Names names
    cdef Pairs pairs
    cdef _Room room

    def __cinit__(self, tuple texts not None):
        cdef bytes source
        cdef Tokens each
        cdef Py_ssize_t count = 0
        self.room = _Room()
        sources = [text.encode("utf-8", "surrogatepass") for text in texts]
        for source in sources:
            each = self.room.open(part_of_bytes(source))
            while next_token(&each):
                count += 1
        if open_pairs(&self.pairs, count):
            raise MemoryError
        for source in sources:
            self.add(part_of_bytes(source))

    def __dealloc__(self):
        names_free(&self.names)
        close_pairs(&self.pairs)

    cdef int add(self, Part text) except -1:
        cdef Tokens each = self.room.open(text)
        cdef int64_t first = 0, second = 0, number
        while next_token(&each):
            number = 1 + names_number(&self.names, each.token)
            if not number:
                raise MemoryError
            if first:
                number_of_pair(&self.pairs, first << 31 | second, number)
            first, second = second, number
        return 0

    cdef double share(self, Part text) except -1:
        """Return the share of a text's sequences that are among them."""
        cdef Tokens each = self.room.open(text)
        cdef int64_t first = 0, second = 0, number, hits = 0, count = 0
        while next_token(&each):
            number = 1 + names_find(&self.names, each.token)
            if first and second and number:
                hits += has_pair(&self.pairs, first << 31 | second, number)
            first, second, count = second, number, count + 1
        return <double>hits / max(1, count - 2)


def cover(Table table not None, tuple texts not None):
    """Return the share of each block's sequences of three tokens that are in the texts, (n,)."""
    cdef const Page *page = plain_page(table)
    cdef _Sequences sequences = _Sequences(texts)
    cdef Py_ssize_t block
    shares = np.zeros(page.n)
    cdef double[::1] values = shares
    for block in range(page.n if sequences.pairs.next else 0):
        values[block] = sequences.share(block_text(page, block))
    return shares


# titles

cdef enum:
    MOST_TITLES = 63  # bits of a word that say which titles have it


cdef struct Titles:
    const int64_t *sizes
    const int64_t *plain_sizes
    const double *weights
    Py_ssize_t count


@cdivision(True)  # titles with a number of tokens below 0 must not raise
cdef inline double dice_of(int64_t shared, double tokens, double weight) noexcept nogil:
    return weight * 2.0 * <double>shared / tokens


cdef void liken(const Titles *titles, const int64_t *shared, int64_t distinct, double *rows, Py_ssize_t n) noexcept nogil:
    """Compare a block of `distinct` tokens with the titles, each of which shares some."""
    cdef Py_ssize_t k
    cdef double both
    for k in range(titles.count):
        both = <double>distinct + <double>titles.sizes[k]
        if not shared[k]:
            continue
        if distinct > 1 and titles.plain_sizes[k]:
            rows[0] = max(rows[0], dice_of(shared[k], both, 1.0))
        if distinct > 1 and titles.sizes[k] > 1:
            rows[n] = max(rows[n], dice_of(shared[k], both, titles.weights[k]))
        if distinct == 1 and titles.sizes[k] == 1:
            rows[2 * n] = titles.weights[k]


cdef int64_t share_titles(Tokens tokens, Words words, Names *distinct, int64_t *shared) except -1:
    """Count the distinct tokens of a text, and how many of them each title has; return 0 if none has any."""
    cdef Tokens again = tokens
    cdef uint64_t bits = 0
    cdef Py_ssize_t known
    while not bits and next_token(&tokens):
        bits = bits_of(words, tokens.token)
    if not bits:  # as of most texts
        return 0
    names_clear(distinct)
    while next_token(&again):
        known = distinct.ends.size
        if names_number(distinct, again.token) < 0:
            raise MemoryError
        bits = bits_of(words, again.token) if distinct.ends.size > known else 0
        while bits:
            shared[lowest_bit(bits)] += 1
            bits &= bits - 1
    return distinct.ends.size


def likeness(
    Table table not None, *, Words words not None, const int64_t[::1] sizes not None,
    const int64_t[::1] plain_sizes not None, const double[::1] weights not None, double most_words
):
    """Return how alike each block of at most `most_words` words is to titles, (3, n).

    The bits of `words` name up to 63 titles; `sizes` are the numbers of their tokens, `plain_sizes` the same, with 0
    for titles that count only with weights. The rows: the largest Dice coefficient with a plain title; the largest
    with a title of several tokens, times its weight; the weight of a title that is a block's only token.
    """
    cdef const Page *page = plain_page(table)
    cdef const double *block_words = words_of(table)
    cdef Py_ssize_t count = len(sizes), block
    cdef int64_t[64] shared
    cdef int64_t distinct
    cdef Names names
    cdef _Room room = _Room()
    if not 0 < count <= MOST_TITLES or len(plain_sizes) != count or len(weights) != count:
        raise ValueError("likeness: other or too many titles")
    rows = np.zeros((3, page.n))
    cdef double[:, ::1] values = rows
    cdef Titles titles = Titles(&sizes[0], &plain_sizes[0], &weights[0], count)
    memset(&names, 0, sizeof(Names))
    try:
        for block in range(page.n):
            if block_words[block] <= most_words:
                memset(shared, 0, sizeof(shared))
                distinct = share_titles(room.open(block_text(page, block)), words, &names, shared)
                if distinct:
                    liken(&titles, shared, distinct, &values[0, block], page.n)
    finally:
        names_free(&names)
    return rows


# groups of words

cdef enum:
    BLANK = 1  # bits of a character
    MARK = 2
    COUNTED = 4
    PLANE = 65_536  # characters with bits; those beyond have none
    LONGEST = 64  # characters of a listed word
    MOST_GROUPS = 63


cdef struct Tally:
    int64_t[MOST_GROUPS] hits
    Py_ssize_t tokens, counted


cdef class Vocabulary:
    """Lower-case words with the bits of their groups.

    `marks` are stripped from the ends of words; the characters `counted` are counted.
    """

    cdef Words words
    cdef int groups
    cdef uint8_t[PLANE] flags

    def __cinit__(self, *, dict bits not None, int groups, str marks not None, str counted not None):
        cdef int code
        if not 0 <= groups <= MOST_GROUPS:
            raise ValueError("Vocabulary: too many groups")
        for word, number in bits.items():
            if not 0 < len(word) <= LONGEST or number < 0 or number.bit_length() > groups:
                raise ValueError("Vocabulary: a word is too long, or of no group")
        self.words, self.groups = Words(bits), groups
        for code in range(PLANE):
            self.flags[code] = BLANK if is_space(code) else 0
        for chars, flag in ((marks, MARK), (counted, COUNTED)):
            for code in map(ord, chars):
                if code < PLANE:
                    self.flags[code] |= flag

    cdef inline uint8_t flags_of(self, Code code) noexcept nogil:
        return self.flags[code] if code < PLANE else 0

    cdef int count_token(self, Part token, Tally *tally) noexcept:
        """Count the groups of a token, without the marks at its ends."""
        cdef char[4 * LONGEST] word
        cdef char *out = &word[0]
        cdef const char *at = token.bytes
        cdef const char *end = at + token.size
        cdef const char *last
        cdef Py_ssize_t chars
        cdef int64_t bits
        cdef int group = 0
        while at < end and self.flags_of(char_at(at, end)) & MARK:
            next_char(&at, end)
        while at < end:
            last = end - 1
            while last > at and (last[0] & 0xC0) == 0x80:
                last -= 1
            if not self.flags_of(char_at(last, end)) & MARK:
                break
            end = last
        chars = chars_of(at, end)
        if not 0 < chars <= LONGEST:
            return 0
        while at < end:
            out = put(out, lowered(next_char(&at, end)))
        bits = bits_of(self.words, Part(&word[0], out - &word[0]))
        while bits:
            tally.hits[group] += bits & 1
            group, bits = group + 1, bits >> 1
        return 0

    cdef int count(self, Part text, Tally *tally) except -1:
        """Count the tokens of a text."""
        cdef const char *at = text.bytes
        cdef const char *end = at + text.size
        cdef const char *start
        cdef const char *last
        cdef uint8_t flags
        cdef Part token
        cdef bytes odd
        while at < end:
            start = last = at
            while at < end:
                flags = self.flags_of(next_char(&at, end))
                if flags & BLANK:
                    break
                tally.counted += (flags & COUNTED) != 0
                last = at
            if last > start:
                token = Part(start, last - start)
                if has_odd_case(token):
                    odd = in_lower_case(token)
                    token = part_of_bytes(odd)
                self.count_token(token, tally)
                tally.tokens += 1
        return 0

    def of_title(self, str title not None):
        """Return whether each group has a word of a title, then its number of words."""
        cdef Tally tally
        cdef bytes source = title.encode("utf-8", "surrogatepass")
        memset(&tally, 0, sizeof(Tally))
        self.count(part_of_bytes(source), &tally)
        return np.array([*(tally.hits[group] > 0 for group in range(self.groups)), tally.tokens], np.float64)

    def of_table(self, Table table not None, double words):
        """Return the hits of each group in the blocks, and their share of the words in percent, by turns.

        Then come the number of counted characters, and that number per block.
        """
        cdef const Page *page = plain_page(table)
        cdef Py_ssize_t block
        cdef Tally tally
        memset(&tally, 0, sizeof(Tally))
        for block in range(page.n):
            self.count(block_text(page, block), &tally)
        figures = []
        for group in range(self.groups):
            figures += [tally.hits[group], 100.0 * tally.hits[group] / max(words, 1.0)]
        return np.array([*figures, tally.counted, tally.counted / max(page.n, 1)], np.float64)
