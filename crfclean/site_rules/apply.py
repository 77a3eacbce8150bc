"""Change a page's probabilities by what is known of its site.

The same two kinds of evidence as in `site.adjust`, with its weights, from a file instead of the
pages beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from crfclean.page.latest import measured
from crfclean.site import SiteParams, combine
from crfclean.site_rules.known import LEAST_FIT, KnownSite, Sites, fit_of
from crfclean.site_rules.stable import text_digest
from crfclean.taggers.capabilities import (
    Decides,
    Judges,
    MarksComments,
    Traces,
    elements_of,
    name_of,
    need,
)
from crfclean.taggers.params import CutParams
from crfclean.types import Blocks, Bools, Floats, Label, Tagger, Tags


def adjusted(marginals: Floats, blocks: Blocks, site: KnownSite, params: SiteParams) -> Floats:
    """The marginals (n, 3) of a page changed by its site's rules, unless those do not fit it.

    A text that the site repeats loses `repeat` in log-odds; the log-odds are averaged with those
    of the place, with weight `place`.
    """
    expected = (1.0 - marginals[:, Label.OTHER]) * measured(blocks).words
    means = site.means(blocks)
    if fit_of(means, expected) < LEAST_FIT:
        return marginals
    has_mean = ~np.isnan(means)
    digests = (text_digest(text) in site.repeated for text in blocks.texts)
    repeats = np.fromiter(digests, np.float64, len(blocks))
    return combine(marginals, repeats, np.where(has_mean, means, 0.5), has_mean, params)


@dataclass(frozen=True)
class KnownSiteTagger:
    """A tagger that also uses what is known of the site of a page.

    `url` and `folder` are those of the page, if it has any; `Sites.of` says how its site is known.
    """

    passed_on: ClassVar = frozenset([Decides, MarksComments, Traces])

    tagger: Tagger
    sites: Sites
    url: str | None = None
    folder: str = ""
    params: SiteParams = field(default_factory=SiteParams)

    @property
    def inner(self) -> Tagger:
        """The tagger inside, which does not use the site."""
        return self.tagger

    @property
    def name(self) -> str:
        """The name of the tagger inside."""
        return name_of(self.tagger)

    @property
    def elements(self) -> tuple[str, ...]:
        """The elements that the model's blocks are restricted to; empty for no restriction."""
        return elements_of(self.tagger)

    @property
    def cut(self) -> CutParams:
        """The decision rule of the tagger inside; raises `CrfcleanError` where it has none."""
        return need(self.tagger, Decides).cut

    def with_cut(self, params: CutParams) -> KnownSiteTagger:
        """The same with another decision rule of the tagger inside; raises `CrfcleanError`."""
        return replace(self, tagger=need(self.tagger, Decides).with_cut(params))

    def tag(self, blocks: Blocks) -> Tags:
        """Labels and marginals of a page; raises `CrfcleanError` for a tagger without marginals."""
        judges = need(self.tagger, Judges)
        site = self.sites.of(self.url, blocks, self.folder)
        if site is None or blocks.source or not len(blocks):
            return self.tagger.tag(blocks)
        marginals = judges.marginals(blocks)
        changed = adjusted(marginals, blocks, site, self.params)
        return self.tagger.tag(blocks) if changed is marginals else judges.decide(blocks, changed)

    def comments(self, blocks: Blocks) -> Bools:
        """The comments (n,) that the tagger inside finds; raises `CrfcleanError`."""
        return need(self.tagger, MarksComments).comments(blocks)

    def trace(self, blocks: Blocks) -> str:
        """The rules that the tagger inside applied; raises `CrfcleanError`."""
        return need(self.tagger, Traces).trace(blocks)
