"""Write a TEI header, and texts and addresses as XML allows them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from urllib.parse import quote, urlsplit, urlunsplit

from crfclean._version import __version__
from crfclean.types import Metadata, Value

# escape texts and addresses for XML and drop the characters that it forbids

_FORBIDDEN = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*")  # as XML Schema defines it
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*")
_HOST = re.compile(
    r"(?:[^\s@/?#\[\]\\^`{|}<>\"]*@)?(?:\[[0-9A-Fa-f:.]+\]|[^\s@/?#:\[\]\\^`{|}<>\"]+)(?::\d{1,5})?"
)
_BROKEN_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SAFE = "/:@!$&'()*+,;=-._~%"
_MAX_ADDRESS_CHARS = 8_192  # servers accept no more; longer addresses are data


def xml_text(text: str) -> str:
    r"""Return a text as character data: `&`, `<` and `>` escaped, without what XML 1.0 forbids.

    Line ends become line feeds, control characters and non-characters are dropped, halves of a
    surrogate pair become U+FFFD (XML 1.0, 5th edition, 2.2).

    >>> xml_text("a < b\x00 & c\r\n")
    'a &lt; b &amp; c\n'
    """
    text = _SURROGATE.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))
    text = _FORBIDDEN.sub("", text)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def xml_attributes(**values: str | None) -> str:
    """Return attributes with a space before each, without those that are None; `_` stands for `:`.

    >>> xml_attributes(xml_id="n1", target='a"b', place=None)
    ' xml:id="n1" target="a&quot;b"'
    """
    pairs = ((name.replace("_", ":"), text) for name, text in values.items() if text is not None)
    return "".join(f' {name}="{_attribute(text)}"' for name, text in pairs)


def _attribute(text: str) -> str:
    return " ".join(xml_text(text).split()).replace('"', "&quot;")


def uri(address: str | None) -> str | None:
    """Return an address as a valid `anyURI` without white space (RFC 3986), None if it is none.

    >>> uri("https://example.org/a b?c=[1]#d#e")
    'https://example.org/a%20b?c=%5B1%5D#d%23e'
    >>> uri("https://[broken/")
    """
    text = (address or "").strip()
    if not text or len(text) > _MAX_ADDRESS_CHARS:
        return None
    try:
        parts = urlsplit(text)
    except ValueError:
        return None
    if not _SCHEME.fullmatch(parts.scheme or "x") or not _HOST.fullmatch(parts.netloc or "x"):
        return None
    if not parts.scheme and ":" in parts.path.partition("/")[0]:
        return None
    host = _quoted(parts.netloc, "[]")
    others = (_quoted(part, "?") for part in (parts.path, parts.query, parts.fragment))
    return urlunsplit((parts.scheme, host, *others)) or None


def _quoted(part: str, also_safe: str) -> str:
    return quote(_BROKEN_PERCENT.sub("%25", part), safe=_SAFE + also_safe, errors="replace")


# write a TEI header: title and authors, the page as source, language and keywords
#
# TEI P5, chapter 2, in its customisation simplePrint, which has no `application`: the description
# of the project names crfclean and its version instead.

_DATE = re.compile(
    r"(?P<day>\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?)"
    r"(?:T(?P<time>(?:[01]\d|2[0-3]):[0-5]\d)(?P<seconds>:[0-5]\d(?:\.\d+)?)?"
    r"(?P<zone>Z|[+-](?:0\d|1[0-4]):[0-5]\d)?)?"
)
_MADE_BY = f"Text, structure and metadata were extracted by crfclean {__version__}."


def tei_header(metadata: Metadata, address: str | None) -> str:
    """Return the header of a document; `address` is used if the metadata has none."""
    return "\n".join(
        [
            "<teiHeader>",
            "<fileDesc>",
            "<titleStmt>",
            _element("title", metadata.title) or "<title/>",
            *(_element("author", author) for author in metadata.authors),
            "</titleStmt>",
            "<publicationStmt><p>Made from a web page; not published.</p></publicationStmt>",
            f"<sourceDesc>{_source(metadata, address)}</sourceDesc>",
            "</fileDesc>",
            f"<encodingDesc><projectDesc><p>{_MADE_BY}</p></projectDesc></encodingDesc>",
            *_profile(metadata),
            "</teiHeader>",
        ]
    )


def language_tag(metadata: Metadata) -> str | None:
    """Return the language of the text, None if it is unknown or not a language tag."""
    value = metadata.language
    return value.text if value is not None and _LANGUAGE.fullmatch(value.text) else None


def _source(metadata: Metadata, address: str | None) -> str:
    """Return the web page as a bibliographic item, or a paragraph if nothing is known."""
    text = metadata.address.text if metadata.address else address
    target = uri(text)
    licence = metadata.licence
    parts = [
        _element("title", metadata.title),
        *(_element("author", author) for author in metadata.authors),
        _element("publisher", metadata.site),
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


def _element(name: str, value: Value | None) -> str:
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
    match = _DATE.fullmatch(text)
    if match is None or not _is_day(match["day"]) or (match["time"] and len(match["day"]) < 10):
        return None
    if not match["time"]:
        return match["day"]
    seconds = match["seconds"] or ":00"
    return f"{match['day']}T{match['time']}{seconds}{match['zone'] or ''}"


def _is_day(day: str) -> bool:
    """Return whether a year, a month or a day exists."""
    with suppress(ValueError):
        return bool(date(*map(int, (*day.split("-"), "1", "1")[:3])))
    return False


def _profile(metadata: Metadata) -> Iterator[str]:
    tag = language_tag(metadata)
    abstract = _element("p", metadata.description)
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
