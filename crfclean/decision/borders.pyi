from crfclean.core.table import Table
from crfclean.types import Bools, Floats, Ints

BORDER_INPUTS: tuple[str, ...]
HEADING_REACH: tuple[int, int]

def highest_score(inputs: Floats, weights: Floats, all_inputs: int) -> float: ...
def borders_of(
    table: Table, probability: Floats, kept: Bools, kind: Ints
) -> tuple[Ints, Ints, Floats, list[int]]: ...
