from crfclean.types import Bools, Floats, Ints

INPUTS: tuple[str, ...]

def borders_of(
    words: Floats,
    odds: Floats,
    kept: Bools,
    running: Bools,
    items: Bools,
    linked: Floats,
    likeness: Floats,
    marks: Ints,
    path: Ints,
    node: Ints,
    first: Ints,
    end: Ints,
    last: Ints,
    parent: Ints,
    depth: Ints,
) -> tuple[Ints, Ints, Floats]: ...
