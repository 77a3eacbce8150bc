"""The value of a page's type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PageType:
    """The likeliest type of a page, and the probability of each type."""

    name: str
    probabilities: Mapping[str, float]
