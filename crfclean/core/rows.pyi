from collections.abc import Iterable

from crfclean.core.table import Table

class Paths:
    def __init__(self, table: Table, tests: list[str]) -> None: ...
    def __getitem__(self, node: int) -> str: ...
    def places(
        self,
        blocks: Iterable[int],
        discarded: Iterable[tuple[int, int, int]],
        counts: Table,
    ) -> dict[int, list[tuple[str, int, int]]]: ...
