from collections.abc import Callable

from crfclean.core.table import Table
from crfclean.types import Floats

class Phrases:
    def __init__(self, numbers: dict[str, int]) -> None: ...
    def within(self, text: str) -> int: ...

class Vocabulary:
    def __init__(self, *, bits: dict[str, int], groups: int, marks: str, counted: str) -> None: ...
    def of_title(self, title: str) -> Floats: ...
    def of_table(self, table: Table, words: float) -> Floats: ...

def tokens(texts: tuple[str, ...]) -> list[list[str]]: ...

class Wording:
    def __init__(
        self,
        *,
        names: dict[str, int],
        begins: frozenset[str],
        types: dict[str, int],
        hosts: tuple[str, ...],
        networks: tuple[str, ...],
        tagged: int,
        sharing: int,
        phrases: tuple[tuple[str, int], ...],
        all_phrases: int,
        legal: int,
        kind_phrases: tuple[tuple[str, int], ...],
        typed_groups: int,
        named_groups: int,
        counters: tuple[Callable[[str], int], ...],
        char_sets: bytes,
        split_bits: tuple[int, ...],
        name_groups: tuple[int, ...],
        phrase_groups: tuple[int, ...],
    ) -> None: ...
    def read(
        self,
        table: Table,
        *,
        titles: tuple[str, ...],
        weights: tuple[float, ...],
        descriptions: tuple[str, ...],
        bodies: tuple[str, ...],
        declared: Floats,
    ) -> None: ...
