"""The values of a page: its elements, runs of text, blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from crfclean.core.table import Table


# types of arrays of numbers, which do not load numpy

Ints: TypeAlias = "npt.NDArray[np.signedinteger[Any]]"
Floats: TypeAlias = "npt.NDArray[np.float64]"
Bools: TypeAlias = "npt.NDArray[np.bool_]"


SOURCES = ("", "noscript", "hidden", "panels")
"""Sources of blocks: the visible page, `noscript` or `noframes`, hidden elements, open panels."""


@dataclass(frozen=True, slots=True, repr=False)
class Page:
    """One decoded page.

    `status` is "ok", "empty", "binary", "not-html", "feed", "gzip-error" or "mhtml-error".
    `encoding` is the Python codec that decoded the page, None for one given as text; it was guessed
    if the bytes neither declare an encoding that fits them nor are UTF-8. `repeated` are the
    `page.site.text_keys` of texts that many pages of its site have.
    """

    html: str
    url: str | None = None
    encoding: str | None = None
    status: str = "ok"
    truncated: str = ""
    encoding_guessed: bool = False
    repeated: frozenset[int] = frozenset()

    def __repr__(self) -> str:
        """In one line.

        >>> Page("<p>Rain</p>", "https://example.org/1")
        <Page ok: 11 characters, https://example.org/1>
        """
        address = f", {self.url}" if self.url else ""
        return f"<Page {self.status}: {len(self.html):,} characters{address}>"


class Formula(NamedTuple):
    """A formula of a page: its TeX and its MathML, "" if the page does not have them.

    A `display` formula stands on lines of its own. `text` are its visible characters.
    """

    tex: str = ""
    mathml: str = ""
    display: bool = False
    text: str = ""

    @property
    def shown(self) -> str:
        """The formula in a text: its TeX between dollar signs, or its characters.

        >>> Formula("x^2").shown, Formula("x", display=True).shown, Formula(text="x2").shown
        ('$x^2$', '$$x$$', 'x2')
        """
        mark = "$$" if self.display else "$"
        return f"{mark}{self.tex}{mark}" if self.tex else self.text


@dataclass(frozen=True, slots=True)
class Block:
    """One paragraph: `index` in the page, folded `text`, the container's `tag` and `xpath`."""

    index: int
    text: str
    tag: str
    xpath: str


@dataclass(frozen=True, repr=False, eq=False)
class Blocks:
    """A page's sequence of n paragraphs, with the `table` of its elements, runs and counts.

    `node[i]` is the container of block i: the lowest block-level element around it. `split[i]` has
    the `elements.SPLIT` bits of the boundaries between blocks i-1 and i. Blocks are restricted to
    `elements`, if there are any. `code` are the elements that are code as a whole. `source` is a
    value of `SOURCES`. `repeated` are those of the `Page`. `class_rules` are the styles of
    classes that Google Docs writes. `memo` has what is computed once for a page
    (`page.measures.once`); copies (`replace`) and pickles are without it.
    """

    table: Table
    truncated: str = ""
    elements: tuple[str, ...] = ()
    code: frozenset[int] = frozenset()
    source: str = ""
    repeated: frozenset[int] = frozenset()
    class_rules: Mapping[str, str] = field(default_factory=dict)
    memo: dict[object, Any] = field(default_factory=dict, init=False)

    def __repr__(self) -> str:
        return f"<Blocks: {len(self):,}>"

    def __getstate__(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(self)} | {"memo": {}}

    def __len__(self) -> int:
        return len(self.table.node)

    def __getitem__(self, index: int) -> Block:
        text = self.texts[index]
        node = int(self.node[index])
        return Block(index % len(self), text, self.table.tags[node], self.xpath(node))

    def __iter__(self) -> Iterator[Block]:
        return (self[index] for index in range(len(self)))

    @property
    def texts(self) -> tuple[str, ...]:
        """The text of each block."""
        return self.table.texts

    @property
    def node(self) -> Ints:
        """The container of each block, (n,)."""
        return self.table.node

    @property
    def split(self) -> Ints:
        """The boundaries before each block, (n,)."""
        return self.table.split

    @property
    def title(self) -> str:
        """The title of the page."""
        return self.table.title

    @property
    def chars(self) -> Floats:
        """Characters other than white space of each block, (n,)."""
        return self.table.chars

    @property
    def words(self) -> Floats:
        """Tokens with a letter or digit, and half a word for each ideograph, (n,)."""
        return self.table.words

    @cached_property
    def all_words(self) -> float:
        """The words of the page."""
        return float(self.words.sum())

    @property
    def hidden_chars(self) -> int:
        """The characters in all hidden elements."""
        return sum(self.table.hidden.values())

    def xpath(self, node: int) -> str:
        """Absolute XPath of an element, with a position in every step: `/html[1]/body[1]/p[2]`."""
        path: str = self._paths[node]
        return path

    @cached_property
    def _paths(self) -> Any:
        from pkgutil import resolve_name

        return resolve_name("crfclean.page.places:paths")(self)
