"""Every call of the core with real arguments, and with these changed, cut short or without memory.

The calls are recorded while the pages of `data/demo` are cleaned. A changed call raises or gives
something; what must not happen, a crash or memory that is not its own, is seen best in the run with
sanitizers (`make test-sanitized`), which makes more calls.
"""

from __future__ import annotations

import gc
import os
import random
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from htmlpages import demo_pages, tree_arrays

from crfclean import clean
from crfclean.core import read, words
from crfclean.core.table import Table
from crfclean.decision.borders import borders_of
from crfclean.decision.sums import torn_lists, torn_records
from crfclean.model import markup
from crfclean.model import page_features as figures
from crfclean.model.columns import FEATURES
from crfclean.model.zoning import apart_of, of_names, of_tags, of_words, zones_of
from crfclean.page import effects, walk
from crfclean.page.blocks import split
from crfclean.page.chars import characters
from crfclean.page.limits import OverBlocksError
from crfclean.page.places import paths
from crfclean.systems import presence as notices
from crfclean.types import CrfcleanError, Page

CALLS = int(os.environ.get("CRFCLEAN_CORE_CALLS", "3000"))
BAD = (TypeError, ValueError, ArithmeticError, AttributeError, LookupError, BufferError)
REFUSALS = (*BAD, MemoryError, CrfcleanError, OverBlocksError, read.WalkEndedError)
TYPES = {"Walk", "Wording", "Phrases", "Vocabulary", "Rules", "Characters"}
OTHERS = {"WalkEndedError"}  # made by the core
MODULES = {
    name: module
    for module in (words, read)
    for name in sorted(set(dir(module)) - OTHERS)
    if callable(getattr(module, name)) and name[0] != "_"
}
NUMBERS = (0, 1, -1, -2, 7, 8, 63, 64, 65, 255, 256, 1_001, 65_536, 2**31, 2**63 - 1, -(2**63))
ODD = ("", "\0", "\u0130", "\u03a3", "\ud800", "\U0001f600", "\U00020000", "a" * 1_001, "</br>")


class Call(NamedTuple):
    """A call of the core with the arguments of a page."""

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]


class Events(list[tuple[Any, ...]]):
    """The events that lxml gives to the target of a parser."""

    def __getattr__(self, name: str) -> Any:
        return lambda *values: self.append((name, *values))


def replayed(events: Any, settings: Any) -> Any:
    """The table of a walk that gets these events, whether or not it takes each."""
    walked = read.Walk(**settings)
    for name, *rest in events:
        try:
            getattr(walked, name)(*rest)
        except REFUSALS as error:
            if isinstance(error, MemoryError):
                raise
    return walked.table()


def parsed(source: Any, settings: Any) -> Any:
    """The table of a walk that gets a page by the core's parser."""
    walked = read.Walk(**settings)
    read.parse(source, walked)
    return walked.table()


def counted(settings: Any) -> Any:
    """The table of some texts with their counts."""
    table = Table(**settings)
    read.count(table, characters())
    return table


def items(kind: Any, name: Any) -> Any:
    """What the attributes of a page say of names."""
    html = "<p id=a class='b c' lang=en>a<p class=d>b<p id=a title=e>c"
    return getattr(split(Page(html)).table.attributes, kind)(name)


def located(blocks: Any, discarded: Any) -> Any:
    """The places of some blocks of a page, and the XPath of its last element."""
    page = split(Page("<p>a<b>b</b>c<p>d<o:p>e</o:p>"))
    found = paths(page)
    return found.places(blocks, discarded, page.table), found[len(page.table.parent) - 1]


def walks_of(pages: list[str], walks: list[dict[str, Any]]) -> dict[str, list[Call]]:
    """Walks over the pages' events, and by the core's parser where it has one."""
    kept: dict[str, list[Call]] = {"replayed": [], "parsed": []}
    for html, settings in zip(pages, walks[-len(pages) :], strict=True):
        walk.feed(html.encode(), events := Events())
        kept["replayed"].append(Call("replayed", replayed, (events, settings)))
        kept["parsed"].append(Call("parsed", parsed, (html.encode(), settings)))
    return kept if walk.parses_alone() else {"replayed": kept["replayed"]}


def recorded(
    function: Callable[..., Any], name: str, arguments: tuple[Any, ...], settings: dict[str, Any]
) -> Call:
    """A call whose named arguments are one dict, and a table its texts."""
    if arguments and isinstance(arguments[0], Table):

        def on_texts(texts: Any, *others: Any) -> Any:
            table = counted({"texts": texts, "runs": ()})
            return function(table, *others[:-1], **others[-1])

        return Call(name, on_texts, (arguments[0].plain_texts, *arguments[1:], settings))
    if settings:
        return Call(name, lambda *given: function(*given[:-1], **given[-1]), (*arguments, settings))
    return Call(name, function, arguments)


def parts_of(html: str) -> tuple[Any, ...]:
    """The texts, tags, classes and attributes of a page, its arrays, and what it declares."""
    page = split(Page(html))
    arrays = tree_arrays(page)
    names = {name: value for name, value in page.table.named().items() if name not in arrays}
    head: dict[str, Any] = {"titles": ("Ice", "a b"), "weights": (0.5, 1.0)}
    head |= {"descriptions": page.texts[:2], "bodies": page.texts[2:4], "declared": np.zeros(9)}
    return names, tuple(arrays.values()), head


def staged(names: Any, arrays: Any, head: Any) -> Any:
    """What the stages give that read a table of these arrays."""
    tree = dict(zip(tree_arrays(split(Page("<p>a"))), arrays, strict=True))
    table = Table(**names, **tree)
    markup.wording().read(table, **head)
    columns = np.zeros((len(FEATURES), len(table.node)), np.float32)
    table.fill(np.arange(len(FEATURES), dtype=np.int32), columns)
    heading, wide, zones, in_comments = zones_of(table)
    stages: tuple[Any, ...] = (columns, wide, zones, in_comments, apart_of(table, zones, heading))
    n, apart = len(zones), stages[-1]
    likely, kept = np.linspace(0.1, 0.9, n), np.arange(n) % 3 > 0
    torn = (
        torn_lists(table, kept, likely, apart, lambda *_: True),
        torn_records(table, kept, likely),
    )
    stages += (*borders_of(table, likely, kept, apart)[:3], table.nearest(wide))
    stages += (of_tags(table), of_names(table), of_words(table))
    return heading, str(torn), *(each.tobytes() for each in stages)


@pytest.fixture(scope="module")
def calls() -> list[Call]:
    """Three calls of each function and method with arguments of the demo's pages."""
    kept: dict[str, list[Call]] = {}
    caches = (markup.wording, notices._phrases, characters, effects.rules)
    pages = demo_pages()[:3]

    def recording(name: str) -> Callable[..., Any]:
        function = getattr(MODULES[name], name)

        def call(*arguments: Any, **settings: Any) -> Any:
            kept.setdefault(name, []).append(recorded(function, name, arguments, settings))
            return function(*arguments, **settings)

        return call

    for cached in (*caches, figures._vocabulary):
        cached.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        for name, module in MODULES.items():
            patch.setattr(module, name, recording(name))
        for html in pages:
            clean(html)
            walk.parse(html.encode(), walk.WalkParams())
        read.is_hidden("div", {"style": "color: red; display: none", "class": "a", "id": "b"})
        read.visible("a\x1bb\x0cc")
        words.tokens(("Ice-free, 40 cm", "上海"))
        assert split(Page(pages[0])).table.attributes.having(("class",))
    assert set(kept) | {"open_parser", "parse"} == set(MODULES)
    texts = split(Page(pages[0])).texts
    vocabulary = words.Vocabulary(**kept["Vocabulary"][-1].arguments[0])
    kept["of_title"] = [Call("of_title", vocabulary.of_title, (" ".join(texts[:3]),))]
    table = counted({"texts": texts, "runs": ()})
    kept["of_table"] = [Call("of_table", vocabulary.of_table, (table, 90.0))]
    phrases = words.Phrases(*kept["Phrases"][-1].arguments)
    kept["within"] = [Call("within", phrases.within, (text,)) for text in texts[:3]]
    for name in ("parse", "open_parser", "count"):
        kept.pop(name, None)
    kept["staged"] = [Call("staged", staged, parts_of(html)) for html in pages]
    kept |= walks_of(pages, [call.arguments[0] for call in kept.pop("Walk")])
    kept["counted"] = [Call("counted", counted, ({"texts": texts, "runs": texts[:9]},))]
    kept["items"] = [
        Call("items", items, ("having", ("id", "lang"))),
        Call("items", items, ("values", "id")),
    ]
    kept["located"] = [Call("located", located, ([0, 1], [(0, 1, 2), (3, 2, 1)]))]
    return [call for some in kept.values() for call in some[-3:]]


def changed(rng: random.Random, value: Any) -> Any:
    """A value with a small part of it changed."""
    if isinstance(value, int | float):
        return rng.choice((*NUMBERS, value + 1, value - 1, 0.5, float("nan"), float("inf")))
    if isinstance(value, str | bytes):
        at, size, odd = rng.randrange(len(value) + 1), rng.choice((0, 1, 8)), rng.choice(ODD)
        middle: Any = odd if isinstance(value, str) else odd.encode(errors="replace")
        return value[:at] + middle + value[at + size :]
    if isinstance(value, np.ndarray):
        return changed_array(rng, value.reshape(-1).copy())
    if isinstance(value, dict) and value:
        key = rng.choice(list(value))
        other = changed(rng, key) if rng.random() < 0.1 else key
        return value | {other: changed(rng, value[key])}
    if isinstance(value, tuple | list) and value:
        items, at = list(value), rng.randrange(len(value))
        some = rng.choice(([], items[at:] * 2, [None])) if rng.random() < 0.05 else items[at + 1 :]
        items[at:] = [changed(rng, items[at]), *some]
        return tuple(items) if isinstance(value, tuple) else items
    return None


def changed_array(rng: random.Random, values: Any) -> Any:
    """An array with a few items out of bounds, or of another size, type or alignment."""
    kind, size = rng.random(), len(values)
    if kind < 0.1 or not size:
        return values[: rng.randrange(size + 1)]
    if kind < 0.2:
        return memoryview(values.tobytes() + b"x" * rng.choice((1, 8)))[rng.randrange(2) :]
    for _ in range(rng.choice((1, 1, 5))):
        near = np.nan_to_num(values[rng.randrange(size)])
        number: float = rng.choice((*NUMBERS, size, size - 1, int(near) + 1))
        if values.dtype.kind == "f":
            number = rng.choice((float(number), np.nan, np.inf))
        else:
            kinds = np.iinfo(np.uint8 if values.dtype.kind == "b" else values.dtype)
            number = min(max(int(number), kinds.min), kinds.max)
        values[rng.randrange(size)] = number
    return values


def plain(value: Any) -> Any:
    """What a call gives: of an object of the core its type, of arrays their bytes."""
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    if isinstance(value, np.ndarray):
        return value.tobytes()
    return type(value) if type(value).__name__ in TYPES else value


@pytest.fixture(scope="module")
def answers(calls: list[Call]) -> list[Any]:
    """What the recorded calls give."""
    return [plain(function(*arguments)) for _, function, arguments in calls]


def test_changed_arguments_are_refused_or_harmless(calls: list[Call], answers: list[Any]) -> None:
    rng = random.Random(37)
    refused = 0
    for _ in range(CALLS):
        _, function, arguments = rng.choice(calls)
        given = arguments
        for _ in range(rng.choice((1, 1, 1, 3))):
            given = changed(rng, given)
        try:
            function(*given)
        except REFUSALS:
            refused += 1
    assert 0.1 < refused / CALLS < 0.9
    for (name, function, arguments), answer in zip(calls, answers, strict=True):
        assert plain(function(*arguments)) == answer, name


def test_arguments_of_another_number_or_type_are_refused(calls: list[Call]) -> None:
    for _, function, arguments in calls:
        for place in range(len(arguments)):
            if (function, place) != (items, 1):
                with pytest.raises(BAD):
                    function(*arguments[:place], None, *arguments[place + 1 :])
        with pytest.raises(BAD):
            function(*arguments, None)


def blocks_kept(call: Call, times: int) -> int:
    """How many blocks of memory calls keep; 0 where Python asks malloc for each."""
    gc.collect()  # and empty the lists of free objects
    before = sys.getallocatedblocks()
    for _ in range(times):
        call.function(*call.arguments)
    gc.collect()
    return sys.getallocatedblocks() - before


def test_calls_keep_no_memory(calls: list[Call]) -> None:
    gc.freeze()  # else each collection would look at all objects of the tests before
    try:
        for call in calls:
            blocks_kept(call, 5)  # of the first call
            # other threads of the test runner allocate, too, now and then
            assert any(blocks_kept(call, 40) < 40 for _ in range(3)), call.name
    finally:
        gc.unfreeze()


@pytest.mark.parametrize("lasting", [True, False])
def test_without_memory_a_call_is_right_or_fails(
    calls: list[Call], answers: list[Any], *, lasting: bool
) -> None:
    memory = pytest.importorskip("_testcapi", reason="this Python has no failing allocator")
    failed = 0
    for (name, function, arguments), answer in zip(calls, answers, strict=True):
        for number in range(1, 60):
            given = None
            memory.set_nomemory(number, 0 if lasting else number + 1)
            try:
                given = function(*arguments)
            except REFUSALS:
                pass  # an allocation here would fail, too
            finally:
                memory.remove_mem_hooks()
            if given is not None:
                assert plain(given) == answer, name
                break
            failed += 1
    assert failed > len(calls)
