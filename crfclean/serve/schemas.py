"""Shapes of the JSON requests, for validation and the OpenAPI description."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any

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
from crfclean.types.choices import AUTO, CONVENTIONS
from crfclean.writers.formats import WRITERS

_MAX_URL_CHARS = 8_192
SWITCHES = {
    switch.name: f"{switch.metadata['help']} in the texts"
    for switch in fields(Show)
    if switch.name not in ("places", "levels", "left_out", "site_places")
}
"""Switch of the formats -> its description; answers always have blocks with their probabilities."""

_BASE64 = r"^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"


def _known_format(name: str) -> str:
    if name not in WRITERS:
        raise ValueError(f"there are {', '.join(WRITERS)}")
    return name


def _known_convention(name: str) -> str:
    if name not in CONVENTIONS:
        raise ValueError(f"there are {', '.join(CONVENTIONS)}")
    return name


def _integral(number: object) -> object:
    """Convert floats that JSON Schema counts as integers, as 6.0."""
    return int(number) if isinstance(number, float) and number.is_integer() else number


_Format = Annotated[
    str,
    AfterValidator(_known_format),
    WithJsonSchema({"type": "string", "enum": list(WRITERS)}),
]
_Convention = Annotated[
    str,
    AfterValidator(_known_convention),
    WithJsonSchema({"type": "string", "enum": list(CONVENTIONS)}),
]
_Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
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
