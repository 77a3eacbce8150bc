"""The conventions of what belongs to a page's text, as sets of kinds of blocks.

Annotators and users disagree on titles, captions, bylines and comments more than on anything else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from crfclean.taggers.capabilities import Decides, need
from crfclean.taggers.params import CutParams
from crfclean.types import CrfcleanError, Tagger
from crfclean.types.choices import AUTO, CONVENTIONS
from crfclean.types.light import replace

_FORMS = ("paragraph", "list", "table", "code", "formula", "quote")
_MAIN = ("lead", "heading", *_FORMS)

EVERYTHING_FROM = 0.25
"""Probability from which `everything` keeps a block that is nothing beside the content.

It has the best recall-weighted measure (F2 on words), as a mean of wcxb-dev and the demo pages;
cleaneval-dev was not looked at (eval/accuracy/kinds.py).
"""


class Convention(NamedTuple):
    """The kinds of blocks that may be kept (words of `CutParams.keep`), and the least probability.

    Without `least`, the tagger's own rule decides among the blocks of these kinds.
    """

    keep: tuple[str, ...]
    least: float | None = None

    def applied(self, params: CutParams) -> CutParams:
        """A decision rule with the convention."""
        kept = replace(params, keep=self.keep)
        if self.least is None:
            return kept
        return replace(kept, rule="threshold", threshold=self.least)


CONVENTION_OF: Mapping[str, Convention] = {
    "article": Convention(("title", *_MAIN)),
    "body": Convention(_MAIN),
    "page": Convention(("title", *_MAIN, "caption", "byline")),
    "thread": Convention(("comment", *_FORMS)),
    "everything": Convention(("title", *_MAIN, "caption", "byline", "comment"), EVERYTHING_FROM),
}
"""Name -> convention; "auto" leaves the decision to the tagger.

What opens a thread is often marked otherwise than the answers, so all forms of text may be kept
there.
"""


def with_convention(tagger: Tagger, name: str) -> Tagger:
    """The tagger with the decisions of a convention; "auto" changes nothing.

    Raises `CrfcleanError` for an unknown convention, and for a tagger without a cut.
    """
    if name == AUTO:
        return tagger
    _check(name)
    decides = need(tagger, Decides, f"convention {name}")
    return decides.with_cut(cut_as(decides.cut, name))


def cut_as(params: CutParams, name: str) -> CutParams:
    """A decision rule by a convention; raises `CrfcleanError` for an unknown one."""
    if name == AUTO:
        return params
    _check(name)
    return CONVENTION_OF[name].applied(params)


def _check(name: str) -> None:
    """Raise `CrfcleanError` for an unknown convention."""
    if name not in CONVENTION_OF:
        raise CrfcleanError(f"no convention {name!r}; there are {', '.join(CONVENTIONS)}")
