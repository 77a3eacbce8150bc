"""Elements of posts that their names do not group: too many share a name, or too few."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

_NAMED = re.compile(r"[.#]")
_FEWEST_PARENTS = 2
_MOST_PLACES = 6  # of elements of one name in a parent that are told apart by their place
_MOST = 0.8  # share of the parents that have as many of them as most
_DIGITS = re.compile(r"\d+")
_MAX_CLASSES = 8  # of an element
_MAX_NAME = 160  # characters
_FEWEST = 3  # elements of a coarse group
_FEWEST_SHAPES = 2  # of ids, from which elements mean different things


def is_nameless(name: str) -> bool:
    """Whether elements of a name have neither class nor numbered id.

    >>> is_nameless("tr.post>td"), is_nameless("td.post")
    (True, False)
    """
    return not _NAMED.search(name.rpartition(">")[2])


def places_in_parents(parents: Sequence[int], members: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield place (from 1) and element, if nearly all parents have equally many of the elements.

    Two cells of every row are head and body of a post; paragraphs are told apart by nothing.

    >>> list(places_in_parents([1, 1, 4, 4], [2, 3, 5, 6]))
    [(1, 2), (2, 3), (1, 5), (2, 6)]
    """
    sizes = Counter(parents)
    ((size, count),) = Counter(sizes.values()).most_common(1) or [(0, 0)]
    if not 1 < size <= _MOST_PLACES or count < max(_FEWEST_PARENTS, _MOST * len(sizes)):
        return
    places = Counter[int]()
    for parent, node in zip(parents, members, strict=True):
        places[parent] += 1
        if places[parent] <= size:
            yield places[parent], node


def coarse_names(
    tags: Sequence[str], attributes: Sequence[Mapping[str, str]], parents: Sequence[int]
) -> list[str]:
    """Name elements by tag and their commonest class alone; those without by their parent.

    So are those of a class that few elements have inside the parents' kind, as `ann-says`. Blogs
    give a comment the classes `comment odd depth-2 by-ann`, which few others share.

    >>> coarse_names(["li", "li"], [{"class": "c odd"}, {"class": "by-ann c"}], [-1, -1])
    ['li.c', 'li.c']
    """
    shared = _counts(tags, attributes)
    words = [_commonest(*node, shared) for node in zip(tags, attributes, strict=True)]
    counts = Counter(zip(tags, words, strict=True))
    names = list[str]()
    for tag, word, parent in zip(tags, words, parents, strict=True):
        above = counts[tags[parent], words[parent]] if parent >= 0 and words[parent] else 0
        if word and counts[tag, word] >= _MOST * above:
            names.append(f"{tag}.{word}")
        else:
            names.append((f"{names[parent]}>{tag}" if parent >= 0 else tag)[-_MAX_NAME:])
    return names


def _counts(
    tags: Sequence[str], attributes: Sequence[Mapping[str, str]]
) -> Counter[tuple[str, str]]:
    """How many elements have each tag and class."""
    return Counter(
        (tag, word)
        for tag, node in zip(tags, attributes, strict=True)
        if "class" in node
        for word in _classes(node)
    )


def _classes(node: Mapping[str, str]) -> list[str]:
    """Classes of an element, digits masked, sorted."""
    return sorted({_DIGITS.sub("#", word) for word in node.get("class", "").split()[:_MAX_CLASSES]})


def _commonest(tag: str, node: Mapping[str, str], counts: Mapping[tuple[str, str], int]) -> str:
    """The class of an element that most elements of its tag have, "" for none."""
    return (
        max(_classes(node), key=lambda word: counts[tag, word], default="")
        if "class" in node
        else ""
    )


def merged(
    groups: Mapping[str, list[int]], names: Sequence[str], attributes: Sequence[Mapping[str, str]]
) -> dict[str, list[int]]:
    """Groups by coarse name that join elements of several names, and hold more than any of them.

    Not those of elements with ids of several shapes: vBulletin 3 has the author's name in
    `postmenu_7` and the words in `post_message_7`, both in cells whose classes differ in a digit.
    """
    return {
        coarse: members
        for coarse, members in groups.items()
        if len(members) >= _FEWEST
        and len({names[node] for node in members}) > 1
        and _shapes(members, attributes) < _FEWEST_SHAPES
    }


def _shapes(members: Sequence[int], attributes: Sequence[Mapping[str, str]]) -> int:
    """Number of shapes of ids, digits masked, that several of the elements have."""
    ids = (attributes[node].get("id", "") for node in members)
    counts = Counter(_DIGITS.sub("#", name) for name in ids if _DIGITS.search(name))
    return sum(count > 1 for count in counts.values())
