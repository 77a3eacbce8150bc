"""What elements do to a text, and values of the elements of a page."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from crfclean.core import read
from crfclean.core.read import ADD_SPACE, BREAK, DROP, LINK, ROOT, TEXT
from crfclean.page.chars import characters
from crfclean.types import Blocks, Bools, Floats, Ints

# values of a page's elements: `Table` has those that do not depend on an argument

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
CELLS = ("td", "th")


def held(page: Blocks, values: Floats) -> Floats:
    """Sum `values` of blocks, (n,) or (n, k), inside each element, (m,) or (m, k)."""
    table = page.table
    total = np.concatenate([np.zeros((1, *values.shape[1:])), np.cumsum(values, axis=0)])
    sums: Floats = total[table.end_block] - total[table.first_block]
    return sums


# columns of a page's elements and paragraphs for the rules of the expert system (Blk0)
#
# The parser repairs broken markup: unclosed and surplus tags, several heads and bodies. Stray text
# outside any paragraph counts as a paragraph.

PARAGRAPHS = ("p", "pre", "blockquote")
LISTS = ("ul", "ol", "dl")
APART = ("nav", "aside", "footer", "form", "menu", "dialog", "button", "select", "template")
"""Elements whose text does not belong to an article, by their meaning in HTML."""

RANKS = (*HEADINGS, "header")
MAX_TEXT = 500  # characters of an element that rules and messages read


@dataclass(frozen=True, repr=False, eq=False)
class Elements:
    """A page with its columns: (m,) for its m elements, (n,) for its n blocks.

    Blocks take the place of the texts in the paper's ET: a paragraph, heading or cell.
    """

    blocks: Blocks

    def tag(self, node: int) -> str:
        """The tag of an element."""
        return self.blocks.table.tags[node]

    @cached_property
    def own(self) -> Floats:
        """Characters of each block outside links, (n,)."""
        chars: Floats = self.blocks.chars * (1.0 - self.blocks.table.linked)
        return chars

    @cached_property
    def linked(self) -> Floats:
        """Share of each block's characters in links, (n,)."""
        return self.blocks.table.linked

    @cached_property
    def apart(self) -> Bools:
        """Mark each block that is in an element that does not belong to an article, (n,).

        A form with most of the page's text is an exception: some pages are one form.
        """
        table, total = self.blocks.table, self.blocks.chars.sum()
        apart = np.zeros(len(self.blocks), np.bool_)
        page_form = self.blocks.table.is_tag("form") & (self.all_held > 0.5 * total)
        for node in np.flatnonzero(self.blocks.table.is_tag(*APART) & ~page_form).tolist():
            apart[table.first_block[node] : table.end_block[node]] = True
        return apart

    @cached_property
    def paragraph(self) -> Ints:
        """The element that is each block's paragraph, (n,).

        It is the nearest `p`, `pre`, `blockquote` or heading, else the outermost list, else the
        container, if it holds only this block, else -1, for stray text in a container.
        """
        node = self.blocks.node
        near = self.blocks.table.nearest(self.blocks.table.is_tag(*PARAGRAPHS, *HEADINGS))[node]
        lists = self._outermost_list[node]
        table = self.blocks.table
        alone = (table.end_block - table.first_block == 1)[node]
        implied = np.where(alone, node, -1)
        implied = np.where(lists >= 0, lists, implied)
        paragraph: Ints = np.where(near >= 0, near, implied)
        return paragraph

    @cached_property
    def _outermost_list(self) -> Ints:
        """The highest list around each element with only lists and items between, else -1; (m,)."""
        table = self.blocks.table
        is_list, is_item = table.is_tag(*LISTS), table.is_tag(*LISTS, "li", "dt", "dd")
        near = table.nearest(is_list)
        top = np.arange(len(table.parent))
        for node in np.flatnonzero(is_list).tolist():
            above = int(table.parent[node])
            if above >= 0 and is_item[above]:
                outer = int(near[above])
                top[node] = top[outer] if outer >= 0 else node
        return np.where(near >= 0, top[near], -1)

    @cached_property
    def holder(self) -> Ints:
        """The element that directly contains each block's paragraph (its parent), (n,)."""
        paragraph, table = self.paragraph, self.blocks.table
        above = table.parent[np.maximum(paragraph, 0)]
        holder: Ints = np.where(paragraph >= 0, np.maximum(above, 0), self.blocks.node)
        return holder

    def held(self, values: Floats) -> Floats:
        """Sum of a column of blocks over each element, (m,)."""
        return held(self.blocks, values)

    @cached_property
    def all_held(self) -> Floats:
        """Characters inside each element, (m,)."""
        return self.held(self.blocks.chars)

    def paragraph_is(self, *tags: str) -> Bools:
        """Mark each block whose paragraph element has one of the tags, (n,)."""
        tagged: Bools = self.blocks.table.is_tag(*tags)[np.maximum(self.paragraph, 0)]
        return tagged & (self.paragraph >= 0)

    @cached_property
    def heading_rank(self) -> Ints:
        """The rank of the heading around each block: 1 to 6, 7 for `header`, 8 for none; (n,)."""
        near = self.blocks.table.nearest(self.blocks.table.is_tag(*RANKS))[self.blocks.node]
        tags = self.blocks.table.tags
        return np.array(
            [RANKS.index(tags[node]) + 1 if node >= 0 else 8 for node in near], np.int64
        )

    def text(self, node: int) -> str:
        """The text of an element in one line, at most `MAX_TEXT` characters."""
        table, texts, size = self.blocks.table, [], 0
        for block in range(int(table.first_block[node]), int(table.end_block[node])):
            texts.append(self.blocks.texts[block][: MAX_TEXT - size])
            size += len(texts[-1]) + 1
            if size >= MAX_TEXT:
                break
        return " ".join(texts)

    def name(self, node: int) -> str:
        """An element's name in messages: its XPath and first words."""
        return f"{self.blocks.xpath(node)} {self.text(node)[:40]!r}"


def elements(blocks: Blocks) -> Elements:
    """Return a page with its columns, computed on first use."""
    return Elements(blocks)


# effects of HTML elements on text: line breaks, block boundaries and hidden content

# limits on how much of a page is read

MAX_DEPTH = 512  # browsers dissolve deeper elements as well; real pages stay below 50
MAX_NODES = 1_000_000  # 350 MB of tables; real pages stay below 10,000
MAX_BLOCKS = 50_000  # 200 MB with their columns; real pages stay below 5,000


class OverBlocksError(Exception):
    """The page has more blocks than the caller allows."""


# the effects of HTML elements on text: they break a line, separate blocks, or never show

INLINE = frozenset(
    "a abbr acronym b basefont bdi bdo big blink cite code data del dfn em font i img ins kbd "
    "label map mark math mi mn mo mrow msub msup mtext nobr output picture q rb ruby s samp "
    "slot small source span strike strong sub sup time track tt u var wbr".split()
)
"""Elements that do not break a line of text."""

DROPPED = frozenset(
    "annotation annotation-xml applet area audio base canvas datalist embed frame iframe "
    "input link meta meter noembed noframes noscript object optgroup option param progress rp rt "
    "rtc script select style svg template textarea title video".split()
)
"""Elements that never give text (`noscript` may, see `blocks.split`; so may a shadow root)."""

BLOCK_LEVEL = frozenset(
    "address article aside blockquote body br button caption center col colgroup dd details dialog "
    "dir div dl dt fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header "
    "hgroup hr html isindex legend li listing main marquee menu menuitem multicol nav ol p "
    "plaintext pre search section summary table tbody td tfoot th thead tr ul xmp".split()
)
"""The other elements that HTML has or had: each stands on lines of its own.

A model's blocks may be restricted to them. An unknown element is inline unless it contains one of
these, as in browsers: `<my-term>` in a sentence, `<my-card>` around paragraphs.
"""

SPLIT = {
    "br": read.SPLIT_BR,
    "p": 2,
    "hr": 4,
    "heading": 8,
    "list": 16,
    "cell": 32,
    "block": read.SPLIT_BLOCK,
}
"""Bits of `Blocks.split`: the boundaries between a block and the one before."""

SPLIT_CLASSES = {
    "p": "p",
    "hr": "hr",
    **dict.fromkeys(["h1", "h2", "h3", "h4", "h5", "h6"], "heading"),
    **dict.fromkeys(["ul", "ol", "dl", "li", "dt", "dd"], "list"),
    **dict.fromkeys(["table", "tbody", "tr", "td", "th"], "cell"),
}


CODE_EDITORS = "CodeMirror-code", "cm-content", "view-lines", "ace_text-layer"
"""Classes of the elements of editors that hold the lines, without the frame."""

CODE_CLASSES = (
    *CODE_EDITORS,
    *("js-file-line-container", "react-code-lines", "code-table", "hljs-ln", "hljs", "shiki"),
    *("syntaxhighlighter", "crayon-main", "crayon-pre", "dp-highlighter", "dp-c", "prism-code"),
    *("code-block", "codeblock", "react-syntax-highlighter"),
)
"""Classes of the elements that hold code."""

FORMULA_CLASSES = frozenset(
    "katex katex-display katex-mathml MathJax MathJax_Display MathJax_SVG MathJax_SVG_Display "
    "MathJax_CHTML mjx-chtml MathJax_MathML MathJax_Preview mwe-math-element hurmet-tex "
    "math-inline math-block".split()
)
"""Classes of elements that stand for one formula."""

_CUSTOM = re.compile(r"[a-z][^\s/>-]*+-[^\s/>]*+")
_DIALOG = (
    r"(?i)modal|dialog|pop-?_?up|lightbox|consent|gdpr|newsletter|subscribe(?!r)|log-?_?in|privacy|"
    r"sign-?_?(?:in|up)|terms-?_?(?:and|of)|cookies?-?_?(?:ba|bo|info|law|not|over|pol|sett)"
)  # "chocolate-cookies" may be a recipe
Look = tuple[str, ...]
"""The features that the panels of one accordion share; see `look`."""

PICTURE_ADDRESSES = ("src", "data-src", "data-original", "data-lazy-src", "srcset", "data-srcset")
"""Attributes that may hold a picture's address, in the order in which they are tried."""


def is_element(name: str) -> bool:
    """Return whether HTML has an element of this name, or a page may define one (with a hyphen).

    >>> is_element("td"), is_element("x-card"), is_element("colour")
    (True, True, False)
    """
    return name in INLINE | DROPPED | BLOCK_LEVEL or bool(_CUSTOM.fullmatch(name))


def look(tag: str, attributes: Mapping[str, str]) -> Look:
    """Return what panels of one accordion share: tag, class and the names of attributes.

    >>> look("div", {"class": "answer", "hidden": ""})
    ('div', 'answer', 'class', 'hidden')
    """
    return (tag, attributes.get("class", ""), *attributes)


def is_hidden(tag: str, attributes: Mapping[str, str]) -> bool:
    """Return whether HTML or an inline style hides an element from the reader for good.

    `html` and `body` are never hidden: pages that fade in hide both. Neither are panels that the
    reader opens (tabs, accordions), and streamed segments that a script moves into place.
    """
    return read.is_hidden(tag, attributes)


def is_dialog(tag: str, attributes: Mapping[str, str]) -> bool:
    """Return whether an element is a hidden dialog: terms, cookies, a newsletter, a form to log in.

    >>> is_dialog("div", {"hidden": "", "class": "cookie-banner"}), is_dialog("div", {"hidden": ""})
    (True, False)
    """
    if not is_hidden(tag, attributes):
        return False
    if tag == "dialog" or "dialog" in attributes.get("role", "") or "aria-modal" in attributes:
        return True
    return bool(re.search(_DIALOG, f"{attributes.get('id', '')} {attributes.get('class', '')}"))


def hides(opened: AbstractSet[Look]) -> Callable[[str, Mapping[str, str]], bool]:
    """Return the test for hidden elements to skip: those that are not of an `opened` look."""
    return lambda tag, attributes: look(tag, attributes) not in opened


@lru_cache(maxsize=16)
def rules(elements: tuple[str, ...], dropped: frozenset[str]) -> read.Rules:
    """Return what each element does to the text: its `SPLIT` bits, or one of the actions above.

    An element without a rule is FLEXIBLE: inline until a boundary begins inside it. If `elements`
    is not empty, these alone are boundaries, and other block-level elements separate words.
    """
    bits = dict.fromkeys(BLOCK_LEVEL | (DROPPED - dropped), SPLIT["block"])
    bits |= {tag: SPLIT[name] for tag, name in SPLIT_CLASSES.items()}
    chosen = {tag: bits.get(tag, SPLIT["block"]) for tag in elements}
    if elements:
        bits = dict.fromkeys(bits, ADD_SPACE)
    text = dict.fromkeys(INLINE, TEXT) | {"a": LINK, "br": BREAK}
    never = {"html": ROOT, "body": ROOT} | dict.fromkeys(dropped, DROP)
    actions = bits | text | chosen | never
    return read.Rules(
        characters=characters(),
        actions=actions,
        chosen=elements,
        code_classes=CODE_CLASSES,
        formula_classes=tuple(FORMULA_CLASSES),
    )
