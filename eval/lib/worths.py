"""The worth of every page of the last recorded run, and the difference to that of a commit."""

from __future__ import annotations

import hashlib
import json
import lzma
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from crfclean.products.teach.means import interval
from eval.lib.corpora import ROOT
from eval.lib.record import RESULTS

FILE = RESULTS / "accuracy" / "worths.json.xz"
EXPLAINED = 0.005  # a type of pages that falls by more is explained page by page

SHOWN = 10  # pages
HOST_PAGES, HOST_FALL = 5, 0.02  # a site of so many pages that falls by more is named

Worths = dict[str, dict[str, float]]
"""Set -> digest of a page's name -> the worth of its text (0..1)."""


class Worth(NamedTuple):
    """A page of a set with its site, its type, and the worth of its text (0..1).

    `name` is unique in the set.
    """

    set: str
    name: str
    site: str
    type: str
    worth: float

    @property
    def key(self) -> str:
        """A short digest of the name."""
        return hashlib.sha256(self.name.encode()).hexdigest()[:10]


def by_type(rows: Sequence[Worth]) -> dict[str, list[Worth]]:
    """The pages of each set, then those of each of its types, if it has several."""
    groups: dict[str, list[Worth]] = {}
    for row in rows:
        groups.setdefault(row.set, []).append(row)
    for name, of_set in list(groups.items()):
        types = dict.fromkeys(row.type for row in of_set)
        for each in types if len(types) > 1 else ():
            groups[f"{name}, {each}"] = [row for row in of_set if row.type == each]
    return groups


def read(commit: str = "") -> Worths:
    """The recorded worths, those of a commit if one is named; none if it has no record."""
    if not commit:
        return dict(json.loads(lzma.open(FILE).read())) if FILE.exists() else {}
    name = f"{commit}:{FILE.relative_to(ROOT).as_posix()}"
    shown = subprocess.run(["git", "show", name], capture_output=True, check=True, cwd=ROOT)  # noqa: S603, S607
    return dict(json.loads(lzma.decompress(shown.stdout)))


def write(rows: Sequence[Worth]) -> None:
    """Record the worths of the pages of some sets; those of other sets stay."""
    worths = read()
    for name in dict.fromkeys(row.set for row in rows):
        worths[name] = {row.key: round(row.worth, 4) for row in rows if row.set == name}
    FILE.write_bytes(lzma.compress(json.dumps(worths, sort_keys=True).encode()))


def changes(rows: Sequence[Worth], before: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """A line for each set and type: the change of its mean with the interval over sites.

    Of a type that falls by more than `EXPLAINED`, the pages that fall most follow. The sites of
    `HOST_PAGES` pages that fall by more than `HOST_FALL` end the list: a mean hides them.
    """
    for name, pages in by_type(rows).items():
        known = [row for row in pages if row.key in before.get(row.set, {})]
        if not known:
            continue
        gains = np.array([row.worth - before[row.set][row.key] for row in known])
        low, high = interval(gains, [row.site for row in known])
        yield f"{name:36} {len(known):5} {gains.mean():+.4f} [{low:+.4f}, {high:+.4f}]"
        if gains.mean() < -EXPLAINED:
            lost = [at for at in np.argsort(gains)[:SHOWN].tolist() if gains[at] < 0]
            yield from (f"    {gains[at]:+.3f} {known[at].name}" for at in lost)
    yield from _fallen_sites(rows, before)


def _fallen_sites(
    rows: Sequence[Worth], before: Mapping[str, Mapping[str, float]]
) -> Iterator[str]:
    gains: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        if row.site and row.key in before.get(row.set, {}):
            gain = row.worth - before[row.set][row.key]
            gains.setdefault((row.set, row.site), []).append(gain)
    for (name, site), of_site in sorted(gains.items(), key=lambda item: np.mean(item[1])):
        if len(of_site) >= HOST_PAGES and np.mean(of_site) < -HOST_FALL:
            yield f"{name}, {site}: {len(of_site)} pages, {np.mean(of_site):+.4f}"
