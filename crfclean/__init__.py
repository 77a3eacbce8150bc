"""Clean text from web pages, by a conditional random field that can be trained."""

from importlib import import_module  # frozen in Python: no file of the current folder runs

from crfclean import moved as _moved
from crfclean._version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crfclean.document.formats import extract, write
    from crfclean.page.blocks import split
    from crfclean.pipeline import clean
    from crfclean.products.corpus.many import run_many
    from crfclean.products.papers.coherent import segments
    from crfclean.systems.crf import CrfTagger
    from crfclean.systems.load import load
    from crfclean.types import CrfcleanError, Document, Label, Page, Tagger

__all__ = [
    "CrfTagger",
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
    "segments",
    "split",
    "write",
]

_HOMES = {
    "CrfTagger": "crfclean.systems.crf",
    "CrfcleanError": "crfclean.types",
    "Document": "crfclean.types",
    "Label": "crfclean.types",
    "Page": "crfclean.types",
    "Tagger": "crfclean.types",
    "clean": "crfclean.pipeline",
    "extract": "crfclean.document.formats",
    "load": "crfclean.systems.load",
    "run_many": "crfclean.products.corpus.many",
    "segments": "crfclean.products.papers.coherent",
    "split": "crfclean.page.blocks",
    "write": "crfclean.document.formats",
}
"""Public name -> the module that has it, imported when the name is first asked for."""


_moved.install()


def __getattr__(name: str) -> object:
    """A public name, from its module (PEP 562); raises `AttributeError` for any other."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value  # later look-ups find it without a call
    return value


def __dir__() -> list[str]:
    """The module's names, with the public ones that are not imported yet."""
    return sorted({*globals(), *__all__})
