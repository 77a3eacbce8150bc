"""No pattern of the package takes more than linear time, however its text is repeated."""

from __future__ import annotations

import ast
import inspect
import math
import pkgutil
import re
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

import pytest
import regex
from attacks import ENDS, attacks

import crfclean
from crfclean.metadata.names import MAX_BYLINE_CHARS, names_of
from crfclean.products.corpus.worker_process import PRELOADED

SHORT, LONG = 2_000, 16_000
NOTHING = 0.001  # seconds of CPU that `SHORT` characters may take in any case
MOST_GROWTH = 24  # LONG is 8 times SHORT: 8 is linear, 64 the square
MOST_SECONDS = 2.0

CUT = frozenset(["crfclean.metadata.names._patterns", "crfclean.page.selectors._PLACE"])
"""Patterns that read bylines, which are cut (see the last test), or a user's own selectors."""

METHODS = {
    **dict.fromkeys(("search", "sub", "subn", "split", "finditer", "findall"), "search"),
    "match": "match",
    "fullmatch": "fullmatch",
}


class Use(NamedTuple):
    """A pattern of a module, by its name, and how it is applied."""

    name: str
    pattern: Any
    methods: frozenset[str]


def modules() -> Iterator[ModuleType]:
    """The modules in Python, but for the one that opens models in the fork server."""
    for found in pkgutil.walk_packages(crfclean.__path__, "crfclean."):
        with suppress(ImportError):  # of an extra
            module = import_module(found.name) if found.name != PRELOADED[1] else None
            if module and str(module.__file__).endswith(".py"):
                yield module


def inside(value: object, name: str) -> Iterator[tuple[str, Any]]:
    """The patterns in a value: one, or in tables and tuples."""
    if isinstance(value, re.Pattern | regex.Pattern):
        yield name, value
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from inside(part, f"{name}[{key!r}]")
    elif isinstance(value, tuple | list):
        for part in value:
            yield from inside(part, name)


def values_of(module: ModuleType) -> Iterator[tuple[str, object, object]]:
    """Names of a module with their values; a cached function without parameters has its result."""
    for name, value in vars(module).items():
        is_own = getattr(value, "__module__", "") == module.__name__
        if is_own and hasattr(value, "cache_info") and not inspect.signature(value).parameters:
            yield name, value, value()
        else:
            yield name, value, value


def called_of(node: ast.expr) -> tuple[str, str]:
    """The name that a method is called of, and a key: of `NAME`, `name()` or `name()["key"]`."""
    if isinstance(node, ast.Name):
        return node.id, ""
    if isinstance(node, ast.Call):
        return called_of(node.func)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return called_of(node.value)[0], f"[{node.slice.value!r}]"
    return "", ""


@cache
def tree_of(module: ModuleType) -> ast.Module:
    return ast.parse(inspect.getsource(module))


def methods_of(all_modules: list[ModuleType]) -> dict[tuple[int, str], set[str]]:
    """The methods that are called of each pattern, or function with a key, in the package."""
    used: dict[tuple[int, str], set[str]] = {}
    for module in all_modules:
        for node in ast.walk(tree_of(module)):
            if isinstance(node, ast.Attribute) and node.attr in METHODS:
                name, key = called_of(node.value)
                owner = id(vars(module).get(name))
                used.setdefault((owner, key), set()).add(METHODS[node.attr])
    return used


def direct(module: ModuleType) -> Iterator[Use]:
    """Patterns that are given to functions of `re` as texts."""
    for node in ast.walk(tree_of(module)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        if called_of(node.func.value)[0] != "re" or node.func.attr not in METHODS or not node.args:
            continue
        first = node.args[0]
        text = getattr(first, "value", None) or vars(module).get(getattr(first, "id", ""))
        if isinstance(text, str):
            where = f"{module.__name__}:{node.lineno}"
            yield Use(where, re.compile(text), frozenset([METHODS[node.func.attr]]))


def uses() -> Iterator[Use]:
    """All patterns of the package; one in a table is matched, if nothing else is known of it."""
    all_modules = list(modules())
    used = methods_of(all_modules)
    for module in all_modules:
        yield from direct(module)
        for name, owner, value in values_of(module):
            for key, pattern in inside(value, name):
                methods = used.get((id(owner), key.removeprefix(name)), {"match", "fullmatch"})
                yield Use(f"{module.__name__}.{key}", pattern, frozenset(methods))


class SlowError(Exception):
    """A call took too much CPU time."""


def ends(_number: int, _frame: object) -> None:
    raise SlowError


def seconds(call: Callable[[Any], object], text: str | bytes) -> float:
    """CPU time of a call, infinite if it is ended."""
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST_SECONDS)
    started = time.thread_time()
    try:
        call(text)
    except SlowError:
        return float("inf")
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.thread_time() - started


def slow(use: Use) -> Iterator[tuple[str, str, str, str]]:
    """The attacks on which a pattern takes more than linear time."""
    is_bytes = isinstance(use.pattern.pattern, bytes)
    source = use.pattern.pattern.decode("latin-1") if is_bytes else use.pattern.pattern
    for method in sorted(use.methods):
        call = getattr(use.pattern, method)
        for start, unit in attacks(source, use.pattern.flags):
            for end in ENDS:
                texts = ((start + unit * size)[:size] + end for size in (SHORT, LONG))
                short, long = (text.encode("utf-8") if is_bytes else text for text in texts)
                if seconds(call, short) > NOTHING and grows(call, short, long):
                    yield method, start, unit, end


def grows(call: Callable[[Any], object], short: str | bytes, long: str | bytes) -> bool:
    """Whether a call takes more than linear time: the best of three, as other processes run."""
    least = seconds(call, short)
    if math.isinf(least):
        return True
    least = min(least, seconds(call, short), seconds(call, short))
    most = MOST_GROWTH * max(least, NOTHING / 2)
    return least > NOTHING and all(seconds(call, long) > most for _ in range(3))


@pytest.fixture
def _limited() -> Iterator[None]:
    before = signal.signal(signal.SIGVTALRM, ends)
    yield
    signal.signal(signal.SIGVTALRM, before)


needs_timer = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs signals of Unix")


@needs_timer
@pytest.mark.usefixtures("_limited")
def test_no_pattern_takes_more_than_linear_time() -> None:
    checked = list(uses())
    assert len(checked) > 250
    found = {
        use.name: next(slow(use), None) for use in checked if use.name.partition("[")[0] not in CUT
    }
    assert {name: attack for name, attack in found.items() if attack} == {}


@needs_timer
@pytest.mark.usefixtures("_limited")
@pytest.mark.parametrize(
    ("text", "method"),
    [
        (r"\s*\^?\s*([\[(]?)\s*(\d{1,4})", "match"),  # was in document/selection.py
        (r"(?:\s*(?:\\(?:bg|fn)_\w+|\\(?:dpi|fn|bg|fg)_\w+))+x", "match"),
        (r"\s+[-|]\s+", "search"),
        (r"(\w+,?)+;", "match"),
    ],
)
def test_a_slow_pattern_is_found(text: str, method: str) -> None:
    use = Use("slow", re.compile(text), frozenset([method]))
    assert next(slow(use), None)
    assert next(slow(Use("fast", re.compile(r"\s*+\d"), frozenset(["match"]))), None) is None


def test_bylines_are_cut_before_patterns_read_them() -> None:
    for start, unit in (("By ", "mr. "), ("By Ann Lee", " and "), ("By ", "a-"), ("", " |")):
        text = start + unit * LONG
        assert names_of(text) == names_of(text[: MAX_BYLINE_CHARS + 1])
