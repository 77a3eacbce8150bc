# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Look up words in names, addresses and texts, find phrases, and compare texts with titles.

All texts are read in UTF-8. Those of blocks are the plain ones of a table: without invisible characters.
"""

from cpython.bytes cimport PyBytes_AS_STRING
from cython cimport cdivision
from libc.math cimport log1p
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memchr, memcmp, memcpy, memmove, memset

import numpy as np

from crfclean.core.table cimport (
    KINDS,
    TREE,
    WORDED,
    WORDED_PART,
    Bytes,
    Groups,
    Names,
    Page,
    Part,
    Table,
    lay_out,
    names_number,
    names_text,
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


cdef inline const char *last_char(const char *at, const char *end) noexcept nogil:
    """Return the place of the last character of a text that is not empty."""
    end -= 1
    while end > at and (end[0] & 0xC0) == 0x80:
        end -= 1
    return end


cdef Part stripped(Part text) noexcept nogil:
    """Return a text without the white space around it."""
    cdef const char *at = text.bytes
    cdef const char *end = at + text.size
    while at < end and is_space(char_at(at, end)):
        next_char(&at, end)
    while at < end and is_space(char_at(last_char(at, end), end)):
        end = last_char(at, end)
    return Part(at, end - at)


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


# words of names

cdef enum:
    MOST_NAME = 400  # characters of class and id that are read; some generated names are endless
    MOST_HOST = 32  # characters of a host's name that are looked up
    MOST_HOME = 100  # characters of the address of a site's first page


cdef inline int ends_of(Part word) noexcept nogil:
    """Mix the first and last bytes of a word: words of Latin letters with others differ."""
    return (<unsigned char>word.bytes[0] << 5 ^ <unsigned char>word.bytes[word.size - 1]) & 1_023 if word.size else 0


cdef class _Words:
    """Words with their bits; those in `begins` may begin a word of two parts."""

    cdef Names names
    cdef const int64_t[::1] bits
    cdef const uint8_t[::1] begins
    cdef uint64_t[1_024] sizes  # by the first and last bytes: bits of the sizes of words, to look up few others

    def __cinit__(self, dict bits not None, *, frozenset begins not None=frozenset()):
        merged = dict.fromkeys(begins, 0) | bits
        for word in merged:
            source = word.encode("utf-8", "surrogatepass")
            if names_number(&self.names, part_of_bytes(source)) < 0:
                raise MemoryError
            self.sizes[ends_of(part_of_bytes(source))] |= <uint64_t>1 << (len(source) & 63)
        self.bits = np.array(list(merged.values()), np.int64)
        self.begins = np.array([word in begins for word in merged], np.uint8)

    def __dealloc__(self):
        names_free(&self.names)



cdef inline Py_ssize_t number_of(_Words words, Part word) noexcept:
    """Return the number of a word that is not empty, -1 for one that is not listed."""
    if not words.sizes[ends_of(word)] >> (word.size & 63) & 1:
        return -1
    return names_find(&words.names, word)


cdef inline bint may_be_word(_Words words, Part ascii) noexcept:
    """Whether a word in ASCII may be listed, in lower case; this saves most looks."""
    cdef char[2] ends
    ends[0], ends[1] = <char>lowered(ascii.bytes[0]), <char>lowered(ascii.bytes[ascii.size - 1])
    return words.sizes[ends_of(Part(&ends[0], 2))] >> (ascii.size & 63) & 1


cdef inline int64_t bits_of(_Words words, Part word) noexcept:
    cdef Py_ssize_t number = number_of(words, word)
    return words.bits[number] if number >= 0 else 0


cdef inline Py_ssize_t next_word(const char **from_, const char *end, char *word) noexcept nogil:
    """Write the next word of a name, `[A-Z]?[a-z]+|[A-Z]+(?![a-z])`, in lower case; return its length, 0 for none."""
    cdef const char *start = from_[0]
    cdef const char *at
    while start < end and not is_lower(<unsigned char>start[0] | 0x20):
        start += 1
    at = start
    while at < end and is_upper(<unsigned char>at[0]):
        word[at - start] = at[0] | 0x20
        at += 1
    if at - start > 1 and is_lower(byte_at(at, end)):
        at -= 1  # the last capital begins the next word
    else:
        while at < end and is_lower(<unsigned char>at[0]):
            word[at - start] = at[0]
            at += 1
    from_[0] = at
    return at - start


cdef int64_t bits_in(_Words words, Part name, char *word, Py_ssize_t *before) noexcept:
    """Return the bits of a name. Two words in a row may form one, if the first may begin one.

    `word` receives the word of `before` characters before the position, if any.
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


cdef tuple ACTIONS = (b"javascript:", b"mailto:", b"tel:")
cdef tuple HOST_ENDS = (b".com", b".net", b".me", b".be")


cdef bint is_host_at(_Words hosts, const char *at, const char *end) noexcept:
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


cdef bint is_network(_Words hosts, const char *at, const char *end) noexcept:
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


cdef int kinds_of_href(Part href, _Words hosts, bint is_whole) except -1:
    """Return the bits of an address without white space around it, but for those of its words.

    It leads inside the page; to a script, mail or telephone; has a scheme or host; is on the host of a social network;
    is a site's first page.
    """
    cdef const char *at = href.bytes
    cdef const char *end = at + href.size
    cdef bytes action
    cdef int kinds = FRAGMENT if byte_at(at, end) == c'#' else 0
    for action in ACTIONS:
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
    if is_whole and at < end and chars_of(at, end) <= MOST_HOME and is_home(at, end):
        kinds |= TO_HOME
    return kinds


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
    if is_common_mark(code) or code == 0x30FB or code == 0xFF65:  # ・ begins items; Python 3.14 joins words by it
        return False
    if Py_UNICODE_ISALPHA(code) or Py_UNICODE_ISDECIMAL(code) or code == 0x200C or code == 0x200D:
        return True
    if 0x20DD <= code <= 0x20E4 or 0x24B6 <= code <= 0x24E9 or 0x1F130 <= code <= 0x1F189:
        return True
    return ("a" + chr(code)).isidentifier()  # identifiers may contain combining and joining marks


cdef Part head_of(Part text, Py_ssize_t most, list odd) except *:
    """Return the first characters of a text.

    Where `lowered`, which knows single characters alone, would be wrong (see `has_odd_case`), they are in lower case
    and held by `odd`.
    """
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
        while tokens.at < tokens.end and <unsigned char>tokens.at[0] < 128 and PLAIN[<unsigned char>tokens.at[0]]:
            out[0] = <char>PLAIN[<unsigned char>tokens.at[0]]  # most characters are such letters
            out, tokens.at = out + 1, tokens.at + 1
        if tokens.at == tokens.end:
            break
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


# titles, descriptions and bodies that a page declares

cdef enum:
    MOST_TITLES = 50  # different parts of titles that count, with their weights or as they are
    MOST_TITLE_WORDS = 60  # longer blocks are not titles


@cdivision(True)  # titles have tokens
cdef inline double dice_of(Py_ssize_t shared, Py_ssize_t tokens, double weight) noexcept nogil:
    return weight * 2.0 * <double>shared / <double>tokens


cdef class _Declared:
    """The tokens of titles, and the sequences of three tokens in descriptions and in bodies."""

    cdef Names names, distinct  # all of them; those of a block
    cdef Pairs descriptions, bodies
    cdef _Room room
    cdef uint64_t[1_024] sizes  # as those of `_Words`
    cdef uint64_t[:, ::1] titles  # by number of the token: bits of the titles that have it
    cdef double[2 * MOST_TITLES] weights
    cdef Py_ssize_t[2 * MOST_TITLES] tokens  # their number
    cdef bint[2 * MOST_TITLES] is_plain  # whether a title counts without its weight, too
    cdef Py_ssize_t count

    def __cinit__(self, tuple titles not None, tuple weights not None, tuple descriptions not None, tuple bodies not None):
        self.room = _Room()
        self.add_titles(self.numbered(titles), weights)
        self.add_sequences(self.numbered(descriptions), &self.descriptions)
        self.add_sequences(self.numbered(bodies), &self.bodies)

    def __dealloc__(self):
        names_free(&self.names)
        names_free(&self.distinct)
        close_pairs(&self.descriptions)
        close_pairs(&self.bodies)

    cdef list numbered(self, tuple texts):
        """Return the numbers of the tokens of each text."""
        cdef Tokens each
        cdef str text
        cdef bytes source
        cdef Py_ssize_t number
        cdef list lists = [], numbers
        for text in texts:
            source = text.encode("utf-8", "surrogatepass")
            each, numbers = self.room.open(part_of_bytes(source)), []
            while next_token(&each):
                number = names_number(&self.names, each.token)
                if number < 0:
                    raise MemoryError
                self.sizes[ends_of(each.token)] |= <uint64_t>1 << (each.token.size & 63)
                numbers.append(number)
            lists.append(numbers)
        return lists

    cdef int add_titles(self, list parts, tuple weights) except -1:
        """Note the first titles that differ. A title with a token twice counts without its weight, too."""
        cdef dict weighted = {}, plain = {}
        cdef Py_ssize_t number
        for numbers, weight in zip(parts, weights):
            title = frozenset(numbers)
            if title:
                weighted[title] = max(weight, weighted.get(title, 0.0))
            if len(numbers) > 1:
                plain[title] = 0.0
        plain = dict.fromkeys(list(plain)[:MOST_TITLES], 0.0)
        weighted = dict(list(weighted.items())[:MOST_TITLES])
        self.titles = np.zeros((self.names.ends.size + 1, 2), np.uint64)
        for title, weight in (plain | weighted).items():
            self.weights[self.count], self.tokens[self.count] = weight, len(title)
            self.is_plain[self.count] = title in plain
            for number in title:
                self.titles[number, self.count >> 6] |= <uint64_t>1 << (self.count & 63)
            self.count += 1
        return 0

    cdef int add_sequences(self, list texts, Pairs *sequences) except -1:
        cdef int64_t first, second, number
        if open_pairs(sequences, sum(map(len, texts))):
            raise MemoryError
        for numbers in texts:
            first = second = -1
            for number in numbers:
                if first >= 0:
                    number_of_pair(sequences, first << 31 | second, number)
                first, second = second, number
        return 0

    cdef inline Py_ssize_t number_of(self, Part token) noexcept nogil:
        if not self.sizes[ends_of(token)] >> (token.size & 63) & 1:
            return -1
        return names_find(&self.names, token)

    cdef int compare(self, const Page *page, Py_ssize_t block, Part text) except -1:
        """Compare a block with the titles, and fill the shares of its sequences that are in the other texts."""
        cdef bint is_title = False, may_be_title = self.count and page.words[block] <= MOST_TITLE_WORDS
        cdef int64_t first = -1, second = -1, number, count = 0, described = 0, held = 0
        cdef Tokens each, again
        if not (may_be_title or self.descriptions.next or self.bodies.next):
            return 0
        each = again = self.room.open(text)
        while next_token(&each):
            number = self.number_of(each.token)
            if 0 <= number < self.titles.shape[0]:
                is_title = is_title or self.titles[number, 0] | self.titles[number, 1]
            if first >= 0 and second >= 0 and number >= 0:
                described += has_pair(&self.descriptions, first << 31 | second, number)
                held += has_pair(&self.bodies, first << 31 | second, number)
            first, second, count = second, number, count + 1
        page.description_cover[block] = <double>described / max(1, count - 2)
        page.body_cover[block] = <double>held / max(1, count - 2)
        if is_title and may_be_title:
            self.liken(page, block, again)
        return 0

    cdef int liken(self, const Page *page, Py_ssize_t block, Tokens tokens) except -1:
        """Fill the likeness of a block to titles: plain, by weight, and to a title that is its only token."""
        cdef Py_ssize_t[2 * MOST_TITLES] shared
        cdef Py_ssize_t known, number, k, distinct
        cdef uint64_t bits
        memset(shared, 0, sizeof(shared))
        names_clear(&self.distinct)
        while next_token(&tokens):
            known = self.distinct.ends.size
            if names_number(&self.distinct, tokens.token) < 0:
                raise MemoryError
            number = self.number_of(tokens.token) if self.distinct.ends.size > known else -1
            for k in range(2 if 0 <= number < self.titles.shape[0] else 0):
                bits = self.titles[number, k]
                while bits:
                    shared[64 * k + lowest_bit(bits)] += 1
                    bits &= bits - 1
        distinct = self.distinct.ends.size
        for k in range(self.count):
            if not shared[k]:
                continue
            known = distinct + self.tokens[k]
            if distinct > 1 and self.is_plain[k]:
                page.title_likeness[block] = max(page.title_likeness[block], dice_of(shared[k], known, 1.0))
            if distinct > 1 and self.tokens[k] > 1:
                page.title_weighted[block] = max(page.title_weighted[block], dice_of(shared[k], known, self.weights[k]))
            if distinct == 1 and self.tokens[k] == 1:
                page.title_single[block] = self.weights[k]
        return 0


# what words say of the elements and blocks of a page

cdef enum:
    MOST_ROLES = 8  # words of an attribute that are read
    MOST_ROLE = 64  # bytes of a word that is looked up
    MOST_HREF = 200  # characters of an address that are read
    MOST_PHRASE_WORDS = 12  # a longer block is more than a phrase of a group
    MOST_KIND_WORDS = 60  # a longer block is more than a phrase of a kind
    MOST_NETWORK_WORDS = 15  # of a row of networks
    MOST_PHRASE_CHARS = 80  # of a block that are searched for a phrase
    MOST_NETWORK_CHARS = 200  # of a block that are searched for names of networks
    DECLARED = 9
    ID = 1
    HREF = 2
    ROLE = 3  # the first of the attributes that say what an element is

cdef tuple ATTRIBUTES = (b"", b"id", b"href", b"role=", b"itemtype=", b"itemprop=", b"rel=")
cdef int MAY_NAME_AUTHOR = 5  # attributes from here on
cdef str KIND_MARKS = " \u00a0\"'\u2018\u201c\u00ab\u00bb\u2192>*-\u2013\u2022"  # before a phrase of a kind


cdef dict first_of(tuple pairs):
    """Return the value of each text; of equal texts, the first counts."""
    cdef dict values = {}
    for text, value in pairs:
        values.setdefault(text, value)
    return values


cdef object numbers_below(Py_ssize_t end, tuple numbers, Py_ssize_t count):
    """Return so many numbers from 0 on and below an end, int32; raises `ValueError` for others."""
    made = np.array(numbers, np.int64)
    if len(numbers) != count or made.min(initial=0) < 0 or made.max(initial=-1) >= end:
        raise ValueError("Wording: other groups")
    return made.astype(np.int32)


cdef set ids_from_headings(Table table):
    """Return the ids that sites make of the words of a heading: "comments-of-critics".

    Such a `section` has no readers' comments. Ids of a single word count all the same:
    `<div id="comments"><h3>Comments</h3>`.
    """
    cdef Py_ssize_t block
    cdef set ids = set()
    for block in range(table.page.n):
        words = table.plain_texts[block].lower().split() if table.page.in_heading[block] else ()
        for mark in "-_ " if len(words) > 1 else "":
            ids.add(mark.join(words))
    return ids


cdef int64_t bits_of_role(_Words types, bytes attribute, Part value, uint8_t *is_author) noexcept:
    """Return the bits of the first words of an attribute; of an address, those of its last part.

    Note whether a word names an author.
    """
    cdef char[MOST_ROLE + 4] word
    cdef const char *at = value.bytes
    cdef const char *end = at + value.size
    cdef Py_ssize_t start = len(attribute), size, number = 0
    cdef int64_t bits = 0
    cdef bint is_part
    cdef Code code
    memcpy(&word[0], PyBytes_AS_STRING(attribute), start)
    while at < end:
        code, size, is_part = lowered(next_char(&at, end)), start, False
        while not is_space(code):
            if code == c"/":
                size, is_part = start, True
            elif size < MOST_ROLE:
                size = put(&word[size], code) - &word[0]
            if at == end:
                break
            code = lowered(next_char(&at, end))
        if size > start or is_part:
            bits |= bits_of(types, Part(&word[0], size)) if number < MOST_ROLES else 0
            is_author[0] |= not is_part and size - start == 6 and memcmp(&word[start], b"author", 6) == 0
            number += 1
    return bits


cdef class Wording:
    """What words say of names, tags, phrases and addresses. `read` writes it into the table of a page.

    `names` and `types` are words of class and id, and of tags and attributes ("role=main"), with the bits
    of their groups; the names in `begins` may begin another. `tagged` and `sharing` are bits of words in
    addresses of pages of tags, and for sharing. `phrases` are pairs: a phrase and its group below
    `all_phrases`; `legal` is the group of the copyright mark; `kind_phrases` are pairs, too, with a `Kind`.
    `counters` count addresses, dates and times. The last four arguments are groups that columns stand for.
    """

    cdef _Words names, types, hosts
    cdef Phrases phrases, kind_phrases, networks
    cdef const int32_t[::1] groups  # of the phrases
    cdef Groups columns
    cdef Py_ssize_t typed_groups, named_groups, all_phrases
    cdef int64_t tagged, sharing
    cdef int legal
    cdef tuple counters

    def __cinit__(
        self, *, dict names not None, frozenset begins not None, dict types not None, tuple hosts not None,
        tuple networks not None, int64_t tagged, int64_t sharing, tuple phrases not None, Py_ssize_t all_phrases, int legal,
        tuple kind_phrases not None, Py_ssize_t typed_groups, Py_ssize_t named_groups, tuple counters not None,
        bytes char_sets not None, tuple split_bits not None, tuple name_groups not None, tuple phrase_groups not None
    ):
        self.names, self.types, self.hosts = _Words(names, begins=begins), _Words(types), _Words(dict.fromkeys(hosts, 0))
        self.phrases = Phrases(first_of(tuple([(phrase, at) for at, (phrase, _) in enumerate(phrases)])))
        self.kind_phrases, self.networks = Phrases(first_of(kind_phrases)), Phrases(dict.fromkeys(networks, 0))
        self.tagged, self.sharing, self.counters = tagged, sharing, counters
        if len(char_sets) != PLANE or len(counters) != 3:
            raise ValueError("Wording: other characters or counters")
        memcpy(self.columns.char_sets, PyBytes_AS_STRING(char_sets), PLANE)
        self.groups = numbers_below(all_phrases, tuple([group for _, group in phrases]), len(phrases))
        self.legal, = numbers_below(all_phrases, (legal,), 1)
        numbers_below(KINDS, tuple([kind for _, kind in kind_phrases]), len(kind_phrases))
        self.typed_groups, self.named_groups = numbers_below(65, (typed_groups, named_groups), 2)
        self.all_phrases = all_phrases
        split = numbers_below(128, split_bits, 7)
        named, said = numbers_below(named_groups, name_groups, 17), numbers_below(all_phrases, phrase_groups, 8)
        for at in range(17):
            self.columns.name_groups[at] = named[at]
        for at in range(8):
            self.columns.phrase_groups[at] = said[at]
        for at in range(7):
            self.columns.split_bits[at] = split[at]

    def read(
        self, Table table not None, *, tuple titles not None, tuple weights not None, tuple descriptions not None,
        tuple bodies not None, const double[::1] declared not None
    ):
        """Write what words say of a page into its table, if it is not there yet.

        `titles` are the titles that it declares and their parts, with `weights` (0..1). `declared` says whether the
        head has an article's text, and whether it names each of eight types of pages.
        """
        cdef Page page = table.at_least(TREE)[0]
        cdef Py_ssize_t a = names_find(&page.tags, Part(b"a", 1)), e
        if table.parts >= WORDED:
            return
        if declared.shape[0] != DECLARED:
            raise ValueError("Wording: other types of pages")
        page.groups, page.typed_groups, page.named_groups = &self.columns, self.typed_groups, self.named_groups
        page.all_phrases = self.all_phrases
        for e in range(page.m):
            page.links += page.tag[e] == a and page.first_block[e] < page.n
        try:
            if lay_out(&page, WORDED_PART):
                raise MemoryError
            memcpy(page.declared, &declared[0], sizeof(double) * DECLARED)
            self.read_elements(table, &page, a)
            self.read_blocks(table, &page, _Declared(titles, weights, descriptions, bodies))
            steps = table.count_steps(&page)
            if table.parts == TREE:  # no other thread was first
                table.values["steps"], table.wording = steps, self
                table.page[0] = page
                table.parts, page.of_part[WORDED_PART] = WORDED, NULL
        finally:
            PyMem_RawFree(page.of_part[WORDED_PART])

    cdef int read_elements(self, Table table, Page *page, Py_ssize_t a) except -1:
        """Fill the bits of names and types, whether an element names an author, and where links lead."""
        cdef int64_t[::1] of_class = np.full(page.classes.ends.size, -1, np.int64)
        cdef int64_t[::1] of_tag = np.empty(page.tags.ends.size, np.int64)
        cdef uint8_t[::1] known = np.zeros(page.attribute_names.ends.size, np.uint8)
        cdef Py_ssize_t e, at, link = 0
        cdef int attribute
        cdef uint8_t no_author = 0
        cdef uint8_t *is_author
        cdef Part id, href, value
        cdef set ids = None
        for at in range(of_tag.shape[0]):
            of_tag[at] = bits_of(self.types, names_text(&page.tags, at))
        for attribute in range(1, len(ATTRIBUTES)):
            name = (<bytes>ATTRIBUTES[attribute]).rstrip(b"=")
            at = names_find(&page.attribute_names, part_of_bytes(name))
            if at >= 0:
                known[at] = attribute
        for e in range(page.m):
            id = href = Part(b"", 0)
            page.typed[e] = of_tag[page.tag[e]]
            for at in range(table.first_attribute(e), page.attributes_end[e]):
                attribute = known[page.attribute_name[at]]
                value = Part(page.value_text.bytes + page.value_start[at], page.value_size[at])
                if attribute >= ROLE:
                    is_author = &page.is_author[e] if attribute >= MAY_NAME_AUTHOR else &no_author
                    page.typed[e] |= bits_of_role(self.types, ATTRIBUTES[attribute], value, is_author)
                elif attribute:
                    id, href = (value, href) if attribute == ID else (id, value)
            page.name_bits[e] = -1 if id.size else of_class[page.class_number[e]]
            if page.name_bits[e] < 0:
                ids = self.read_name(table, page, e, id, ids)
            if not id.size:
                of_class[page.class_number[e]] = page.name_bits[e]
            if page.tag[e] == a and page.first_block[e] < page.n:
                page.link_block[link], page.link_bits[link] = page.first_block[e], self.kinds_of_link(href)
                link += 1
        return 0

    cdef set read_name(self, Table table, Page *page, Py_ssize_t e, Part id, set ids):
        """Fill the bits of an element's class and id, but for an id in `ids`, which are made for the first such id."""
        cdef char[2 * MOST_NAME + 1] word
        cdef Py_ssize_t before = 0
        cdef Part name = first_chars(names_text(&page.classes, page.class_number[e]), MOST_NAME)
        cdef int64_t bits = bits_in(self.names, name, word, &before)
        page.name_bits[e] = bits
        name = first_chars(id, max(0, MOST_NAME - 1 - chars_of(name.bytes, name.bytes + name.size)))
        bits |= bits_in(self.names, name, word, &before)
        if bits != page.name_bits[e]:
            ids = ids_from_headings(table) if ids is None else ids
            if not ids or text_of(id).lower() not in ids:
                page.name_bits[e] = bits
        return ids

    cdef int kinds_of_link(self, Part href) except -1:
        """Return the bits of an address."""
        cdef char[2 * MOST_NAME + 1] word
        cdef Py_ssize_t before = 0
        cdef Part address = first_chars(href, MOST_HREF)
        cdef int64_t named = bits_in(self.names, address, word, &before)
        cdef bint is_whole = chars_of(address.bytes, address.bytes + address.size) < MOST_HREF
        return (
            kinds_of_href(stripped(address), self.hosts, is_whole)
            | (TO_TAG if named & self.tagged else 0) | (TO_SHARE if named & self.sharing else 0)
        )

    cdef int read_blocks(self, Table table, Page *page, _Declared declared) except -1:
        """Fill what blocks begin with and have in common, and how they are like what the page declares."""
        cdef const Page *plain = plain_page(table)
        cdef Names distinct
        cdef list odd = [b""]
        cdef Part text
        cdef Py_ssize_t block
        memset(&distinct, 0, sizeof(Names))
        try:
            for block in range(page.n):
                text, page.log_words[block] = block_text(plain, block), log1p(page.words[block])
                page.text_numbers[block] = names_number(&distinct, text)
                if page.text_numbers[block] < 0:
                    raise MemoryError
                self.read_beginning(page, block, text, odd)
                declared.compare(page, block, text)
                if page.likely[block]:
                    self.count_matches(page, block, table.plain_texts[block])
        finally:
            names_free(&distinct)
        return 0

    cdef int count_matches(self, Page *page, Py_ssize_t block, str text) except -1:
        """Count the addresses, dates and times in a block that may have any."""
        cdef double *counts[3]
        cdef int counter
        counts[0], counts[1], counts[2] = page.urls, page.dates, page.times
        for counter in range(3):
            if page.likely[block] >> counter & 1:
                counts[counter][block] = self.counters[counter](text)
        return 0

    cdef int read_beginning(self, Page *page, Py_ssize_t block, Part text, list odd) except -1:
        """Find a phrase, a kind and the names of networks at the beginning of a short block."""
        cdef const char *at
        cdef const char *end
        cdef Part head
        cdef double words = page.words[block]
        page.phrase[block] = -1
        if words <= MOST_KIND_WORDS:
            head = head_of(text, MOST_PHRASE_CHARS, odd)
            if words <= MOST_PHRASE_WORDS:
                page.phrase[block] = group_of(head, self.phrases, self.groups, self.legal)
            at, end = head.bytes, head.bytes + head.size
            while at < end and <Py_UCS4>char_at(at, end) in KIND_MARKS:
                next_char(&at, end)
            page.phrase_kind[block] = max(0, self.kind_phrases.longest_at(at, end))
        if words <= MOST_NETWORK_WORDS:
            page.networks[block] = self.networks.are_all(head_of(text, MOST_NETWORK_CHARS, odd))
        return 0


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

    cdef _Words words
    cdef int groups
    cdef uint8_t[PLANE] flags

    def __cinit__(self, *, dict bits not None, int groups, str marks not None, str counted not None):
        cdef int code
        if not 0 <= groups <= MOST_GROUPS:
            raise ValueError("Vocabulary: too many groups")
        for word, number in bits.items():
            if not 0 < len(word) <= LONGEST or number < 0 or number.bit_length() > groups:
                raise ValueError("Vocabulary: a word is too long, or of no group")
        self.words, self.groups = _Words(bits), groups
        for code in range(PLANE):
            self.flags[code] = BLANK if is_space(code) else 0
        for chars, flag in ((marks, MARK), (counted, COUNTED)):
            for code in map(ord, chars):
                if code < PLANE:
                    self.flags[code] |= flag

    cdef inline uint8_t flags_of(self, Code code) noexcept nogil:
        return self.flags[code] if code < PLANE else 0

    cdef int count_word(self, Part source, Tally *tally) noexcept:
        """Count the groups of a word."""
        cdef char[4 * LONGEST] word
        cdef char *out = &word[0]
        cdef const char *at = source.bytes
        cdef const char *end = at + source.size
        cdef Py_ssize_t chars = chars_of(at, end)
        cdef uint64_t bits
        if chars > LONGEST or (chars == source.size and not may_be_word(self.words, source)):
            return 0
        while at < end:
            out = put(out, lowered(next_char(&at, end)))
        bits = bits_of(self.words, Part(&word[0], out - &word[0]))
        while bits:
            tally.hits[lowest_bit(bits)] += 1
            bits &= bits - 1
        return 0

    cdef int count(self, Part text, Tally *tally) except -1:
        """Count the tokens of a text, and their words without the marks at the ends."""
        cdef const char *at = text.bytes
        cdef const char *end = at + text.size
        cdef const char *start
        cdef const char *first
        cdef const char *last
        cdef uint8_t flags
        cdef Part word
        cdef bytes odd
        cdef bint is_token, may_be_odd = has_odd_case(text)
        while at < end:
            first, is_token = NULL, False
            while at < end:
                start = at
                flags = self.flags_of(next_char(&at, end))
                if flags & BLANK:
                    break
                tally.counted += (flags & COUNTED) != 0
                is_token = True
                if not flags & MARK:
                    first, last = start if first == NULL else first, at
            tally.tokens += is_token
            if first == NULL:
                continue
            word = Part(first, last - first)
            if may_be_odd and has_odd_case(word):
                odd = in_lower_case(word)
                word = part_of_bytes(odd)
            self.count_word(word, tally)
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
