from collections.abc import Callable, Iterable

from crfclean.core.table import Table
from crfclean.types import Bools, Floats, Ints

SCORE_INPUTS: tuple[str, ...]

def best_expected_f(probabilities: Floats, block_words: Floats, beta: float = 1.0) -> Bools: ...
def expected_scores(
    probabilities: Floats, block_words: Floats, keep: Bools
) -> tuple[float, float, float]: ...
def labelled(
    all_marginals: Floats, before: Floats, after: Floats, kept: Bools
) -> tuple[Ints, Floats]: ...
def smoothed_odds(share: float, least: float = ...) -> float: ...
def score_inputs(table: Table, comments: Bools, after: Floats, kept: Bools) -> list[float]: ...
def copied_blocks(table: Table, box: Ints, text: Ints, probability: Floats) -> Bools: ...
def add_spans(
    spans: Iterable[tuple[int, int, float]],
    rule: int,
    zones: Ints,
    kept: Bools,
    probability: Floats,
    rules: Ints,
) -> None: ...
def gaps_between(table: Table, kept: Bools, probability: Floats, has_code: bool) -> list[int]: ...
def torn_lists(
    table: Table,
    kept: Bools,
    probability: Floats,
    apart: Ints,
    is_list: Callable[[int, int], bool],
) -> list[int]: ...
def torn_records(
    table: Table, kept: Bools, probability: Floats
) -> list[tuple[int, int, float]]: ...
