"""Write what was learned of sites as HTML pages, with pages that show where it applies."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path

from crfclean.corpus.clean import BatchParams, page_and_document
from crfclean.corpus.learn_sites import LearnedSite
from crfclean.corpus.pool import Pool
from crfclean.corpus.record import Record
from crfclean.corpus.tasks import Lost, Task
from crfclean.site_rules.files import write_file
from crfclean.site_rules.values import SiteRules
from crfclean.view.overlay_file import view_html
from crfclean.view.rule_overlay import rules_view
from crfclean.view.site_page import site_html, sites_html

MAX_SITES = 20
"""Sites of a report."""

_Rank = tuple[float, str]
_RuledPage = tuple[Record, SiteRules]


@dataclass(frozen=True, slots=True)
class RulePainter:
    """Draws pages with what the rules of their sites keep."""

    params: BatchParams

    def prepare(self, _item: object) -> None:
        """Load the model, so that no page's time is spent on it."""
        self.params.prepare(())

    def html(self, ruled: _RuledPage) -> str:
        """The content of an HTML file that needs nothing else."""
        record, rules = ruled
        page, document = page_and_document(record, self.params)
        return view_html(rules_view(page, document, rules))


@dataclass(slots=True)
class SiteReport:
    """The `MAX_SITES` least sure of the sites, with examples of their pages."""

    sites: int = 0
    _ranked: list[tuple[_Rank, LearnedSite]] = field(default_factory=list)

    def add(self, site: LearnedSite) -> None:
        """Count a site, and keep it if it is among the least sure."""
        self.sites += 1
        insort(self._ranked, (_rank(site.rules), site), key=itemgetter(0))
        del self._ranked[MAX_SITES:]

    def write(self, folder: Path, params: BatchParams, workers: int, note: str) -> None:
        """Write `index.html`, a file for each site, and one for each of its examples.

        `note` says what was not learned from. Raises `CrfcleanError` where a file cannot be
        written.
        """
        sites = [site for _, site in self._ranked]
        names = [f"site-{number:02}" for number in range(1, len(sites) + 1)]
        shown: dict[str, list[tuple[str, str]]] = {name: [] for name in names}
        with closing(Pool(workers, params.limits)) as pool:
            answers = pool.map(_drawn, _tasks(sites, names), RulePainter(params))
            for (name, record), answer in answers:
                file = f"{name}-page-{len(shown[name]) + 1}.html"
                if isinstance(answer, Lost):
                    file = ""
                else:
                    write_file(folder, file, answer)
                shown[name].append((record.url or record.id, file))
        for name, site in zip(names, sites, strict=True):
            write_file(folder, f"{name}.html", site_html(site.rules, shown[name]))
        files = [f"{name}.html" for name in names]
        rules = [site.rules for site in sites]
        write_file(folder, "index.html", sites_html(rules, files, self.sites, note))


def _rank(rules: SiteRules) -> _Rank:
    """The expected F1 of a site's element with the text, 0 without one, then the name."""
    region = rules.text[0] if rules.text else None
    if region is None or not region.precision + region.recall:
        return 0.0, rules.site
    return 2 * region.precision * region.recall / (region.precision + region.recall), rules.site


def _tasks(sites: list[LearnedSite], names: list[str]) -> Iterator[Task]:
    """The drawing of each example."""
    for name, site in zip(names, sites, strict=True):
        for record in site.examples:
            yield Task((name, record), (record, site.rules), record.size)


def _drawn(ruled: _RuledPage, painter: RulePainter) -> str:
    return painter.html(ruled)
