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
from crfclean.lexicon.groups import PHRASE_GROUPS
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


cdef struct Sums:  # over the blocks before one, or those inside an element
    double running  # words of running text
    double words
    double link_words
    double in_h1  # blocks
    double links  # blocks that are mostly a link
    double words_of_links  # words of these blocks, and of those that are headlines
    double words_of_headlines


cdef struct Element:
    uint8_t kind  # 0 for none
    uint8_t kind_around  # at it or around it
    uint8_t is_allowed  # to have a zone
    uint8_t is_wide
    uint8_t is_comments
    uint8_t is_marked
    uint8_t is_inside  # it is marked, or inside an element that is


cdef struct Block:
    int32_t anchors  # elements that begin with it and are links
    int32_t other_links  # that lead to no network
    uint8_t zone
    uint8_t said  # the kind of its phrase
    uint8_t heads_teaser
    uint8_t names_networks
    uint8_t links_home
    uint8_t in_comments


cdef class Work:
    """What is found out about the elements and blocks of a page."""

    cdef Table table
    cdef const Page *page
    cdef Element *elements
    cdef Sums *inside  # each element
    cdef Sums *before  # each block, and the end
    cdef Block *blocks
    cdef double all_running  # words of running text

    def __cinit__(self, Table table not None):
        self.table, self.page = table, table.with_groups(len(PHRASE_GROUPS), len(MARK_NAMES))
        self.elements = <Element *>calloc(self.page.m + 1, sizeof(Element))
        self.inside = <Sums *>calloc(self.page.m + 1, sizeof(Sums))
        self.before = <Sums *>calloc(self.page.n + 1, sizeof(Sums))
        self.blocks = <Block *>calloc(self.page.n + 1, sizeof(Block))
        if self.elements == NULL or self.inside == NULL or self.before == NULL or self.blocks == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.elements)
        free(self.inside)
        free(self.before)
        free(self.blocks)


cdef Sums sums_of(const Page *page, Py_ssize_t i, int32_t anchors) noexcept nogil:
    """What a block adds to sums; `anchors` is the number of links that begin with it."""
    cdef double words = page.words[i]
    cdef bint is_link = page.linked[i] > LINKED
    cdef bint is_headline = is_link and words / max(anchors, 1) >= HEADLINE_WORDS
    return Sums(
        running=page.running[i],
        words=words,
        link_words=page.link_words[i],
        in_h1=is_around(page, page.node[i], SET_H1),
        links=is_link,
        words_of_links=words if is_link else 0.0,
        words_of_headlines=words if is_headline else 0.0,
    )


cdef Sums plus(const Sums *some, const Sums *others, double sign) noexcept nogil:
    """Add sums, or subtract them if the sign is -1."""
    return Sums(
        running=some.running + sign * others.running,
        words=some.words + sign * others.words,
        link_words=some.link_words + sign * others.link_words,
        in_h1=some.in_h1 + sign * others.in_h1,
        links=some.links + sign * others.links,
        words_of_links=some.words_of_links + sign * others.words_of_links,
        words_of_headlines=some.words_of_headlines + sign * others.words_of_headlines,
    )


cdef void sum_up(Work work) noexcept nogil:
    """Add up the blocks before each block, and those inside each element."""
    cdef const Page *page = work.page
    cdef Sums *before = work.before
    cdef Sums own
    cdef Py_ssize_t i, e
    for e in range(page.m):
        if has_set(page.sets[e], SET_LINK) and page.first_block[e] < page.n:
            work.blocks[page.first_block[e]].anchors += 1
    for i in range(page.n):
        own = sums_of(page, i, work.blocks[i].anchors)
        before[i + 1] = plus(&before[i], &own, 1.0)
    for e in range(page.m):
        work.inside[e] = plus(&before[page.end_block[e]], &before[page.first_block[e]], -1.0)
    work.all_running = before[page.n].running


cdef void spread(Work work) noexcept nogil:
    """Find out whether each element is marked, or is inside a marked one."""
    cdef const Page *page = work.page
    cdef Element *element
    cdef Py_ssize_t e
    for e in range(page.m):
        element = &work.elements[e]
        element.is_inside = element.is_marked or (
            page.parent[e] >= 0 and work.elements[page.parent[e]].is_inside
        )


cdef bint is_around(const Page *page, Py_ssize_t e, int set) noexcept nogil:
    """Whether the tag of an element, or of one around it, is in a set."""
    return has_set(page.sets_around[e], set)


cdef bint is_named(const Page *page, Py_ssize_t e, int64_t bit) noexcept nogil:
    return page.name_bits[e] & bit != 0


cdef void take_marked(Work work, int32_t kind) noexcept nogil:
    """Give a kind to the marked elements that have none yet."""
    cdef Element *element
    cdef Py_ssize_t e
    for e in range(work.page.m):
        element = &work.elements[e]
        if element.is_marked and element.is_allowed and not element.kind:
            element.kind = kind


cdef void allow(Work work, Py_ssize_t heading) noexcept nogil:
    """Find the elements that may have a zone, and those for comments."""
    cdef const Page *page = work.page
    cdef Element *element
    cdef bint is_comments
    cdef Py_ssize_t e
    for e in range(page.m):
        element = &work.elements[e]
        element.is_wide = has_set(page.sets[e], SET_MAIN) or page.first_block[e] <= heading < page.end_block[e]
        element.is_allowed = not (
            page.is_inline[e] or element.is_wide or work.inside[e].running > MOST * work.all_running
        )
        is_comments = is_named(page, e, COMMENT_NAME) or page.typed[e] & COMMENT_TYPE != 0
        element.is_comments = is_comments and not page.is_inline[e] and not element.is_wide


cdef void mark_frames(Work work) noexcept nogil:
    """Mark the header and footer of the whole page, by tag or role."""
    cdef const Page *page = work.page
    cdef Py_ssize_t e
    for e in range(page.m):
        work.elements[e].is_marked = (
            page.typed[e] & FRAME_TYPES != 0
            and not is_around(page, e, SET_INNER)
            and work.inside[e].in_h1 == 0.0
        )
    take_marked(work, NAVIGATION)


cdef int32_t kind_by_name(const Page *page, Py_ssize_t e, double running) noexcept nogil:
    """The kind of an element by class and id, 0 for none. If its words belong to several groups, the last group counts."""
    cdef bint is_long = running > MAX_WORDS
    cdef int32_t kind = 0
    if is_named(page, e, LEGAL_NAME) and not is_around(page, e, SET_FIGURE):
        kind = LEGAL  # a photograph's copyright is not the page's
    if is_named(page, e, NAVIGATION_NAME) and not is_long:
        kind = NAVIGATION
    if is_named(page, e, NOTICE_NAME) and not running > MAX_NOTICE_WORDS:
        kind = NOTICE
    if is_named(page, e, PROMO_NAME) and not is_long:
        kind = PROMO
    if is_named(page, e, TEASER_NAME):
        kind = TEASER
    return kind


cdef void take_named(Work work) noexcept nogil:
    """Give elements a kind by class and id, or by type."""
    cdef const Page *page = work.page
    cdef Element *element
    cdef int32_t kind
    cdef Py_ssize_t e
    for e in range(page.m):
        element = &work.elements[e]
        if not element.is_allowed:
            continue
        if not has_set(page.sets[e], SET_HEADINGS):
            kind = kind_by_name(page, e, work.inside[e].running)
            element.kind = kind if kind else element.kind
        if page.typed[e] & NAV_TYPE:
            element.kind = NAVIGATION
        if page.typed[e] & DIALOG_TYPE and work.inside[e].words <= MAX_WORDS and not element.kind:
            element.kind = NOTICE


cdef void unmark(Work work) noexcept nogil:
    cdef Py_ssize_t e
    for e in range(work.page.m):
        work.elements[e].is_marked = False


cdef Py_ssize_t begun_with(const Page *page, Py_ssize_t i) noexcept nogil:
    """The wider element that begins with a block, -1 for none."""
    cdef Py_ssize_t e = page.wider[page.node[i]]
    return e if e >= 0 and page.first_block[e] == i else -1


cdef void mark_headed(Work work) noexcept nogil:
    """Mark elements that begin with the heading of a teaser and consist of links."""
    cdef Py_ssize_t i, e
    unmark(work)
    for i in range(work.page.n):
        e = begun_with(work.page, i) if work.blocks[i].heads_teaser else -1
        if e >= 0 and work.inside[e].link_words > 0:
            work.elements[e].is_marked |= (
                work.inside[e].link_words >= LINKED * (work.inside[e].words - work.page.words[i])
            )
    take_marked(work, TEASER)


cdef void mark_said(Work work, int32_t kind, double most) noexcept nogil:
    """Give the kind to small elements that begin with one of its phrases."""
    cdef Py_ssize_t i, e
    unmark(work)
    for i in range(work.page.n):
        e = begun_with(work.page, i) if work.blocks[i].said == kind else -1
        if e >= 0 and work.inside[e].words <= most:
            work.elements[e].is_marked = True
    take_marked(work, kind)


cdef void mark_content(Work work) noexcept nogil:
    """Mark the element that holds most running text, those around it, and those inside it."""
    cdef const Page *page = work.page
    cdef Element *element
    cdef Py_ssize_t e, lowest = -1
    for e in range(page.m):
        element = &work.elements[e]
        element.is_marked = work.inside[e].running > MOST_OF_BOXES * work.all_running
        if element.is_marked and page.end_block[e] - page.first_block[e] > 1:
            lowest = e
    for e in range(page.m):
        work.elements[e].is_marked |= lowest < 0 or lowest <= e < page.end[lowest]


cdef void find_kinds_around(Work work) noexcept nogil:
    """Find the kind of each element, or of the nearest one around it that has one."""
    cdef Element *element
    cdef Py_ssize_t e, parent
    for e in range(work.page.m):
        element, parent = &work.elements[e], work.page.parent[e]
        element.kind_around = element.kind
        if not element.kind and parent >= 0:
            element.kind_around = work.elements[parent].kind_around


cdef void take_link_boxes(Work work) noexcept nogil:
    """Give a kind to boxes of links outside the content: headlines are teasers, other links are menus."""
    cdef Element *box
    cdef Py_ssize_t e
    mark_content(work)
    find_kinds_around(work)
    for e in range(work.page.m):
        box = &work.elements[e]
        if box.is_marked or box.kind_around or not box.is_allowed:
            continue
        if work.inside[e].links >= LEAST_LINKS and work.inside[e].link_words >= LINKED * work.inside[e].words:
            box.kind = TEASER if work.inside[e].words_of_headlines > HEADLINES * work.inside[e].words_of_links else NAVIGATION


cdef void mark_cards(Work work) noexcept nogil:
    """Mark elements that are named cards and link to their subject, unless they hold most of the running text."""
    cdef const Page *page = work.page
    cdef Element *card
    cdef double inside = 0.0
    cdef Py_ssize_t i, e
    for e in range(page.m):
        card = &work.elements[e]
        card.is_marked = (
            is_named(page, e, CARD_NAME)
            and not page.is_inline[e]
            and work.inside[e].link_words >= CARD_LINKED * work.inside[e].words
        )
    spread(work)
    for i in range(page.n):
        inside += page.running[i] if work.elements[page.node[i]].is_inside else 0.0
    if not inside > MOST * work.all_running:
        take_marked(work, TEASER)


cdef void find_zones_of_elements(Work work, Py_ssize_t heading) noexcept nogil:
    cdef Element *element
    cdef Py_ssize_t e
    allow(work, heading)
    mark_frames(work)
    take_named(work)
    mark_headed(work)
    mark_said(work, PROMO, MAX_PROMO_BOX_WORDS)
    mark_said(work, NOTICE, MAX_NOTICE_BOX_WORDS)
    take_link_boxes(work)
    mark_cards(work)
    for e in range(work.page.m):
        element = &work.elements[e]
        if element.is_comments and not (is_named(work.page, e, TEASER_NAME) and element.is_allowed):
            element.kind = COMMENT


cdef void find_said(Work work) noexcept nogil:
    """Find the kind of the phrase that each block begins with, if the block is short enough for that kind."""
    cdef const Page *page = work.page
    cdef Block *block
    cdef bint announces
    cdef double most
    cdef int32_t kind
    cdef Py_ssize_t i
    for i in range(page.n):
        block, kind = &work.blocks[i], page.phrase_kind[i]
        most = MAX_READ_ALSO_WORDS if page.linked[i] > LINKED and kind == TEASER else MAX_PHRASE_WORDS[kind]
        block.said = 0 if page.words[i] > most else kind
        announces = (page.phrase[i] == RELATED and page.in_heading[i]) or block.said == TEASER
        block.heads_teaser = announces and page.words[i] <= MAX_TEASER_WORDS


cdef void find_network_rows(Work work) noexcept nogil:
    """Find blocks that only name social networks, or only link to them in few words."""
    cdef const Page *page = work.page
    cdef Block *block
    cdef Py_ssize_t i, k
    for k in range(page.links):
        work.blocks[page.link_block[k]].other_links += page.link_bits[k] & TO_NETWORK == 0
    for k in range(page.links):
        i = page.link_block[k]
        block = &work.blocks[i]
        block.names_networks = (
            block.other_links == 0 and page.linked[i] > LINKED and page.words[i] <= MAX_LINK_WORDS
        )
    for i in range(page.n):
        work.blocks[i].names_networks |= page.networks[i]


cdef void mark_apart(Work work) noexcept nogil:
    """Mark menus, promotion and the like, and find what is inside: no main heading is there."""
    cdef const Page *page = work.page
    cdef bint is_apart
    cdef Py_ssize_t e
    for e in range(page.m):
        is_apart = (
            is_named(page, e, APART_NAMES) or page.typed[e] & (NAV_TYPE | DIALOG_TYPE) != 0
            or has_set(page.sets[e], SET_ASIDE) or (is_named(page, e, COMMENT_NAME) and has_set(page.sets[e], SET_HEADINGS))
        )
        work.elements[e].is_marked = (
            is_apart and work.inside[e].running <= MAX_APART_WORDS and not page.is_inline[e]
            and not has_set(page.sets[e], SET_PAGE)
        )
    spread(work)


cdef void find_links_home(Work work) noexcept nogil:
    """Find the blocks that are links to the home page."""
    cdef Py_ssize_t k, i
    for k in range(work.page.links):
        i = work.page.link_block[k]
        if work.page.linked[i] > LINKED and work.page.link_bits[k] & TO_HOME:
            work.blocks[i].links_home = True


cdef double heading_score(Work work, Py_ssize_t i, bint is_early) noexcept nogil:
    """How likely a block is the main heading, 0 if it has too little for it."""
    cdef const Page *page = work.page
    cdef uint64_t sets = page.sets[page.node[i]]
    cdef double level = H1 if has_set(sets, SET_H1) else H23 if has_set(sets, SET_H23) else 0.0
    cdef double early = EARLY if is_early else 0.0, likeness = page.title_weighted[i]
    cdef bint is_apart = work.elements[page.node[i]].is_inside or work.blocks[i].links_home
    if page.title_likeness[i] + level + early < LEAST:
        return 0.0
    if has_set(sets, SET_H1) and page.title_single[i] > 0:
        likeness = TOKEN * page.title_single[i]
    return likeness + level + early - (APART if is_apart else 0.0)


cdef Py_ssize_t find_heading(Work work) noexcept nogil:
    """Find the block that is most likely the main heading, -1 if none is likely."""
    cdef const Page *page = work.page
    cdef Py_ssize_t i, best = -1, long_blocks = 0
    cdef double most = 0.0, score
    mark_apart(work)
    find_links_home(work)
    for i in range(page.n):
        long_blocks += page.is_long[i]
        score = heading_score(work, i, long_blocks <= 1)
        if score > most:
            most, best = score, i
    return best if most >= LEAST else -1


cdef int32_t opening_kind(Work work, Py_ssize_t i, bint *is_sure) noexcept nogil:
    """The kind of a block by its first words; `is_sure` if this holds even inside a menu."""
    cdef const Page *page = work.page
    cdef const Block *block = &work.blocks[i]
    cdef bint is_link = page.linked[i] > LINKED
    cdef bint is_label = page.phrase[i] == AD and page.words[i] <= MAX_LABEL_WORDS
    cdef int32_t kind = KIND_OF_PHRASE[page.phrase[i]] if (is_link or is_label) and page.phrase[i] >= 0 else 0
    if block.names_networks:
        kind = PROMO
    if block.said and (is_link or not page.in_heading[i]):
        kind = block.said
    is_sure[0] = block.said > 0 or kind == LEGAL or block.names_networks
    return kind


cdef void find_zones_of_blocks(Work work) noexcept nogil:
    """Give each block the kind of the nearest element around it that has one, or a kind by its first words."""
    cdef const Page *page = work.page
    cdef Block *block
    cdef int32_t kind, said
    cdef bint is_sure = False, is_link, in_run = False
    cdef Py_ssize_t i
    find_kinds_around(work)
    for i in range(page.n):
        kind, said = work.elements[page.node[i]].kind_around, opening_kind(work, i, &is_sure)
        work.blocks[i].zone = said if not kind or (kind == NAVIGATION and said and is_sure) else kind
    for i in range(page.n):  # the heading of a teaser, and the links right after it
        block, is_link = &work.blocks[i], page.linked[i] > LINKED
        in_run = (block.heads_teaser and i + 1 < page.n and page.linked[i + 1] > LINKED) or (is_link and in_run)
        if in_run and not block.zone:
            block.zone = TEASER


cdef void find_comments(Work work) noexcept nogil:
    """Find the blocks inside an element for comments."""
    cdef Py_ssize_t i, e
    for e in range(work.page.m):
        work.elements[e].is_marked = work.elements[e].is_comments
    spread(work)
    for i in range(work.page.n):
        work.blocks[i].in_comments = work.elements[work.page.node[i]].is_inside


def zones_of(Table table not None):
    """Return the index of the main heading, -1 for none, and what `Zones` has of elements and of blocks."""
    cdef Work work = Work(table)
    cdef Py_ssize_t heading
    with nogil:
        sum_up(work)
        heading = find_heading(work)
        find_said(work)
        find_zones_of_elements(work, heading)
        find_network_rows(work)
        find_zones_of_blocks(work)
        find_comments(work)
    return heading, *results_of(work)


cdef tuple results_of(Work work):
    """Which elements are wide, (m,); the zone of each block, and whether it is in comments, (n,)."""
    wide, in_comments = np.zeros(work.page.m, np.bool_), np.zeros(work.page.n, np.bool_)
    zones = np.zeros(work.page.n, np.int32)
    cdef uint8_t[::1] of_elements = wide.view(np.uint8), of_blocks = in_comments.view(np.uint8)
    cdef int32_t[::1] kinds = zones
    cdef Py_ssize_t e, i
    for e in range(work.page.m):
        of_elements[e] = work.elements[e].is_wide
    for i in range(work.page.n):
        kinds[i], of_blocks[i] = work.blocks[i].zone, work.blocks[i].in_comments
    return wide, zones, in_comments


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
