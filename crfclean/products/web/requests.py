"""Shapes of the requests, for validation and the OpenAPI description."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag

from crfclean.document.formats import WRITERS
from crfclean.document.parts import Show
from crfclean.products.web.inspection import MAX_REASONS
from crfclean.types.choices import AUTO, CONVENTIONS

_Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
_MAX_URL_CHARS = 8_192
SWITCHES = {
    switch.name: f"{switch.metadata['help']} in the texts"
    for switch in fields(Show)
    if switch.name not in ("blocks", "levels", "left_out", "site_places")
    and isinstance(switch.default, bool)
}
"""Switch of `Show` that requests may set -> its description."""

_MAX_CSS = 2_000  # characters of selectors: a long list takes as long on every element
_BASE64 = r"^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"


def _integral(number: object) -> object:
    """Convert a float such as 6.0, which JSON Schema counts as an integer."""
    return int(number) if isinstance(number, float) and number.is_integer() else number


_Format: Any = Literal[tuple(WRITERS)]
_Convention: Any = Literal[CONVENTIONS]
_PageUrl = Annotated[str, Field(min_length=1, max_length=_MAX_URL_CHARS)]


class _CleaningRequest(BaseModel):
    """The settings of a request, without the page."""

    model_config = ConfigDict(extra="forbid", strict=True)

    tagger: str | None = Field(None, description="a tagger of /options; null: the first one")
    threshold: _Share | None = Field(
        None, description="keep blocks from this probability on; null: the rule of the tagger"
    )
    convention: _Convention = Field(
        AUTO, alias="as", description="what belongs to the texts; auto: as the tagger decides"
    )
    within: str = Field(
        "", max_length=_MAX_CSS, description="CSS selectors: keep nothing outside their elements"
    )
    drop: str = Field(
        "", max_length=_MAX_CSS, description="CSS selectors: keep nothing inside their elements"
    )
    reasons: Annotated[int, BeforeValidator(_integral)] = Field(
        0,
        ge=0,
        le=MAX_REASONS,
        description="also return every block with so many features and their weights",
    )
    blocks: bool = Field(
        False, description="also return every block with its label, probability and XPath"
    )
    picture: bool = Field(
        False, description="also return the coherent texts, roles or posts that the tagger finds"
    )
    view: bool = Field(False, description="also return the page with kept and dropped blocks")
    page_id: str = Field(
        "", alias="id", max_length=_MAX_URL_CHARS, description="returned, and in texts with an id"
    )
    formats: list[_Format] = Field(
        [], max_length=len(WRITERS), description="also return the text in these formats"
    )
    links: bool = Field(True, description=SWITCHES["links"])
    images: bool = Field(True, description=SWITCHES["images"])
    tables: bool = Field(True, description=SWITCHES["tables"])
    formatting: bool = Field(True, description=SWITCHES["formatting"])
    headings: bool = Field(True, description=SWITCHES["headings"])
    parts: bool = Field(False, description=SWITCHES["parts"])
    metadata: bool = Field(True, description=SWITCHES["metadata"])
    evidence: bool = Field(False, description=SWITCHES["evidence"])
    front_matter: bool = Field(False, description=SWITCHES["front_matter"])

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
    names = body if isinstance(body, dict) else ()
    return next((name for name in ("html", "base64", "url") if name in names), None)


ExtractRequest = Annotated[
    Annotated[TextRequest, Tag("html")]
    | Annotated[BytesRequest, Tag("base64")]
    | Annotated[UrlRequest, Tag("url")],
    Discriminator(
        _request_kind,
        custom_error_type="no_page",
        custom_error_message=(
            "send an object with one of html, base64 and url, and the header "
            "content-type: application/json"
        ),
    ),
]
