"""Light named tuples behave as those of the standard library."""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from crfclean.types import light_tuple
from crfclean.types.light_tuple import LIGHT_TUPLE, standard_tuple


class Standard(NamedTuple):
    """A point, by the standard library."""

    place: str
    rain: float = 0.5
    hours: tuple[int, ...] = ()

    @property
    def wet(self) -> bool:
        """Whether it rains."""
        return self.rain > 0


class Light(LIGHT_TUPLE):  # type: ignore[misc]
    """A point."""

    place: str
    rain: float = 0.5
    hours: tuple[int, ...] = ()

    @property
    def wet(self) -> bool:
        """Whether it rains."""
        return self.rain > 0


def fresh() -> Any:
    """The light class again, of which no tuple was made."""

    class Light(LIGHT_TUPLE):  # type: ignore[misc]
        place: str
        rain: float = 0.5
        hours: tuple[int, ...] = ()

    return Light


CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    (("Oslo",), {}),
    (("Oslo", 2.0, (1,)), {}),
    ((), {"place": "Oslo"}),
    (("Oslo",), {"hours": (3,)}),
    ((), {}),
    ((), {"rain": 1.0}),
    (("Oslo",), {"place": "Bergen"}),
    (("Oslo",), {"snow": 1}),
    (("Oslo", 1.0, (), 4), {}),
]


def outcome(function: Callable[[], object]) -> tuple[str, str]:
    """What a call gives, or the error that it raises; classes have one name."""
    try:
        return "value", str(function()).replace("Standard", "Light")
    except (TypeError, ValueError, AttributeError) as error:
        return type(error).__name__, str(error).replace("Standard", "Light")


@pytest.mark.parametrize("few", [1_000, 0])
@pytest.mark.parametrize("call", CALLS, ids=str)
def test_calls_give_the_same(
    call: tuple[Any, dict[str, Any]], few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(light_tuple, "FEW", few)
    values, named = call
    expected = outcome(lambda: Standard(*values, **named))
    assert outcome(lambda: fresh()(*values, **named)) == expected


def test_a_class_of_many_tuples_gets_its_own_new(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(light_tuple, "FEW", 2)
    made = fresh()
    shared = made.__new__
    values = [made("Oslo", rain) for rain in range(2)]
    assert made.__new__ is shared
    values += [made("Oslo", rain=rain) for rain in range(2, 5)]
    assert made.__new__ is not shared
    assert values == [("Oslo", rain, ()) for rain in range(5)]
    assert {type(value) for value in values} == {made}


@pytest.mark.parametrize(
    "deed",
    [
        lambda made: made("Oslo").place,
        lambda made: made("Oslo").rain + made("Oslo", 2.0)[1],
        lambda made: made("Oslo").wet,
        lambda made: (*made("Oslo"), len(made("Oslo"))),
        lambda made: made("Oslo")._replace(rain=3.0),
        lambda made: made("Oslo")._asdict(),
        lambda made: made._make(["Oslo", 1.0, ()]),
        lambda made: made._make(["Oslo"]),
        lambda made: (made._fields, made._field_defaults, made.__match_args__, made.__bases__),
        lambda made: setattr(made("Oslo"), "rain", 1.0),
        lambda made: setattr(made("Oslo"), "snow", 1.0),
        lambda made: made("Oslo") == ("Oslo", 0.5, ()),
        lambda made: hash(made("Oslo", 1)) == hash(("Oslo", 1, ())),
        lambda made: sorted([made("b"), made("a")]),
        lambda made: [*map(str.strip, inspect.signature(made).parameters)],
        lambda made: hasattr(made("Oslo"), "__dict__"),
    ],
)
def test_tuples_behave_alike(deed: Callable[[Any], object]) -> None:
    assert outcome(lambda: deed(Light)) == outcome(lambda: deed(Standard))


def test_unknown_fields_are_not_replaced() -> None:
    with pytest.raises(ValueError, match="unexpected field names"):
        Light("Oslo")._replace(snow=1)


def test_copies() -> None:
    value = Light("Oslo", 3.0)
    for copied in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):
        assert copied == value
        assert type(copied) is Light


def test_methods_of_a_class_stay() -> None:
    class Cloud(LIGHT_TUPLE):  # type: ignore[misc]
        height: int = 3

        def __repr__(self) -> str:
            return f"cloud at {self.height}"

    assert repr(Cloud()) == "cloud at 3"


def test_fields_without_default_stand_first() -> None:
    class Cloud(LIGHT_TUPLE):  # type: ignore[misc]
        height: int = 3
        place: str

    with pytest.raises(TypeError, match="Cloud: a field without default"):
        standard_tuple(Cloud._light)
