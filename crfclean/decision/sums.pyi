from collections.abc import Callable

from crfclean.types import Bools, Floats, Ints

def best_expected_f(probabilities: Floats, block_words: Floats, beta: float = 1.0) -> Bools: ...
def torn_lists(
    words: Floats,
    kept: Bools,
    items: Bools,
    linked: Floats,
    probability: Floats,
    is_list: Callable[[int, int], bool],
) -> list[int]: ...
def torn_records(
    words: Floats,
    kept: Bools,
    probability: Floats,
    first: Ints,
    end: Ints,
    parent: Ints,
    tag: Ints,
) -> list[tuple[int, int, float]]: ...
