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

MAX_URL_CHARS = 8_192
SWITCHES = {one.name: f"{one.metadata['help']} in the texts" for one in fields(Show)}
"""Switch of the formats -> what it is of."""

_BASE64 = r"^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"


def _known_format(name: str) -> str:
    if name not in WRITERS:
        raise ValueError(f"there are {', '.join(WRITERS)}")
    return name


def _whole(number: object) -> object:
    """A number as JSON Schema counts integers: 6.0 is one."""
    return int(number) if isinstance(number, float) and number.is_integer() else number


Format = Annotated[
    str,
    AfterValidator(_known_format),
    WithJsonSchema({"type": "string", "enum": list(WRITERS)}),
]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Address = Annotated[str, Field(min_length=1, max_length=MAX_URL_CHARS)]


class _Wanted(BaseModel):
    """What is to be done with a page, wherever it comes from."""

    model_config = ConfigDict(extra="forbid", strict=True)

    tagger: str | None = Field(None, description="a name of /options; null: the first one")
    post: bool | None = Field(None, description="the post-analysis; null: as the tagger has it")
    threshold: Share | None = Field(
        None, description="keep blocks from this probability on; null: by the tagger's own rule"
    )
    reasons: Annotated[int, BeforeValidator(_whole)] = Field(
        0, ge=0, le=MAX_REASONS, description="features told of every block"
    )
    formats: list[Format] = Field(["txt"], max_length=len(WRITERS), description="of the text")
    links: bool = Field(True, description=SWITCHES["links"])
    images: bool = Field(True, description=SWITCHES["images"])
    tables: bool = Field(True, description=SWITCHES["tables"])
    formatting: bool = Field(True, description=SWITCHES["formatting"])
    headings: bool = Field(True, description=SWITCHES["headings"])
    parts: bool = Field(False, description=SWITCHES["parts"])
    metadata: bool = Field(True, description=SWITCHES["metadata"])
    front_matter: bool = Field(False, description=SWITCHES["front_matter"])

    @property
    def show(self) -> Show:
        """What the formats show."""
        return Show(**{name: getattr(self, name) for name in SWITCHES})


class TextRequest(_Wanted):
    """A page as text."""

    html: str
    url: Address | None = Field(None, description="told in the answer; nothing is fetched")


class BytesRequest(_Wanted):
    """A page as its bytes, also gzipped; the encoding is found out."""

    base64: str = Field(pattern=_BASE64)
    url: Address | None = Field(None, description="told in the answer; nothing is fetched")


class UrlRequest(_Wanted):
    """A page to be fetched, if the server does that."""

    url: Address


def _kind(given: Any) -> str | None:
    """Which of the requests it is meant to be."""
    names = given if isinstance(given, dict) else ()
    return next((name for name in ("html", "base64", "url") if name in names), None)


ExtractRequest = Annotated[
    Annotated[TextRequest, Tag("html")]
    | Annotated[BytesRequest, Tag("base64")]
    | Annotated[UrlRequest, Tag("url")],
    Discriminator(
        _kind,
        custom_error_type="no_page",
        custom_error_message="an object with one of html, base64 and url is needed",
    ),
]


class Step(BaseModel):
    """What a step of the post-analysis did to a block."""

    step: str = Field(json_schema_extra={"enum": list(ANALYSIS_STEPS)})
    kept: bool


class Weight(BaseModel):
    """A feature of a block, and its weight for (+) or against (-) keeping it."""

    feature: str
    value: float
    weight: float


class ShownPiece(BaseModel):
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
    probability: Share
    almost: bool
    tag: str
    xpath: str
    text: str
    type: str | None
    facts: dict[str, int | bool | str]
    place: list[ShownPiece]
    steps: list[Step]
    reasons: list[Weight]


class Told(BaseModel):
    """A value that the page tells, where, and how sure it is that it is right."""

    text: str
    source: str
    probability: Share
    xpath: str


class KindOfPage(BaseModel):
    """The likeliest kind of page, and the probability of each."""

    name: str
    probabilities: dict[str, Share]


class ToldOfPage(BaseModel):
    """What a page says of itself; null and [] for what it doesn't."""

    title: Told | None
    authors: list[Told]
    published: Told | None
    modified: Told | None
    language: Told | None
    site: Told | None
    address: Told | None
    description: Told | None
    tags: list[Told]
    categories: list[Told]
    image: Told | None
    licence: Told | None
    page_type: KindOfPage | None


class Extracted(BaseModel):
    """A cleaned page; `score` is the expected F1 on words of what is kept.

    `left_out` counts the blocks behind the last one shown; `html` is a page that was fetched.
    """

    url: str | None
    title: str
    status: str
    truncated: str
    encoding: str | None
    score: Share
    kept: int
    left_out: int
    blocks: list[ShownBlock]
    metadata: ToldOfPage | None
    texts: dict[str, str]
    html: str | None = None


class TaggerTold(BaseModel):
    """A tagger, and what can be asked of it; `post`: the post-analysis is its own habit."""

    name: str
    post: bool
    threshold: bool
    reasons: bool


class SwitchTold(BaseModel):
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
    switches: list[SwitchTold]
    taggers: list[TaggerTold]


class Problem(BaseModel):
    """What went wrong."""

    error: str
