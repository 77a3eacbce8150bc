from collections.abc import Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from crfclean.types import Bools, Floats, Formula, Ints

COLUMNS: tuple[str, ...]
CHAR_SETS: tuple[str, ...]
TREE_NAMES: tuple[str, ...]
COUNT_NAMES: tuple[str, ...]
FAR: int

class Items(Sequence[Any]):
    def __len__(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...
    @overload
    def __getitem__(self, place: int) -> Any: ...
    @overload
    def __getitem__(self, place: slice) -> Items: ...
    def having(self, names: tuple[str, ...]) -> list[int]: ...
    def values(self, name: str) -> tuple[Ints, Sequence[str]]: ...

class Table:
    # of the walk
    formulas: dict[int, Formula]
    tag_names: tuple[str, ...]
    tags: tuple[str, ...]
    classes: tuple[str, ...]
    texts: tuple[str, ...]
    plain_texts: tuple[str, ...]
    attributes: Items
    run_texts: Items
    asides: tuple[tuple[int, int, int, int, str | int], ...]
    title: str
    json_ld: tuple[str, ...]
    readings: dict[int, str]
    blanks: tuple[tuple[int, int, int, str], ...]
    discarded: tuple[tuple[int, int, int], ...]
    hidden: dict[int, int]
    chars_read: int
    noscript_chars: int
    torn: bool
    has_frames: bool
    has_marks: bool
    is_over: bool
    truncated: str
    # arrays of the tree
    tag: Ints
    node: Ints
    split: Ints
    parent: Ints
    end: Ints
    first_block: Ints
    end_block: Ints
    is_inline: Bools
    class_number: Ints
    actions: Ints
    holder: Ints
    code_node: Ints
    run_node: Ints
    run_block: Ints
    run_after: Ints
    # counts
    words: Floats
    sizes: Ints
    by_class: Ints
    token_kinds: Ints
    capitalised: Floats
    sentence_ends: Floats
    marks: Floats
    likely: npt.NDArray[np.uint8]
    run_chars: Floats
    # what words say
    name_bits: Ints
    typed: Ints
    is_author: Bools
    phrase: Ints
    phrase_kind: Ints
    networks: Bools
    title_likeness: Floats
    title_weighted: Floats
    title_single: Floats
    description_cover: Floats
    body_cover: Floats
    link_bits: npt.NDArray[np.uint8]
    text_numbers: Ints
    urls: Floats
    dates: Floats
    times: Floats
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
    def __init__(
        self,
        *,
        texts: tuple[str, ...],
        runs: tuple[str, ...],
        tag_names: tuple[str, ...] = (),
        classes: tuple[str, ...] = (),
        attributes: Sequence[Any] = (),
        asides: Sequence[tuple[int, int, int, int, str | int]] = (),
        formulas: dict[int, Formula] = {},
        **arrays: Any,
    ) -> None: ...
    def named(self) -> dict[str, Any]: ...
    def blocks_in(self, node: int) -> range: ...
    def around(self, node: int, most: int | None = None) -> list[int]: ...
    def attribute(self, name: str) -> tuple[Ints, Sequence[str]]: ...
    def is_tag(self, *tags: str) -> Bools: ...
    def within(self, *tags: str) -> Ints: ...
    def nearest(self, mask: Bools) -> Ints: ...
    def fill(self, places: npt.NDArray[np.int32], rows: npt.NDArray[Any]) -> None: ...
