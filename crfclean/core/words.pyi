from typing import Any

import numpy as np
import numpy.typing as npt

from crfclean.core.table import Table
from crfclean.types import Bools, Floats, Ints

class Words:
    def __init__(self, bits: dict[Any, int], *, begins: frozenset[str] = ...) -> None: ...

class Phrases:
    def __init__(self, numbers: dict[str, int]) -> None: ...
    def within(self, text: str) -> int: ...

class Vocabulary:
    def __init__(self, *, bits: dict[str, int], groups: int, marks: str, counted: str) -> None: ...
    def of_title(self, title: str) -> Floats: ...
    def of_table(self, table: Table, words: float) -> Floats: ...

def number_texts(table: Table) -> Ints: ...
def pair_bits(
    *,
    class_number: Ints,
    classes: list[str],
    id_number: Ints,
    ids: list[str],
    words: Words,
    most: int,
) -> tuple[Ints, Ints]: ...
def href_bits(
    hrefs: list[str],
    *,
    words: Words,
    hosts: Words,
    actions: tuple[bytes, ...],
    tagged: int,
    sharing: int,
    most_home: int,
    cut: int,
) -> npt.NDArray[np.uint8]: ...
def beginnings(
    table: Table,
    *,
    phrases: Phrases,
    groups: Ints,
    legal: int,
    kind_phrases: Phrases,
    marks: str,
    names: Phrases,
    most_chars: int,
    most_name_chars: int,
    most_words: float,
    most_kind_words: float,
    most_names: float,
) -> tuple[Ints, Ints, Bools]: ...
def tokens(texts: tuple[str, ...]) -> list[list[str]]: ...
def cover(table: Table, texts: tuple[str, ...]) -> Floats: ...
def likeness(
    table: Table,
    *,
    words: Words,
    sizes: Ints,
    plain_sizes: Ints,
    weights: Floats,
    most_words: float,
) -> Floats: ...
