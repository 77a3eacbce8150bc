"""Look up what is known of the site of a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from crfclean.page.latest import measured
from crfclean.types import Blocks, Document, Floats

if TYPE_CHECKING:  # all runs read this module, and few know any sites
    from crfclean.site_rules.values import SiteRules

LEAST_FIT = 0.1
"""Share of a page's text at known places, below which the rules are of another template."""

UNKNOWN, UNFIT, FIT = "unknown", "unfit", "fit"
"""Whether a page's site is known, and whether its rules fit the page."""


@dataclass(frozen=True)
class KnownSite:
    """The rules of a site, ready to be looked up."""

    rules: SiteRules

    @cached_property
    def kept(self) -> Mapping[str, float]:
        """Path -> the share (0..1) of its words that is kept."""
        return {place.path: place.kept for place in self.rules.places}

    @cached_property
    def names(self) -> frozenset[str]:
        """The ids and classes in its places: on later pages no others name a place."""
        from crfclean.site_rules.stable import names_of

        steps = {step for path in self.kept for step in path.split(" ")}
        return frozenset(name for step in steps for name in names_of(step))

    @cached_property
    def repeated(self) -> frozenset[str]:
        """The digests of texts that the site repeats."""
        return frozenset(text.digest for text in self.rules.repeated)

    def means(self, blocks: Blocks) -> Floats:
        """The share of words kept at the place of each of n blocks, NaN where it is not known."""
        from crfclean.site_rules.stable import block_paths

        paths = block_paths(blocks, self.names)
        return np.array([self.kept.get(path, np.nan) for path in paths], np.float64)


def fit_of(means: Floats, kept: Floats) -> float:
    """The share (0..1) of the words `kept` (n,) at places whose `means` (n,) are those of text."""
    from crfclean.site_rules.values import TEXT_SHARE

    total = float(kept.sum())
    at_text = np.nan_to_num(means) >= TEXT_SHARE
    return float(kept[at_text].sum()) / total if total > 0 else 0.0


@dataclass(frozen=True)
class Sites:
    """The sites of a folder by name; `digest` changes with anything that is known of them."""

    by_name: Mapping[str, KnownSite] = field(default_factory=dict)
    digest: str = ""

    def of(self, url: str | None, blocks: Blocks, folder: str = "") -> KnownSite | None:
        """What is known of a page's site, None for nothing.

        A page that says nothing of its host is one of the site that is named as its folder, else of
        the only site there is.
        """
        from crfclean.site_rules.names import site_of  # for those who know sites

        name = site_of(url, blocks)
        if name or folder in self.by_name:
            return self.by_name.get(name or folder)
        return next(iter(self.by_name.values())) if len(self.by_name) == 1 else None


@dataclass(frozen=True, slots=True)
class SiteFit:
    """The site of a page, "" if it is not known, and how well (0..1) its rules fit the page."""

    site: str
    fit: float

    @property
    def verdict(self) -> str:
        """`UNKNOWN`, `UNFIT` or `FIT`."""
        if not self.site:
            return UNKNOWN
        return FIT if self.fit >= LEAST_FIT else UNFIT


def site_fit(document: Document, sites: Sites, folder: str = "") -> SiteFit:
    """How much of a page's text stands where its site's text stands; 0 for a page without text."""
    site = sites.of(document.url, document.page_blocks, folder)
    if site is None:
        return SiteFit("", 0.0)
    blocks = document.blocks
    if blocks.source or not len(blocks):
        return SiteFit(site.rules.site, 0.0)
    kept = np.where(document.tags.kept, measured(blocks).words, 0.0)
    return SiteFit(site.rules.site, round(fit_of(site.means(blocks), kept), 4))
