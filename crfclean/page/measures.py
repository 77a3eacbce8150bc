"""Count the texts of a page, and compute what follows from a page once."""

from __future__ import annotations

import copyreg
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from crfclean.core import read
from crfclean.core.table import Table
from crfclean.page.chars import characters, spelled_out
from crfclean.types import Blocks

_Value = TypeVar("_Value")
_Params = ParamSpec("_Params")


def count_texts(texts: tuple[str, ...], runs: tuple[str, ...] = ()) -> Table:
    """Return a table of texts and runs alone, counted."""
    table = Table(texts=texts, runs=runs)
    read.count(table, characters())
    return table


def counted(table: Table) -> Table:
    """Count the texts of a page's table as `spelled_out` ones, and return it."""
    read.count(table, characters())
    if table.has_marks:
        plain = Table(texts=spelled_out(table.texts), runs=spelled_out(tuple(table.run_texts)))
        read.count(table, characters(), plain)
    return table


def copied(named: dict[str, Any]) -> Table:
    """Return the table of the values that a walk has given, counted; pickles call it."""
    return counted(Table(**named))


copyreg.pickle(Table, lambda table: (copied, (table.named(),)))


def once(
    function: Callable[Concatenate[Blocks, _Params], _Value],
) -> Callable[Concatenate[Blocks, _Params], _Value]:
    """Compute a function of a page once for each page, and for each choice of its arguments."""

    @wraps(function)
    def cached(page: Blocks, /, *args: _Params.args, **kwargs: _Params.kwargs) -> _Value:
        key, memo = (cached, *args) if args else cached, page.memo
        if key not in memo:
            memo[key] = function(page, *args, **kwargs)
        value: _Value = memo[key]
        return value

    return cached
