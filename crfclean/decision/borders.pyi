from crfclean.core.table import Table
from crfclean.types import Bools, Floats, Ints

INPUTS: tuple[str, ...]

def borders_of(
    table: Table, probability: Floats, kept: Bools, kind: Ints
) -> tuple[Ints, Ints, Floats]: ...
