"""Apply the decision rule to a page: tables as one, without the kinds that are left out.

With the compiled core that is one call (`decided` in `native/decision.c`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crfclean.core import native
from crfclean.taggers import whole_tables
from crfclean.taggers.decision import (
    BELOW_PRECISION,
    CERTAINLY_OTHER,
    LABELS,
    Choice,
    Cut,
    choice_of,
    cut_by_rule,
    is_plain_expectation,
)
from crfclean.taggers.params import CutParams
from crfclean.taggers.sure_kinds import LISTED, MOST_LISTED, left_out
from crfclean.taggers.whole_tables import pool
from crfclean.types import Bools, Floats, Ints, Label, Tags

_LISTED = np.array(LISTED, np.int32)
_BOUNDS = np.array([MOST_LISTED, *whole_tables.BOUNDS])


class RuleInputs(NamedTuple):
    """What the rule reads of n blocks beside their probabilities.

    `words` (n,); the `choice` of kinds; the `tables`, the kinds that are `sure`, and the blocks
    that are left out by name (`without`), shape (n,) each, as in `learned.BlockFacts`.
    """

    params: CutParams
    words: Floats
    choice: Choice | None = None
    tables: Ints | None = None
    sure: Ints | None = None
    without: Bools | None = None


def for_core(inputs: RuleInputs) -> RuleInputs:
    """The same in arrays of the types that the core takes."""
    params, words, choice, tables, sure, without = inputs
    return RuleInputs(
        params,
        np.ascontiguousarray(words, np.float64),
        choice,
        None if tables is None else np.ascontiguousarray(tables, np.int64),
        None if sure is None else np.ascontiguousarray(sure, np.int32),
        without,
    )


def choice_by_name(
    coarse: Ints, fine: Ints | None, params: CutParams, also: Bools | None, excluded: Bools | None
) -> Choice | None:
    """The choice of blocks of these `CoarseKind`s and `Kind`s (n,), None where all may be kept.

    It has the blocks that are asked for by name (`also`, (n,)), and none that is left out so.
    """
    choice = choice_of(coarse, params.keep, fine) if params.keep and len(coarse) else None
    if choice is not None and also is not None:
        choice = Choice(choice.barred & ~also, choice.titles)
    if excluded is None:
        return choice
    if choice is None:
        return Choice(excluded, np.zeros(len(excluded), np.bool_))
    return Choice(choice.barred | excluded, choice.titles & ~excluded)


def decided(marginals: Floats, best: Ints, inputs: RuleInputs, others: Bools | None = None) -> Tags:
    """Tags from marginals (n, 3) and labels (n,), which may be empty, as in `learned.decide`.

    The blocks `others` (n,) are OTHER for certain. The tags' `sure` are those left out for their
    kind or by name.
    """
    if native.CORE is not None and len(marginals) and is_plain_expectation(inputs.params):
        by_core = _decided_by_core(marginals, inputs, others)
        if by_core is not None:
            return by_core
    if others is not None:
        marginals, best = without(marginals, best, others)
    if inputs.tables is not None:
        marginals = pool(marginals, inputs.words, inputs.tables)
    barred = _barred(marginals, best, inputs)
    if barred is not None:
        marginals, best = without(marginals, best, barred)
    labels, adapted, score = _cut(marginals, best, inputs)
    is_refused = inputs.params.rule == "precision" and not (labels != Label.OTHER).any()
    refusal = BELOW_PRECISION if is_refused else ""
    return Tags(labels, adapted, score, refusal=refusal, sure=barred)


def without(marginals: Floats, best: Ints, barred: Bools) -> tuple[Floats, Ints]:
    """Marginals (n, 3) and labels (n,), which may be empty, with these blocks OTHER for certain."""
    labels = np.where(barred, Label.OTHER, best).astype(np.int32) if len(best) else best
    return np.where(barred[:, None], CERTAINLY_OTHER, marginals), labels


def _barred(marginals: Floats, best: Ints, inputs: RuleInputs) -> Bools | None:
    """The blocks (n,) that are left out for their kind whatever the model says, None for none."""
    if inputs.sure is None or not inputs.sure.any():
        return inputs.without
    labels = _cut(marginals, best, inputs).labels
    barred = left_out(inputs.sure, inputs.words, labels != Label.OTHER)
    return barred if inputs.without is None else barred | inputs.without


def _cut(marginals: Floats, best: Ints, inputs: RuleInputs) -> Cut:
    """The decision by the rule and the convention."""
    return cut_by_rule(marginals, best, inputs.words, inputs.choice, inputs.params)


def _decided_by_core(marginals: Floats, inputs: RuleInputs, others: Bools | None) -> Tags | None:
    """The same for the rule "expected_f1" by the core; None where a number is not finite."""
    barred, titles = (None, None) if inputs.choice is None else inputs.choice
    flags = (barred, titles, others, inputs.without, inputs.sure, inputs.tables)
    by_core = native.CORE.decided(
        *(np.ascontiguousarray(marginals, np.float64), inputs.words),
        *(b"" if array is None else array for array in flags),
        *(_LISTED, _BOUNDS),
    )
    if by_core is None:
        return None
    labels, adapted, score, left = by_core
    if any(change is not None for change in (inputs.choice, inputs.tables, others, left)):
        marginals = np.frombuffer(adapted, np.float64).reshape(-1, LABELS)
    sure = None if left is None else np.frombuffer(left, np.bool_)
    return Tags(np.frombuffer(labels, np.int32), marginals, score, sure=sure)
