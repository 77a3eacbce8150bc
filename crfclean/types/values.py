"""Nothing -> the values that travel through crfclean: pages, blocks, labels, documents, errors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar, runtime_checkable

if TYPE_CHECKING:  # the command line reads this module for its options, and needs no arrays
    import numpy as np
    import numpy.typing as npt

Ints: TypeAlias = "npt.NDArray[np.signedinteger[Any]]"
Floats: TypeAlias = "npt.NDArray[np.float64]"
Bools: TypeAlias = "npt.NDArray[np.bool_]"
T = TypeVar("T")


def option(default: T, text: str, choices: tuple[str, ...] = ()) -> T:
    """A parameter of a params dataclass: its default, and what the command line says of it."""
    made: T = field(default=default, metadata={"help": text, "choices": choices})
    return made


class CrfcleanError(Exception):
    """A call that cannot be carried out; the message names the file (and line) to look at."""


class ModelError(CrfcleanError):
    """A model folder that is missing, damaged, or made for other features."""


class GoldError(CrfcleanError):
    """Annotations that do not fit their page or their format."""


class NoGoldError(GoldError):
    """Pages that nobody has annotated."""


def check_bounds(params: object, bounds: Mapping[str, tuple[float, float]]) -> None:
    """Raise `CrfcleanError` for a parameter outside its bounds, both included, or no number."""
    for name, (least, most) in bounds.items():
        value = getattr(params, name)
        if not least <= value <= most:
            raise CrfcleanError(f"{name} must be from {least} to {most}, not {value}")


class Label(IntEnum):
    """What a block is; the numbers index the columns of `Tags.marginals`."""

    HEADER = 0
    TEXT = 1
    OTHER = 2


class Kind(IntEnum):
    """What a block is for, by the evidence of markup, place and wording."""

    BODY = 0
    TITLE = 1
    HEADERS = 2
    CAPTIONS = 3
    BYLINES = 4
    COMMENTS = 5


@dataclass(frozen=True, slots=True)
class Page:
    """One decoded page. `status` is "ok", "empty", "binary", "not-html" or "gzip-error"."""

    html: str
    url: str | None = None
    encoding: str | None = None
    status: str = "ok"
    truncated: str = ""


@dataclass(frozen=True, slots=True)
class Nodes:
    """A page's elements in document order, as parallel sequences of length m.

    `parent` is -1 for the root; the elements inside element i are i + 1 to `end[i]` - 1.
    `first_block` and `end_block` bound the blocks that stand
    inside an element (half-open); an inline element shares its block with its neighbours.
    Elements that never give text (`script`, hidden ones) are here without their descendants.
    """

    tags: tuple[str, ...]
    attributes: tuple[Mapping[str, str], ...]
    parent: Ints
    end: Ints
    first_block: Ints
    end_block: Ints

    def __len__(self) -> int:
        return len(self.tags)


@dataclass(frozen=True, slots=True)
class Runs:
    """A page's text runs in document order: raw text, the element around it, its block.

    `after` is how many elements begin before a run: what tells `a<br>b` from `ab<br>`. `blanks`
    is white space that stands in a `pre` before the text of a block, and in no block: the run
    that follows, the element around it, how many elements begin before it, and the space itself.
    `strays` is text that is in no block: the run that follows, the element around it, and how many
    characters (no white space) it has.
    """

    texts: tuple[str, ...]
    node: Ints
    block: Ints
    after: Ints
    blanks: tuple[tuple[int, int, int, str], ...] = ()
    strays: tuple[tuple[int, int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """One paragraph: `index` in the page, folded `text`, the container's `tag` and `xpath`."""

    index: int
    text: str
    tag: str
    xpath: str


@dataclass(frozen=True)
class Blocks:
    """A page's sequence of n paragraphs with the table of its elements.

    `node[i]` is the container of block i (the lowest block-level element around it);
    `elements` are those that the blocks were restricted to, if any.
    `split[i]` holds the `elements.SPLIT` bits of what stands between block i-1 and block i;
    `json_ld` is the page's structured data as it stands in its scripts.
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

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, index: int) -> Block:
        text = self.texts[index]
        node = int(self.node[index])
        return Block(index % len(self), text, self.nodes.tags[node], self.xpath(node))

    def __iter__(self) -> Iterator[Block]:
        return (self[index] for index in range(len(self)))

    @cached_property
    def ordinals(self) -> Ints:
        """1-based position of every element among its siblings of the same tag, shape (m,)."""
        import numpy as np

        seen: dict[tuple[int, str], int] = {}
        keys = zip(self.nodes.parent.tolist(), self.nodes.tags, strict=True)
        numbers = np.empty(len(self.nodes), np.int32)
        for place, key in enumerate(keys):
            seen[key] = numbers[place] = seen.get(key, 0) + 1
        return numbers

    def xpath(self, node: int) -> str:
        """Absolute XPath of an element, every step with its position: `/html[1]/body[1]/p[2]`."""
        steps = []
        while node >= 0 and node not in self._xpaths:
            steps.append(node)
            node = int(self.nodes.parent[node])
        path = self._xpaths.get(node, "")
        for step in reversed(steps):
            path += f"/{_name_test(self.nodes.tags[step])}[{self.ordinals[step]}]"
            self._xpaths[step] = path
        return path

    @cached_property
    def _xpaths(self) -> dict[int, str]:
        """The XPaths asked for so far, and those of the elements around."""
        return {}


_NAME = re.compile(r"[a-z_][\w.-]*", re.ASCII | re.IGNORECASE)


def _name_test(tag: str) -> str:
    """A step of an XPath to elements of a name, also one that XPath itself cannot spell (`o:p`)."""
    if _NAME.fullmatch(tag):
        return tag
    quote = "'" if '"' in tag else '"'
    return f"*[name()={quote}{tag.replace(quote, '')}{quote}]"


@dataclass(frozen=True, slots=True)
class Tag:
    """A block's label and the probability that it belongs to the page's text."""

    label: Label
    probability: float


@dataclass(frozen=True)
class Tags:
    """Labels of n blocks, shape (n,), and their marginal probabilities, shape (n, 3).

    `score` is the expected F1 on words of the kept blocks, 0..1, 0 if none is kept: the tagger
    gives it, for it knows the words (see `decision.expected_f1`). `comments` (n,) are blocks of
    readers' comments that are wanted beside the text, None where nobody asked; `pictures` the
    elements that the tagger takes for pictures of the text, None where it doesn't say.
    """

    labels: Ints
    marginals: Floats
    score: float
    comments: Bools | None = None
    pictures: tuple[int, ...] | None = None

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> Tag:
        return Tag(Label(self.labels[index]), float(self.probabilities[index]))

    def __iter__(self) -> Iterator[Tag]:
        return (self[index] for index in range(len(self)))

    @cached_property
    def probabilities(self) -> Floats:
        """Probability of each block to be HEADER or TEXT, shape (n,)."""
        return 1.0 - self.marginals[:, Label.OTHER]

    @cached_property
    def kept(self) -> Bools:
        """Whether each block belongs to the page's text, shape (n,)."""
        kept: Bools = self.labels != Label.OTHER
        return kept


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a block got its label: a feature, its value, its weight for keeping the block.

    `words[+1]` is the feature `words` of the next block, with its value there.
    """

    feature: str
    value: float
    weight: float


@dataclass(frozen=True, slots=True)
class Segment:
    """A coherent text of a page: all text nodes of one node, which `xpath` names.

    `text` has a line a block; `blocks` are the indices of the blocks that it has text of (it may
    share one with a neighbour). `size` in characters without white space, `energy` of the node
    (see `energy.energies`), `link_share` of the size that stands in links (0..1), and `labels`,
    one a block, where a tagger gave some.
    """

    xpath: str
    text: str
    blocks: tuple[int, ...]
    size: int
    energy: float
    link_share: float
    labels: tuple[Label, ...] = ()


class Tagger(Protocol):
    """Anything that labels the blocks of a page; it must be picklable to reach workers.

    What more a tagger can do is in `taggers.capabilities`.
    """

    def tag(self, blocks: Blocks) -> Tags:
        """Label every block of a page; n blocks give n labels, none none."""
        ...


@runtime_checkable
class Prepares(Protocol):
    """What tasks share, where it has something to open before the time of a task runs."""

    def prepare(self, item: Any) -> None:
        """Open what the task of an item needs; once a process."""
        ...


@dataclass(frozen=True)
class Document:
    """A cleaned page: every block with its tag.

    `status` is "ok", one of the page's own (see `Page`), "no-blocks" (the page shows no text),
    "over-blocks" (it has more than the caller allows) or "nothing-kept" (no block was labelled
    HEADER or TEXT). `truncated` says what cut the page short ("bytes", "gzip", "depth",
    "nodes"), "" if nothing did.
    """

    url: str | None
    blocks: Blocks
    tags: Tags
    status: str = "ok"
    truncated: str = ""

    @property
    def kept(self) -> list[int]:
        """Indices of the blocks labelled HEADER or TEXT, in page order."""
        return [int(index) for index in self.tags.kept.nonzero()[0]]

    @property
    def score(self) -> float:
        """Expected F1 on words of the page's text, 0..1; 0 if nothing is kept."""
        return self.tags.score

    @property
    def comments(self) -> list[int]:
        """Indices of the comments that are wanted beside the text, in page order."""
        found = self.tags.comments
        return [] if found is None else [int(index) for index in found.nonzero()[0]]

    @property
    def text(self) -> str:
        """The page's text, one block a line."""
        return "\n".join(self.blocks.texts[index] for index in self.kept)
