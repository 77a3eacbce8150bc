"""Change a page's probabilities by what is known of its site.

The same two kinds of evidence as in `site.adjust`, with its weights, from a file instead of the
pages beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from crfclean.page.latest import measured
from crfclean.site import SiteParams, combine
from crfclean.site_rules.known import LEAST_FIT, KnownSite, Sites, fit_of
from crfclean.site_rules.stable import text_digest
from crfclean.taggers.around import Around
from crfclean.taggers.capabilities import (
    Decides,
    Judges,
    MarksComments,
    Traces,
    need,
)
from crfclean.types import Blocks, Floats, Label, Tags


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
class KnownSiteTagger(Around):
    """A tagger that also uses what is known of the site of a page.

    `url` and `folder` are those of the page, if it has any; `Sites.of` says how its site is known.
    """

    passed_on: ClassVar = frozenset([Decides, MarksComments, Traces])

    sites: Sites
    url: str | None = None
    folder: str = ""
    params: SiteParams = field(default_factory=SiteParams)

    def tag(self, blocks: Blocks) -> Tags:
        """Labels and marginals of a page; raises `CrfcleanError` for a tagger without marginals."""
        judges = need(self.tagger, Judges)
        site = self.sites.of(self.url, blocks, self.folder)
        if site is None or blocks.source or not len(blocks):
            return self.tagger.tag(blocks)
        marginals = judges.marginals(blocks)
        changed = adjusted(marginals, blocks, site, self.params)
        return self.tagger.tag(blocks) if changed is marginals else judges.decide(blocks, changed)
