"""Effects of HTML elements on text: line breaks, block boundaries and hidden content."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from functools import lru_cache

from crfclean.page.arrays import among
from crfclean.types import Bools, Ints

# limits on how much of a page is read

MAX_DEPTH = 512  # browsers dissolve deeper elements as well; real pages stay below 50
MAX_NODES = 1_000_000  # 350 MB of tables; real pages stay below 10,000
MAX_BLOCKS = 50_000  # 200 MB with their columns; real pages stay below 5,000
MAX_JSON_LD_CHARS = 1_000_000  # more structured data than this is left out


class FullError(Exception):
    """The page has more elements than `MAX_NODES`."""


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

READINGS = frozenset(["rp", "rt", "rtc"])
"""Elements with the readings of a `ruby`, which are not part of the text."""

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

SPLIT = {"br": 1, "p": 2, "hr": 4, "heading": 8, "list": 16, "cell": 32, "block": 64}
"""Bits of `Blocks.split`: the boundaries between a block and the one before."""

SPLIT_CLASSES = {
    "p": "p",
    "hr": "hr",
    **dict.fromkeys(["h1", "h2", "h3", "h4", "h5", "h6"], "heading"),
    **dict.fromkeys(["ul", "ol", "dl", "li", "dt", "dd"], "list"),
    **dict.fromkeys(["table", "tbody", "tr", "td", "th"], "cell"),
}
TEXT, DROP, ROOT, BREAK, ADD_SPACE, LINK, FLEXIBLE, CODE_LINE = -1, -2, -3, -4, -5, -6, -7, -8
"""Actions of elements that are no boundary with `SPLIT` bits.

The actions from `BREAK` to `LINK` may separate words. A `FLEXIBLE` element is inline until a
boundary begins inside it. A `CODE_LINE` is a boundary that only ends a line, inside code.
"""
_INLINE_ACTIONS = (TEXT, LINK, FLEXIBLE)

_CUSTOM = re.compile(r"[a-z][^\s/>]*-[^\s/>]*")
_DISPLAY = re.compile(r"(?:^|[;\s])display\s*:\s*([a-z-]+)", re.IGNORECASE)
_ON_OWN_LINES = frozenset(
    "block flex flow-root grid list-item table table-caption table-cell table-row "
    "-webkit-box".split()
)
_APART = re.compile(  # and classes of Bootstrap and Tailwind: "d-flex", "md:grid"
    r"(?:^|[\s:])(?:d-)?(?:inline-)?(?:flex|grid)(?!\S)"
)
_APART_STYLE = re.compile(r"(?<![\w-])display\s*:\s*(?:inline-)?(?:flex|grid)", re.IGNORECASE)
_MAX_LAYOUT_CHARS = 1000  # of a class or style, which may be read for each child
_IN_LINE = frozenset(["inline", "contents"])
_HIDING = re.compile(  # but not `--footer-display: none`, a custom property
    r"(?<![\w-])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))", re.IGNORECASE
)
# class or id of what the reader opens: "accordion-collapse", "tab__content", "js-read-more"
_COLLAPSED = re.compile(
    r"accordion|collaps|expand|tab[-_]{0,2}(?:panel|content|pane)|toggle[-_]{0,2}content|panel|faq|spoiler|read-?_?more",
    re.IGNORECASE,
)
_DIALOG = re.compile(
    r"modal|dialog|pop-?_?up|lightbox|consent|gdpr|newsletter|subscribe(?!r)|log-?_?in|privacy|"
    r"sign-?_?(?:in|up)|terms-?_?(?:and|of)|cookies?-?_?(?:ba|bo|info|law|not|over|pol|sett)",
    re.IGNORECASE,  # "chocolate-cookies" may be a recipe
)
_STREAMED = re.compile(r"S:[0-9a-f]+")  # React moves these segments into place once loaded

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
    if tag in ("html", "body"):
        return False
    styled = "style" in attributes and _HIDING.search(attributes["style"])
    if not styled and "hidden" not in attributes:
        return tag == "dialog" and "open" not in attributes
    return not _opens(attributes)


def is_dialog(tag: str, attributes: Mapping[str, str]) -> bool:
    """Return whether an element is a hidden dialog: terms, cookies, a newsletter, a form to log in.

    >>> is_dialog("div", {"hidden": "", "class": "cookie-banner"}), is_dialog("div", {"hidden": ""})
    (True, False)
    """
    if not is_hidden(tag, attributes):
        return False
    if tag == "dialog" or "dialog" in attributes.get("role", "") or "aria-modal" in attributes:
        return True
    return bool(_DIALOG.search(f"{attributes.get('id', '')} {attributes.get('class', '')}"))


def hides(hidden: bool, opened: AbstractSet[Look]) -> Callable[[str, Mapping[str, str]], bool]:  # noqa: FBT001
    """Return the test for elements to skip: hidden ones, except those of an `opened` look.

    With `hidden`, only hidden dialogs are skipped.
    """
    if hidden:
        return is_dialog
    if not opened:
        return is_hidden
    return lambda tag, names: is_hidden(tag, names) and look(tag, names) not in opened


def _opens(attributes: Mapping[str, str]) -> bool:
    """Return whether a hidden element looks like one that is shown later."""
    if (
        attributes.get("role") in ("tabpanel", "region")
        or attributes.get("hidden") == "until-found"
    ):
        return True
    name = attributes.get("id", "")
    return bool(_STREAMED.fullmatch(name) or _COLLAPSED.search(f"{name} {attributes.get('class')}"))


def is_json_ld(tag: str, attributes: Mapping[str, str]) -> bool:
    """Return whether an element is a script that holds structured data as JSON-LD."""
    return tag == "script" and "ld+json" in attributes.get("type", "")


@lru_cache(maxsize=16)
def actions(elements: tuple[str, ...], dropped: frozenset[str]) -> dict[str, int]:
    """Return the `SPLIT` bits of each element's boundaries, or one of the actions above.

    An element that is not in the table is `FLEXIBLE`. If `elements` is not empty, these alone are
    boundaries, and other block-level elements separate words. Pages share the table: it stays as
    it is.
    """
    bits = dict.fromkeys(BLOCK_LEVEL | (DROPPED - dropped), SPLIT["block"])
    bits |= {tag: SPLIT[name] for tag, name in SPLIT_CLASSES.items()}
    chosen = {tag: bits.get(tag, SPLIT["block"]) for tag in elements}
    if elements:
        bits = dict.fromkeys(bits, ADD_SPACE)
    text = dict.fromkeys(INLINE, TEXT) | {"a": LINK, "br": BREAK}
    never = {"html": ROOT, "body": ROOT} | dict.fromkeys(dropped, DROP)
    return bits | text | chosen | never


def displayed(action: int, style: str) -> int:
    """Return the action of an element with an inline style, which may set its `display`.

    >>> displayed(TEXT, "color: red; display: block") == SPLIT["block"]
    True
    >>> displayed(SPLIT["p"], "display:inline") == FLEXIBLE
    True
    """
    values = _DISPLAY.findall(style)
    value = values[-1].lower() if values else ""
    if value in _ON_OWN_LINES and action in _INLINE_ACTIONS:
        return SPLIT["block"]
    return FLEXIBLE if value in _IN_LINE and action > 0 else action


def sets_apart(attributes: Mapping[str, str]) -> bool:
    """Return whether class or style separate an element's children that touch in the source.

    >>> sets_apart({"class": "md:flex gap-2"}), sets_apart({"class": "flexible grid-item"})
    (True, False)
    """
    names = attributes.get("class", "")[:_MAX_LAYOUT_CHARS]
    if ("flex" in names or "grid" in names) and _APART.search(names):
        return True
    style = attributes.get("style", "")[:_MAX_LAYOUT_CHARS]
    return "display" in style.lower() and bool(_APART_STYLE.search(style))


def is_inline(element_actions: Ints) -> Bools:
    """Return whether elements with these actions stand in a line of text, of the same shape."""
    return among(element_actions, _INLINE_ACTIONS)
