from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from crfclean.types import Bools, Floats, Ints

COLUMNS: tuple[str, ...]
CHAR_SETS: tuple[str, ...]
FAR: int

class Table:
    # arrays of the tree
    words: Floats
    tag: Ints
    node: Ints
    parent: Ints
    # arrays of markup and texts
    name: Ints
    phrase: Ints
    title_likeness: Floats
    steps: npt.NDArray[np.uint8]
    # derived arrays
    chars: Floats
    link_chars: Floats
    linked: Floats
    link_words: Floats
    running: Floats
    is_long: Bools
    in_heading: Bools
    in_item: Bools
    start: Ints
    depth: Ints
    inside: Ints
    wider: Ints
    spans: Ints
    path_keys: Ints
    parent_keys: Ints
    card_keys: Ints
    page_figures: Floats

    has_columns: bool
    tag_names: tuple[str, ...]
    def __init__(self, tag_names: Iterable[str], **arrays: Any) -> None: ...
    def add_markup(
        self, typed_groups: int, named_groups: int, all_phrases: int, **arrays: Any
    ) -> None: ...
    def add_texts(self, **arrays: Any) -> None: ...
    def nearest(self, mask: Bools) -> Ints: ...
    def fill(self, places: npt.NDArray[np.int32], rows: npt.NDArray[Any]) -> None: ...
