"""Shapes of the JSON requests and answers, for validation and the OpenAPI description."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    WithJsonSchema,
)

from crfclean.serve.inspection import MAX_REASONS
from crfclean.structure.parts import Show
from crfclean.taggers.postanalysis import ANALYSIS_STEPS
from crfclean.types.choices import AUTO, CONVENTIONS, KIND_WORDS
from crfclean.writers.formats import WRITERS

_Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]

# shapes of the page view in JSON answers


class ViewedBlock(BaseModel):
    """A block of the page view, with the reasons in words, and the figures behind them.

    A figure is a feature, its value and its weight; `size` says how long the block is.
    """

    kept: bool
    probability: _Share
    kind: str
    kind_probability: _Share
    likely_kind: str
    likely_kind_probability: _Share
    tag: str
    xpath: str
    text: str
    size: str
    because: list[str]
    but: list[str]
    figures: list[tuple[str, float, float]]


class PageView(BaseModel):
    """The page as a browser shows it: `page` is an HTML document for a sandboxed frame.

    `blocks` are those in it, of `total`; `notes` say what it does not show.
    """

    title: str
    url: str
    status: str
    score: _Share
    kept: int
    total: int
    notes: list[str]
    blocks: list[ViewedBlock]
    page: str


# shapes of the JSON answers, for validation and the OpenAPI description


class PostStep(BaseModel):
    """A step of the post-analysis that changed a block."""

    step: str = Field(json_schema_extra={"enum": list(ANALYSIS_STEPS)})
    kept: bool


class FeatureWeight(BaseModel):
    """A feature of a block with its weight for (+) or against (-) keeping it."""

    feature: str
    value: float
    weight: float


class TextRange(BaseModel):
    """A range of characters in the text of an element, counted without white space."""

    path: str
    start: int
    end: int


class ShownBlock(BaseModel):
    """A block of the page; `almost` marks one that was nearly kept.

    `kind` is what it is on its page by evidence, with the probability that the model of kinds gives
    it, `likely_kind` the model's likeliest; `type` is the kind of part that it became, null for one
    that is left out, `facts` its properties; `place` says where its words stand in the element at
    `xpath`.
    """

    index: int
    label: Literal["HEADER", "TEXT", "OTHER"]
    probability: _Share
    almost: bool
    tag: str
    xpath: str
    text: str
    kind: str = Field(json_schema_extra={"enum": list(KIND_WORDS)})
    kind_probability: _Share
    likely_kind: str = Field(json_schema_extra={"enum": list(KIND_WORDS)})
    likely_kind_probability: _Share
    type: str | None
    facts: dict[str, int | bool | str]
    place: list[TextRange]
    steps: list[PostStep]
    reasons: list[FeatureWeight]


class TextPart(BaseModel):
    """The words of a coherent text in one block, without line breaks."""

    block: int
    text: str


class CoherentText(BaseModel):
    """A coherent text of the page: what the node at `xpath` holds.

    `size` counts characters without white space, `link_share` the share of them inside links,
    `blocks` its blocks and `kept` those that the tagger keeps. Two texts may share a block; `parts`
    are those in the blocks of the answer.
    """

    xpath: str
    size: int
    energy: float
    link_share: _Share
    blocks: int
    kept: int
    parts: list[TextPart]


class RoleElement(BaseModel):
    """An element with a role, how its text begins, and the blocks that have the role."""

    xpath: str
    text: str
    blocks: list[int]


class RemovedCandidate(BaseModel):
    """A candidate that a rule removed; `block` is its first block, null if it has none."""

    xpath: str
    text: str
    block: int | None
    why: str


class RuleStep(BaseModel):
    """A rule that was applied: how many candidates it removed and left, and the first removed."""

    system: str
    rule: str
    removed: list[RemovedCandidate]
    removed_count: int
    left: int


class PageRoles(BaseModel):
    """The roles that an expert system finds, and the steps of its rules in order.

    `comments` are blocks of readers' comments, `pictures` XPaths of the article's pictures.
    """

    heading: RoleElement | None
    article: RoleElement | None
    comments: list[int]
    pictures: list[str]
    steps: list[RuleStep]


class NamedThing(BaseModel):
    """A name, as of a thread."""

    name: str


class PostAuthor(BaseModel):
    """The author of a post, and the address of their page."""

    name: str
    url: str | None


class ThreadPost(BaseModel):
    """A post: its own words, the quotes in it, author and date, as `crfclean forum` has them.

    `replyTo` is the index of the post that it answers, null if unknown; `xpath` and `blocks` say
    where its words stand.
    """

    postId: str | None  # noqa: N815  # the names of zyte-common-items
    url: str | None
    author: PostAuthor | None
    datePublished: str | None  # noqa: N815
    dateCertainty: str  # noqa: N815
    dateRaw: str | None  # noqa: N815
    text: str
    quotes: list[str]
    first: bool
    fromData: list[str]  # noqa: N815
    replyTo: int | None  # noqa: N815
    xpath: str
    blocks: list[int]


class PageThread(BaseModel):
    """The posts of a forum page; `status` is "ok", "no-posts" or the status of the page."""

    url: str | None
    topic: NamedThing | None
    status: str
    postsWithoutWords: int  # noqa: N815
    posts: list[ThreadPost]


class MetadataValue(BaseModel):
    """A value that the page states, with its source and the probability that it is right."""

    text: str
    source: str
    probability: _Share
    xpath: str


class PageTypeScores(BaseModel):
    """The likeliest page type, and the probability of each."""

    name: str
    probabilities: dict[str, _Share]


class PageMetadata(BaseModel):
    """Metadata that the page states; null and [] for what is missing."""

    title: MetadataValue | None
    authors: list[MetadataValue]
    published: MetadataValue | None
    modified: MetadataValue | None
    language: MetadataValue | None
    site: MetadataValue | None
    address: MetadataValue | None
    description: MetadataValue | None
    tags: list[MetadataValue]
    categories: list[MetadataValue]
    image: MetadataValue | None
    licence: MetadataValue | None
    page_type: PageTypeScores | None


class ContentPresence(BaseModel):
    """Whether and where a page has its content; `reason` says why it is not in the HTML."""

    where: str
    reason: str
    probability: _Share


class Extracted(BaseModel):
    """A cleaned page; `score` is the expected F1 on words of what is kept.

    `source` says where the blocks are from, "" for what the page shows.

    `left_out` counts the blocks after the last one shown; `html` is that of a fetched page.
    `segments`, `roles` and `thread` are null but for the one that the tagger finds.
    """

    url: str | None
    title: str
    status: str
    truncated: str
    encoding: str | None
    score: _Share
    presence: ContentPresence | None
    source: str
    kept: int
    left_out: int
    blocks: list[ShownBlock]
    segments: list[CoherentText] | None
    roles: PageRoles | None
    thread: PageThread | None
    metadata: PageMetadata | None
    view: PageView | None
    texts: dict[str, str]
    html: str | None = None


class TaggerInfo(BaseModel):
    """A tagger and its capabilities; `post`: the post-analysis is on by default.

    `picture` names the field of the answer that it fills beside labels.
    """

    name: str
    post: bool
    threshold: bool
    conventions: bool
    reasons: bool
    picture: Literal["segments", "roles", "thread"] | None


class SwitchInfo(BaseModel):
    """A switch of the formats, and whether it is on by default."""

    name: str
    help: str
    on: bool


class Options(BaseModel):
    """The choices that the server offers."""

    version: str
    fetching: bool
    max_bytes: int
    formats: list[str]
    steps: dict[str, str]
    switches: list[SwitchInfo]
    conventions: list[str]
    taggers: list[TaggerInfo]


class Problem(BaseModel):
    """An error."""

    error: str


# shapes of the JSON requests, for validation and the OpenAPI description

_MAX_URL_CHARS = 8_192
SWITCHES = {
    switch.name: f"{switch.metadata['help']} in the texts"
    for switch in fields(Show)
    if switch.name not in ("places", "levels", "left_out", "site_places")
}
"""Switch of the formats -> its description; answers always have blocks with their probabilities."""

_BASE64 = r"^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"


def _known(names: Iterable[str], name: str) -> str:
    if name not in names:
        raise ValueError(f"there are {', '.join(names)}")
    return name


def _integral(number: object) -> object:
    """Convert floats that JSON Schema counts as integers, as 6.0."""
    return int(number) if isinstance(number, float) and number.is_integer() else number


_Format = Annotated[
    str,
    AfterValidator(partial(_known, WRITERS)),
    WithJsonSchema({"type": "string", "enum": list(WRITERS)}),
]
_Convention = Annotated[
    str,
    AfterValidator(partial(_known, CONVENTIONS)),
    WithJsonSchema({"type": "string", "enum": list(CONVENTIONS)}),
]
_PageUrl = Annotated[str, Field(min_length=1, max_length=_MAX_URL_CHARS)]


class _CleaningRequest(BaseModel):
    """How to clean a page, whatever its source."""

    model_config = ConfigDict(extra="forbid", strict=True)

    tagger: str | None = Field(None, description="a name of /options; null: the first one")
    post: bool | None = Field(None, description="the post-analysis; null: as the tagger has it")
    threshold: _Share | None = Field(
        None, description="keep blocks from this probability on; null: by the tagger's own rule"
    )
    convention: _Convention = Field(
        AUTO, alias="as", description="what belongs to the texts; auto: as the tagger decides"
    )
    reasons: Annotated[int, BeforeValidator(_integral)] = Field(
        0, ge=0, le=MAX_REASONS, description="features reported for every block"
    )
    picture: bool = Field(
        True, description="also answer the coherent texts, roles or posts that the tagger finds"
    )
    view: bool = Field(
        False, description="also answer the page as a browser shows it, with what was kept"
    )
    formats: list[_Format] = Field(["txt"], max_length=len(WRITERS), description="of the text")
    links: bool = Field(True, description=SWITCHES["links"])
    images: bool = Field(True, description=SWITCHES["images"])
    tables: bool = Field(True, description=SWITCHES["tables"])
    formatting: bool = Field(True, description=SWITCHES["formatting"])
    headings: bool = Field(True, description=SWITCHES["headings"])
    parts: bool = Field(False, description=SWITCHES["parts"])
    metadata: bool = Field(True, description=SWITCHES["metadata"])
    front_matter: bool = Field(False, description=SWITCHES["front_matter"])
    identify_language: bool = Field(False, description=SWITCHES["identify_language"])

    @property
    def show(self) -> Show:
        """The switches of the formats."""
        return Show(**{name: getattr(self, name) for name in SWITCHES})


class TextRequest(_CleaningRequest):
    """A page as text."""

    html: str
    url: _PageUrl | None = Field(None, description="returned in the answer; nothing is fetched")


class BytesRequest(_CleaningRequest):
    """A page as bytes, plain or gzipped; the encoding is detected."""

    base64: str = Field(pattern=_BASE64)
    url: _PageUrl | None = Field(None, description="returned in the answer; nothing is fetched")


class UrlRequest(_CleaningRequest):
    """A page to be fetched, if the server allows it."""

    url: _PageUrl


def _request_kind(body: Any) -> str | None:
    """The key that says which request a body is."""
    names = body if isinstance(body, dict) else ()
    return next((name for name in ("html", "base64", "url") if name in names), None)


ExtractRequest = Annotated[
    Annotated[TextRequest, Tag("html")]
    | Annotated[BytesRequest, Tag("base64")]
    | Annotated[UrlRequest, Tag("url")],
    Discriminator(
        _request_kind,
        custom_error_type="no_page",
        custom_error_message="an object with one of html, base64 and url is needed",
    ),
]
