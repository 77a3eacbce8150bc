"""The words for a feature of a block, such as "many links", from `phrases.toml`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from crfclean.io import read_toml
from crfclean.types import Reason

FOR, AGAINST, EITHER = 1, -1, 0
"""What a phrase is a reason for: keeping a block, dropping it, or either."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """The words for a feature: `high` for values over `above`, else `low`; "" for none.

    `speaks` says what `high` is a reason for; `low` is a reason for the opposite.
    """

    high: str = ""
    low: str = ""
    above: float = 0.0
    speaks: int = EITHER

    def of(self, value: float, weight: float) -> str:
        """Return the words for a value, "" if the weight contradicts them."""
        is_high = value > self.above
        speaks = self.speaks if is_high else -self.speaks
        words = self.high if is_high else self.low
        return words if speaks * weight >= 0 else ""


def _phrases() -> Iterator[tuple[str, Phrase]]:
    tables = read_toml(Path(__file__).with_name("phrases.toml"))
    for name, speaks in (("kept", FOR), ("dropped", AGAINST), ("either", EITHER)):
        for feature, words in tables[name].items():
            yield feature, Phrase(**words, speaks=speaks)


PHRASES: Mapping[str, Phrase] = dict(_phrases())
"""Feature -> its words."""


def phrase_of(feature: str, value: float, weight: float) -> str:
    """Return the words for a feature with this value and weight, "" if there are none.

    >>> phrase_of("link_density", 0.9, -1.2), phrase_of("link_density", 0.9, 0.3)
    ('many links', '')
    """
    phrase = PHRASES.get(feature)
    return "" if phrase is None else phrase.of(value, weight)


ASKED_REASONS = 12
"""Number of reasons to ask a tagger for, so that enough of them have words."""

MAX_BECAUSE, MAX_BUT, MAX_FIGURES = 4, 2, 10
_LEAST_SHARE = 0.1  # of the largest weight: words with less are left out


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a block was kept or dropped: `because` speaks for it, `but` against it.

    `figures` are the reasons behind these words, then the weightiest others.
    """

    because: tuple[str, ...] = ()
    but: tuple[str, ...] = ()
    figures: tuple[Reason, ...] = ()


def in_words(reasons: Sequence[Reason], *, kept: bool) -> Explanation:
    """Put the reasons of a block into words; features with the same words count together."""
    weights: dict[str, float] = {}
    for reason in reasons:
        words = phrase_of(reason.feature, reason.value, reason.weight)
        if words:
            weights[words] = weights.get(words, 0.0) + reason.weight
    heaviest = max(map(abs, weights.values()), default=0.0)
    ordered = sorted(weights, key=lambda words: (-abs(weights[words]), words))
    heavy = [words for words in ordered if abs(weights[words]) >= _LEAST_SHARE * heaviest > 0]
    because = tuple(words for words in heavy if (weights[words] > 0) == kept)[:MAX_BECAUSE]
    but = tuple(words for words in heavy if (weights[words] > 0) != kept)[:MAX_BUT]
    said = {*because, *but}
    return Explanation(because, but, tuple(_figures(reasons, said)))


def _figures(reasons: Sequence[Reason], said: set[str]) -> list[Reason]:
    """Return the reasons behind the words, then the others, each by weight."""
    behind = [
        reason
        for reason in reasons
        if phrase_of(reason.feature, reason.value, reason.weight) in said
    ]
    others = [reason for reason in reasons if reason not in behind]
    by_weight = [sorted(part, key=lambda reason: -abs(reason.weight)) for part in (behind, others)]
    return [*by_weight[0], *by_weight[1]][:MAX_FIGURES]


def words_and_links(words: float, link_share: float) -> str:
    """Return the length of a block and its share of links: "3 words, all inside links"."""
    count = round(words)
    length = "less than a word" if not count else "1 word" if count == 1 else f"{count:,} words"
    if link_share <= 0:
        return f"{length}, no links"
    if link_share > 0.99:
        return f"{length}, all inside links"
    return f"{length}, {max(1, round(100 * link_share))} % of the characters inside links"
