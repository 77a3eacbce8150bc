"""Pack the texts of many pages into one file, or one file for each page, by format.

The ending of such a corpus is a format (`vert`), a format that is packed (`vert.gz`), or a format
with a slash (`html/`): a directory with a file for each page. Until a part is packed, a text is a
line of JSON, as a row is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from crfclean.products.corpus.params import TEXT_ENDINGS


class Joining(NamedTuple):
    """How texts follow each other in a file: what stands before all, after each, and after all.

    `as_member` makes a member of the file of a text.
    """

    head: Callable[[], str] = str
    after: str = ""
    tail: str = ""
    as_member: Callable[[str], str] = str


def _tei_head() -> str:
    from crfclean.document.tei import corpus_head  # other formats need none of it

    return corpus_head()


def _tei_member(text: str) -> str:
    from crfclean.document.tei import without_declaration  # as above

    return without_declaration(text)


PAGE_END = "\f\n"
"""The line that ends a page in a file of plain text or Markdown, where no text has a form feed."""

JOININGS: Mapping[str, Joining] = {
    "txt": Joining(after=PAGE_END),
    "md": Joining(after=PAGE_END),
    "tei": Joining(_tei_head, tail="</teiCorpus>\n", as_member=_tei_member),
    "vert": Joining(),
    "vertical": Joining(),
    "passages": Joining(),
}
"""Format of which a file holds many pages -> how they follow each other."""

_GZ, _FILES = ".gz", "/"


def files_ending(form: str) -> str:
    """Return the ending of a corpus with a file for each page."""
    return form + _FILES


def has_files(ending: str) -> bool:
    """Return whether a corpus with this ending has a file for each page."""
    return ending.endswith(_FILES)


def text_form(ending: str) -> str:
    """Return the format of the texts of a corpus, "" for a corpus of rows.

    >>> text_form("vert.gz"), text_form("html/"), text_form("jsonl.gz")
    ('vert', 'html', '')
    """
    if has_files(ending):
        return ending.removesuffix(_FILES)
    return ending.removesuffix(_GZ) if ending in TEXT_ENDINGS else ""


def text_line(name: str, text: str) -> bytes:
    """Return a page's text as a line until it is packed; `name` is for its own file."""
    return json.dumps([name, text]).encode() + b"\n" if text else b""


def named_text(line: bytes) -> tuple[str, bytes]:
    """Return the name and the text of a line."""
    name, text = json.loads(line)
    return name, text.encode("utf-8", "replace")


class TextPacking(NamedTuple):
    """The bytes before and after the members of a file, and the function that packs members."""

    head: bytes
    tail: bytes
    pack: Callable[[bytes], bytes]


def packing(ending: str) -> TextPacking:
    """Return how the lines of texts are packed in a file with an ending of `TEXT_ENDINGS`."""
    joining = JOININGS[text_form(ending)]
    packed: Callable[[bytes], bytes] = _gzip if ending.endswith(_GZ) else bytes
    head, tail = (packed(part.encode()) if part else b"" for part in (joining.head(), joining.tail))
    return TextPacking(head, tail, partial(_pack, joining=joining, packed=packed))


def _pack(data: bytes, *, joining: Joining, packed: Callable[[bytes], bytes]) -> bytes:
    return packed("".join(_members(data, joining)).encode("utf-8", "replace"))


def _members(data: bytes, joining: Joining) -> Iterator[str]:
    for line in data.splitlines():
        yield joining.as_member(json.loads(line)[1])
        yield joining.after


def _gzip(data: bytes) -> bytes:
    import gzip  # one page needs none of it

    return gzip.compress(data, 6, mtime=0)
