"""Dataclasses that are defined without compiling code, as a start with 94 of them must be short.

The decorator of the standard library compiles three to six functions a class, which takes 0.5 ms
with Python 3.11. Here all classes share their methods, and only a class of which many objects are
made gets an `__init__` of its own, from the standard library. The behaviour is the same, for type
checkers too: these names stand for those of `dataclasses`. A class of the standard library may be
derived from a light one, but not the other way round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

from crfclean.types.plan import MISSING, Field, Plan, standard_class

__all__ = ["asdict", "dataclass", "field", "fields", "replace"]

FEW = 300
"""Objects of a class that the shared `__init__` makes, before it gets a compiled one."""

_ATOMS = frozenset([str, int, float, bool, type(None)])
_set = object.__setattr__


class _Standard:
    """An attribute that the standard library gives a dataclass, made when it is asked for."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: object, owner: type) -> Any:
        plan: Plan = owner.__light__  # type: ignore[attr-defined]
        value = getattr(standard_class(plan), self.name)
        setattr(plan.owner, self.name, value)
        return value


class _Signature:
    """The signature of a class, made when `inspect` asks for it."""

    __slots__ = ()

    def __get__(self, instance: object, owner: type) -> Any:
        import inspect

        plan: Plan = owner.__light__  # type: ignore[attr-defined]
        if instance is not None or owner.__init__ is not plan.owner.__init__:  # type: ignore[misc]
            return None  # a subclass with an `__init__` of its own
        return inspect.signature(standard_class(plan))


def _initializer(plan: Plan) -> Callable[..., None]:
    """The `__init__` of the first objects of a class."""

    def __init__(self: Any, *values: Any, **named: Any) -> None:  # noqa: N807
        plan.made += 1
        state = _state(plan, values, named) if plan.made <= FEW else None
        if state is None:
            made = standard_class(plan).__init__  # type: ignore[misc]
            plan.owner.__init__ = made  # type: ignore[misc]
            made(self, *values, **named)
            return
        for name, value in state.items():
            _set(self, name, value)
        if plan.post:
            self.__post_init__()

    return __init__


def _state(plan: Plan, values: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, Any] | None:
    """Name of a field -> its value; None for wrong arguments, of which the standard class tells."""
    state = dict(zip(plan.names, values, strict=False))
    if len(values) > len(plan.names) or (named and not named.keys() <= plan.init - state.keys()):
        return None
    state |= named
    for name, column in plan.fields.items():
        if name in state:
            continue
        if column.default is not MISSING:
            state[name] = column.default
        elif column.default_factory is not MISSING:
            state[name] = column.default_factory()
        elif column.init:
            return None
    return state


@recursive_repr()
def _repr(self: Any) -> str:
    shown = (f"{name}={getattr(self, name)!r}" for name in self.__light__.shown)
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _values(value: Any, names: Iterable[str]) -> tuple[Any, ...]:
    return tuple([getattr(value, name) for name in names])


def _eq(self: Any, other: object) -> Any:
    names = self.__light__.compared
    if other.__class__ is not self.__class__:
        return NotImplemented
    return _values(self, names) == _values(other, names)


def _hash(self: Any) -> int:
    return hash(_values(self, self.__light__.compared))


def _refuse(self: Any, name: str, deed: str) -> None:
    plan: Plan = self.__light__
    if type(self) is plan.owner or name in plan.fields:
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot {deed} field {name!r}")


def _setattr(self: Any, name: str, value: object) -> None:
    _refuse(self, name, "assign to")
    _set(self, name, value)


def _delattr(self: Any, name: str) -> None:
    _refuse(self, name, "delete")
    object.__delattr__(self, name)


def _getstate(self: Any) -> list[Any]:
    return [getattr(self, name) for name in self.__light__.fields]


def _setstate(self: Any, state: Iterable[Any]) -> None:
    for name, value in zip(self.__light__.fields, state, strict=True):
        _set(self, name, value)


def light_fields(dataclass: Any) -> tuple[Any, ...]:
    """The fields of a dataclass or one of its objects, in order."""
    owner: Any = dataclass if isinstance(dataclass, type) else type(dataclass)
    if "__light__" in owner.__dict__:
        return tuple(owner.__light__.fields.values())
    from dataclasses import fields as standard_fields

    return standard_fields(owner)


def replace_fields(value: Any, /, **changes: Any) -> Any:
    """The dataclass `value` with some fields changed."""
    for name in value.__match_args__:
        if name not in changes:
            changes[name] = getattr(value, name)
    return value.__class__(**changes)


def asdict_fields(value: Any) -> dict[str, Any]:
    """What `dataclasses.asdict` makes of a dataclass; it is asked where values are not plain."""
    values = {column.name: getattr(value, column.name) for column in light_fields(value)}
    if _ATOMS.issuperset(map(type, values.values())):
        return values
    from dataclasses import asdict as standard_asdict

    return standard_asdict(value)


def _columns(cls: type) -> dict[str, Field]:
    """The fields of a class and of those that it is derived from, by name.

    Raises `TypeError` for a class that is derived from a dataclass of the standard library.
    """
    columns: dict[str, Field] = {}
    base: Any
    for base in cls.__mro__[:0:-1]:
        if "__light__" in base.__dict__:
            columns |= base.__light__.fields
        elif "__dataclass_fields__" in base.__dict__:
            raise TypeError(f"{cls.__name__}: {base.__name__} is no light dataclass")
    for name, note in cls.__annotations__.items():
        if str(note).startswith("ClassVar"):
            continue
        value = cls.__dict__.get(name, MISSING)
        column = value if isinstance(value, Field) else Field(default=value)
        column.name, column.type = name, note
        columns[name] = column
    return columns


def _methods(plan: Plan, own: Mapping[str, Any], *, repr: bool, eq: bool) -> dict[str, Any]:  # noqa: A002
    """Name of a method -> the method; those that a class has in `own` stay as they are."""
    methods: dict[str, Any] = {"__init__": _initializer(plan)}
    if repr:
        methods["__repr__"] = _repr
    if eq:
        methods["__eq__"] = _eq
        methods["__hash__"] = _hash if plan.frozen else None
    if plan.frozen and plan.slots:
        methods |= {"__getstate__": _getstate, "__setstate__": _setstate}
    if own.get("__hash__", methods) is None:  # a class with `__eq__` gets this from Python
        own = {name: method for name, method in own.items() if name != "__hash__"}
    methods = {name: method for name, method in methods.items() if name not in own}
    if plan.frozen:
        methods |= {"__setattr__": _setattr, "__delattr__": _delattr}
    methods |= _STANDARD
    methods |= {"__light__": plan, "__match_args__": plan.names}
    return methods


_STANDARD: Mapping[str, Any] = {
    "__dataclass_fields__": _Standard("__dataclass_fields__"),
    "__dataclass_params__": _Standard("__dataclass_params__"),
    "__replace__": replace_fields,
    "__signature__": _Signature(),
}


def light_dataclass(
    cls: type | None = None,
    /,
    *,
    frozen: bool = False,
    slots: bool = False,
    repr: bool = True,  # noqa: A002
    eq: bool = True,
) -> Any:
    """Make a class a dataclass, as `dataclasses.dataclass` does with the same switches."""
    if cls is None:
        return lambda made: light_dataclass(made, frozen=frozen, slots=slots, repr=repr, eq=eq)
    columns = _columns(cls)
    plan = Plan(cls, columns, frozen=frozen, slots=slots)
    methods = _methods(plan, cls.__dict__, repr=repr, eq=eq)
    if slots:
        return _with_slots(cls, plan, methods)
    for name, method in methods.items():
        setattr(cls, name, method)
    for name, column in columns.items():
        if column.default is not MISSING:
            setattr(cls, name, column.default)
        elif name in cls.__dict__:
            delattr(cls, name)
    return cls


def _with_slots(cls: type, plan: Plan, methods: Mapping[str, Any]) -> type:
    """The class again, with a slot for each field that no class has that it is derived from."""
    taken = {name for base in cls.__mro__[1:] for name in base.__dict__.get("__slots__", ())}
    left_out = {"__dict__", "__weakref__", *plan.fields}
    own = {name: value for name, value in cls.__dict__.items() if name not in left_out}
    own |= methods
    own["__slots__"] = tuple([name for name in plan.fields if name not in taken])
    plan.owner = type(cls)(cls.__name__, cls.__bases__, own)
    plan.owner.__qualname__ = cls.__qualname__
    return plan.owner


if TYPE_CHECKING:
    from dataclasses import asdict, dataclass, field, fields, replace
else:
    asdict, dataclass, field = asdict_fields, light_dataclass, Field
    fields, replace = light_fields, replace_fields
