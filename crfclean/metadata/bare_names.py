"""Candidates of authors that no word introduces: names alone, beside a date, behind "©"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from crfclean.metadata.candidates import Candidate
from crfclean.metadata.dates import DateSpan
from crfclean.metadata.names import Names
from crfclean.metadata.survey import Survey

MAX_LISTED = 8  # names that stand together
_MAX_CHARS = 80  # of a line of names
_MAX_ALONE = 6  # blocks from the heading to a line of names
NEXT = 3  # blocks from the heading to what stands right below it, at most
_MAX_GAP = 3  # blocks between two names that stand together
_MAX_FOOTER_BLOCKS = 30  # last blocks that may name the owner of the copyright

# "Ann Lee", "Ludwig van der Berg", "E. J. Roe"
_CAPITALISED = r"[^\W\d_a-z][\w'’.-]{0,20}"
_PARTICLE = "(?:v[ao]n|de[rnl]?|d[aiu]|la|le|ter|dos|das|zu|bin|al|el)"
_FULL_NAME = re.compile(rf"{_CAPITALISED} (?:(?:{_CAPITALISED}|{_PARTICLE}) ){{0,2}}{_CAPITALISED}")
_CAPITAL = re.compile(r"[^\W\d_a-z]")
_EDGES = " |•·–—-/,;:.()"
# "© 2019-2024 Ann Lee. All rights reserved"
_OWNER = re.compile(
    r"(?i:©|\(c\)|copyright)[\s©(c)]{0,6}(?:[\d\s–-]{4,12})?(?:by )?"
    rf"(?P<who>[^\W\d_a-z][\w'’-]{{1,20}}(?: {_CAPITALISED}){{1,2}}?)(?=\s*(?:$|[|.,•·–—-]))"
)


def bare_names(
    text: str, day: DateSpan | None, distance: int, node: int, names: Names
) -> Iterator[Candidate]:
    """The names of a short line near the heading that has nothing else, or else a date.

    `day` is the line's first date; `distance` counts the blocks from the heading to the line.
    """
    if len(text) > _MAX_CHARS or (day is None and not 0 < distance <= _MAX_ALONE):
        return
    where = "next" if 0 < distance <= NEXT else "after" if distance > 0 else "before"
    parts = [text] if day is None else [text[: day.start], text[day.end :]]
    place = f"{where} alone" if day is None else f"{where} date line"
    for part in parts:
        if is_list_of_names(part.strip(_EDGES), names):
            yield Candidate("author", (part.strip(_EDGES),), "name", place, node)


def is_list_of_names(text: str, names_in: Names) -> bool:
    """Whether a text is full names and nothing else.

    >>> texts = ("Ann Lee, Bob Roe", "Ann Lee on tea", "Tea")
    >>> [is_list_of_names(text, Names()) for text in texts]
    [True, False, False]
    """
    if len(_CAPITAL.findall(text)) < 2:  # every name has two
        return False
    names = names_in[text]
    joints = 6 * len(names)  # characters between two names
    is_all = len(text) <= sum(map(len, names)) + joints - 6
    return bool(names) and is_all and all(map(_FULL_NAME.fullmatch, names))


def owner_candidates(survey: Survey) -> Iterator[Candidate]:
    """The person behind the sign of the copyright in the last blocks."""
    blocks = survey.blocks
    for block in range(max(0, len(blocks) - _MAX_FOOTER_BLOCKS), len(blocks)):
        match = _OWNER.search(blocks.texts[block][:200])
        if match and is_list_of_names(match["who"], survey.names):
            yield Candidate("author", (match["who"],), "copyright", node=int(blocks.node[block]))
            return


def names_together(candidates: Sequence[Candidate], survey: Survey) -> Iterator[Candidate]:
    """Names of one source that stand together, as one statement: a link for each author."""
    first = survey.blocks.nodes.first_block
    by_source: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        of_author = candidate.kind == "author" and candidate.node >= 0
        if of_author and len(survey.names[candidate.texts[0]]) == 1:
            by_source.setdefault(candidate.key, []).append(candidate)
    for same in by_source.values():
        same.sort(key=lambda candidate: candidate.node)
        group = same[:1]
        for before, candidate in pairwise(same):
            if int(first[candidate.node]) - int(first[before.node]) > _MAX_GAP:
                yield from _as_one(group, survey.names)
                group = []
            group.append(candidate)
        yield from _as_one(group, survey.names)


def _as_one(group: Sequence[Candidate], names_in: Names) -> Iterator[Candidate]:
    names = tuple(dict.fromkeys(name for item in group for name in names_in[item.texts[0]]))
    if 1 < len(names) <= MAX_LISTED:
        place = f"{group[0].place} together".strip()
        yield Candidate("author", names, group[0].source, place, group[0].node)
