"""The values of a cleaned page, from labels to the document, and the protocols of taggers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from importlib import import_module
from typing import Any, NamedTuple, Protocol, TypedDict, Unpack, runtime_checkable

from crfclean.types.page import Blocks, Bools, Floats, Ints


class PageType(NamedTuple):
    """The likeliest type of a page, and the probability of each type."""

    name: str
    probabilities: Mapping[str, float]


class Value(NamedTuple):
    """One value that a page states, or that was inferred from it.

    `source` says where it was found, such as `json-ld headline`, `meta og:title`, `byline`, `url`
    or `words`. `xpath` is the path of its element, "" if the source has none (JSON-LD, addresses).
    `probability` is the probability that the value is right (0..1).
    """

    text: str
    source: str
    probability: float
    xpath: str = ""


class Metadata(NamedTuple):
    """The metadata of a document; None or () for a value that the page does not state.

    Dates are ISO 8601 as precise as the page states them (`2024`, `2024-05`, `2024-05-07`,
    `2024-05-07T10:30:00+02:00`); `language` is a BCP 47 tag; addresses are absolute.
    """

    title: Value | None = None
    authors: tuple[Value, ...] = ()
    published: Value | None = None
    modified: Value | None = None
    language: Value | None = None
    site: Value | None = None
    address: Value | None = None
    description: Value | None = None
    tags: tuple[Value, ...] = ()
    categories: tuple[Value, ...] = ()
    image: Value | None = None
    licence: Value | None = None
    page_type: PageType | None = None


# the values of a cleaned page, from labels to the document

_AS_DICT, _WRITE = "crfclean.document.formats:as_dict", "crfclean.document.formats:write"
_PASSAGES = "crfclean.citations.passages:of_document"
_RANK = "crfclean.citations.passages:rank"
_METADATA, _PAINTED = "crfclean.metadata.read:read", "crfclean.document.page_view:notebook_html"
_LINES = "crfclean.document.lines"
"""Functions of later rooms, imported by name when they are needed."""


class Label(IntEnum):
    """The label of a block: heading, text, or neither; the numbers index `Tags.marginals`."""

    HEADER = 0
    TEXT = 1
    OTHER = 2


_OTHER = int(Label.OTHER)  # numpy asks members of enumerations for methods at each comparison


class CoarseKind(IntEnum):
    """The role of a block that models know, from markup, place and wording."""

    BODY = 0
    TITLE = 1
    HEADERS = 2
    CAPTIONS = 3
    BYLINES = 4
    COMMENTS = 5


class Kind(IntEnum):
    """The kind of a block on its page, from markup, place and wording.

    A `LEAD` is a standfirst. A `POST` is a comment on a page that is a thread. A `TEASER`
    advertises other pages of the site, a `PROMO` something to subscribe to, share or buy. A
    `NOTICE` is about consent, payment or the browser. A `NOTE` is a footnote or an endnote. A
    `PARAGRAPH` is a block of no other kind.
    """

    PARAGRAPH = 0
    TITLE = 1
    LEAD = 2
    HEADING = 3
    LIST = 4
    TABLE = 5
    CODE = 6
    FORMULA = 7
    QUOTE = 8
    CAPTION = 9
    BYLINE = 10
    COMMENT = 11
    POST = 12
    TEASER = 13
    PROMO = 14
    NOTICE = 15
    NAVIGATION = 16
    LEGAL = 17
    NOTE = 18


class LikelyKind(NamedTuple):
    """The probability (0..1) of a block's kind, and the likeliest kind by the model of kinds."""

    probability: float
    likeliest: Kind
    likeliest_probability: float


class Tag(NamedTuple):
    """A block's label, and the probability (0..1) that it belongs to the page's text."""

    label: Label
    probability: float


class Rule(IntEnum):
    """The rule that changed the probability of a block after the model; `NONE` if no rule did.

    - `COMMENT`: the block is a reader's comment, on a page that may be no thread, or a customer's
      review of a product.
    - `ASIDE`: it is of a kind that the convention leaves out, such as a caption or a teaser.
    - `COPY`: the page hides it, and shows the same text elsewhere.
    - `TITLE`: it is the main heading.
    - `LIST`: it is part of a list, table or code between kept blocks, or the heading of a list,
      table or panel.
    - `RECORD`: it is part of one of several similar records, the heading of one of several cards,
      or part of a box of keys and values.
    - `ALSO`, `CHOICE`: the user asked for its kind, or against it.
    - `END`: it stands after the end of the main text.
    - `NAMES`: it has names that separated the text of a site from other blocks on labelled pages.
    - `SELECTOR`: the user's selectors leave it out.
    - `SITE`: many pages of the site have it.
    - `LEAD`: it is the lead of an article.
    - `SCRAP`: it is a box of consent or a short text that never is the content.
    - `STRAY`: it is doubtful, and stands far from the text of an article.
    """

    NONE = 0
    COMMENT = 1
    ASIDE = 2
    TITLE = 3
    LIST = 4
    RECORD = 5
    ALSO = 6
    CHOICE = 7
    END = 8
    NAMES = 9
    COPY = 10
    SELECTOR = 11
    SITE = 12
    LEAD = 13
    SCRAP = 14
    STRAY = 15


class TextEnd(NamedTuple):
    """The place where the text of a page may end before its last kept block.

    `block` is the first block after the end, `probability` (0..1) that of an end there. `words`
    counts the words after it that the text would have without this end. `is_cut`: crfclean leaves
    them out.
    """

    block: int
    probability: float
    words: int
    is_cut: bool


@dataclass(frozen=True, repr=False, eq=False)
class Tags:
    """Labels of n blocks, shape (n,), and their marginal probabilities, shape (n, 3).

    `score` is the expected F1 on words of the kept blocks (0..1), 0 if none is kept; the tagger
    computes it (see `verdict.page_score`). `comments` (n,) marks the readers' comments to show
    separately, None if none were requested. `pictures` are the elements with pictures of the text,
    None if the tagger does not find pictures. `refusal` is the status of a page on which the
    decision rule keeps nothing ("below-precision"). `thread` is the probability that the page is a
    thread, None if it does not matter. `model` (n, 3) has the marginals before any `Rule`, None for
    a tagger without a model. `rules` (n,) has the last rule that changed each block's probability,
    None if no rule changed any. `end` is the likeliest end of the text, None if none is likely (see
    `decision.ends.text_end`). `chosen` (m,) are the elements that the user's selectors let in,
    None without selectors; `unmatched` are the selectors that name no element.
    """

    labels: Ints
    marginals: Floats
    score: float
    comments: Bools | None = None
    pictures: tuple[int, ...] | None = None
    refusal: str = ""
    thread: float | None = None
    rules: Ints | None = None
    model: Floats | None = None
    end: TextEnd | None = None
    chosen: Bools | None = None
    unmatched: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Tags: {int(self.kept.sum()):,} of {len(self):,} blocks kept>"

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> Tag:
        return Tag(Label(self.labels[index]), float(self.probabilities[index]))

    def __iter__(self) -> Iterator[Tag]:
        return (self[index] for index in range(len(self)))

    @cached_property
    def probabilities(self) -> Floats:
        """Probability of each block to be HEADER or TEXT, shape (n,)."""
        return 1.0 - self.marginals[:, _OTHER]

    @cached_property
    def kept(self) -> Bools:
        """Whether each block belongs to the text of the page, shape (n,)."""
        kept: Bools = self.labels != _OTHER
        return kept


class Reason(NamedTuple):
    """A reason for the label of a block: a feature, its value, its weight for keeping the block.

    `words[+1]` is the feature `words` of the next block, with its value there.
    """

    feature: str
    value: float
    weight: float


class Segment(NamedTuple):
    """A coherent text of a page: the text nodes inside one node, which `xpath` names.

    Text nodes inside another coherent text in it, such as a comment below an article, are left out.
    `text` has a line for each block. `blocks` are the indices of its blocks; neighbouring segments
    may share one. `size` counts characters without white space. `energy` is the energy of the node,
    `link_share` the share of `size` inside links (0..1). `labels` has a label for each block, if a
    tagger gave labels.
    """

    xpath: str
    text: str
    blocks: tuple[int, ...]
    size: int
    energy: float
    link_share: float
    labels: tuple[Label, ...] = ()


class Presence(NamedTuple):
    """The place of a page's content, if it has any, with the probability (0..1) of this answer.

    `where` is "visible", "hidden" (in hidden elements, or in `noscript`), "carried" (only in the
    structured data, which crfclean does not read as text) or "not-in-this-html". The `reason` for
    "not-in-this-html" is "framed", "blocked", "error-page", "login", "paywall", "consent",
    "needs-script" or "empty"; otherwise it is "". `frame` is the address of the page that a
    "framed" page shows, otherwise "".
    """

    where: str
    reason: str
    probability: float
    frame: str = ""


class Passage(NamedTuple):
    """A passage of a page's text, in Markdown.

    `headings` are the headings above it, the page's first. `type` is the kind of part that has most
    of it, such as "paragraph", "list", "table" or "codeblock". `start` and `end` (half-open) are
    characters of `Document.text`, None if they are not known. `url` is the address of the page with
    a text fragment, as in `Citation`. `score` (0..1) is that of the page, `id` its name.
    `relevance` compares it with a question, None without one.
    """

    text: str
    headings: tuple[str, ...]
    type: str
    words: int
    start: int | None
    end: int | None
    url: str
    score: float
    id: str = ""
    relevance: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the passage as JSON values."""
        return {
            "id": self.id,
            "text": self.text,
            "headings": list(self.headings),
            "type": self.type,
            "words": self.words,
            "span": None if self.start is None else [self.start, self.end],
            "url": self.url,
            "score": round(self.score, 4),
        } | ({} if self.relevance is None else {"relevance": self.relevance})


class Switches(TypedDict, total=False):
    """The switches of writers as keywords; `document.parts.Show` has their meaning and defaults.

    Python derives no `TypedDict` from a dataclass, so a test compares the names and types.
    """

    links: bool
    images: bool
    tables: bool
    formatting: bool
    headings: bool
    metadata: bool
    blocks: bool
    evidence: bool
    levels: bool
    left_out: bool
    site_places: bool
    front_matter: bool
    parts: bool
    passage_words: int
    budget: int


@dataclass(frozen=True, repr=False)
class Document:
    """A cleaned page: every block with its tag.

    `status` is one of:

    - "ok";
    - the status of the `Page`, if that is not "ok";
    - "no-blocks": the page shows no text;
    - "over-blocks": it has more blocks than the caller allows;
    - "below-precision": no choice of its blocks has the expected precision that the caller wants;
    - "nothing-kept": no block has the label HEADER or TEXT;
    - "over-time", "over-memory", "crashed" or "error": the page was lost, and `message` says why.

    `truncated` names what cut the page short ("bytes", "gzip", "depth", "nodes"; in corpora also
    "http" and the crawler's own reasons, separated by commas); it is "" for a whole page.
    `presence` is None for a page that could not be read. If the blocks come from hidden elements,
    `shown` has the blocks that the page shows. `kinds` has the kind of each block, `likely_kinds`
    what the model of kinds says of it; `crfclean.clean` fills in both. `encoding` and
    `encoding_guessed` are those of the `Page`.
    """

    url: str | None
    blocks: Blocks
    tags: Tags
    status: str = "ok"
    truncated: str = ""
    presence: Presence | None = None
    shown: Blocks | None = None
    kinds: Sequence[Kind] = field(default=(), compare=False)
    likely_kinds: Sequence[LikelyKind] = field(default=(), compare=False)
    encoding: str | None = None
    encoding_guessed: bool = False
    message: str = ""

    def __repr__(self) -> str:
        """In one line, as in `<Document ok: 35 of 141 blocks, score 0.91>`."""
        blocks = f"{int(self.tags.kept.sum()):,} of {len(self.blocks):,} blocks"
        cut = f", truncated ({self.truncated})" if self.truncated else ""
        return f"<Document {self.status}: {blocks}, score {self.score:.2f}{cut}>"

    @property
    def page_blocks(self) -> Blocks:
        """The blocks that the page shows: `blocks`, unless these come from hidden elements."""
        return self.blocks if self.shown is None else self.shown

    @property
    def kept(self) -> list[int]:
        """Indices of the blocks labelled HEADER or TEXT, in page order."""
        kept: list[int] = self.tags.kept.nonzero()[0].tolist()
        return kept

    @property
    def score(self) -> float:
        """Expected F1 on words of the text, 0..1.

        It is 0 if nothing is kept, and if the content of the page is in none of its blocks.
        """
        return 0.0 if self.lacks_content else self.tags.score

    @property
    def lacks_content(self) -> bool:
        """Whether the page's content is in none of its blocks (see `Presence`)."""
        presence = self.presence
        return presence is not None and presence.where in ("carried", "not-in-this-html")

    @property
    def comments(self) -> list[int]:
        """Indices of the comments to be shown beside the text, in page order."""
        comments = self.tags.comments
        return [] if comments is None else [int(index) for index in comments.nonzero()[0]]

    @property
    def text(self) -> str:
        """The text of the page: a line for each block; code, poems and addresses keep their lines.

        An amount and its name in boxes of their own ("98", "grams flour") share a line. The words
        are those of `blocks`.
        """
        lines = sys.modules.get(_LINES) or import_module(_LINES)
        return "\n".join(lines.page_lines(self.blocks, self.kept))

    def to_dict(self, **switches: Unpack[Switches]) -> dict[str, Any]:
        """Return what JSON holds, with switches of `write`: `to_dict(blocks=True)`."""
        as_dict: dict[str, Any] = _found(_AS_DICT)(self, **switches)
        return as_dict

    def markdown(self, **switches: Unpack[Switches]) -> str:
        """Return the text as Markdown, with switches of `write`: `markdown(links=False)`."""
        return str(_found(_WRITE)(self, "md", **switches))

    def html(self, **switches: Unpack[Switches]) -> str:
        """Return the text as clean HTML (extra `html`), with switches of `write`."""
        return str(_found(_WRITE)(self, "html", **switches))

    def passages(
        self,
        most: int = 400,
        count: Callable[[str], int] | None = None,
        query: str | None = None,
        pages: Sequence[Document] = (),
        **switches: Unpack[Switches],
    ) -> list[Passage]:
        """Return the text in passages for retrieval, each with at most `most` words.

        `count` measures a text instead of its words: `passages(512, count=tokens_of)`. The text is
        Markdown, with switches of `write`: `passages(links=False)`. With a `query`, only passages
        that share words with it, the best first (BM25 over this page and other `pages`). Raises
        `CrfcleanError` for a size below 1.
        """
        found: list[Passage] = _found(_PASSAGES)(self, most, count, **switches)
        if query is None:
            return found
        others = (each for page in pages for each in page.passages(most, count, **switches))
        ranked: list[Passage] = _found(_RANK)(query, found, others)
        return ranked

    @cached_property
    def metadata(self) -> Metadata:
        """The metadata of the page, read when you first ask for it."""
        metadata: Metadata = _found(_METADATA)(self)
        return metadata

    @property
    def title(self) -> str:
        """The title in the metadata, "" for none."""
        return _text(self.metadata.title)

    @property
    def authors(self) -> list[str]:
        """The authors in the metadata."""
        return [_text(author) for author in self.metadata.authors]

    @property
    def published(self) -> str:
        """The day or time of publication in ISO 8601, "" if none is known."""
        return _text(self.metadata.published)

    @property
    def date(self) -> str:
        """The earlier name of `published`."""
        return self.published

    @property
    def modified(self) -> str:
        """The day or time of the last change in ISO 8601, "" if none is known."""
        return _text(self.metadata.modified)

    @property
    def language(self) -> str:
        """The language as a BCP 47 tag, "" if it is not known."""
        return _text(self.metadata.language)

    def _repr_html_(self) -> str:
        """The blocks in their order, painted by what was kept, for notebooks."""
        return str(_found(_PAINTED)(self))


def _found(name: str) -> Any:
    from pkgutil import resolve_name

    return resolve_name(name)


def _text(value: Value | None) -> str:
    return "" if value is None else value.text


# the protocols of taggers, and of objects that tasks share


class Tagger(Protocol):
    """Any object that labels the blocks of a page; pickle must be able to send it to workers.

    `systems.load` has protocols for further abilities of taggers.
    """

    def tag(self, blocks: Blocks) -> Tags:
        """Label every block of a page; n blocks give n labels."""
        ...


@runtime_checkable
class Prepares(Protocol):
    """An object that tasks share, and that opens something before a task's time limit starts."""

    def prepare(self, item: Any) -> None:
        """Open what the task of an item needs, once in each process."""
        ...
