"""The address that a page gives as its own."""

from __future__ import annotations

from crfclean.metadata.candidates import absolute
from crfclean.metadata.meta_elements import meta_candidates
from crfclean.types import Blocks

_STATED = ("link canonical", "meta og:url")
"""The elements in which a page names its own address; the surest comes first."""


def stated_address(page: Blocks) -> str:
    """The absolute address that a page gives as its own, "" if it gives none."""
    values = (value for value in meta_candidates(page) if value.source in _STATED)
    stated = {value.source: value.texts[0] for value in values}
    addresses = (absolute(stated[source], "") for source in _STATED if source in stated)
    return next(filter(None, addresses), "")
