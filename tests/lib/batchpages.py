"""Pages of every kind that a batch meets, with the status of each."""

from __future__ import annotations

import gzip

from doubles import KeepLong

from crfclean.products.corpus.clean import BatchParams
from crfclean.products.corpus.params import ResumeParams

PARAMS = BatchParams(KeepLong())
GOOD = "<p>Home</p><p>The ferry sails again.</p>"
TEXT = "The ferry sails again.\n"
RESUME, OVERWRITE = ResumeParams(resume=True), ResumeParams(overwrite=True)
RETRY = ResumeParams(retry_failed=True)

PAGES = {
    "good": (GOOD.encode(), "ok", ""),
    "gzipped": (gzip.compress(GOOD.encode()), "ok", ""),
    "empty": (b"", "empty", "the file is empty"),
    "blank": (b" \n ", "empty", "the file is empty"),
    "binary": (b"\x89PNG" + bytes(99), "binary", "binary data, no page"),
    "no HTML": (b"Only words.", "not-html", "no HTML"),
    "feed": (b"<rss></rss>", "feed", "a feed (RSS, Atom or JSON Feed), not a page"),
    "damaged gzip": (b"\x1f\x8bjunk", "gzip-error", "damaged gzip data"),
    "no text": (b"<body></body>", "no-blocks", "the page shows no text"),
    "nothing kept": (b"<p>Home</p>", "nothing-kept", "no paragraph was kept"),
}
"""Bytes, status and message by name."""
