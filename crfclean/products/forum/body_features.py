"""The features of groups of elements that may be the bodies of posts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain, compress, repeat

import numpy as np

from crfclean.products.forum.outline import Outline, once_per_outline, spans
from crfclean.products.forum.patterns import name_kinds, own_name
from crfclean.types import Bools, Floats, Ints

# Each post has an element for its body, and these elements form a group. Dates and authors stand
# between the elements of this group, not inside them, and little of their text repeats. That is how
# the group differs from the groups of whole posts, paragraphs and menus.

_MAX_ELEMENTS = 20_000  # per group; real pages have at most some hundred posts
_MAX_GROUPS = 150  # per page: the groups with most words
_MAX_RUNS = 400_000  # in all groups together: bounds the time on nested pages
_MOST = 0.85  # share of gaps with a date (an author) that counts as nearly all
_MAX_OPENERS = 40  # elements before the first post that may open the thread
_SENTENCE = 60  # characters
_LEAST_SHARE = 0.03  # of the page's words that a group must hold
_LEAST_WORDS = 3  # of a linked text that may be the title above a teaser
_REACH = 8  # runs before an element, searched for its title
_AROUND = 60  # runs before the first and behind the last element, searched for dates
_SEEN = 5, 200  # first elements, and elements in each, searched for names of other things
_CUT = re.compile(r"(?:…|\.{3})[\W_]{0,4}$")

BODY_FEATURES = (
    "single few many words_share words_mean words_low words_spread filled dates_inside "
    "dates_between dated_gaps links form repeated distinct inner_of_record own_body own_not "
    "own_author own_date own_record near_body near_not has_class article depth fraction_of_parent "
    "covers_children parents_share nested_not quotes_start authors_between authors_inside "
    "record_like between_words headings dated_any per_date per_parent all_dated all_authored "
    "titled cut"
).split()

RAISING = frozenset(
    "dated_gaps dated_any all_dated all_authored words_share own_body distinct".split()
)
LOWERING = frozenset(
    "per_date per_parent links form repeated single words_low own_not titled cut".split()
)
"""`RAISING` features never get a negative weight, `LOWERING` ones never a positive weight."""


@dataclass(frozen=True, slots=True)
class BodyGroup:
    """A group that may hold the posts' bodies, with the values of `BODY_FEATURES`."""

    name: str
    nodes: tuple[int, ...]
    values: Floats


@dataclass(frozen=True)
class _Groups:
    """Groups one behind the other: names, all elements (n,), and the size of each group (g,)."""

    names: tuple[str, ...]
    nodes: Ints
    sizes: Ints

    @classmethod
    def of(cls, groups: Iterable[tuple[str, Sequence[int]]]) -> _Groups:
        names, members = zip(*groups, strict=True)
        nodes = np.fromiter(chain.from_iterable(members), np.int64)
        return cls(names, nodes, np.array(list(map(len, members))))

    @cached_property
    def start(self) -> Ints:
        """The place of each group's first element, (g,)."""
        return np.cumsum(self.sizes) - self.sizes

    @cached_property
    def owner(self) -> Ints:
        """The group of each element, (n,)."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def sums(self, values: Bools | Ints | Floats) -> Floats:
        """Sum the values of each group's elements, (g,)."""
        return np.bincount(self.owner, values, len(self.sizes)).astype(np.float64)

    def means(self, values: Bools | Ints | Floats) -> Floats:
        return self.sums(values) / self.sizes

    def distinct(self, values: Ints) -> tuple[Ints, Ints]:
        """The group and the value of each distinct value in a group; values are not below 0."""
        return np.divmod(np.unique(self.owner * _SPAN + values), _SPAN)


_SPAN = 1 << 40  # above all numbers of elements, runs and texts


@dataclass(frozen=True)
class _Signs:
    """What the runs before each run hold in total, shape (runs + 1,), and single runs.

    `beside` counts elements (m + 1,) named for something other than words. `title` is the number of
    the last linked text that may be a title among the runs before each, 0 for none, (runs + 1,).
    `cut` marks runs that end in an ellipsis, or stand behind such a one as a link `Read more`.
    """

    dates: Ints
    authors: Ints
    linked: Ints
    forms: Ints
    headings: Ints
    beside: Ints
    title: Ints
    cut: Bools


def _cumulative(marks: Bools | Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(marks)])


@once_per_outline
def _signs(outline: Outline) -> _Signs:
    table = outline.page.table
    forms = table.within("form", "button", "label")[table.run_node] > 0
    headings = table.within("h1", "h2")[table.run_node] > 0
    counted = np.diff(outline.words)
    cut = np.array([bool(_CUT.search(text[-20:])) for text in outline.masks], np.bool_)
    return _Signs(
        _cumulative(outline.dates),
        _cumulative(outline.authors),
        _cumulative(counted * outline.linked),
        _cumulative(counted * forms),
        _cumulative(headings),
        _cumulative(outline.beside_words),
        _titles(outline, outline.linked & (counted >= _LEAST_WORDS)),
        cut | (outline.linked & np.concatenate([[False], cut[:-1]])),
    )


def _titles(outline: Outline, marks: Bools) -> Ints:
    """The number of the last marked text among the `_REACH` runs before each run, 0 for none."""
    places = np.arange(len(marks) + 1)
    last = np.maximum.accumulate(np.concatenate([[0], places[1:] * marks]))
    numbers = np.concatenate([[0], 1 + outline.mask_numbers])
    return np.where(places - last < _REACH, numbers[last], 0)


@once_per_outline
def body_groups(outline: Outline) -> list[BodyGroup]:
    """Return the groups that may hold the posts' bodies; groups with more words come first."""
    if not outline.words[-1]:
        return []
    every = _Groups.of(outline.groups.items())
    words = every.sums(_inside(outline.words, outline, every.nodes)).tolist()
    runs = every.sums(outline.last[every.nodes] - outline.first[every.nodes]).tolist()
    weighed = [
        (-inside, name, size)
        for name, inside, size in zip(every.names, words, runs, strict=True)
        if inside >= _LEAST_SHARE * outline.words[-1] and len(outline.groups[name]) <= _MAX_ELEMENTS
    ]
    largest = sorted(weighed)[:_MAX_GROUPS]
    within = accumulate(size for _, _, size in largest)
    return _with_values(
        outline,
        [name for (_, name, _), total in zip(largest, within, strict=True) if total <= _MAX_RUNS],
    )


def openers(outline: Outline, start: int) -> list[BodyGroup]:
    """Return groups of one element that may open the thread: they end before run `start`.

    Each has at least `_LEAST_SHARE` of the page's words, or a sentence outside links. A breadcrumb
    path or a notice has less.
    """
    single = {name: nodes[0] for name, nodes in outline.groups.items() if len(nodes) == 1}
    nodes = np.array(list(single.values()), np.int64)
    chars = _cumulative(np.array(list(map(len, outline.masks))) * ~outline.linked)
    enough = _inside(outline.words, outline, nodes) >= _LEAST_SHARE * outline.words[-1]
    enough |= _inside(chars, outline, nodes) >= _SENTENCE
    fits = (enough & (outline.last[nodes] <= start)).tolist()
    return _with_values(outline, list(compress(single, fits))[:_MAX_OPENERS])


def _inside(before: Ints, outline: Outline, nodes: Ints) -> Ints:
    """Counts inside elements; `before` is a field of `_Signs`, or `Outline.words`."""
    inside: Ints = before[outline.last[nodes]] - before[outline.first[nodes]]
    return inside


def _with_values(outline: Outline, names: Sequence[str]) -> list[BodyGroup]:
    """Compute `BODY_FEATURES` for groups of these names, for all groups in each step."""
    if not names:
        return []
    groups, signs = _Groups.of((name, outline.groups[name]) for name in names), _signs(outline)
    values = {
        **_sizes(outline, groups),
        **_contents(outline, groups, signs),
        **_gaps(outline, groups, signs),
        **_places(outline, groups, signs),
        **_words_around(outline, groups),
        **_repeats(outline, groups),
        **_teasing(outline, groups, signs),
    }
    rows = np.array([values[feature] for feature in BODY_FEATURES], np.float64).T
    return [
        BodyGroup(name, tuple(outline.groups[name]), row)
        for name, row in zip(names, rows, strict=True)
    ]


def _sizes(outline: Outline, groups: _Groups) -> dict[str, Floats | Bools]:
    words, sizes = _inside(outline.words, outline, groups.nodes), groups.sizes
    means = groups.means(words)
    spread = np.sqrt(groups.means((words - means[groups.owner]) ** 2))
    return {
        "single": sizes == 1,
        "few": sizes == 2,
        "many": np.minimum(1.0, np.log2(sizes) / 5),
        "words_share": groups.sums(words) / float(outline.words[-1]),
        "words_mean": np.minimum(1.0, np.log2(1 + means) / 9),
        "words_low": groups.means(words < 4),
        "words_spread": np.minimum(2.0, spread / (means + 1)),
        "filled": groups.means(words > 0),
    }


def _contents(outline: Outline, groups: _Groups, signs: _Signs) -> dict[str, Floats | Bools]:
    nodes = groups.nodes
    words = np.maximum(1, groups.sums(_inside(outline.words, outline, nodes)))
    dates = _inside(signs.dates, outline, nodes)
    return {
        "dates_inside": groups.means(dates > 0),
        "record_like": groups.means(dates == 1),
        "authors_inside": groups.means(_inside(signs.authors, outline, nodes) > 0),
        "links": groups.sums(_inside(signs.linked, outline, nodes)) / words,
        "form": groups.sums(_inside(signs.forms, outline, nodes)) / words,
        "headings": groups.means(_inside(signs.headings, outline, nodes) > 0),
        "quotes_start": groups.means(outline.quoted[outline.first[nodes]]),
    }


def _gaps(outline: Outline, groups: _Groups, signs: _Signs) -> dict[str, Floats | Bools]:
    """Features of the text before each element, and behind the last one."""
    first, last, sizes = outline.first[groups.nodes], outline.last[groups.nodes], groups.sizes
    before = np.concatenate([[0], last[:-1]])
    gaps = outline.words[first] - outline.words[before]
    gaps[groups.start] = 0
    before[groups.start] = np.maximum(0, first[groups.start] - _AROUND)
    dates = signs.dates[first] - signs.dates[before]
    authors = groups.means(signs.authors[first] > signs.authors[before])
    ends = last[groups.start + sizes - 1]
    behind = signs.dates[np.minimum(ends + _AROUND, len(outline.masks))] > signs.dates[ends]
    dated = np.maximum(groups.means(dates > 0), behind / sizes)
    words = groups.sums(gaps) / np.maximum(1, sizes - 1)
    least = np.where(sizes > 1, words, 8)[groups.owner]
    inside = groups.means(_inside(signs.dates, outline, groups.nodes) > 0)
    return {
        "dates_between": np.minimum(1.0, groups.means(dates) / 4),
        "dated_gaps": dated,
        "dated_any": np.maximum(dated, inside),
        "all_dated": dated > _MOST,
        "authors_between": authors,
        "all_authored": authors > _MOST,
        "between_words": np.where(sizes > 1, np.minimum(1.0, words / 60), 0.5),
        "inner_of_record": groups.means(_inside(outline.words, outline, groups.nodes) > least),
        "per_date": np.minimum(3.0, sizes / (1.0 + float(signs.dates[-1]))) / 3,
    }


def _places(outline: Outline, groups: _Groups, signs: _Signs) -> dict[str, Floats | Bools]:
    """Features of the elements' parents, and of the elements inside the elements."""
    nodes, count = groups.nodes, len(groups.sizes)
    owner, parents = groups.distinct(np.maximum(outline.page.table.parent[nodes], 0))
    around = np.bincount(owner, _inside(outline.words, outline, parents), count)
    inside, different = groups.sums(_inside(outline.words, outline, nodes)), np.bincount(owner)
    inner = np.minimum(nodes + 1, len(outline.first) - 1)
    same = (outline.first[inner] == outline.first[nodes]) & (
        outline.last[inner] == outline.last[nodes]
    )
    same &= outline.page.table.parent[inner] == nodes
    ends = np.minimum(outline.page.table.end[nodes], nodes + _SEEN[1])
    seen = np.arange(len(nodes)) - groups.start[groups.owner] < _SEEN[0]
    return {
        "per_parent": np.minimum(1.0, np.log2(groups.sizes / different) / 5),
        "parents_share": different / groups.sizes,
        "fraction_of_parent": inside / np.maximum(1.0, around),
        "covers_children": groups.sums(same) / np.maximum(1, groups.sums(inner > nodes)),
        "nested_not": groups.sums(seen & (signs.beside[ends] > signs.beside[nodes + 1]))
        / groups.sums(seen),
    }


def _words_around(outline: Outline, groups: _Groups) -> dict[str, Floats | Bools]:
    """Features of the classes of the first element of each group, and of the four around it."""
    rows = map(_kinds_around, repeat(outline), groups.names, groups.nodes[groups.start].tolist())
    return dict(zip(_AROUND_NAMES, np.array(list(rows), np.float64).T, strict=True))


_OWN = "body not_body author date record".split()
_AROUND_NAMES = (
    "own_body own_not own_author own_date own_record near_body near_not has_class article depth"
).split()


def _kinds_around(outline: Outline, name: str, node: int) -> list[float]:
    kinds, (_, *above) = name_kinds(name), outline.page.table.around(node, 5)
    near = frozenset[str]().union(*(name_kinds(outline.names[up]) for up in above))
    is_text = outline.page.table.tags[node] in {"article", "blockquote", "pre"}
    own = [kind in kinds for kind in _OWN]
    own += ["body" in near, "not_body" in near, "." in own_name(name), is_text]
    return [*own, len(above) / 4]


def _repeats(outline: Outline, groups: _Groups) -> dict[str, Floats | Bools]:
    """Share of words in masked texts that recur in other elements; share of distinct elements."""
    first, last = outline.first[groups.nodes], outline.last[groups.nodes]
    element, runs = spans(first, last)
    texts = groups.owner[element] * _SPAN + outline.mask_numbers[runs]
    order = np.argsort(texts, kind="stable")
    starts = np.flatnonzero(np.diff(texts[order], prepend=-1))
    sizes = np.diff(starts, append=len(texts))
    recurs = element[order[starts + sizes - 1]] > element[order[starts]]
    counted = np.diff(outline.words)[runs[order]] * np.repeat(recurs, sizes)
    repeated = np.bincount(groups.owner[element[order]], counted, len(groups.sizes))
    numbers, bounds = dict[tuple[str, ...], int](), zip(first.tolist(), last.tolist(), strict=True)
    heads = [numbers.setdefault(outline.masks[start:end], len(numbers)) for start, end in bounds]
    distinct = np.bincount(groups.distinct(np.array(heads))[0])
    words = np.maximum(1, groups.sums(_inside(outline.words, outline, groups.nodes)))
    return {"repeated": repeated / words, "distinct": distinct / groups.sizes}


def _teasing(outline: Outline, groups: _Groups, signs: _Signs) -> dict[str, Floats | Bools]:
    """Shares of the elements that tell teasers: with a linked title above, with text cut off."""
    owner, titles = groups.distinct(signs.title[outline.first[groups.nodes]])
    titled = np.bincount(owner, titles > 0, len(groups.sizes)) / groups.sizes
    return {
        "titled": np.where(groups.sizes > 1, titled, 0.0),
        "cut": groups.means(signs.cut[outline.last[groups.nodes] - 1]),
    }


def feature_rows(groups: Sequence[BodyGroup]) -> Floats:
    """Stack the features of all groups, shape (n, features)."""
    if not groups:
        return np.zeros((0, len(BODY_FEATURES)))
    return np.array([group.values for group in groups])
