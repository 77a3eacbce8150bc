from collections.abc import Callable

from crfclean.core.table import Table
from crfclean.types import Bools, Floats, Ints

INPUTS: tuple[str, ...]

def best_expected_f(probabilities: Floats, block_words: Floats, beta: float = 1.0) -> Bools: ...
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
def borders_of(
    table: Table, probability: Floats, kept: Bools, kind: Ints
) -> tuple[Ints, Ints, Floats]: ...
