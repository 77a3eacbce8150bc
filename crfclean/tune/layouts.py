"""Find the pages of a site whose texts stand elsewhere than those of its other pages."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from crfclean.page.chars import plural
from crfclean.site_places import common_path, names_of

_LEAST_PAGES = 2  # of a layout, and with a name of it: one may be a live blog, or have a category
_NAMED = 3  # pages in a message

_Steps = list[set[str]]
Places = Mapping[str, float]
"""Path of a place (see `site_places.block_paths`) -> the words of a page's text there."""


class Layouts(NamedTuple):
    """The numbers of pages that have another layout than most of their site, and what is said."""

    others: frozenset[int]
    lines: tuple[str, ...]


def layouts_of(sites: Sequence[str], pages: Sequence[Places], names: Sequence[str]) -> Layouts:
    """Compare the pages of each site, given for each page its site, places and name.

    If more than half of the pages of a site have one layout, at least two others are left out.
    """
    others, lines = set[int](), list[str]()
    for site in dict.fromkeys(sites):
        numbers = [number for number, of in enumerate(sites) if of == site]
        groups = _groups({number: pages[number] for number in numbers})
        if len(groups) < 2 or len(groups[1]) < _LEAST_PAGES:
            continue
        rest = sorted(set(numbers) - set(groups[0]))
        if len(groups[0]) <= len(rest):
            lines.append(
                f"{site} has several layouts, none of them on most pages: learned from all; tune "
                "for each alone"
            )
            continue
        others.update(rest)
        shown = ", ".join(names[number] for number in rest[:_NAMED])
        more = f" and {len(rest) - _NAMED} more" * (len(rest) > _NAMED)
        lines.append(
            f"{site} has several layouts: learned from the commonest one, on "
            f"{plural(len(groups[0]), 'page')}, and not from {shown}{more}"
        )
    return Layouts(frozenset(others), tuple(lines))


def _groups(pages: Mapping[int, Places]) -> list[list[int]]:
    """Return the numbers of pages by layout, the commonest layout first."""
    counts = Counter(
        name
        for places in pages.values()
        for name in {name for path in places for name in names_of(path)}
    )
    names = {name for name, count in counts.items() if count >= _LEAST_PAGES}
    around = {number: _around(places, names) for number, places in pages.items()}
    groups = list[list[int]]()
    for number in sorted(around, key=lambda number: len(around[number])):
        group = next((each for each in groups if _alike(around[each[0]], around[number])), None)
        if group is None:
            groups.append([number])
        else:
            group.append(number)
    return sorted(groups, key=len, reverse=True)


def _around(places: Places, names: set[str]) -> _Steps:
    """Return the elements around most words of a page's text, by the names that pages share."""
    words = defaultdict[str, float](float)
    for path, count in places.items():
        words[common_path(path, names).rpartition(" ")[0]] += count
    place = max(words, key=words.__getitem__, default="")
    return [_selectors(step) for step in place.split()]


def _selectors(step: str) -> set[str]:
    """Return an element as a set of selectors, one for each name.

    >>> sorted(_selectors("div.post.wide")), _selectors("main")
    (['div.post', 'div.wide'], {'main'})
    """
    found = names_of(step)
    tag = step.removesuffix("".join(found))
    return {tag + name for name in found} or {tag}


def _alike(one: _Steps, other: _Steps) -> bool:
    """Return whether the innermost element of either page is around the text of both.

    So a short note directly in `div#main` has the layout of pages with a `div.story` in it.
    """
    if not one or not other:
        return one == other
    return bool(one[-1] & set[str]().union(*other) or other[-1] & set[str]().union(*one))
