"""Candidates + rules -> the candidates that no rule removes, and the trace of why.

A production system after Golovko and Lapin, "Representative and role model of the web page content"
(2015), section 3: 5 to 10 rules of antecedent and consequent over a store of its own, run while
one of them applies. Candidates are only ever narrowed; nothing is taken back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from crfclean.types import CrfcleanError

MAX_RULES = 10
MAX_STEPS = 50  # every step removes a candidate or ends its rule; systems need fewer than 20

Removals = Mapping[int, str]
"""Candidate -> why it is removed."""


@dataclass(slots=True)
class Store:
    """What one run of a system knows: `facts` of the page, the `candidates` left, notes of rules.

    Candidates are numbers of elements or blocks, in page order.
    """

    facts: Any
    candidates: list[int]
    notes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rule:
    """If `antecedent` holds of a store, `consequent` names the candidates to remove."""

    name: str
    antecedent: Callable[[Store], bool]
    consequent: Callable[[Store], Removals]


@dataclass(frozen=True, slots=True)
class Step:
    """One rule that was applied: what it removed, and how many candidates were left."""

    system: str
    rule: str
    removed: Removals
    left: int


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The candidates left by a system, and its steps."""

    candidates: tuple[int, ...]
    steps: tuple[Step, ...]

    @property
    def first(self) -> int:
        """The first candidate left, -1 for none."""
        return self.candidates[0] if self.candidates else -1


@dataclass(frozen=True, slots=True)
class System:
    """A named production system. Raises `CrfcleanError` for too many rules."""

    name: str
    rules: Sequence[Rule]

    def __post_init__(self) -> None:
        if not 0 < len(self.rules) <= MAX_RULES:
            raise CrfcleanError(f"{self.name}: {len(self.rules)} rules; 1 to {MAX_RULES} are meant")

    def run(self, facts: object, candidates: Sequence[int]) -> Conclusion:
        """Apply the first rule that applies, over and over, until none does.

        A rule that removes nothing is not tried again before another has removed something.
        Raises `CrfcleanError` for a rule that removes what is no candidate, or without end.
        """
        store = Store(facts, list(candidates))
        steps = tuple(self._steps(store))
        return Conclusion(tuple(store.candidates), steps)

    def _steps(self, store: Store) -> Iterator[Step]:
        idle: set[str] = set()
        for _ in range(MAX_STEPS):
            rule = next((one for one in self.rules if self._applies(one, store, idle)), None)
            if rule is None:
                return
            removed = rule.consequent(store)
            strange = removed.keys() - set(store.candidates)
            if strange:
                raise CrfcleanError(
                    f"{self.name}: {rule.name} removed {min(strange)}: no candidate"
                )
            if not removed:
                idle.add(rule.name)
                continue
            idle.clear()
            store.candidates = [one for one in store.candidates if one not in removed]
            yield Step(self.name, rule.name, removed, len(store.candidates))
        raise CrfcleanError(f"{self.name}: no end after {MAX_STEPS} steps")

    def _applies(self, rule: Rule, store: Store, idle: set[str]) -> bool:
        return rule.name not in idle and rule.antecedent(store)


# what rules are made of


def several(store: Store) -> bool:
    """Whether more than one candidate is left."""
    return len(store.candidates) > 1


def some(store: Store) -> bool:
    """Whether a candidate is left."""
    return bool(store.candidates)


def unless(wanted: Callable[[Store, int], bool], why: str) -> Callable[[Store], Removals]:
    """A consequent that removes all candidates but those wanted."""
    return lambda store: {one: why for one in store.candidates if not wanted(store, one)}


def best(
    worth: Callable[[Store, int], float], why: Callable[[float, float], str]
) -> Callable[[Store], Removals]:
    """A consequent that keeps the candidates of most worth; `why` gets theirs and the most."""

    def consequent(store: Store) -> Removals:
        values = {one: worth(store, one) for one in store.candidates}
        most = max(values.values(), default=0.0)
        return {one: why(value, most) for one, value in values.items() if value < most}

    return consequent


def first_only(why: str) -> Callable[[Store], Removals]:
    """A consequent that keeps the first candidate in page order."""
    return lambda store: dict.fromkeys(store.candidates[1:], why)


def trace_text(steps: Sequence[Step], named: Callable[[str, int], str], most: int = 5) -> str:
    """Which rule removed which candidate and why, `most` candidates a step.

    `named` is given the system and the candidate.
    """
    lines = []
    for step in steps:
        lines.append(f"{step.system}: {step.rule}: {len(step.removed)} removed, {step.left} left\n")
        for one, why in list(step.removed.items())[:most]:
            lines.append(f"    {named(step.system, one)}: {why}\n")
        if len(step.removed) > most:
            lines.append(f"    and {len(step.removed) - most} more\n")
    return "".join(lines)
