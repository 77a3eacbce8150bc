"""`Metadata` -> a TEI header: title and authors, the page as source, language, keywords.

TEI P5, chapter 2, as its customisation simplePrint has it: that has no `application`, so that the
description of the project names crfclean and its version.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from crfclean._version import __version__
from crfclean.metadata.values import Metadata, Value
from crfclean.writers.tei.text import is_language, uri, xml_attributes, xml_text

_DATE = re.compile(
    r"(?P<day>\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?)"
    r"(?:T(?P<time>(?:[01]\d|2[0-3]):[0-5]\d)(?P<seconds>:[0-5]\d(?:\.\d+)?)?"
    r"(?P<zone>Z|[+-](?:0\d|1[0-4]):[0-5]\d)?)?"
)
_MADE_BY = f"Text, structure and metadata were extracted by crfclean {__version__}."
_MONTH_DAYS = {"02": 29, "04": 30, "06": 30, "09": 30, "11": 30}


def tei_header(metadata: Metadata, address: str | None) -> str:
    """The header of a document; `address` is the page's where the metadata have none."""
    return "\n".join(
        [
            "<teiHeader>",
            "<fileDesc>",
            *_title_statement(metadata),
            "<publicationStmt><p>Made from a web page; not published.</p></publicationStmt>",
            f"<sourceDesc>{_source(metadata, address)}</sourceDesc>",
            "</fileDesc>",
            f"<encodingDesc><projectDesc><p>{_MADE_BY}</p></projectDesc></encodingDesc>",
            *_profile(metadata),
            "</teiHeader>",
        ]
    )


def language(metadata: Metadata) -> str | None:
    """The language of the text, None where it is not known or no language tag."""
    value = metadata.language
    return value.text if value is not None and is_language(value.text) else None


def _title_statement(metadata: Metadata) -> Iterator[str]:
    yield "<titleStmt>"
    yield _element("title", metadata.title) or "<title/>"
    yield from (_element("author", author) for author in metadata.authors)
    yield "</titleStmt>"


def _source(metadata: Metadata, address: str | None) -> str:
    """The web page as a bibliographic item; a paragraph where nothing is known of it."""
    told = metadata.address.text if metadata.address else address
    target = uri(told)
    licence = metadata.licence
    parts = [
        _element("title", metadata.title),
        *(_element("author", author) for author in metadata.authors),
        _element("publisher", metadata.site),
        _date("published", metadata.published),
        _date("modified", metadata.modified),
        f"<ref{xml_attributes(target=target)}>{xml_text(told or '')}</ref>" if target else "",
    ]
    if licence is not None and licence.text:
        where = xml_attributes(target=uri(licence.text) if "://" in licence.text else None)
        terms = f"<licence{where}>{xml_text(licence.text)}</licence>"
        parts.append(f"<availability>{terms}</availability>")
    told_parts = "".join(parts)
    return f"<bibl>{told_parts}</bibl>" if told_parts else "<p>A web page of unknown address.</p>"


def _element(name: str, value: Value | None) -> str:
    text = xml_text(value.text).strip() if value is not None else ""
    return f"<{name}>{text}</{name}>" if text else ""


def _date(kind: str, value: Value | None) -> str:
    if value is None or not value.text:
        return ""
    return f"<date{xml_attributes(type=kind, when=when(value.text))}>{xml_text(value.text)}</date>"


def when(date: str) -> str | None:
    """A date of ISO 8601 as XML Schema has them, None for one that it has not.

    >>> when("2024-05-07T10:30+02:00"), when("2024-05"), when("2024-02-30")
    ('2024-05-07T10:30:00+02:00', '2024-05', None)
    """
    found = _DATE.fullmatch(date)
    if found is None or not _is_day(found["day"]) or (found["time"] and len(found["day"]) < 10):
        return None
    if not found["time"]:
        return found["day"]
    seconds = found["seconds"] or ":00"
    return f"{found['day']}T{found['time']}{seconds}{found['zone'] or ''}"


def _is_day(day: str) -> bool:
    year, month, number = (*day.split("-"), "", "")[:3]
    leap = int(year) % 4 == 0 and (int(year) % 100 != 0 or int(year) % 400 == 0)
    most = 28 if month == "02" and not leap else _MONTH_DAYS.get(month, 31)
    return year != "0000" and (not number or int(number) <= most)


def _profile(metadata: Metadata) -> Iterator[str]:
    known = language(metadata)
    abstract = _element("p", metadata.description)
    terms = [
        *(_term("tag", value.text) for value in metadata.tags),
        *(_term("category", value.text) for value in metadata.categories),
        _term("page-type", metadata.page_type.name if metadata.page_type else ""),
    ]
    keywords = "".join(terms)
    parts = [
        f"<abstract>{abstract}</abstract>" if abstract else "",
        f'<langUsage><language ident="{known}">{known}</language></langUsage>' if known else "",
        f"<textClass><keywords>{keywords}</keywords></textClass>" if keywords else "",
    ]
    if any(parts):
        yield f"<profileDesc>{''.join(parts)}</profileDesc>"


def _term(kind: str, text: str) -> str:
    said = xml_text(text).strip()
    return f"<term{xml_attributes(type=kind)}>{said}</term>" if said else ""
