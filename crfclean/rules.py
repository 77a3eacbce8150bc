"""Production systems: rules that remove candidates, with a trace of the reasons.

After Golovko and Lapin, "Representative and role model of the web page content" (2015), section 3:
a system has 5 to 10 rules, each an antecedent and a consequent over a store, and runs while one of
them applies. Rules only ever remove candidates; none comes back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from crfclean.types import CrfcleanError

MAX_RULES = 10
MAX_STEPS = 50  # every step removes a candidate or ends its rule; systems need fewer than 20

Removals = Mapping[int, str]
"""Candidate -> the reason for its removal."""


@dataclass(slots=True, eq=False)
class Store:
    """The state of a run: `facts` of the page, the `candidates` left, the notes of the rules.

    Candidates are indices of elements or blocks, in page order.
    """

    facts: Any
    candidates: list[int]
    notes: dict[str, Any] = field(default_factory=dict)


class Production(NamedTuple):
    """A rule: if `antecedent` holds for a store, `consequent` names the candidates to remove."""

    name: str
    antecedent: Callable[[Store], bool]
    consequent: Callable[[Store], Removals]


class Step(NamedTuple):
    """One application of a rule: what it removed, and how many candidates it left."""

    system: str
    rule: str
    removed: Removals
    left: int


class Conclusion(NamedTuple):
    """The candidates that a system leaves, and its steps."""

    candidates: tuple[int, ...]
    steps: tuple[Step, ...]

    @property
    def first(self) -> int:
        """The first candidate, -1 for none."""
        return self.candidates[0] if self.candidates else -1


@dataclass(frozen=True, slots=True)
class System:
    """A named production system. Raises `CrfcleanError` for too many rules."""

    name: str
    rules: Sequence[Production]

    def __post_init__(self) -> None:
        if not 0 < len(self.rules) <= MAX_RULES:
            raise CrfcleanError(f"{self.name}: {len(self.rules)} rules; 1 to {MAX_RULES} are meant")

    def run(self, facts: object, candidates: Sequence[int]) -> Conclusion:
        """Apply the first rule whose antecedent holds, again and again, until none does.

        A rule that removes nothing waits until another has removed something. Raises
        `CrfcleanError` for a rule that removes what is no candidate, or after `MAX_STEPS`.
        """
        store = Store(facts, list(candidates))
        steps = tuple(self._steps(store))
        return Conclusion(tuple(store.candidates), steps)

    def _steps(self, store: Store) -> Iterator[Step]:
        idle: set[str] = set()
        for _ in range(MAX_STEPS):
            active = (rule for rule in self.rules if rule.name not in idle)
            rule = next((rule for rule in active if rule.antecedent(store)), None)
            if rule is None:
                return
            removed = rule.consequent(store)
            foreign = removed.keys() - set(store.candidates)
            if foreign:
                raise CrfcleanError(
                    f"{self.name}: {rule.name} removed {min(foreign)}: no candidate"
                )
            if not removed:
                idle.add(rule.name)
                continue
            idle.clear()
            store.candidates = [item for item in store.candidates if item not in removed]
            yield Step(self.name, rule.name, removed, len(store.candidates))
        raise CrfcleanError(f"{self.name}: no end after {MAX_STEPS} steps")


# antecedents and consequents


def several(store: Store) -> bool:
    """Return whether more than one candidate is left."""
    return len(store.candidates) > 1


def some(store: Store) -> bool:
    """Return whether a candidate is left."""
    return bool(store.candidates)


def unless(
    name: str, antecedent: Callable[[Store], bool], keeps: Callable[[Any, int], bool], why: str
) -> Production:
    """Make a rule that removes the candidates for which a condition on the facts fails."""
    return Production(
        name,
        antecedent,
        lambda store: {item: why for item in store.candidates if not keeps(store.facts, item)},
    )


def best(
    worth: Callable[[Store, int], float], why: Callable[[float, float], str]
) -> Callable[[Store], Removals]:
    """Make a consequent that keeps the candidates of the highest worth.

    `why` makes the reason from the worth of a removed candidate and the largest one.
    """

    def consequent(store: Store) -> Removals:
        values = {item: worth(store, item) for item in store.candidates}
        most = max(values.values(), default=0.0)
        return {item: why(value, most) for item, value in values.items() if value < most}

    return consequent


def first_only(why: str) -> Callable[[Store], Removals]:
    """A consequent that keeps the first candidate in page order."""
    return lambda store: dict.fromkeys(store.candidates[1:], why)


def trace_text(steps: Sequence[Step], named: Callable[[str, int], str], most: int = 5) -> str:
    """Lines of text: which rule removed which candidates and why, at most `most` a step.

    `named` makes the name of a candidate from its system and index.
    """
    lines = []
    for step in steps:
        lines.append(f"{step.system}: {step.rule}: {len(step.removed)} removed, {step.left} left\n")
        for item, why in list(step.removed.items())[:most]:
            lines.append(f"    {named(step.system, item)}: {why}\n")
        if len(step.removed) > most:
            lines.append(f"    and {len(step.removed) - most} more\n")
    return "".join(lines)
