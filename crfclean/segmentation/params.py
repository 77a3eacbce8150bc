"""The parameters of the methods that part a page into coherent texts."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from crfclean.types import CrfcleanError, check_bounds, option
from crfclean.types.choices import SEGMENT_METHODS

METRICS = ("chars", "words", "dictionary")
LAWS = ("ratio", "loss")


@dataclass(frozen=True, slots=True)
class EnergyParams:
    """How text has energy, and how fast it dissipates.

    `metric` is m, the energy of a text node: its characters, its words, or those of its words
    that are in the `dictionary` (in lower case). `dissipation` is the paper's constant p. `law`
    says what share of its energy q text keeps on a step up in a tree of height k: "ratio" is the
    paper's formula, q = p / k; "loss" what its prose asks for, that tall trees lose little:
    q = 1 - p / k (the formula has it the other way round).
    """

    metric: str = option("chars", "what a text node's energy counts", METRICS)
    law: str = option("ratio", "energy kept by a step up in a tree of height k", LAWS)
    dissipation: float = option(4.0, "the constant p: p / k is kept (ratio) or lost (loss)")
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
    """What is large, and how many links disturb; characters are those outside links."""

    large_chars: int = option(120, "characters of a paragraph that make it a large text")
    stray_share: float = option(0.02, "share of free links' characters that a large text may hold")
    frame_texts: int = option(2, "large texts directly in an element that make it one; 0: off")
    summary_chars: int = option(400, "most characters of a link's summary")
    structure_links: int = option(3, "links that make a larger structure of links")
    menu_links: int = option(4, "links at an end of a text that are a menu and none of it; 0: off")

    def __post_init__(self) -> None:
        many = math.inf
        check_bounds(self, {"large_chars": (1, many), "stray_share": (0, 1)})
        check_bounds(self, {"frame_texts": (0, many)})
        check_bounds(self, {"summary_chars": (0, many), "structure_links": (1, many)})
        check_bounds(self, {"menu_links": (0, many)})


@dataclass(frozen=True, slots=True)
class SegmentParams:
    """How a page is parted into coherent texts."""

    method: str = option("links", "how nodes with coherent texts are found", SEGMENT_METHODS)
    energy: EnergyParams = field(default_factory=EnergyParams)
    links: LinkParams = field(default_factory=LinkParams)

    def __post_init__(self) -> None:
        if self.method not in SEGMENT_METHODS:
            raise CrfcleanError(
                f"no method {self.method!r}; there are {', '.join(SEGMENT_METHODS)}"
            )
