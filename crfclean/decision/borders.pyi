import numpy as np
import numpy.typing as npt

from crfclean.types import Bools, Floats, Ints

INPUTS: tuple[str, ...]

def borders_of(
    words: Floats,
    probability: Floats,
    kept: Bools,
    running: Bools,
    items: Bools,
    linked: Floats,
    likeness: Floats,
    heading: Bools,
    kind: Ints,
    group: Ints,
    opening: npt.NDArray[np.uint8],
    teaser: int,
    legal: int,
    path: Ints,
    node: Ints,
    first: Ints,
    end: Ints,
    last: Ints,
    parent: Ints,
    depth: Ints,
) -> tuple[Ints, Ints, Floats]: ...
