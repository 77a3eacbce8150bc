"""Parameters of the methods that divide a page into coherent texts."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from crfclean.page.selectors import check_selectors
from crfclean.types import (
    CrfcleanError,
    check_bounds,
    option,
)
from crfclean.types.choices import SEGMENT_METHODS

METRICS = ("chars", "words", "dictionary")
LAWS = ("ratio", "loss")


@dataclass(frozen=True, slots=True)
class EnergyParams:
    """Parameters of text energy and its dissipation.

    `metric` is m, the energy of a text node: its characters, its words, or its words that are in
    the `dictionary` (in lower case). `dissipation` is the paper's constant p. `law` gives the share
    q of its energy that text keeps on a step up in a tree of height k. "ratio" is the paper's
    formula, q = p / k. "loss" is q = 1 - p / k: as the paper's prose asks, tall trees lose little.
    """

    metric: str = option("chars", "what counts as energy of a text", METRICS)
    law: str = option("ratio", "how much energy is kept per step up a tree of height k", LAWS)
    dissipation: float = option(4.0, "constant p: a step keeps (ratio) or loses (loss) p / k")
    dictionary: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if self.metric not in METRICS:
            raise CrfcleanError(f"no metric {self.metric!r}; there are {', '.join(METRICS)}")
        if self.law not in LAWS:
            raise CrfcleanError(f"no law {self.law!r}; there are {', '.join(LAWS)}")
        if not 0 < self.dissipation < math.inf:
            raise CrfcleanError(f"dissipation must be above 0, not {self.dissipation}")
        if self.metric == "dictionary" and not self.dictionary:
            raise CrfcleanError("the metric 'dictionary' needs a list of words")

    def kept(self, height: int) -> float:
        """The share q of its energy that text keeps on a step up in a tree of this height."""
        ratio = self.dissipation / max(1, height)
        return ratio if self.law == "ratio" else max(0.0, 1.0 - ratio)


@dataclass(frozen=True, slots=True)
class LinkParams:
    """Limits for large texts and for links in them; characters are counted outside links."""

    large_chars: int = option(120, "characters from which a paragraph is a large text")
    stray_share: float = option(0.02, "most characters in free links of a large text, as a share")
    frame_texts: int = option(2, "large texts from which their element is one text; 0: off")
    summary_chars: int = option(400, "most characters of the summary of a link")
    structure_links: int = option(3, "links from which a group of links is a structure")

    def __post_init__(self) -> None:
        least = {"large_chars": 1, "structure_links": 1}
        least |= dict.fromkeys(("frame_texts", "summary_chars"), 0)
        bounds = {name: (number, math.inf) for name, number in least.items()}
        check_bounds(self, {**bounds, "stray_share": (0, 1)})


@dataclass(frozen=True, slots=True)
class SegmentParams:
    """Parameters for dividing a page into coherent texts.

    Texts have only what is inside elements of the CSS selectors `within`, and not inside `drop`.
    Raises `CrfcleanError` for a wrong selector.
    """

    method: str = option("links", "how to find coherent texts", SEGMENT_METHODS)
    energy: EnergyParams = field(default_factory=EnergyParams)
    links: LinkParams = field(default_factory=LinkParams)
    within: str = ""
    drop: str = ""

    def __post_init__(self) -> None:
        for name in ("within", "drop"):
            check_selectors(name, getattr(self, name))
        if self.method not in SEGMENT_METHODS:
            raise CrfcleanError(
                f"no method {self.method!r}; there are {', '.join(SEGMENT_METHODS)}"
            )
