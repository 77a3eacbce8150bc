"""The effects of HTML elements on text: they break a line, separate blocks, or never show."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from functools import lru_cache

from crfclean.core import read
from crfclean.core.read import ADD_SPACE, BREAK, DROP, LINK, ROOT, TEXT
from crfclean.page.chars import characters

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

DROPPED_CLASSES = ("mw-editsection", "editsection")
"""Classes of elements that only link to an editor, as `[edit]` in the headings of a wiki."""

UNSEEN_CLASSES = (
    *("sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "screenreader-only"),
    *("element-invisible", "a-offscreen", "u-visually-hidden", "screen-reader-only"),
)
"""Classes of labels that only readers of the screen hear."""

_CUSTOM = re.compile(r"[a-z][^\s/>-]*+-[^\s/>]*+")
_DIALOG = (
    r"(?i)modal|dialog|pop-?_?up|lightbox|consent|gdpr|newsletter|subscribe(?!r)|log-?_?in|privacy|"
    r"sign-?_?(?:in|up)|terms-?_?(?:and|of)|cookies?-?_?(?:ba|bo|info|law|not|over|pol|sett)"
)  # "chocolate-cookies" may be a recipe
Look = tuple[str, ...]
"""The features that the panels of one accordion share, or the id of one panel; see `look`."""

BY_ID = "#"
"""The first item of the `Look` of a panel that is opened by its id."""

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


def is_opened(tag: str, attributes: Mapping[str, str], opened: AbstractSet[Look]) -> bool:
    """Return whether a hidden element has one of some looks, or its id.

    >>> is_opened("div", {"id": "a1", "hidden": ""}, {(BY_ID, "a1")})
    True
    """
    return look(tag, attributes) in opened or (BY_ID, attributes.get("id", "")) in opened


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
    return lambda tag, attributes: not is_opened(tag, attributes, opened)


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
        dropped_classes=DROPPED_CLASSES,
        unseen_classes=UNSEEN_CLASSES,
    )
