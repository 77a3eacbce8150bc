"""Write a TEI header: title and authors, the page as source, language and keywords."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import date, datetime

from crfclean._version import __version__
from crfclean.document.xml import LANGUAGE, uri, xml_attributes, xml_text
from crfclean.types import Metadata, Value

_MADE_BY = f"Text, structure and metadata were extracted by crfclean {__version__}."


def tei_header(metadata: Metadata, address: str | None, extra: Mapping[str, str] = {}) -> str:
    """Return the header of a document; `address` is used if the metadata has none.

    `extra` are further values, which become notes by the type of their name.
    """
    return "\n".join(
        [
            "<teiHeader>",
            "<fileDesc>",
            "<titleStmt>",
            _stated("title", metadata.title) or "<title/>",
            *(_stated("author", author) for author in metadata.authors),
            "</titleStmt>",
            "<publicationStmt><p>Made from a web page; not published.</p></publicationStmt>",
            *_notes(extra),
            f"<sourceDesc>{_source(metadata, address)}</sourceDesc>",
            "</fileDesc>",
            f"<encodingDesc><projectDesc><p>{_MADE_BY}</p></projectDesc></encodingDesc>",
            *_profile(metadata),
            "</teiHeader>",
        ]
    )


def _notes(extra: Mapping[str, str]) -> Iterator[str]:
    notes = [
        f"<note{xml_attributes(type=name)}>{xml_text(text)}</note>" for name, text in extra.items()
    ]
    if notes:
        yield f"<notesStmt>{''.join(notes)}</notesStmt>"


def language_tag(metadata: Metadata) -> str | None:
    """Return the language of the text, None if it is unknown or not a language tag."""
    value = metadata.language
    return value.text if value is not None and LANGUAGE.fullmatch(value.text) else None


def _source(metadata: Metadata, address: str | None) -> str:
    """Return the web page as a bibliographic item, or a paragraph if nothing is known."""
    text = metadata.address.text if metadata.address else address
    target = uri(text)
    licence = metadata.licence
    parts = [
        _stated("title", metadata.title),
        *(_stated("author", author) for author in metadata.authors),
        _stated("publisher", metadata.site),
        _date("published", metadata.published),
        _date("modified", metadata.modified),
        f"<ref{xml_attributes(target=target)}>{xml_text(text or '')}</ref>" if target else "",
    ]
    if licence is not None and licence.text:
        attributes = xml_attributes(target=uri(licence.text) if "://" in licence.text else None)
        terms = f"<licence{attributes}>{xml_text(licence.text)}</licence>"
        parts.append(f"<availability>{terms}</availability>")
    item = "".join(parts)
    return f"<bibl>{item}</bibl>" if item else "<p>A web page of unknown address.</p>"


def _stated(name: str, value: Value | None) -> str:
    text = xml_text(value.text).strip() if value is not None else ""
    return f"<{name}>{text}</{name}>" if text else ""


def _date(kind: str, value: Value | None) -> str:
    if value is None or not value.text:
        return ""
    return (
        f"<date{xml_attributes(type=kind, when=xml_date(value.text))}>{xml_text(value.text)}</date>"
    )


def xml_date(text: str) -> str | None:
    """Return an ISO 8601 date in the form of XML Schema, None if it is no valid date.

    >>> xml_date("2024-05-07T10:30+02:00"), xml_date("2024-05"), xml_date("2024-02-30")
    ('2024-05-07T10:30:00+02:00', '2024-05', None)
    """
    with suppress(ValueError):
        if "T24" in text:  # Python 3.14 reads it as the next day
            return None
        if "T" in text:
            moment = datetime.fromisoformat(text).isoformat()
            return moment.replace("+00:00", "Z") if text.endswith("Z") else moment
        return date.fromisoformat(f"{text}-01-01"[:10]).isoformat()[: len(text)]
    return None


def _profile(metadata: Metadata) -> Iterator[str]:
    tag = language_tag(metadata)
    abstract = _stated("p", metadata.description)
    terms = [
        *(_term("tag", value.text) for value in metadata.tags),
        *(_term("category", value.text) for value in metadata.categories),
        _term("page-type", metadata.page_type.name if metadata.page_type else ""),
    ]
    keywords = "".join(terms)
    parts = [
        f"<abstract>{abstract}</abstract>" if abstract else "",
        f'<langUsage><language ident="{tag}">{tag}</language></langUsage>' if tag else "",
        f"<textClass><keywords>{keywords}</keywords></textClass>" if keywords else "",
    ]
    if any(parts):
        yield f"<profileDesc>{''.join(parts)}</profileDesc>"


def _term(kind: str, text: str) -> str:
    term = xml_text(text).strip()
    return f"<term{xml_attributes(type=kind)}>{term}</term>" if term else ""
