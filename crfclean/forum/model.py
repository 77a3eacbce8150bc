"""Groups of elements that may hold posts, and the forum model that ranks them, with its folder."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.forum.outline import Outline, is_beside_words, kinds_of, own_name, words_of
from crfclean.forum.records import EVIDENCE, LABELS, ForumFields
from crfclean.model.folder import (
    check_features,
    find_model,
    fingerprints,
    read_manifest,
    read_weights,
    reading,
    write_plain,
)
from crfclean.model.networks import softmax
from crfclean.page.measures import measured
from crfclean.types import Bools, Floats, Ints, ModelError

# signs that a group of elements holds teasers of other threads

_LEAST_WORDS = 3  # of a linked text that may be a title
_REACH = 8  # runs before an element, searched for its title
_CUT = re.compile(r"(?:…|\.{3})[\W_]{0,4}$")


def teasing(page: Outline, nodes: Ints) -> dict[str, float]:
    """Return two shares of the elements: with a linked title above, and with text cut off."""
    titles = [_title(page, int(page.first[node])) for node in nodes.tolist()]
    cut = [_is_cut(page, int(page.last[node]) - 1) for node in nodes.tolist()]
    distinct = {title for title in titles if title}
    return {
        "titled": len(distinct) / len(nodes) if len(nodes) > 1 else 0.0,
        "cut": float(np.mean(cut)),
    }


def _title(page: Outline, first: int) -> str:
    """The last linked text that may be a title among the runs before an element."""
    start = max(0, first - _REACH)
    counts = np.diff(page.words[start : first + 1])
    near = np.flatnonzero(page.linked[start:first] & (counts >= _LEAST_WORDS))
    return page.masks[start + int(near[-1])] if len(near) else ""


def _is_cut(page: Outline, last: int) -> bool:
    """Return whether a run, or the one before a link `Read more`, ends in an ellipsis."""
    texts = page.masks[max(0, last - int(page.linked[last])) : last + 1]
    return any(_CUT.search(text[-20:]) for text in texts)


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
class _Sums:
    """Totals over the runs before each run, shape (runs + 1,); `_inside` gives those of spans."""

    dates: Ints
    authors: Ints
    linked: Ints
    forms: Ints
    headings: Ints


def _cumulative(marks: Bools | Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(marks)])


def _sums(page: Outline) -> _Sums:
    measures, runs = measured(page.page), page.page.runs
    forms = measures.inside("form", "button", "label")[runs.node] > 0
    headings = measures.inside("h1", "h2")[runs.node] > 0
    counted = np.diff(page.words)
    return _Sums(
        _cumulative(page.dates),
        _cumulative(page.authors),
        _cumulative(counted * page.linked),
        _cumulative(counted * forms),
        _cumulative(headings),
    )


def body_groups(page: Outline) -> list[BodyGroup]:
    """Return the groups that may hold the posts' bodies; groups with more words come first."""
    groups: list[BodyGroup] | None = page.memo.get("candidates")
    if groups is None:
        groups = page.memo["candidates"] = _largest_groups(page)
    return groups


def _largest_groups(page: Outline) -> list[BodyGroup]:
    total = int(page.words[-1])
    if not total:
        return []
    weighed = []
    for name, nodes in page.groups.items():
        inside = _inside(page.words, page.first[nodes], page.last[nodes]).sum()
        if len(nodes) <= _MAX_ELEMENTS and inside >= _LEAST_SHARE * total:
            weighed.append((int(inside), name, nodes))
    weighed.sort(key=lambda item: (-item[0], item[1]))
    sums, groups, runs = _sums(page), [], 0
    for _, name, nodes in weighed[:_MAX_GROUPS]:
        runs += int((page.last[nodes] - page.first[nodes]).sum())
        if runs > _MAX_RUNS:
            break
        groups.append(BodyGroup(name, tuple(nodes), _features(page, name, np.array(nodes), sums)))
    return groups


def openers(page: Outline, start: int) -> list[BodyGroup]:
    """Return groups of one element that may open the thread: they end before run `start`.

    Each has at least `_LEAST_SHARE` of the page's words, or a sentence outside links. A breadcrumb
    path or a notice has less.
    """
    sums, groups = _sums(page), list[BodyGroup]()
    least, lengths = _LEAST_SHARE * page.words[-1], np.array(list(map(len, page.masks)))
    chars = _cumulative(lengths * ~page.linked)
    for name, nodes in page.groups.items():
        first, last = page.first[nodes[0]], page.last[nodes[0]]
        if len(nodes) > 1 or last > start or len(groups) == _MAX_OPENERS:
            continue
        words, free_chars = page.words[last] - page.words[first], chars[last] - chars[first]
        if words >= least or free_chars >= _SENTENCE:
            values = _features(page, name, np.array(nodes), sums)
            groups.append(BodyGroup(name, tuple(nodes), values))
    return groups


def _inside(before: Ints, first: Ints, last: Ints) -> Ints:
    """Counts inside spans of runs; `before` is a field of `_Sums`, or `Outline.words`."""
    inside: Ints = before[last] - before[first]
    return inside


def _features(page: Outline, name: str, nodes: Ints, sums: _Sums) -> Floats:
    """The values of `BODY_FEATURES` for a group, shape (features,)."""
    values = {
        **_sizes(page, nodes),
        **_contents(page, nodes, sums),
        **_places(page, nodes, sums),
        **_words_around(page, name, int(nodes[0])),
        **_repeats(page, nodes),
        **teasing(page, nodes),
    }
    return np.array([values[feature] for feature in BODY_FEATURES], np.float64)


def _sizes(page: Outline, nodes: Ints) -> dict[str, float]:
    words = _inside(page.words, page.first[nodes], page.last[nodes]).astype(float)
    count, mean = len(nodes), float(words.mean())
    return {
        "single": count == 1,
        "few": count == 2,
        "many": min(1.0, float(np.log2(count)) / 5),
        "words_share": float(words.sum()) / float(page.words[-1]),
        "words_mean": min(1.0, float(np.log2(1 + mean)) / 9),
        "words_low": float((words < 4).mean()),
        "words_spread": min(2.0, float(words.std()) / (mean + 1)),
        "filled": float((words > 0).mean()),
    }


def _contents(page: Outline, nodes: Ints, sums: _Sums) -> dict[str, float]:
    first, last = page.first[nodes], page.last[nodes]
    words = max(1, int(_inside(page.words, first, last).sum()))
    return {
        "dates_inside": float((_inside(sums.dates, first, last) > 0).mean()),
        "authors_inside": float((_inside(sums.authors, first, last) > 0).mean()),
        "links": float(_inside(sums.linked, first, last).sum()) / words,
        "form": float(_inside(sums.forms, first, last).sum()) / words,
        "headings": float((_inside(sums.headings, first, last) > 0).mean()),
        "quotes_start": float(page.quoted[np.minimum(first, len(page.quoted) - 1)].mean()),
    }


def _places(page: Outline, nodes: Ints, sums: _Sums) -> dict[str, float]:
    """Features of the text between the elements and of the elements' parents."""
    first, last = page.first[nodes], page.last[nodes]
    starts = np.concatenate([[max(0, int(first[0]) - 60)], last[:-1]])
    between = _inside(sums.dates, starts, first)
    authors = _inside(sums.authors, starts, first)
    after = np.concatenate([starts[1:], [min(int(last[-1]) + 60, len(page.page.runs.texts))]])
    follows = _inside(sums.dates, last, after)
    dated = max(float((between > 0).mean()), float((follows > 0).mean()))
    words = _inside(page.words, starts[1:], first[1:])
    inner = _inside(page.words, first, last)
    parents = page.page.nodes.parent[nodes]
    return {
        "dates_between": min(1.0, float(between.mean()) / 4),
        "dated_gaps": dated,
        "authors_between": float((authors > 0).mean()),
        "between_words": min(1.0, float(words.mean()) / 60) if len(words) else 0.5,
        "record_like": float((_inside(sums.dates, first, last) == 1).mean()),
        "dated_any": max(dated, float((_inside(sums.dates, first, last) > 0).mean())),
        "per_date": min(3.0, len(nodes) / (1.0 + float(sums.dates[-1]))) / 3,
        "per_parent": min(1.0, float(np.log2(len(nodes) / len(np.unique(parents)))) / 5),
        "all_dated": dated > _MOST,
        "all_authored": float((authors > 0).mean()) > _MOST,
        "parents_share": len(np.unique(parents)) / len(nodes),
        "inner_of_record": float((inner > words.mean() if len(words) else inner > 8).mean()),
        "fraction_of_parent": _share_of_parent(page, nodes),
        "covers_children": _share_of_single_children(page, nodes),
        "nested_not": _share_nested_not(page, nodes),
    }


def _share_of_parent(page: Outline, nodes: Ints) -> float:
    parents = np.unique(np.maximum(page.page.nodes.parent[nodes], 0))
    around = _inside(page.words, page.first[parents], page.last[parents]).sum()
    inside = _inside(page.words, page.first[nodes], page.last[nodes]).sum()
    return float(inside) / max(1.0, float(around))


def _share_of_single_children(page: Outline, nodes: Ints) -> float:
    """Share of the elements whose text is all in one child."""
    nodes = nodes[nodes + 1 < len(page.first)]
    inner = nodes + 1
    same = (page.first[inner] == page.first[nodes]) & (page.last[inner] == page.last[nodes])
    within = page.page.nodes.parent[inner] == nodes
    return float((same & within).mean()) if len(nodes) else 0.0


def _share_nested_not(page: Outline, nodes: Ints) -> float:
    """Share of the first elements with a descendant of the `not_body` kind."""
    hits, seen = 0, nodes[:5].tolist()
    for node in seen:
        end = min(int(page.page.nodes.end[node]), node + 200)
        hits += any(is_beside_words(page.names[inner]) for inner in range(node + 1, end))
    return hits / max(1, len(seen))


def _words_around(page: Outline, name: str, node: int) -> dict[str, float]:
    """Features of the classes of an element, and of the four around it."""
    own_kinds = kinds_of(words_of(own_name(name)))
    above = [*page.page.nodes.around(node, 5)][1:]
    near_kinds = {kind for up in above for kind in kinds_of(words_of(own_name(page.names[up])))}
    return {
        "own_body": "body" in own_kinds,
        "own_not": "not_body" in own_kinds,
        "own_author": "author" in own_kinds,
        "own_date": "date" in own_kinds,
        "own_record": "record" in own_kinds,
        "near_body": "body" in near_kinds,
        "near_not": "not_body" in near_kinds,
        "has_class": "." in own_name(name),
        "article": page.page.nodes.tags[node] in {"article", "blockquote", "pre"},
        "depth": len(above) / 4,
    }


def _repeats(page: Outline, nodes: Ints) -> dict[str, float]:
    """Share of words in masked texts that recur in other elements; share of distinct elements."""
    if len(nodes) < 2:
        return {"repeated": 0.0, "distinct": 1.0}
    owners = Counter[str]()
    for node in nodes.tolist():
        owners.update(set(page.masks[page.first[node] : page.last[node]]))
    counted = np.diff(page.words)
    repeated = 0
    for node in nodes.tolist():
        spans = range(int(page.first[node]), int(page.last[node]))
        repeated += sum(int(counted[run]) for run in spans if owners[page.masks[run]] > 1)
    words = _inside(page.words, page.first[nodes], page.last[nodes]).sum()
    heads = {page.masks[page.first[node] : page.last[node]] for node in nodes.tolist()}
    return {"repeated": repeated / max(1, int(words)), "distinct": len(heads) / len(nodes)}


def feature_rows(groups: Sequence[BodyGroup]) -> Floats:
    """Stack the features of all groups, shape (n, features)."""
    if not groups:
        return np.zeros((0, len(BODY_FEATURES)))
    return np.array([group.values for group in groups])


# the forum model and its folder: weights that rank groups of elements and label fields
#
# A folder holds `manifest.json` and `weights.json`; the manifest has the weights' length and
# SHA-256, and fingerprints of the features. Numbers are written with four decimals: equal models
# give equal bytes.

_ZEROS = (0.0,) * len(LABELS)
_KIND = "forum"


@dataclass(frozen=True)
class Linear:
    """A linear score of standardised values, clipped to four deviations."""

    mean: Floats
    scale: Floats
    weights: Floats

    def scores(self, values: Floats) -> Floats:
        """Score rows of values, shape (n,)."""
        scores: Floats = np.clip((values - self.mean) / self.scale, -4.0, 4.0) @ self.weights
        return scores


@dataclass(frozen=True)
class ForumModel:
    """Weights of `BODY_FEATURES`, of `EVIDENCE`, and of the fields' attributes by label."""

    bodies: Linear
    groups: Linear
    fields: Mapping[str, tuple[float, ...]]
    about: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits of the SHA-256 of the weights."""
        text = json.dumps(_weights(self), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def label(self, page_fields: ForumFields) -> Floats:
        """Return the probabilities of the fields' labels by maximum entropy, shape (n, 4)."""
        if not len(page_fields):
            return np.zeros((0, len(LABELS)))
        sums = {part: self._sum(part) for part in set(chain.from_iterable(page_fields.parts))}
        scores = [[sums[part] for part in parts] for parts in page_fields.parts]
        return softmax(np.array(scores).sum(axis=1))

    def _sum(self, part: tuple[str, ...]) -> tuple[float, ...]:
        weights = [self.fields[name] for name in part if name in self.fields]
        return tuple(map(sum, zip(*weights, strict=True))) if weights else _ZEROS


def save_forum_model(model: ForumModel, folder: Path) -> None:
    """Write a model folder; raises `ModelError`."""
    facts = {"labels": list(LABELS), "features": fingerprints(_KIND)}
    write_plain(folder, _KIND, facts, _weights(model), model.about)


def _weights(model: ForumModel) -> dict[str, Any]:
    """The weights as written to a file, rounded."""
    return {
        "bodies": _rounded_rows(model.bodies),
        "groups": _rounded_rows(model.groups),
        "fields": {
            name: [round(weight, 4) for weight in model.fields[name]]
            for name in sorted(model.fields)
        },
    }


def _rounded_rows(linear: Linear) -> list[list[float]]:
    rows = (linear.mean, linear.scale, linear.weights)
    return [[round(float(value), 4) for value in row] for row in rows]


def load_forum_model(name: str | Path = _KIND) -> ForumModel:
    """Load a forum model by its folder or the name of a shipped one; raises `ModelError`."""
    folder = find_model(name)
    with reading(folder):
        manifest = read_manifest(folder, _KIND, "forums")
        if manifest["labels"] != list(LABELS):
            raise ModelError(f"{folder}: labels {manifest['labels']} are not ours")
        check_features(folder, manifest["features"], fingerprints(_KIND))
        weights = read_weights(folder, manifest)
        fields = {
            str(key): _checked_row(row, len(LABELS)) for key, row in weights["fields"].items()
        }
        about = {str(key): manifest[key] for key in ("sets", "scores") if key in manifest}
        bodies = _linear(weights["bodies"], len(BODY_FEATURES))
        return ForumModel(bodies, _linear(weights["groups"], len(EVIDENCE)), fields, about)


def _checked_row(values: Sequence[float], size: int) -> tuple[float, ...]:
    row = tuple(float(value) for value in values)
    if len(row) != size or not np.isfinite(row).all():
        raise ValueError(f"expected {size} finite numbers")
    return row


def _linear(rows: Sequence[Sequence[float]], size: int) -> Linear:
    mean, scale, weights = (np.array(_checked_row(row, size)) for row in rows)
    if (scale <= 0).any():
        raise ValueError("a scale that is not above 0")
    return Linear(mean, scale, weights)
