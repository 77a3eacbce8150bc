"""Light dataclasses behave as those of the standard library, of which the same bodies are made."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, ClassVar

import pytest

import crfclean
from crfclean.types import light
from crfclean.types.plan import Plan, standard_class

Decorator = Callable[..., Any]


def weather(dataclass: Decorator, field: Decorator, **switches: bool) -> tuple[type, type]:
    """A class and one that is derived from it, by either decorator."""

    @dataclass(**switches)
    class Weather:
        place: str
        rain: float = 0.5
        hours: list[int] = field(default_factory=list)
        station: str = field(default="north", repr=False, compare=False)
        count: ClassVar[int] = 7

        def wet(self) -> bool:
            return self.rain > 0

    @dataclass(**switches)
    class Storm(Weather):
        rain: float = 9.0
        wind: float = 3.0
        kind: str = field(default="gale", init=False)

        def __post_init__(self) -> None:
            if self.wind < 0:
                raise ValueError("wind")

    return Weather, Storm


def pair(**switches: bool) -> tuple[tuple[type, type], tuple[type, type]]:
    """The classes by the standard library, and light ones, with the same names."""
    return (
        weather(dataclasses.dataclass, dataclasses.field, **switches),
        weather(light.light_dataclass, light.Field, **switches),
    )


SWITCHES = [
    {},
    {"frozen": True},
    {"slots": True},
    {"frozen": True, "slots": True},
    {"frozen": True, "slots": True, "eq": False},
    {"frozen": True, "repr": False, "eq": False},
    {"slots": True, "eq": False},
]
switched = pytest.mark.parametrize("switches", SWITCHES, ids=str)

CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    (("Oslo",), {}),
    (("Oslo", 2.0), {}),
    ((), {"place": "Oslo"}),
    (("Oslo",), {"hours": [1], "rain": 4.0}),
    (("Oslo", 1.0, [2], "south"), {}),
    ((), {}),
    ((), {"rain": 1.0}),
    (("Oslo",), {"place": "Bergen"}),
    (("Oslo",), {"snow": 1}),
    (("Oslo",), {"count": 1}),
    (("Oslo",), {"kind": "breeze"}),
    (("Oslo", 1.0, [], "south", 5.0, "gale", 7), {}),
    (("Oslo",), {"wind": -1.0}),
]


def outcome(function: Callable[[], object]) -> tuple[str, str]:
    """What a call gives, or the error that it raises."""
    try:
        return "value", str(function())
    except (TypeError, ValueError, AttributeError) as error:
        return type(error).__name__, str(error)


def state(value: Any) -> list[Any]:
    names = ("place", "rain", "hours", "station", "count", "wind", "kind")
    return [getattr(value, name, "none") for name in names]


@pytest.fixture(params=["shared", "compiled"])
def which_init(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Objects made by the shared `__init__`, and by that of the standard library."""
    if request.param == "compiled":
        monkeypatch.setattr(light, "FEW", 0)
    return str(request.param)


# making objects


@switched
@pytest.mark.parametrize("call", CALLS, ids=str)
@pytest.mark.usefixtures("which_init")
def test_calls_give_the_same(switches: dict[str, bool], call: tuple[Any, dict[str, Any]]) -> None:
    values, named = call
    for standard, made in zip(*pair(**switches), strict=True):
        expected = outcome(lambda: state(standard(*values, **named)))  # noqa: B023
        assert outcome(lambda: state(made(*values, **named))) == expected  # noqa: B023


def test_a_class_of_many_objects_gets_its_own_init(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(light, "FEW", 3)
    _, (made, _) = pair(frozen=True)
    shared = made.__init__
    values = [made("Oslo", rain=hour) for hour in range(3)]
    assert made.__init__ is shared
    values += [made("Oslo", rain=hour) for hour in range(3, 6)]
    assert made.__init__ is not shared
    assert [value.rain for value in values] == list(range(6))
    assert values[0] == made("Oslo", 0)


def test_defaults_are_made_for_each_object() -> None:
    _, (made, _) = pair()
    first, second = made("Oslo"), made("Oslo")
    first.hours.append(1)
    assert second.hours == []


def test_the_decorator_without_switches() -> None:
    @light.light_dataclass
    class Cloud:
        height: int = 3

    assert (Cloud(), Cloud(4).height) == (Cloud(3), 4)


# objects


@switched
@pytest.mark.usefixtures("which_init")
def test_repr_equality_and_hash(switches: dict[str, bool]) -> None:
    (standard, derived), (made, made_derived) = pair(**switches)
    if switches.get("repr", True):
        assert repr(made("Oslo")) == repr(standard("Oslo"))
        assert repr(made_derived("Oslo", wind=1)) == repr(derived("Oslo", wind=1))
    for left, right in (
        (("a",), ("a",)),
        (("a",), ("b",)),
        (("a", 1.0, [], "x"), ("a", 1.0, [], "y")),
    ):
        assert (made(*left) == made(*right)) == (standard(*left) == standard(*right))
    assert made("Oslo") != made_derived("Oslo", 0.5)
    assert made("Oslo") != "Oslo"
    hashes = [outcome(lambda: hash(kind("a", 1.0, ()))) for kind in (standard, made)]  # noqa: B023
    if switches.get("eq", True):
        assert hashes[0] == hashes[1]
    else:
        assert len({made("a"), made("a")}) == 2


@switched
def test_fields_are_assigned_where_they_may_be(switches: dict[str, bool]) -> None:
    deeds: list[Callable[[Any], object]] = [
        lambda value: setattr(value, "rain", 3.0) or value.rain,
        lambda value: delattr(value, "rain") or value.place,
    ]
    if switches != {**switches, "frozen": True, "slots": True}:  # a TypeError in the library
        deeds += [
            lambda value: setattr(value, "snow", 3.0) or value.snow,
            lambda value: delattr(value, "snow"),
        ]
    for standard, made in zip(*pair(**switches), strict=True):
        for deed in deeds:
            expected = outcome(lambda: deed(standard("Oslo")))  # noqa: B023
            assert outcome(lambda: deed(made("Oslo"))) == expected  # noqa: B023


def test_methods_of_a_class_stay() -> None:
    @light.light_dataclass(frozen=True, slots=True)
    class Cloud:  # noqa: PLW1641
        height: int = 0

        def __repr__(self) -> str:
            return "cloud"

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Cloud)

    assert repr(Cloud()) == "cloud"
    assert Cloud(1) == Cloud(2)
    assert hash(Cloud(1)) == hash((1,))


def test_an_object_that_holds_itself_has_a_repr() -> None:
    _, (made, _) = pair()
    value = made("Oslo")
    value.hours.append(value)
    assert "hours=[...]" in repr(value)


@switched
def test_slots(switches: dict[str, bool]) -> None:
    for standard, made in zip(*pair(**switches), strict=True):
        assert hasattr(made("Oslo"), "__dict__") == hasattr(standard("Oslo"), "__dict__")
        assert made.__dict__.get("__slots__") == standard.__dict__.get("__slots__")


@light.light_dataclass(frozen=True, slots=True)
class Packed:
    """A class that pickles find by its name."""

    place: str
    rain: float = 0.5


@light.light_dataclass(frozen=True)
class Loose:
    """The same without slots."""

    place: str
    rain: float = 0.5


@light.light_dataclass(slots=True)
class Open:
    """The same with fields that may be assigned."""

    place: str
    rain: float = 0.5


@pytest.mark.parametrize("made", [Packed, Loose, Open])
def test_copies(made: type) -> None:
    value = made("Oslo", 3.0)
    for copied in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):
        assert copied == value
        assert type(copied) is made


# the functions of the standard library


@switched
def test_functions_of_the_standard_library(switches: dict[str, bool]) -> None:
    for standard, made in zip(*pair(**switches), strict=True):
        expected, value = standard("Oslo", 3.0), made("Oslo", 3.0)
        assert dataclasses.is_dataclass(made)
        assert dataclasses.asdict(value) == dataclasses.asdict(expected)
        for hours in ([2], [value], None):
            full = light.replace_fields(value, hours=hours)
            assert light.asdict_fields(full) == dataclasses.asdict(full)
        changed = dataclasses.replace(value, rain=1.0)
        assert (changed.place, changed.rain, type(changed)) == ("Oslo", 1.0, made)
        for columns in (dataclasses.fields(made), light.light_fields(value)):
            for column, wanted in zip(columns, dataclasses.fields(standard), strict=True):
                for name in ("name", "type", "init", "repr", "compare", "metadata"):
                    assert getattr(column, name) == getattr(wanted, name)
        assert inspect.signature(made) == inspect.signature(standard)
        assert made.__match_args__ == standard.__match_args__
        assert made.__qualname__ == standard.__qualname__


def test_a_dictionary_holds_copies() -> None:
    _, (made, _) = pair()
    value = made("Oslo", hours=[1])
    assert light.asdict_fields(value)["hours"] is not value.hours


def test_replaced_fields() -> None:
    for made in (Packed, Loose, Open):
        assert light.replace_fields(made("Oslo"), rain=2.0) == made("Oslo", 2.0)
        with pytest.raises(TypeError, match="snow"):
            light.replace_fields(made("Oslo"), snow=2.0)


def test_a_class_of_the_standard_library_derived_from_a_light_one() -> None:
    @dataclasses.dataclass(frozen=True, slots=True)
    class Snow(Packed):
        depth: int = 1

    snow = Snow("Oslo", depth=2)
    assert (snow.place, snow.rain, snow.depth) == ("Oslo", 0.5, 2)
    assert [column.name for column in light.light_fields(snow)] == ["place", "rain", "depth"]
    assert light.replace_fields(snow, depth=3) == Snow("Oslo", 0.5, 3)
    assert "depth: 'int' = 1" in str(inspect.signature(Snow))
    assert snow != Snow("Oslo", depth=3)
    with pytest.raises(dataclasses.FrozenInstanceError):
        snow.depth = 4


def test_a_light_class_derived_from_one_of_the_standard_library() -> None:
    @dataclasses.dataclass
    class Snow:
        depth: int = 1

    with pytest.raises(TypeError, match="Drift: Snow is no light dataclass"):

        @light.light_dataclass
        class Drift(Snow):
            wind: int = 1


def test_a_plain_class_derived_from_a_light_one() -> None:
    class Named(Loose):
        def __init__(self) -> None:
            super().__init__("Oslo")

    assert str(inspect.signature(Named)) == "() -> 'None'"
    assert (Named().place, Named() == Named()) == ("Oslo", True)


# the package


def light_classes() -> list[type]:
    """All light dataclasses of the modules of the package that say so."""
    package = Path(crfclean.__file__).parent
    rooms = [f"crfclean.{path.name}" for path in package.iterdir() if path.is_dir()]
    names = {
        module.name
        for module in walk_packages([str(package)], "crfclean.")
        if module.name.rpartition(".")[0] in {"crfclean", *rooms}
    }
    sources = {name: package / f"{name.partition('.')[2].replace('.', '/')}.py" for name in names}
    used = [
        name
        for name, path in sources.items()
        if path.is_file() and "types.light" in path.read_text("utf-8")
    ]
    modules = [__import__(name, fromlist=["_"]) for name in sorted(used)]
    values = [value for module in modules for value in vars(module).values()]
    return [value for value in values if isinstance(value, type) and "__light__" in vars(value)]


def test_the_standard_library_takes_every_class_of_the_package() -> None:
    """It refuses defaults that objects would share, and fields without default behind others."""
    classes = light_classes()
    assert len(classes) > 80
    for made in classes:
        plan: Plan = made.__light__  # type: ignore[attr-defined]
        standard = standard_class(plan)
        assert list(standard.__dataclass_fields__) == list(plan.fields)  # type: ignore[attr-defined]
        assert plan.owner is made
