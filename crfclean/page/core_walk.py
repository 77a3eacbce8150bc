"""Walk a page's events by the compiled core, as `walk.Walk` does."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import Any

from crfclean.core import native
from crfclean.page import page_table
from crfclean.page import walk as walk_module
from crfclean.page.chars import shows
from crfclean.page.controls import visible, visible_formula
from crfclean.page.elements import (
    ADD_SPACE,
    BREAK,
    CODE_LINE,
    DROP,
    FLEXIBLE,
    LINK,
    ROOT,
    SPLIT,
    TEXT,
    displayed,
    is_json_ld,
    sets_apart,
)
from crfclean.page.limits import FullError, OverBlocksError
from crfclean.page.open_code import Code
from crfclean.page.walk import NO_ATTRIBUTES, Walk

_ACTIONS = (
    *(TEXT, DROP, ROOT, BREAK, ADD_SPACE, LINK, FLEXIBLE, CODE_LINE),
    *(SPLIT["br"], SPLIT["block"]),
)
_LISTS = ("tags", "attributes", "texts", "run_texts", "blanks", "discarded")
_NUMBERS = (
    *("actions", "parent", "node_end", "first_block", "end_block"),
    *("block_node", "block_split", "run_node", "run_after", "run_count"),
)


def _may_stand_for_formula(tag: str, attributes: Mapping[str, str]) -> bool:
    """`formulas.stands_for_formula`, imported for the first element that is asked about."""
    from crfclean.page.formulas import stands_for_formula

    return stands_for_formula(tag, attributes)


def _formula_walk(walk: Any) -> Any:
    """A `FormulaWalk`, imported for the first formula."""
    from crfclean.page.formulas import FormulaWalk

    return FormulaWalk(walk)


_QUESTIONS = (sets_apart, is_json_ld, shows, _may_stand_for_formula)
_CALLS = (*_QUESTIONS, FullError, OverBlocksError, _formula_walk, visible, visible_formula)


def core_walk(walk: Walk) -> Any:
    """A walk by the core with the parameters of a new one; None where the core does not do it.

    It leaves chosen elements to `Walk` itself.
    """
    params, core = walk.params, native.CORE
    if core is None or params.elements:
        return None
    most = -1 if params.max_blocks is None else params.max_blocks
    limits = (most, vars(walk_module)["MAX_DEPTH"], vars(page_table)["MAX_NODES"])  # as set there
    switches = (True, params.formulas, params.controls)
    roles = _roles(params.code) if params.code.is_cut else b""
    places = (walk.actions, params.block_level, roles, walk.aside, NO_ATTRIBUTES, switches)
    return core.Walk(*places, limits, _ACTIONS, (displayed, walk.hides, *_CALLS))


def _roles(code: Code) -> bytes:
    """The role of each element up to the last one with any; a unit is nothing else."""
    roles = bytearray(1 + max((0, *code.units, *code.apart, *code.numbers)))
    for role, nodes in ((3, code.numbers), (2, code.apart), (1, code.units)):  # as in native/walk.c
        for node in nodes:
            roles[node] = role
    return bytes(roles)


def take_over(walk: Walk, walked: Any) -> None:
    """Put what the core has walked into a new walk."""
    columns = walked.table()
    for name in _LISTS:
        setattr(walk.table, name, columns[name])
    for name in _NUMBERS:
        setattr(walk.table, name, array("i", columns[name]))
    walk.table.formulas = columns["formulas"]
    walk.holders = array("i", columns["holders"]).tolist()
    walk.chars, walk.torn = columns["chars"], columns["torn"]
    if columns["too_deep"]:
        walk.truncated = "depth"
