# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Find the main heading of a page, the zones outside its content and the blocks that are no plain text; count elements."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free

import numpy as np

cdef extern from "core.h" nogil:
    int lowest_bit(uint64_t)

from crfclean.core.table cimport (
    FILLED,
    KINDS,
    SET_ADDRESS,
    SET_ASIDE,
    SET_CAPTION,
    SET_FIGURE,
    SET_H1,
    SET_H23,
    SET_HEADINGS,
    SET_INNER,
    SET_LI_TD,
    SET_LINK,
    SET_MAIN,
    SET_PAGE,
    Page,
    Table,
    has_set,
)

from crfclean.model.markup import CAPTIONED, MARK_NAMES, SIGNED, rows_of_steps, type_bits
from crfclean.lexicon.language import PHRASE_GROUPS
from crfclean.lexicon.markup import group_bit
from crfclean.types import Kind

# Kinds, groups of names (class and id), types (tag and role), and phrases
cdef int32_t LEGAL = Kind.LEGAL, NAVIGATION = Kind.NAVIGATION, NOTICE = Kind.NOTICE, PROMO = Kind.PROMO
cdef int32_t TEASER = Kind.TEASER, COMMENT = Kind.COMMENT
cdef int64_t LEGAL_NAME = group_bit("for_legal"), NAVIGATION_NAME = group_bit("for_navigation")
cdef int64_t NOTICE_NAME = group_bit("for_notice"), PROMO_NAME = group_bit("for_promo")
cdef int64_t TEASER_NAME = group_bit("for_teaser"), COMMENT_NAME = group_bit("comment"), CARD_NAME = group_bit("for_card")
cdef int64_t APART_NAMES = NAVIGATION_NAME | PROMO_NAME | NOTICE_NAME | TEASER_NAME | group_bit("for_site")
cdef int64_t NAV_TYPE = type_bits(("in_nav",)), DIALOG_TYPE = type_bits(("in_dialog",))
cdef int64_t COMMENT_TYPE = type_bits(("in_comment",)), FRAME_TYPES = type_bits(("in_header", "in_footer"))
cdef int AD = PHRASE_GROUPS.index("ad"), RELATED = PHRASE_GROUPS.index("related")
cdef int TO_NETWORK = 32, TO_HOME = 64  # bits of links: core/words.pyx

# Zones
cdef double MOST = 0.5  # of a page's running text: an element with more is the page's content
cdef double MAX_WORDS = 150  # of running text: "share" is a word of content, too (`id="market-share"`)
cdef double MAX_NOTICE_WORDS = 600  # of running text: a page's articles may stand in overlays
cdef double LINKED = 0.5  # of a block's characters, and of a box's words: a block with more is a link
cdef double CARD_LINKED = 0.2  # of a card's words: a standfirst may be named a teaser, too
cdef double MAX_PROMO_BOX_WORDS = 60, MAX_NOTICE_BOX_WORDS = 200  # of an element that its first words make one

# Boxes of links: menus, and lists of other pages' headlines
cdef double LEAST_LINKS = 3  # of a box: fewer may be a paragraph's
cdef double HEADLINE_WORDS = 4  # of a link: fewer are the name of a section
cdef double HEADLINES = 0.5  # of the words in a box's links: with more, it advertises other pages
cdef double MOST_OF_BOXES = 0.7  # of a page's running text: the lowest element with more is its content

# The main heading: likeness to a title counts most, then a heading element, then an early place
cdef double H1 = 0.5, H23 = 0.25
cdef double EARLY = 0.1  # for a place before the running text
cdef double APART = 0.6  # against a block in a menu, a form or a box of links, or a link home
cdef double LEAST = 0.5  # the score of a likely main heading
cdef double TOKEN = 0.4  # the likeness of a single word that is a title's part: sections are named so, too
cdef double MAX_APART_WORDS = 150  # of running text: an element with more is no menu, whatever its name is

# First words
cdef double MAX_LABEL_WORDS = 2  # of a block that is only the word for advertisements
cdef double MAX_LINK_WORDS = 8  # of a link to a network: a longer one is a sentence
cdef double MAX_READ_ALSO_WORDS = 25  # of a link that a phrase for teasers begins
cdef double MAX_TEASER_WORDS = 8
cdef const double[::1] MAX_PHRASE_WORDS = np.array([  # by kind: words above which a block is more than a phrase of it
    {Kind.TEASER: MAX_TEASER_WORDS, Kind.PROMO: 25, Kind.NOTICE: 45, Kind.LEGAL: 60}.get(kind, 0) for kind in range(KINDS)
], np.float64)
cdef const int32_t[::1] KIND_OF_PHRASE = np.array([  # by group: the kind of a block that is a link
    {
        "related": Kind.TEASER,  # a heading is one, too
        "share": Kind.PROMO,
        "subscribe": Kind.PROMO,
        "ad": Kind.PROMO,
        "legal": Kind.LEGAL,
        "navigate": Kind.NAVIGATION,
    }.get(group, 0) for group in PHRASE_GROUPS
], np.int32)


cdef struct Work:
    const Page *page
    double all_running  # words of running text
    double *total  # n + 1 running sums
    # of each element
    double *words  # inside it; of running text, in links
    double *running
    double *links
    double *sums
    double *count
    double *linked
    int32_t *kind
    int32_t *kind_around  # at or around it
    uint8_t *allowed
    uint8_t *wide
    uint8_t *comments
    uint8_t *marks
    uint8_t *up  # whether it is marked, or inside an element that is
    # of each block
    double *values
    double *texts
    int32_t *zone
    int32_t *said  # the kind of its phrase
    uint8_t *heads
    uint8_t *rows
    uint8_t *links_home
    uint8_t *in_comments


cdef void *taken(char **room, size_t size) noexcept nogil:
    """The next bytes of a room."""
    cdef char *start = room[0]
    room[0] += (size + 7) // 8 * 8
    return start


cdef char *open_room(Work *work) except NULL:
    """Allocate the work arrays as one piece of memory."""
    cdef size_t n = work.page.n, m = work.page.m
    cdef char *room = <char *>calloc(8 * (9 * m + 4 * n + 24), 1)
    cdef char *left = room
    if room == NULL:
        raise MemoryError
    work.total = <double *>taken(&left, 8 * (n + 1))
    work.words, work.running = <double *>taken(&left, 8 * m), <double *>taken(&left, 8 * m)
    work.links, work.sums = <double *>taken(&left, 8 * m), <double *>taken(&left, 8 * m)
    work.count, work.linked = <double *>taken(&left, 8 * m), <double *>taken(&left, 8 * m)
    work.values, work.texts = <double *>taken(&left, 8 * n), <double *>taken(&left, 8 * n)
    work.kind, work.kind_around = <int32_t *>taken(&left, 4 * m), <int32_t *>taken(&left, 4 * m)
    work.said = <int32_t *>taken(&left, 4 * n)
    work.allowed, work.comments = <uint8_t *>taken(&left, m), <uint8_t *>taken(&left, m)
    work.marks, work.up = <uint8_t *>taken(&left, m), <uint8_t *>taken(&left, m)
    work.heads, work.rows = <uint8_t *>taken(&left, n), <uint8_t *>taken(&left, n)
    work.links_home = <uint8_t *>taken(&left, n)
    return room


cdef void sum_up(Work *work, const double *values, double *sums) noexcept nogil:
    """Add up the values of the blocks inside each element."""
    cdef const Page *page = work.page
    cdef Py_ssize_t i, e
    work.total[0] = 0.0
    for i in range(page.n):
        work.total[i + 1] = work.total[i] + values[i]
    for e in range(page.m):
        sums[e] = work.total[page.end_block[e]] - work.total[page.first_block[e]]


cdef void spread(Work *work, const uint8_t *marks) noexcept nogil:
    """Write into `up` whether each element is marked, or is inside a marked one."""
    cdef const Page *page = work.page
    cdef Py_ssize_t e
    for e in range(page.m):
        work.up[e] = marks[e] or (page.parent[e] >= 0 and work.up[page.parent[e]])


cdef bint is_around(const Page *page, Py_ssize_t e, int set) noexcept nogil:
    """Whether the tag of an element, or of one around it, is in a set."""
    return has_set(page.sets_around[e], set)


cdef bint is_named(const Page *page, Py_ssize_t e, int64_t bit) noexcept nogil:
    return page.name_bits[e] & bit != 0


cdef void take_marked(Work *work, int32_t kind) noexcept nogil:
    """Give a kind to the marked elements that have none yet."""
    cdef Py_ssize_t e
    for e in range(work.page.m):
        if work.marks[e] and work.allowed[e] and not work.kind[e]:
            work.kind[e] = kind


cdef void allow(Work *work, Py_ssize_t heading) noexcept nogil:
    """Find the elements that may have a zone, and those for comments."""
    cdef const Page *page = work.page
    cdef bint is_comments
    cdef Py_ssize_t e
    for e in range(page.m):
        work.wide[e] = has_set(page.sets[e], SET_MAIN) or page.first_block[e] <= heading < page.end_block[e]
        work.allowed[e] = not (page.is_inline[e] or work.wide[e] or work.running[e] > MOST * work.all_running)
        is_comments = is_named(page, e, COMMENT_NAME) or page.typed[e] & COMMENT_TYPE != 0
        work.comments[e] = is_comments and not page.is_inline[e] and not work.wide[e]


cdef void mark_frames(Work *work) noexcept nogil:
    """Mark the header and footer of the whole page, by tag or role."""
    cdef const Page *page = work.page
    cdef Py_ssize_t i, e
    for i in range(page.n):
        work.values[i] = is_around(page, page.node[i], SET_H1)
    sum_up(work, work.values, work.sums)
    for e in range(page.m):
        work.marks[e] = (
            page.typed[e] & FRAME_TYPES != 0 and not is_around(page, e, SET_INNER) and work.sums[e] == 0.0
        )
    take_marked(work, NAVIGATION)


cdef void mark_named(Work *work) noexcept nogil:
    """Give elements a kind by class, id and type. If their words belong to several groups, the last group counts."""
    cdef const Page *page = work.page
    cdef bint is_long
    cdef Py_ssize_t e
    for e in range(page.m):
        if not work.allowed[e]:
            continue
        is_long = work.running[e] > MAX_WORDS
        if not has_set(page.sets[e], SET_HEADINGS):
            if is_named(page, e, LEGAL_NAME) and not is_around(page, e, SET_FIGURE):
                work.kind[e] = LEGAL  # a photograph's copyright is not the page's
            if is_named(page, e, NAVIGATION_NAME) and not is_long:
                work.kind[e] = NAVIGATION
            if is_named(page, e, NOTICE_NAME) and not work.running[e] > MAX_NOTICE_WORDS:
                work.kind[e] = NOTICE
            if is_named(page, e, PROMO_NAME) and not is_long:
                work.kind[e] = PROMO
            if is_named(page, e, TEASER_NAME):
                work.kind[e] = TEASER
        if page.typed[e] & NAV_TYPE:
            work.kind[e] = NAVIGATION
        if page.typed[e] & DIALOG_TYPE and work.words[e] <= MAX_WORDS and not work.kind[e]:
            work.kind[e] = NOTICE


cdef void unmark(Work *work) noexcept nogil:
    cdef Py_ssize_t e
    for e in range(work.page.m):
        work.marks[e] = 0


cdef void mark_headed(Work *work) noexcept nogil:
    """Mark elements that begin with the heading of a teaser and consist of links."""
    cdef const Page *page = work.page
    cdef Py_ssize_t i, around
    unmark(work)
    for i in range(page.n):
        around = page.wider[page.node[i]] if work.heads[i] else -1
        if around < 0 or page.first_block[around] != i or not work.links[around] > 0:
            continue
        work.marks[around] |= work.links[around] >= LINKED * (work.words[around] - page.words[i])
    take_marked(work, TEASER)


cdef void mark_said(Work *work, int32_t kind, double most) noexcept nogil:
    """Give the kind to small elements that begin with one of its phrases."""
    cdef const Page *page = work.page
    cdef Py_ssize_t i, around
    unmark(work)
    for i in range(page.n):
        around = page.wider[page.node[i]] if work.said[i] == kind else -1
        if around >= 0 and page.first_block[around] == i and work.words[around] <= most:
            work.marks[around] = 1
    take_marked(work, kind)


cdef void mark_content(Work *work) noexcept nogil:
    """Mark the element that holds most running text, those around it, and those inside it."""
    cdef const Page *page = work.page
    cdef Py_ssize_t e, lowest = -1
    for e in range(page.m):
        work.marks[e] = work.running[e] > MOST_OF_BOXES * work.all_running
        if work.marks[e] and page.end_block[e] - page.first_block[e] > 1:
            lowest = e
    for e in range(page.m):
        work.marks[e] |= lowest < 0 or lowest <= e < page.end[lowest]


cdef void take_link_boxes(Work *work) noexcept nogil:
    """Give a kind to boxes of links outside the content: headlines are teasers, other links are menus."""
    cdef const Page *page = work.page
    cdef double *headlines = work.texts
    cdef double of_link
    cdef bint is_link
    cdef Py_ssize_t i, e
    for i in range(page.n):
        headlines[i] = 0.0
    for e in range(page.m):
        if has_set(page.sets[e], SET_LINK) and page.first_block[e] < page.n:
            headlines[page.first_block[e]] += 1.0
    for i in range(page.n):
        is_link = page.linked[i] > LINKED
        of_link = page.words[i] / max(headlines[i], 1.0)
        headlines[i] = page.words[i] if is_link and of_link >= HEADLINE_WORDS else 0.0
        work.values[i] = is_link
    sum_up(work, work.values, work.count)
    sum_up(work, headlines, work.sums)
    for i in range(page.n):
        work.values[i] = page.words[i] if work.values[i] else 0.0
    sum_up(work, work.values, work.linked)
    mark_content(work)
    for e in range(page.m):  # only elements without a kind, not inside one with a kind
        work.up[e] = work.kind[e] != 0 or (page.parent[e] >= 0 and work.up[page.parent[e]])
    for e in range(page.m):
        if (
            work.count[e] >= LEAST_LINKS and not work.marks[e] and work.links[e] >= LINKED * work.words[e]
            and work.allowed[e] and not work.up[e]
        ):
            work.kind[e] = TEASER if work.sums[e] > HEADLINES * work.linked[e] else NAVIGATION


cdef void mark_cards(Work *work) noexcept nogil:
    """Mark elements that are named cards and link to their subject, unless they hold most of the running text."""
    cdef const Page *page = work.page
    cdef double inside = 0.0
    cdef Py_ssize_t i, e
    for e in range(page.m):
        work.marks[e] = (
            is_named(page, e, CARD_NAME) and not page.is_inline[e] and work.links[e] >= CARD_LINKED * work.words[e]
        )
    spread(work, work.marks)
    for i in range(page.n):
        inside += page.running[i] if work.up[page.node[i]] else 0.0
    if not inside > MOST * work.all_running:
        take_marked(work, TEASER)


cdef void find_zones_of_elements(Work *work, Py_ssize_t heading) noexcept nogil:
    cdef Py_ssize_t e
    sum_up(work, work.page.words, work.words)
    sum_up(work, work.page.link_words, work.links)
    allow(work, heading)
    mark_frames(work)
    mark_named(work)
    mark_headed(work)
    mark_said(work, PROMO, MAX_PROMO_BOX_WORDS)
    mark_said(work, NOTICE, MAX_NOTICE_BOX_WORDS)
    take_link_boxes(work)
    mark_cards(work)
    for e in range(work.page.m):
        if work.comments[e] and not (is_named(work.page, e, TEASER_NAME) and work.allowed[e]):
            work.kind[e] = COMMENT


cdef void find_said(Work *work) noexcept nogil:
    """Find the kind of the phrase that each block begins with, if the block is short enough for that kind."""
    cdef const Page *page = work.page
    cdef bint announces
    cdef int32_t kind
    cdef Py_ssize_t i
    for i in range(page.n):
        kind = page.phrase_kind[i]
        most = MAX_READ_ALSO_WORDS if page.linked[i] > LINKED and kind == TEASER else MAX_PHRASE_WORDS[kind]
        work.said[i] = 0 if page.words[i] > most else kind
        announces = (page.phrase[i] == RELATED and page.in_heading[i]) or work.said[i] == TEASER
        work.heads[i] = announces and page.words[i] <= MAX_TEASER_WORDS


cdef void find_network_rows(Work *work) noexcept nogil:
    """Find blocks that only name social networks, or only link to them in few words."""
    cdef const Page *page = work.page
    cdef double *others = work.values  # links of a block that lead elsewhere
    cdef Py_ssize_t i, k
    for i in range(page.n):
        others[i] = 0.0
    for k in range(page.links):
        others[page.link_block[k]] += 0.0 if page.link_bits[k] & TO_NETWORK else 1.0
    for k in range(page.links):
        i = page.link_block[k]
        work.rows[i] = others[i] == 0.0 and page.linked[i] > LINKED and page.words[i] <= MAX_LINK_WORDS
    for i in range(page.n):
        work.rows[i] |= page.networks[i]


cdef void mark_apart(Work *work) noexcept nogil:
    """Write into `up` whether each element is, or is inside, a menu, promotion or the like: no main heading is there."""
    cdef const Page *page = work.page
    cdef bint is_apart
    cdef Py_ssize_t e
    for e in range(page.m):
        is_apart = (
            is_named(page, e, APART_NAMES) or page.typed[e] & (NAV_TYPE | DIALOG_TYPE) != 0
            or has_set(page.sets[e], SET_ASIDE) or (is_named(page, e, COMMENT_NAME) and has_set(page.sets[e], SET_HEADINGS))
        )
        work.marks[e] = (
            is_apart and work.running[e] <= MAX_APART_WORDS and not page.is_inline[e]
            and not has_set(page.sets[e], SET_PAGE)
        )
    spread(work, work.marks)


cdef Py_ssize_t find_heading(Work *work) noexcept nogil:
    """Find the block that is most likely the main heading, -1 if none is likely."""
    cdef const Page *page = work.page
    cdef Py_ssize_t i, k, best = -1, long_blocks = 0
    cdef double most = 0.0, level, early, likeness, score
    mark_apart(work)
    for k in range(page.links):
        i = page.link_block[k]
        if page.linked[i] > LINKED and page.link_bits[k] & TO_HOME:
            work.links_home[i] = 1
    for i in range(page.n):
        level = H1 if has_set(page.sets[page.node[i]], SET_H1) else H23 if has_set(page.sets[page.node[i]], SET_H23) else 0.0
        long_blocks += page.is_long[i]
        early = EARLY if long_blocks <= 1 else 0.0
        if page.title_likeness[i] + level + early < LEAST:
            continue
        likeness = page.title_weighted[i]
        if has_set(page.sets[page.node[i]], SET_H1) and page.title_single[i] > 0:
            likeness = TOKEN * page.title_single[i]
        score = likeness + level + early
        if work.up[page.node[i]] or work.links_home[i]:
            score -= APART
        if best < 0 or score > most:
            most, best = score, i
    return best if most >= LEAST else -1


cdef int32_t opening_kind(Work *work, Py_ssize_t i, bint *is_sure) noexcept nogil:
    """The kind of a block by its first words; `is_sure` if this holds even inside a menu."""
    cdef const Page *page = work.page
    cdef bint is_link = page.linked[i] > LINKED
    cdef bint is_label = page.phrase[i] == AD and page.words[i] <= MAX_LABEL_WORDS
    cdef int32_t kind = KIND_OF_PHRASE[page.phrase[i]] if (is_link or is_label) and page.phrase[i] >= 0 else 0
    if work.rows[i]:
        kind = PROMO
    if work.said[i] and (is_link or not page.in_heading[i]):
        kind = work.said[i]
    is_sure[0] = work.said[i] > 0 or kind == LEGAL or work.rows[i]
    return kind


cdef void find_zones_of_blocks(Work *work) noexcept nogil:
    """Give each block the kind of the nearest element around it that has one, or a kind by its first words."""
    cdef const Page *page = work.page
    cdef int32_t *around = work.kind_around
    cdef int32_t kind, said
    cdef bint is_sure = False, is_link, in_run = False
    cdef Py_ssize_t i, e
    for e in range(page.m):
        around[e] = work.kind[e] if work.kind[e] else around[page.parent[e]] if page.parent[e] >= 0 else 0
    for i in range(page.n):
        kind, said = around[page.node[i]], opening_kind(work, i, &is_sure)
        work.zone[i] = said if not kind or (kind == NAVIGATION and said and is_sure) else kind
    for i in range(page.n):  # the heading of a teaser, and the links right after it
        is_link = page.linked[i] > LINKED
        in_run = (work.heads[i] and i + 1 < page.n and page.linked[i + 1] > LINKED) or (is_link and in_run)
        if in_run and not work.zone[i]:
            work.zone[i] = TEASER
    spread(work, work.comments)
    for i in range(page.n):
        work.in_comments[i] = work.up[page.node[i]]


def zones_of(Table table not None):
    """Return the index of the main heading, -1 for none, and what `Zones` has of elements and of blocks."""
    cdef Work work
    work.page = table.with_groups(len(PHRASE_GROUPS), len(MARK_NAMES))
    wide, in_comments = np.zeros(work.page.m, np.bool_), np.zeros(work.page.n, np.bool_)
    zone = np.zeros(work.page.n, np.int32)
    cdef uint8_t[::1] of_elements = wide.view(np.uint8), of_blocks = in_comments.view(np.uint8)
    cdef int32_t[::1] kinds = zone
    work.wide, work.in_comments, work.zone = &of_elements[0], &of_blocks[0], &kinds[0]
    cdef char *room = open_room(&work)
    cdef Py_ssize_t heading, i
    with nogil:
        work.all_running = 0.0
        for i in range(work.page.n):
            work.all_running += work.page.running[i]
        sum_up(&work, work.page.running, work.running)
        heading = find_heading(&work)
        find_said(&work)
        find_zones_of_elements(&work, heading)
        find_network_rows(&work)
        find_zones_of_blocks(&work)
    free(room)
    return heading, wide, zone, in_comments


# the title, and the blocks that are no plain text, such as captions and bylines

cdef int32_t BYLINE = Kind.BYLINE, CAPTION = Kind.CAPTION, TITLE = Kind.TITLE
cdef int SAYS_BYLINE = PHRASE_GROUPS.index("byline")
cdef int64_t BYLINE_NAME = group_bit("for_byline"), TIME_TYPE = type_bits(("in_time",))
cdef const int64_t[::1] SIGNED_ROWS = np.array(rows_of_steps(SIGNED)), CAPTIONED_ROWS = np.array(rows_of_steps(CAPTIONED))
cdef int NEAR_STEPS = 1  # the block's element is marked, or the one around it
cdef double MAX_BYLINE_WORDS = 15
cdef double MAX_BYLINE_BOX_WORDS = 60  # of an element that names an author; a longer one describes them
cdef double MOST_APART = 0.5  # of a page's running text: captions with more are its content


cdef bint is_near(const Page *page, Py_ssize_t block, const int64_t[::1] rows) noexcept nogil:
    """Whether a block stands near an element that is marked by one of some groups."""
    cdef Py_ssize_t k
    for k in range(rows.shape[0]):
        if page.steps[rows[k] * page.n + block] <= NEAR_STEPS:
            return True
    return False


cdef void mark_bylines(const Page *page, uint8_t[::1] signed, uint8_t[::1] up, double[::1] total) noexcept nogil:
    """Mark the short blocks that say who wrote something, or when, in words or in a small element for it."""
    cdef bint marks, worded, any_signed = False
    cdef Py_ssize_t i, e
    for i in range(page.n):
        worded = (
            page.phrase[i] == SAYS_BYLINE and page.sentence_ends[i] == 0.0
            and not has_set(page.sets_around[page.node[i]], SET_LI_TD)
        )
        if page.words[i] < MAX_BYLINE_WORDS and not page.in_heading[i]:
            signed[i] = 2 if worded else is_near(page, i, SIGNED_ROWS)  # 1 needs an element for it
        any_signed = any_signed or signed[i]
        total[i + 1] = total[i] + page.words[i]
    if not any_signed:
        return
    for e in range(page.m):
        marks = (
            page.name_bits[e] & BYLINE_NAME or page.typed[e] & TIME_TYPE
            or has_set(page.sets[e], SET_ADDRESS) or page.is_author[e]
        )
        marks = marks and total[page.end_block[e]] - total[page.first_block[e]] <= MAX_BYLINE_BOX_WORDS
        up[e] = marks or (page.parent[e] >= 0 and up[page.parent[e]])
    for i in range(page.n):
        if signed[i] == 1:
            signed[i] = up[page.start[i]]


cdef void mark_captions(const Page *page, uint8_t[::1] captions) noexcept nogil:
    """Mark the blocks in captions. If captions hold most of the running text, they are the page's text."""
    cdef double running = 0.0, inside = 0.0
    cdef Py_ssize_t i
    for i in range(page.n):
        captions[i] = has_set(page.sets_around[page.node[i]], SET_CAPTION) or is_near(page, i, CAPTIONED_ROWS)
        running += page.running[i]
        inside += page.running[i] if captions[i] else 0.0
    if inside > MOST_APART * running:
        captions[:] = 0


def apart_of(Table table not None, const int32_t[::1] zones not None, Py_ssize_t heading):
    """Return the `Kind` of each block that markup or place shows to be no plain text, 0 for others; (n,).

    `zones` (n,) are the kinds of zones, `heading` is the index of the main heading, -1 for none.
    """
    cdef const Page *page = table.with_groups(len(PHRASE_GROUPS), len(MARK_NAMES))
    if zones.shape[0] != page.n or heading >= page.n:
        raise ValueError("apart: zones of another page")
    apart = np.zeros(page.n, np.int32)
    cdef int32_t[::1] kinds = apart
    cdef uint8_t[::1] signed = np.zeros(page.n, np.uint8), captions = np.zeros(page.n, np.uint8)
    cdef uint8_t[::1] up = np.zeros(page.m, np.uint8)
    cdef double[::1] total = np.zeros(page.n + 1)
    cdef int32_t own
    cdef Py_ssize_t i
    with nogil:
        mark_bylines(page, signed, up, total)
        mark_captions(page, captions)
        for i in range(page.n):
            own = CAPTION if captions[i] else BYLINE if signed[i] else 0
            kinds[i] = own if zones[i] <= 0 or (zones[i] == COMMENT and own) else zones[i]
        if heading >= 0:
            kinds[heading] = TITLE
    return apart


# the elements of a page by tag and by name, and the sizes of its blocks

COUNTED_TAGS = tuple(
    "article section nav aside main footer time blockquote figure video iframe select input "
    "button form label pre code table li ul ol dl dt p h1 h2 h3 h4 img script a span div details "
    "textarea kbd".split()
)
"""Tags whose elements are counted."""

QUANTILES = (0.5, 0.75, 0.9, 0.97)
"""Quantiles of the number of words of blocks."""


cdef double quantile(const double[::1] ordered, double share) noexcept nogil:
    """A quantile of sorted values, interpolated as numpy does."""
    cdef double place = (ordered.shape[0] - 1) * share
    cdef Py_ssize_t below = <Py_ssize_t>place
    cdef double low = ordered[below], high = ordered[min(below + 1, ordered.shape[0] - 1)]
    cdef double part = place - below
    return low + (high - low) * part if part < 0.5 else high - (high - low) * (1 - part)


def of_tags(Table table not None):
    """Return the number of elements of each of `COUNTED_TAGS`, then their shares of all elements."""
    by_tag = dict(zip(table.tag_names, np.bincount(table.tag).tolist()))
    figures = np.array([by_tag.get(tag, 0) for tag in COUNTED_TAGS], np.float64)
    return np.concatenate([figures, figures / max(table.page.m, 1)])


def of_names(Table table not None):
    """Return the share of the elements that have a name of each group of `MARKUP`."""
    cdef const Page *page = table.at_least(FILLED)
    cdef double[::1] hits = np.zeros(64)
    cdef uint64_t bits
    cdef Py_ssize_t e
    for e in range(page.m):
        bits = page.name_bits[e]
        while bits:
            hits[lowest_bit(bits)] += 1.0
            bits &= bits - 1
    return np.asarray(hits)[: page.named_groups] / page.m


def of_words(Table table not None):
    """Return the `QUANTILES` of the words of blocks, of which there is one at least."""
    cdef const double[::1] ordered = np.sort(table.words)
    if not ordered.shape[0]:
        raise ValueError("of_words: no blocks")
    return np.array([quantile(ordered, share) for share in QUANTILES])
