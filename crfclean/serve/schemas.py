"""JSON -> requests of a known shape; the shapes of the answers, for the OpenAPI description."""

from __future__ import annotations

from dataclasses import fields
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
from crfclean.writers.formats import WRITERS

_MAX_URL_CHARS = 8_192
_SWITCHES = {one.name: f"{one.metadata['help']} in the texts" for one in fields(Show)}
"""Switch of the formats -> what it is of."""

_BASE64 = r"^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"


def _known_format(name: str) -> str:
    if name not in WRITERS:
        raise ValueError(f"there are {', '.join(WRITERS)}")
    return name


def _integral(number: object) -> object:
    """A number as JSON Schema counts integers: 6.0 is one."""
    return int(number) if isinstance(number, float) and number.is_integer() else number


_Format = Annotated[
    str,
    AfterValidator(_known_format),
    WithJsonSchema({"type": "string", "enum": list(WRITERS)}),
]
_Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
_PageUrl = Annotated[str, Field(min_length=1, max_length=_MAX_URL_CHARS)]


class _CleaningRequest(BaseModel):
    """What is to be done with a page, wherever it comes from."""

    model_config = ConfigDict(extra="forbid", strict=True)

    tagger: str | None = Field(None, description="a name of /options; null: the first one")
    post: bool | None = Field(None, description="the post-analysis; null: as the tagger has it")
    threshold: _Share | None = Field(
        None, description="keep blocks from this probability on; null: by the tagger's own rule"
    )
    reasons: Annotated[int, BeforeValidator(_integral)] = Field(
        0, ge=0, le=MAX_REASONS, description="features told of every block"
    )
    formats: list[_Format] = Field(["txt"], max_length=len(WRITERS), description="of the text")
    links: bool = Field(True, description=_SWITCHES["links"])
    images: bool = Field(True, description=_SWITCHES["images"])
    tables: bool = Field(True, description=_SWITCHES["tables"])
    formatting: bool = Field(True, description=_SWITCHES["formatting"])
    headings: bool = Field(True, description=_SWITCHES["headings"])
    parts: bool = Field(False, description=_SWITCHES["parts"])
    metadata: bool = Field(True, description=_SWITCHES["metadata"])
    front_matter: bool = Field(False, description=_SWITCHES["front_matter"])

    @property
    def show(self) -> Show:
        """What the formats show."""
        return Show(**{name: getattr(self, name) for name in _SWITCHES})


class TextRequest(_CleaningRequest):
    """A page as text."""

    html: str
    url: _PageUrl | None = Field(None, description="told in the answer; nothing is fetched")


class BytesRequest(_CleaningRequest):
    """A page as its bytes, also gzipped; the encoding is found out."""

    base64: str = Field(pattern=_BASE64)
    url: _PageUrl | None = Field(None, description="told in the answer; nothing is fetched")


class UrlRequest(_CleaningRequest):
    """A page to be fetched, if the server does that."""

    url: _PageUrl


def _request_kind(given: Any) -> str | None:
    """Which of the requests it is meant to be."""
    names = given if isinstance(given, dict) else ()
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


class PostStep(BaseModel):
    """What a step of the post-analysis did to a block."""

    step: str = Field(json_schema_extra={"enum": list(ANALYSIS_STEPS)})
    kept: bool


class FeatureWeight(BaseModel):
    """A feature of a block, and its weight for (+) or against (-) keeping it."""

    feature: str
    value: float
    weight: float


class TextRange(BaseModel):
    """Characters of the own text of an element, white space left out."""

    path: str
    start: int
    end: int


class ShownBlock(BaseModel):
    """A block of the page; `almost` is one that was dropped, but not surely.

    `type` is the kind of part that it became, null for one that is left out, `facts` what is known
    of it; `place` says where in the element at `xpath` its words stand.
    """

    index: int
    label: Literal["HEADER", "TEXT", "OTHER"]
    probability: _Share
    almost: bool
    tag: str
    xpath: str
    text: str
    type: str | None
    facts: dict[str, int | bool | str]
    place: list[TextRange]
    steps: list[PostStep]
    reasons: list[FeatureWeight]


class MetadataValue(BaseModel):
    """A value that the page tells, where, and how sure it is that it is right."""

    text: str
    source: str
    probability: _Share
    xpath: str


class PageTypeScores(BaseModel):
    """The likeliest kind of page, and the probability of each."""

    name: str
    probabilities: dict[str, _Share]


class PageMetadata(BaseModel):
    """What a page says of itself; null and [] for what it doesn't."""

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


class Extracted(BaseModel):
    """A cleaned page; `score` is the expected F1 on words of what is kept.

    `left_out` counts the blocks behind the last one shown; `html` is a page that was fetched.
    """

    url: str | None
    title: str
    status: str
    truncated: str
    encoding: str | None
    score: _Share
    kept: int
    left_out: int
    blocks: list[ShownBlock]
    metadata: PageMetadata | None
    texts: dict[str, str]
    html: str | None = None


class TaggerInfo(BaseModel):
    """A tagger, and what can be asked of it; `post`: the post-analysis is its own habit."""

    name: str
    post: bool
    threshold: bool
    reasons: bool


class SwitchInfo(BaseModel):
    """A switch of what the formats show, and whether it is on by default."""

    name: str
    help: str
    on: bool


class Options(BaseModel):
    """What can be chosen."""

    version: str
    fetching: bool
    max_bytes: int
    formats: list[str]
    steps: dict[str, str]
    switches: list[SwitchInfo]
    taggers: list[TaggerInfo]


class Problem(BaseModel):
    """What went wrong."""

    error: str
