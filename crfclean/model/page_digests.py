"""Digests of the pages that a model was trained on, small enough for its manifest."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable

DIGEST_BYTES = 5  # a new page has the digest of one of 10,000 pages once in 10^8 pages
MAX_DIGESTS = 50_000  # 330 kB of manifest; of more pages, the lowest digests are kept


def page_digest(html: str) -> bytes:
    r"""Return the digest of a page: the start of SHA-256 over its HTML without space and marks.

    The same page has the same digest as a file and in a corpus, in any encoding.

    >>> page_digest("\ufeff<p>One\r\ntwo</p>\n") == page_digest("<p>One two</p>")
    True
    """
    bare = "".join(html.replace("\ufeff", "").split())
    return hashlib.sha256(bare.encode("utf-8", "surrogatepass")).digest()[:DIGEST_BYTES]


def pack_digests(digests: Iterable[bytes]) -> str:
    """Return sorted digests as base64.

    >>> pack_digests([b"bbbbb", b"aaaaa", b"bbbbb"])
    'YWFhYWFiYmJiYg=='
    """
    return base64.b64encode(b"".join(sorted(set(digests))[:MAX_DIGESTS])).decode()


def unpack(packed: str) -> frozenset[bytes]:
    """Return the digests that were packed; raises `ValueError` for other text.

    >>> sorted(unpack("YWFhYWFiYmJiYg=="))
    [b'aaaaa', b'bbbbb']
    """
    data = base64.b64decode(packed, validate=True)
    if len(data) % DIGEST_BYTES:
        raise ValueError(f"{len(data)} bytes are no digests of {DIGEST_BYTES} bytes")
    return frozenset(re.findall(b"." * DIGEST_BYTES, data, re.DOTALL))
