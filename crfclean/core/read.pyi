from collections.abc import Callable, Iterable, Mapping
from typing import Any

from crfclean.core.table import Table
from crfclean.types import Formula

TEXT: int
DROP: int
ROOT: int
BREAK: int
ADD_SPACE: int
LINK: int
FLEXIBLE: int
CODE_LINE: int
SPLIT_BR: int
SPLIT_BLOCK: int
LOWER: int
UPPER: int
UNCASED: int
DIGIT: int
PUNCT: int
SPACE: int
OTHER: int
IDEOGRAPH: int

def visible(text: str) -> str: ...
def encoded(text: str) -> bytes: ...
def signs(source: bytes) -> tuple[bool, bool]: ...
def is_hidden(tag: str, attributes: Mapping[str, str]) -> bool: ...
def any_marks(texts: tuple[str, ...], characters: Characters) -> bool: ...
def count(table: Table, characters: Characters, plain: Table | None = None) -> None: ...
def open_parser(path: str) -> bool: ...
def parse(source: bytes, walk: Walk) -> None: ...

class Characters:
    def __init__(
        self,
        *,
        classes: bytes,
        terminators: str,
        closers: str,
        ideographic_ends: str,
        blanks: str,
        without_width: str,
        sets: tuple[str, ...],
    ) -> None: ...

class WalkEndedError(Exception): ...

class Rules:
    def __init__(
        self,
        *,
        characters: Characters,
        actions: dict[str, int],
        chosen: tuple[str, ...],
        code_classes: tuple[str, ...],
        formula_classes: tuple[str, ...],
        dropped_classes: tuple[str, ...],
        unseen_classes: tuple[str, ...],
    ) -> None: ...

class Walk:
    skipped: int
    def __init__(
        self,
        rules: Rules,
        *,
        hides: Callable[[str, Mapping[str, str]], bool] | None = None,
        formulas: Callable[[], Any] | None = None,
        max_blocks: int = -1,
        max_depth: int = ...,
        max_nodes: int = ...,
        block_level: Iterable[int] = (),
        units: Iterable[int] = (),
        apart: Iterable[int] = (),
        numbers: Iterable[int] = (),
        in_text: Iterable[int] = (),
    ) -> None: ...
    def start(self, tag: str, attributes: Mapping[str, str]) -> None: ...
    def end(self, tag: str) -> None: ...
    def data(self, text: str) -> None: ...
    def formula(self, formula: Formula) -> None: ...
    def close(self) -> None: ...
    def table(self) -> Table: ...
