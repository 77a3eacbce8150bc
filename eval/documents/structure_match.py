"""Units of a page that a system's output has kept right, by kind.

A heading is right with its level, a list item with its kind of list and its depth, a code block
with all its lines, a table with all its cells in their places; near right is the same text as an
element of that kind. Texts match from a similarity of 0.9 on (rapidfuzz's ratio of the longest
common subsequence), without case and white space; the lines of code match exactly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rapidfuzz.fuzz import ratio

from eval.documents.main_units import in_text
from eval.documents.page_units import KINDS, Outline, Unit, folded

MIN_RATIO = 90.0  # of 100: texts that are the same but for a mark
MIN_CELLS = 0.9  # share of cells in common that makes two tables nearly the same


@dataclass(frozen=True, slots=True)
class Kept:
    """Units of a kind on a page: how many there are, how many the output says, what is right.

    `there` are those of the main part, `present` those of them whose text the output has; `right`
    and `near` (the right ones included) are found in the output. `said` are those of the output
    whose text is in the main part, `true` those of them that the page has, in any part.
    """

    there: int = 0
    present: int = 0
    said: int = 0
    right: int = 0
    near: int = 0
    true: int = 0


def compared(outline: Outline, gold: str, output: Outline) -> dict[str, Kept]:
    """Kind of unit -> what an output kept of a page's main part, which is the gold text."""
    truth = in_text(outline, gold)
    kept = {id(unit) for unit in in_text(outline, output.text)}
    output_units = in_text(output, gold)
    by_kind = {}
    for kind in KINDS:
        page_units = [unit for unit in truth if unit.kind == kind and not unit.doubtful]
        right, near = _found(page_units, [unit for unit in output.units if unit.kind == kind])
        units_of_output = [unit for unit in output_units if unit.kind == kind]
        true, said_count = _true(
            [unit for unit in outline.units if unit.kind == kind], units_of_output
        )
        present = sum(id(unit) in kept for unit in page_units)
        by_kind[kind] = Kept(len(page_units), present, said_count, right, right + near, true)
    return by_kind


def _found(truth: Sequence[Unit], output: Sequence[Unit]) -> tuple[int, int]:
    """How many units are right in an output, and how many of the others nearly."""
    right = _pairs(truth, output, exact=True)
    rest, left = _unpaired(truth, output, right)
    return len(right), len(_pairs(rest, left, exact=False))


def _true(page: Sequence[Unit], output: Sequence[Unit]) -> tuple[int, int]:
    """How many units of an output are right, of how many that are not doubtful."""
    right = _pairs([unit for unit in page if not unit.doubtful], output, exact=True)
    _, left = _unpaired(page, output, right)
    doubtful = _pairs([unit for unit in page if unit.doubtful], left, exact=False)
    _, wrong = _unpaired((), left, doubtful)
    return len(right), len(right) + sum(not unit.doubtful for unit in wrong)


def _unpaired(
    truth: Sequence[Unit], output: Sequence[Unit], pairs: Mapping[int, int]
) -> tuple[list[Unit], list[Unit]]:
    """The units of both that are in no pair."""
    taken = set(pairs.values())
    return (
        [unit for place, unit in enumerate(truth) if place not in pairs],
        [unit for place, unit in enumerate(output) if place not in taken],
    )


def _pairs(truth: Sequence[Unit], output: Sequence[Unit], *, exact: bool) -> dict[int, int]:
    """Place in the truth -> place in the output, each at most once, in their order."""
    places: dict[int, int] = {}
    taken: set[int] = set()
    for place, unit in enumerate(truth):
        for at, other in enumerate(output):
            if at not in taken and _matches(unit, other, exact=exact):
                places[place] = at
                taken.add(at)
                break
    return places


def _matches(unit: Unit, other: Unit, *, exact: bool) -> bool:
    if unit.kind == "table":
        return other.facts[0] in unit.facts if exact else _cells_match(unit, other)
    if unit.kind == "code block":
        right = other.key in (unit.key, *unit.facts)
        return right if exact else folded(unit.key) == folded(other.key)
    if exact and unit.facts != other.facts:
        return False
    return unit.key == other.key or ratio(unit.key, other.key, score_cutoff=MIN_RATIO) > 0


def _cells_match(unit: Unit, other: Unit) -> bool:
    cells, other_cells = (
        Counter(cell for row in table.facts[0] for cell in row) for table in (unit, other)
    )
    both = (cells & other_cells).total() if cells else 0
    return 2 * both >= MIN_CELLS * (cells.total() + other_cells.total())
