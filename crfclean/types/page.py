"""The values of a page: its elements, runs of text, blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


# types of arrays of numbers, which do not load numpy

Ints: TypeAlias = "npt.NDArray[np.signedinteger[Any]]"
Floats: TypeAlias = "npt.NDArray[np.float64]"
Bools: TypeAlias = "npt.NDArray[np.bool_]"


SOURCES = ("", "noscript", "hidden", "panels")
"""Sources of blocks: the visible page, `noscript`, hidden elements, the page with open panels."""


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


@dataclass(frozen=True, slots=True, eq=False)
class Nodes:
    """A page's elements in document order, as parallel sequences of length m.

    `parent` is -1 for the root; the elements inside element i are i + 1 to `end[i]` - 1. The blocks
    inside it are `first_block[i]` to `end_block[i]` - 1; an inline element shares its block with
    its neighbours. Elements that never give text (`script`, hidden ones) are here without their
    descendants. `inline` marks elements that stand in a line of text, by name, style and content.
    `which_class` is the index in `classes` of each element's `class`, "" for none.
    """

    tags: tuple[str, ...]
    attributes: Sequence[Mapping[str, str]]
    parent: Ints
    end: Ints
    first_block: Ints
    end_block: Ints
    inline: Bools
    which_class: Ints
    classes: list[str]

    def __len__(self) -> int:
        return len(self.tags)

    def blocks_in(self, node: int) -> range:
        """The blocks inside an element."""
        return range(int(self.first_block[node]), int(self.end_block[node]))

    def around(self, node: int, most: int | None = None) -> Iterator[int]:
        """Yield an element and the elements around it, from the inside out, at most so many."""
        for _ in range(len(self) if most is None else most):
            if node < 0:
                return
            yield node
            node = int(self.parent[node])


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


class Runs(NamedTuple):
    """A page's text runs in document order: raw text, the element around it, its block.

    `after` counts the elements that begin before a run; it separates `a<br>b` from `ab<br>`.
    `blanks` is the white space in a `pre` before the text of a block: the run that follows, the
    element around it, how many elements begin before it, and the space itself. `discarded` is text
    in no block: the run that follows, the element around it, and its characters (no white space).
    `formulas` has those runs that are formulas, `readings` the text of each `rt` of a ruby.
    """

    texts: Sequence[str]
    node: Ints
    block: Ints
    after: Ints
    blanks: tuple[tuple[int, int, int, str], ...]
    discarded: tuple[tuple[int, int, int], ...]
    formulas: Mapping[int, Formula]
    readings: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class Block:
    """One paragraph: `index` in the page, folded `text`, the container's `tag` and `xpath`."""

    index: int
    text: str
    tag: str
    xpath: str


@dataclass(frozen=True, repr=False, eq=False)
class Blocks:
    """A page's sequence of n paragraphs with the table of its elements.

    `node[i]` is the container of block i: the lowest block-level element around it. `split[i]` has
    the `elements.SPLIT` bits of the boundaries between blocks i-1 and i. Blocks are restricted to
    `elements`, if there are any. `json_ld` is the structured data of the page, as in its scripts.
    `code` are the elements that are code as a whole. `source` is a value of `SOURCES`. `hidden`
    counts characters in hidden elements, with scripts and styles: element -> characters (-1 for
    elements that are in no table). `repeated` are those of the `Page`.
    """

    texts: tuple[str, ...]
    node: Ints
    split: Ints
    nodes: Nodes
    runs: Runs
    title: str = ""
    truncated: str = ""
    elements: tuple[str, ...] = ()
    json_ld: tuple[str, ...] = ()
    code: frozenset[int] = frozenset()
    source: str = ""
    hidden: Mapping[int, int] = field(default_factory=dict)
    repeated: frozenset[int] = frozenset()

    def __repr__(self) -> str:
        return f"<Blocks: {len(self):,}>"

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, index: int) -> Block:
        text = self.texts[index]
        node = int(self.node[index])
        return Block(index % len(self), text, self.nodes.tags[node], self.xpath(node))

    def __iter__(self) -> Iterator[Block]:
        return (self[index] for index in range(len(self)))

    @property
    def hidden_chars(self) -> int:
        """The characters in all hidden elements."""
        return sum(self.hidden.values())

    def xpath(self, node: int) -> str:
        """Absolute XPath of an element, with a position in every step: `/html[1]/body[1]/p[2]`."""
        path: str = self._paths[node]
        return path

    @cached_property
    def _paths(self) -> Any:
        from pkgutil import resolve_name

        return resolve_name("crfclean.page.blocks:paths")(self)
