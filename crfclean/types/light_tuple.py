"""Named tuples that are defined without compiling code, as light dataclasses are.

`typing.NamedTuple` compiles a function for each class and an expression for each annotation. Here
all classes share a `__new__`, until many tuples of a class were made; what type checkers see, and
the behaviour, are those of `typing.NamedTuple`.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

__all__ = ["NamedTuple"]

FEW = 300
"""Tuples of a class that the shared `__new__` makes, before it gets a compiled one."""

_MOST_FIELDS = 32
_Getters: Any = namedtuple(  # type: ignore[misc]  # noqa: PYI024
    "_Getters", [f"field_{place}" for place in range(_MOST_FIELDS)]
)
_GETTERS = [value for name, value in vars(_Getters).items() if name.startswith("field_")]
"""What reads each place of a tuple as an attribute, faster than a property."""


class _Plan:
    """What the shared methods know of a class of tuples."""

    __slots__ = ("defaults", "made", "module", "name", "names", "standard")

    def __init__(self, name: str, module: str, names: tuple[str, ...], defaults: Any) -> None:
        self.name = name
        self.module = module
        self.names = names
        self.defaults: Mapping[str, Any] = defaults
        self.made = 0
        self.standard: Any = None


def standard_tuple(plan: _Plan) -> Any:
    """The class that the standard library makes of the same fields; it is made once."""
    if plan.standard is None:
        defaults = tuple(plan.defaults.values())
        if list(plan.defaults) != list(plan.names[len(plan.names) - len(defaults) :]):
            raise TypeError(f"{plan.name}: a field without default behind one with it")
        plan.standard = namedtuple(  # type: ignore[misc]  # noqa: PYI024
            plan.name, plan.names, defaults=defaults, module=plan.module
        )
    return plan.standard


def _maker(plan: _Plan) -> Callable[..., Any]:
    """The `__new__` of the first tuples of a class."""

    def __new__(cls: Any, /, *values: Any, **named: Any) -> Any:  # noqa: N807
        plan.made += 1
        filled = _values(plan, values, named) if plan.made <= FEW else None
        if filled is not None:
            return tuple.__new__(cls, filled)
        made = standard_tuple(plan).__new__
        owner = next(base for base in cls.__mro__ if base.__dict__.get("_light") is plan)
        owner.__new__ = staticmethod(made)
        return made(cls, *values, **named)

    return __new__


def _values(plan: _Plan, values: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
    """The value of each field; None for wrong arguments, of which the standard class tells."""
    missing = plan.names[len(values) :]
    if len(values) > len(plan.names) or not named.keys() <= set(missing):
        return None
    rest = []
    for name in missing:
        if name in named:
            rest.append(named[name])
        elif name in plan.defaults:
            rest.append(plan.defaults[name])
        else:
            return None
    return (*values, *rest) if rest else values


def _repr(self: Any) -> str:
    shown = zip(self._fields, self, strict=True)
    return f"{type(self).__name__}({', '.join([f'{name}={value!r}' for name, value in shown])})"


def _make(cls: Any, iterable: Iterable[Any]) -> Any:
    made = tuple.__new__(cls, iterable)
    if len(made) != len(cls._fields):
        raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
    return made


def _replace(self: Any, /, **changes: Any) -> Any:
    made = self._make(map(changes.pop, self._fields, self))
    if changes:
        raise ValueError(f"Got unexpected field names: {list(changes)!r}")
    return made


def _asdict(self: Any) -> dict[str, Any]:
    return dict(zip(self._fields, self, strict=True))


def _getnewargs(self: Any) -> tuple[Any, ...]:
    return tuple(self)


class _Signature:
    """The signature of a class, made when `inspect` asks for it."""

    __slots__ = ()

    def __get__(self, instance: object, owner: Any) -> Any:
        import inspect

        plan: _Plan = owner._light  # noqa: SLF001
        return None if instance is not None else inspect.signature(standard_tuple(plan))


class _Maker(type):
    """What makes the classes: they are plain ones of tuples, with the shared methods."""

    def __new__(cls, name: str, _bases: tuple[type, ...], body: dict[str, Any]) -> Any:
        """The class of a body, which has annotations, defaults and methods."""
        names = tuple(body.get("__annotations__", ()))
        defaults = {field: body[field] for field in names if field in body}
        plan = _Plan(name, body["__module__"], names, defaults)
        shared = {
            "__new__": _maker(plan),
            "__repr__": _repr,
            "__getnewargs__": _getnewargs,
            "__replace__": _replace,
            "_make": classmethod(_make),
            "_replace": _replace,
            "_asdict": _asdict,
        }
        fields = {
            "__slots__": (),
            "__match_args__": names,
            "__signature__": _Signature(),
            "_fields": names,
            "_field_defaults": defaults,
            "_light": plan,
            **dict(zip(names, _GETTERS, strict=False)),
        }
        return type.__new__(type, name, (tuple,), {**shared, **body, **fields})


class _Marker:
    """What a class of tuples is derived from in its first line."""

    def __mro_entries__(self, bases: tuple[object, ...]) -> tuple[type, ...]:
        """The class that makes a class of tuples of the one that names the marker."""
        return (_BASE,)


_BASE = type.__new__(_Maker, "NamedTuple", (), {})
LIGHT_TUPLE = _Marker()

if TYPE_CHECKING:
    from typing import NamedTuple
else:
    NamedTuple = LIGHT_TUPLE
