"""Names that users may choose from."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

from crfclean.types.document import CoarseKind, Kind
from crfclean.types.errors import CrfcleanError

RULES = ("expected_f1", "threshold", "precision")
"""Rules that turn probabilities into labels; see `decision.choosing`."""

COMMENTS_OF_THREADS = "threads"
"""The kind of blocks that stands for comments on pages that are threads."""

AUTO: Final = "auto"
"""The convention that depends on the type of the page."""

COARSE_WORDS = (*(kind.name.lower() for kind in CoarseKind), COMMENTS_OF_THREADS)
"""Coarse kinds of blocks that may be kept; see `decision.rules`."""

KIND_WORDS = tuple(kind.name.lower() for kind in Kind)
"""Kinds of blocks that may be kept; see `decision.rules`."""

KEEPABLE = tuple(dict.fromkeys((*COARSE_WORDS, *KIND_WORDS)))
"""All words for kinds of blocks that may be kept."""

Convention: TypeAlias = Literal["auto", "article", "body", "page", "thread", "everything"]
CONVENTIONS: tuple[Convention, ...] = get_args(Convention)
"""Conventions of what belongs to a text; see `decision.rules`."""

CommentMode: TypeAlias = Literal["keep", "separate", "drop"]
COMMENT_MODES: tuple[CommentMode, ...] = get_args(CommentMode)
"""What to do with readers' comments; see `systems.load`."""

BARRING = ("article", "body", "page")
"""Conventions without comments."""


def check_comments(mode: str | None, convention: str | None) -> None:
    """Raise `CrfcleanError` for an unknown mode, and for comments that a convention leaves out."""
    if mode and mode not in COMMENT_MODES:
        raise CrfcleanError(f"no mode {mode!r} of comments; there are {', '.join(COMMENT_MODES)}")
    if mode in ("keep", "separate") and convention in BARRING:
        raise CrfcleanError(
            f"comments cannot be {mode!r}: the convention {convention} leaves them out"
        )


Format: TypeAlias = Literal[
    "txt",
    "md",
    "json",
    "jsonl",
    "html",
    "tei",
    "vert",
    "vertical",
    "passages",
    "markdown",
    "text",
]
"""Formats of texts, and other names of them; see `document.formats`."""

FORUM_TAGGER = "forum"
"""The tagger of forum pages; see `products.forum.tagger`."""

FORUM_FORMATS = ("jsonl", "txt", "csv")
"""Formats of threads; see `products.forum.thread`."""

METADATA_FORMATS = ("json", "jsonl", "yaml")
"""Formats of metadata; see `products.corpus.metadata_writer`."""

SEGMENT_FORMATS = ("json", "jsonl", "txt", "html")
"""Formats of coherent texts; the last one is a picture; see `products.papers.segment_writer`."""

SCORE_GROUPS = ("source", "kind", "lang")
"""Groupings of pages in tables of scores; see `products.teach.result`."""

SEGMENT_METHODS = ("energy", "links", "blocks")
"""Methods that find coherent texts; see `products.papers.coherent`."""

PEERS = ("trafilatura", "resiliparse", "justext", "readability-lxml")
"""Other systems that `eval` compares; see `products.teach.runner`."""

PAGE_TYPES = tuple("article collection documentation form forum listing product service".split())
"""Types of pages of the shipped model; see `model.pagetype`."""

DUPLICATE_UNITS = ("exact", "near")
"""Duplicates to leave out of a corpus; see `products.corpus.duplicates`."""
