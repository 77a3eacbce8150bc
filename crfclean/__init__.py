"""crfclean: web pages -> clean text, by a conditional random field that can be taught."""

from crfclean._version import __version__
from crfclean.coherent import segments
from crfclean.pipeline import clean, extract, run_many
from crfclean.sites import run_site
from crfclean.taggers import load
from crfclean.types import CrfcleanError, Document, Label, Page, Tagger
from crfclean.writers import write

__all__ = [
    "CrfcleanError",
    "Document",
    "Label",
    "Page",
    "Tagger",
    "__version__",
    "clean",
    "extract",
    "load",
    "run_many",
    "run_site",
    "segments",
    "write",
]
