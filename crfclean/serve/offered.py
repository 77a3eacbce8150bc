"""Open the taggers that visitors may choose, by the names on the command line."""

from __future__ import annotations

from importlib.util import find_spec

from crfclean.forum.tagger import ForumTagger
from crfclean.modelfiles.folder import find_model
from crfclean.taggers.load import NAMED, SHIPPED, by_name
from crfclean.types import ModelError, Tagger

FORUM = "forum"
"""Name of the tagger of forum pages, and of its shipped model."""


def open_offered(name: str) -> Tagger:
    """The tagger of a model, one of `NAMED`, or that of forum pages; raises `ModelError`.

    The forum model is loaded with the first page that needs it. A folder of such a name is
    written `./forum`.
    """
    return ForumTagger(find_model(FORUM)) if name == FORUM else by_name(name)


def default_names() -> tuple[str, ...]:
    """What is offered if no model is named: all taggers that this installation has.

    Those are the shipped models, the taggers without a model, and that of forum pages if
    dateparser (the extra `forum`) is installed.
    """
    models = [name for name in SHIPPED.values() if _is_installed(name)]
    forum = [FORUM] if _is_installed(FORUM) and find_spec("dateparser") is not None else []
    return (*models, *NAMED, *forum)


def _is_installed(name: str) -> bool:
    try:
        find_model(name)
    except ModelError:
        return False
    return True
