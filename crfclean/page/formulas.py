"""Read formulas and pictures of signs from the parser's events: each becomes one run of text.

Programs that typeset formulas write many elements for each. KaTeX writes a tree of MathML and one
of spans, MathJax spans or drawings and a script with the TeX, MediaWiki MathML and a picture.
The formula appears only once in the text. Some services draw formulas as pictures whose address has
the TeX: CodeCogs, Google's charts, WordPress, MathTeX, Zhihu and others. Pictures of emoji become
their alternative text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any
from urllib.parse import parse_qs, unquote

from crfclean.page.chars import visible_formula
from crfclean.page.effects import FORMULA_CLASSES
from crfclean.types import Formula

MAX_EVENTS = 20_000  # of one formula, with its drawing; an element with more is no formula
MAX_TEX_CHARS = 20_000  # of TeX or MathML; of a longer formula only the characters are kept
_OTHER_CHARS, _OTHER_SHARE = 40, 4  # text of a drawing beside its TeX; more is other text
_ROOTS = frozenset(["math", "mjx-container"])
_DISPLAY_CLASSES = frozenset(
    "katex-display MathJax_Display MathJax_SVG_Display math-block mwe-math-mathml-display "
    "mwe-math-fallback-image-display".split()
)
_DATA = ("data-tex", "data-latex", "data-math", "data-entry", "data-expr")
"""Attributes with the TeX of a formula: `data-entry` is Temml's, `data-expr` Notion's."""

_PROSE = frozenset(
    "p h1 h2 h3 h4 h5 h6 ul ol li dl blockquote section article main form figure pre".split()
)
"""Elements that formulas never contain."""

_ANNOTATION, _ALTTEXT, _SCRIPT, _ATTRIBUTE, _ADDRESS, _ALT = range(6)
"""Sources of TeX, the best first."""

_GLYPH = re.compile(r"\bmjx-c([0-9A-F]{2,5})\b")  # MathJax's class for a character
_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_DISPLAYED = re.compile(r"\\begin\{(?:align|alignat|equation|eqnarray|gather|multline)\*?\}")
_CDATA = re.compile(r"(?:%|(?<![\s%]))\s*+(?:<!\[CDATA\[|\]\]>)")
_DISPLAY_STYLE = re.compile(r"\{\\displaystyle\s*+(.*)\}", re.DOTALL)
_DELIMITED = re.compile(r"(?:\$\$(.+)\$\$|\$([^$]+)\$|\\\((.+)\\\)|\\\[(.+)\\\])", re.DOTALL)
_GROUPING = re.compile(r"(?:\\(?:begingroup|endgroup)(?![A-Za-z])|[{}\s])*")  # shows nothing


# pictures of formulas

MAX_ADDRESS_CHARS = 8_000
MAX_PARAMETERS = 100
_MAX_SOURCE = 500  # characters of an address that may name a directory of emoji
_PICTURE_CLASS = re.compile(
    r"(?:^|\s)(?:mwe-math-fallback-image\S*|latex|tex|math|equation)(?:\s|$)"
)
# `\frac{a}{b}`, `x^2-x-1=0`, `E = mc^2`; words have four letters: `href=next`
_PICTURE_ALT = re.compile(
    r"\\[a-z]+\{|\A(?=.{0,200}\Z)(?!.*[^\W\d_]{4})(?=.*\w\s?[\^=]\s?[\w(+-])[\w\s^=+\-*/(){}<>.,|]+\Z"
)
"""A pattern that only TeX has. Pages without it are read without formulas."""

# `class="inlineformula" alt="phi"`: only TeX has a sign or is one letter
_NAMED_FORMULA = re.compile(r"formula")
_IS_TEX = re.compile(r"[\\^_{}=<>+]|\A\w\Z")

# `class="wp-smiley" alt=":)"`, `src="/emoji/1f600.png" alt=":grin:"`, or any `alt="\U0001f600"`
_EMOJI = re.compile(r"emoji|emoticon|(?<![a-z])emote|smil(?:e|ie|ey)", re.IGNORECASE)
_EMOJI_ADDRESS = re.compile(r"/[^/]*(?:emoji|emoticon|twemoji|smile?y|smilie)[^/]*/", re.IGNORECASE)
# `:)`, `o_O`, `:grin:`, `[赞]`, but not `Like`, `emoticon-Cry`
_EMOJI_ALT = re.compile(
    r"(?=.*[^\w\s])\S{1,6}|(?::[\w+-]{1,30}:)++|[\[(][^\s\])]{1,12}[\])]|[^\x00-\x7f]{1,8}"
)
_PICTOGRAPHS = re.compile(
    r"[#*0-9\u200d\u20e3\ufe0f]*+(?:[\u2600-\u27bf\u2b50\u2b55\U0001f000-\U0001faff][\u200d\u20e3\ufe0f\u2640\u2642]*+){1,8}"
)

_PICTURE_ADDRESS = re.compile(
    r"(?:https?:)?//(?P<place>[^?#]+)(?:\?(?P<query>[^#]*))?", re.IGNORECASE
)
_SERVICES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(place, re.IGNORECASE), parameter)
    for place, parameter in (
        (r"latex\.codecogs\.com/[a-z]+\.(?:image|latex|download)", ""),
        (r"chart(?:\.apis)?\.google(?:apis)?\.com/chart", "chl"),
        (r"[^/]+/(?:[^/]+/){0,9}latex\.php", "latex"),
        (r"[^/]+/(?:[^/]+/){0,9}(?:mathtex|mimetex)\.cgi", ""),
        (r"(?:www\.)?zhihu\.com/equation", "tex"),
        (r"render\.githubusercontent\.com/render/math", "math"),
        (r"math\.now\.sh/?", "from"),
    )
)
"""Address of a service that draws formulas -> parameter with the TeX, "" for the whole query."""

_IN_PATH = re.compile(r"(?:latex\.codecogs\.com/(?:gif|png|svg)|i\.upmath\.me/(?:svg|png))/(.+)")
_LAYOUT = re.compile(
    r"(?:\s*+(?:\\(?:dpi|fn|bg|fg)(?:\{[^{}]*\}|_\w+)|\\inline\b"
    r"|\\(?:tiny|small|normalsize|large|Large|LARGE|huge)\b(?=\s|\\|\{)))+"
)
"""Instructions for drawing, before the TeX."""


def clean_tex(source: str) -> str:
    r"""Return TeX without delimiters, comments and line breaks; "" if too long, or if it is blank.

    >>> clean_tex(r"$a_1$"), clean_tex(r"{\displaystyle  x^{2} }"), clean_tex("a % sum\n + b")
    ('a_1', 'x^{2}', 'a + b')
    """
    if len(source) > MAX_TEX_CHARS:
        return ""
    text = " ".join(_COMMENT.sub("", _CDATA.sub("", source)).split())
    for pattern in (_DELIMITED, _DISPLAY_STYLE):
        if match := pattern.fullmatch(text):
            text = next(group for group in match.groups() if group is not None).strip()
    return "" if _GROUPING.fullmatch(text) else text


@dataclass(slots=True)
class _Atom:
    """The formula being read: the events of its elements, and the TeX and MathML found so far."""

    events: list[tuple[str, str, Mapping[str, str]]] = field(default_factory=list)
    depth: int = 0
    tex: dict[int, str] = field(default_factory=dict)
    display: bool = False
    mathml: list[str] = field(default_factory=list)
    math_depth: int = 0
    annotation: int = 0  # depth of an open annotation
    takes_tex: bool = False
    script: bool = False
    tokens: list[str] = field(default_factory=list)
    glyphs: list[str] = field(default_factory=list)
    glyph: str = ""  # the character of an open element that may also have it as text

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Enter an element of the formula."""
        self.events.append(("start", tag, attributes))
        self.depth += 1
        self._read_attributes(tag, attributes)
        if tag == "script":
            self.script = is_tex_script(tag, attributes)
        elif tag in ("annotation", "annotation-xml"):
            self.annotation = self.annotation or self.depth
            self.takes_tex = "tex" in attributes.get("encoding", "").lower()
        elif not self.annotation and (self.math_depth or (tag == "math" and not self.mathml)):
            self.math_depth += 1
            self.mathml.append(_markup(tag, attributes))

    def end(self, tag: str) -> None:
        """Leave an element of the formula."""
        self.events.append(("end", tag, {}))
        if self.glyph:
            self.glyphs.append(self.glyph)
            self.glyph = ""
        if self.annotation:
            if self.annotation == self.depth:
                self.annotation, self.takes_tex = 0, False
        elif self.math_depth and tag != "script":
            self.math_depth -= 1
            self.mathml.append(f"</{tag}>")
        self.script = self.script and tag != "script"
        self.depth -= 1

    def data(self, text: str) -> None:
        """Take a text of the formula."""
        self.events.append(("data", text, {}))
        if self.script:
            self._add_tex(_SCRIPT, text)
        elif self.annotation:
            if self.takes_tex:
                self._add_tex(_ANNOTATION, text)
        elif self.math_depth:
            self.mathml.append(escape(text, quote=False))
            self.tokens.append(text)
        else:
            self.glyphs.append(text)
            self.glyph = ""

    def _read_attributes(self, tag: str, attributes: Mapping[str, str]) -> None:
        names = attributes.get("class", "").split()
        self.display |= (
            not _DISPLAY_CLASSES.isdisjoint(names)
            or attributes.get("display") in ("block", "true")
            or "mode=display" in attributes.get("type", "")
        )
        if tag == "math" and attributes.get("alttext"):
            self.tex.setdefault(_ALTTEXT, attributes["alttext"])
        for name in _DATA:
            if attributes.get(name):
                self.tex.setdefault(_ATTRIBUTE, attributes[name])
        if tag == "img" and shows_its_text(attributes):
            self.glyphs.append(attributes["alt"])
        elif tag == "img":
            self.tex.setdefault(_ALT, attributes.get("alt", ""))
            self.tex.setdefault(_ADDRESS, tex_of_address(attributes.get("src", "")))
        self.glyph = ""
        if tag == "mjx-c" and (glyph := _GLYPH.search(attributes.get("class", ""))):
            self.glyph = chr(min(int(glyph[1], 16), 0x10FFFF))

    def _add_tex(self, source: int, text: str) -> None:
        self.tex[source] = self.tex.get(source, "") + text

    def formula(self) -> Formula:
        """Return the formula of the elements."""
        tex = next((tex for _, text in sorted(self.tex.items()) if (tex := clean_tex(text))), "")
        text = " ".join("".join(self.tokens or self.glyphs).split())
        mathml = "".join(self.mathml)
        if len(mathml) > MAX_TEX_CHARS:
            mathml = ""
        return Formula(tex, mathml, self.display or bool(_DISPLAYED.match(tex)), text)

    @property
    def holds_words(self) -> bool:
        """True if the elements show far more text than the TeX, so that text would be lost."""
        tex = self.formula().tex
        shown = sum(len(text.strip()) for text in self.glyphs)
        return bool(tex) and shown > _OTHER_CHARS + _OTHER_SHARE * len(tex)


@dataclass(slots=True)
class FormulaWalk:
    """A parser's target that passes events on to a walk of the core, each formula as one run.

    A formula without TeX waits for the next element: MathJax puts a script with the TeX there.
    """

    walk: Any
    atom: _Atom | None = None
    waiting: _Atom | None = None

    @staticmethod
    def begins(tag: str, attributes: Mapping[str, str]) -> bool:
        """Return whether a formula begins with an element, so that the walk passes events on."""
        return stands_for_formula(tag, attributes)

    @property
    def waits(self) -> bool:
        """True inside a formula, and after one that waits for its TeX."""
        return self.atom is not None or self.waiting is not None

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Enter an element."""
        if self.atom is not None:
            self.atom.start(tag, attributes)
            if tag in _PROSE or len(self.atom.events) > MAX_EVENTS:
                self._replay()
        elif not self.walk.skipped and stands_for_formula(tag, attributes):
            if self.waiting is not None and not is_tex_script(tag, attributes):
                self._emit()
            self.atom = _Atom()
            self.atom.start(tag, attributes)
        else:
            self._emit()
            self.walk.start(tag, attributes)

    def end(self, tag: str) -> None:
        """Leave an element."""
        if self.atom is None:
            self._emit()
            self.walk.end(tag)
            return
        self.atom.end(tag)
        if not self.atom.depth and self.atom.holds_words:
            self._replay()
        elif not self.atom.depth:
            self._finish()

    def data(self, text: str) -> None:
        """Take a text."""
        if self.atom is not None:
            self.atom.data(text)
        else:
            self._emit()
            self.walk.data(text)

    def close(self) -> None:
        """End the page."""
        if self.atom is not None:
            self._replay()
        self._emit()
        self.walk.close()

    def _finish(self) -> None:
        """End the formula being read; the script after one without TeX belongs to it."""
        atom, self.atom = self.atom, None
        if atom is None:
            return
        if self.waiting is not None:  # its script has come
            self.waiting.tex.update(atom.tex)
            self.waiting.display |= atom.display
        else:
            self.waiting = atom
        is_whole = self.waiting.events[0][1] in ("math", "img")  # no program puts a script after it
        if is_whole or self.waiting.tex.keys() & {_ANNOTATION, _ALTTEXT, _SCRIPT}:
            self._emit()

    def _emit(self) -> None:
        """Pass on the waiting formula, inside its own element unless that element never shows."""
        atom, self.waiting = self.waiting, None
        if atom is None:
            return
        _, tag, attributes = atom.events[0]
        if tag in ("script", "img"):
            self.walk.formula(visible_formula(atom.formula()))
            return
        self.walk.start(tag, attributes)
        if not self.walk.skipped:
            self.walk.formula(visible_formula(atom.formula()))
        self.walk.end(tag)

    def _replay(self) -> None:
        """Pass on all events of an element that is no formula after all."""
        atom, self.atom = self.atom, None
        self._emit()
        for kind, text, attributes in atom.events if atom is not None else ():
            if kind == "start":
                self.walk.start(text, attributes)
            elif kind == "end":
                self.walk.end(text)
            else:
                self.walk.data(text)


def stands_for_formula(tag: str, attributes: Mapping[str, str]) -> bool:
    """Return whether an element, with everything inside, stands for one formula."""
    if tag in _ROOTS:
        return True
    if not attributes:
        return False
    if tag == "script":
        return is_tex_script(tag, attributes)
    if tag == "img":
        return is_formula_image(attributes) or shows_its_text(attributes)
    names = attributes.get("class", "")
    if "data-tex" in attributes or "data-latex" in attributes:
        return True
    return bool(names) and not FORMULA_CLASSES.isdisjoint(names.split())


def is_tex_script(tag: str, attributes: Mapping[str, str]) -> bool:
    """Return whether an element is a script with the TeX of a formula."""
    return tag == "script" and attributes.get("type", "").startswith(("math/tex", "math/latex"))


def _markup(tag: str, attributes: Mapping[str, str]) -> str:
    written = "".join(f' {name}="{escape(text)}"' for name, text in attributes.items())
    return f"<{tag}{written}>"


def is_formula_image(attributes: Mapping[str, str]) -> bool:
    r"""Return whether an `img` shows a formula, by its class, its alternative text or its address.

    >>> [is_formula_image({"src": "f.png", "alt": alt}) for alt in (r"\frac{a}{b}", r"C:\x_1")]
    [True, False]
    """
    alt = attributes.get("alt", "")
    names = attributes.get("class", "")
    if alt and (_PICTURE_CLASS.search(names) or _PICTURE_ALT.search(alt)):
        return True
    if _NAMED_FORMULA.search(names) and _IS_TEX.search(alt):
        return True
    return bool(tex_of_address(attributes.get("src", "")))


def shows_its_text(attributes: Mapping[str, str]) -> bool:
    """Return whether an `img` shows its alternative text: an emoji, or a formula without TeX.

    >>> shows_its_text({"alt": ":)", "class": "wp-smiley"}), shows_its_text({"alt": "\U0001f600"})
    (True, True)
    >>> shows_its_text({"alt": "Like", "class": "emoji"}), shows_its_text({"alt": "*"})
    (False, False)
    """
    alt, names = attributes.get("alt", "").strip(), attributes.get("class", "")
    if not alt:
        return False
    if _NAMED_FORMULA.search(names):
        return not _IS_TEX.search(alt)
    is_emoji = _EMOJI.search(names) or _EMOJI_ADDRESS.search(
        attributes.get("src", "")[:_MAX_SOURCE]
    )
    return bool(_PICTOGRAPHS.fullmatch(alt) or (is_emoji and _EMOJI_ALT.fullmatch(alt)))


def tex_of_address(address: str) -> str:
    r"""The TeX in the address of a service's picture, "" if it is none.

    >>> tex_of_address("https://latex.codecogs.com/svg.image?%5Cinline%20%5Cfrac%7Ba%7D%7Bb%7D")
    '\\frac{a}{b}'
    >>> tex_of_address("https://example.org/equation.png?tex=x")
    ''
    """
    if len(address) > MAX_ADDRESS_CHARS or (match := _PICTURE_ADDRESS.match(address)) is None:
        return ""
    place, query = match["place"], match["query"] or ""
    if in_path := _IN_PATH.fullmatch(place):
        return _formula_of(unquote(in_path[1]))
    for pattern, parameter in _SERVICES if query else ():
        if pattern.fullmatch(place):
            if not parameter:
                return _formula_of(unquote(query))
            return _formula_of(_value(query, parameter))
    return ""


def _value(query: str, parameter: str) -> str:
    """Return the first value of a parameter, "" without a value or with too many parameters."""
    try:
        return parse_qs(query, max_num_fields=MAX_PARAMETERS).get(parameter, [""])[0]
    except ValueError:
        return ""


def _formula_of(tex: str) -> str:
    """Return TeX without a service's instructions for drawing."""
    spaced = tex.replace("&space;", " ").strip()
    layout = _LAYOUT.match(spaced)
    return spaced[layout.end() :].strip() if layout else spaced
