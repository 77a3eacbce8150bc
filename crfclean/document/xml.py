"""Escape texts and addresses for XML, and drop the characters that it forbids."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote, urlsplit, urlunsplit

_FORBIDDEN = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
LANGUAGE = re.compile(r"[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*")  # as XML Schema defines it
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
    return named_attributes(dict(pairs))


def named_attributes(values: Mapping[str, str]) -> str:
    """Return attributes with these names, a space before each.

    >>> named_attributes({"crawl_date": "2024"})
    ' crawl_date="2024"'
    """
    return "".join(f' {name}="{_attribute(text)}"' for name, text in values.items())


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
