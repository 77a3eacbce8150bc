"""The parameters of a labelling session."""

from __future__ import annotations

from dataclasses import dataclass

from crfclean.types import option

_ORDERS = ("certainty", "name")


@dataclass(frozen=True, slots=True)
class AnnotateParams:
    """How a session goes: pages in order of `certainty` (the least first) or of names.

    With `kinds` a block has a second answer, what it is on its page.
    """

    order: str = option("certainty", "pages the model is least sure of first, or by name", _ORDERS)
    elements: tuple[str, ...] = option((), "label these elements alone, as in h1,p,li")
    kinds: bool = option(
        False, "label what each block is, too: title, teaser, notice ... (key w), in x.kinds.tsv"
    )
