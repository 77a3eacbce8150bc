"""The fields of light dataclasses, and the class that the standard library makes of them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

MISSING: Any = object()
"""The default of a field that has none."""

_NO_METADATA: Mapping[str, Any] = MappingProxyType({})


class Field:
    """A field of a dataclass, with the attributes that `dataclasses.Field` has."""

    __slots__ = (
        "compare",
        "default",
        "default_factory",
        "init",
        "metadata",
        "name",
        "repr",
        "type",
    )

    def __init__(  # noqa: PLR0913
        self,
        *,
        default: Any = MISSING,
        default_factory: Any = MISSING,
        init: bool = True,
        repr: bool = True,  # noqa: A002
        compare: bool = True,
        metadata: Mapping[str, Any] = _NO_METADATA,
    ) -> None:
        self.name = ""
        self.type: Any = None
        self.default = default
        self.default_factory = default_factory
        self.init = init
        self.repr = repr
        self.compare = compare
        self.metadata = metadata

    def options(self) -> dict[str, Any]:
        """What `dataclasses.field` is called with to make the same."""
        names = ("default", "default_factory", "init", "repr", "compare", "metadata")
        values = {name: getattr(self, name) for name in names}
        return {name: value for name, value in values.items() if value is not MISSING}


class Plan:
    """What the shared methods know of a class: its fields, and how many objects were made."""

    __slots__ = (
        *("compared", "fields", "frozen", "init", "made", "names", "owner", "post", "shown"),
        *("slots", "standard"),
    )

    def __init__(
        self, owner: type, columns: Mapping[str, Field], *, frozen: bool, slots: bool
    ) -> None:
        self.owner = owner
        self.fields = columns
        self.names = tuple([name for name, column in columns.items() if column.init])
        self.init = frozenset(self.names)
        self.shown = tuple([name for name, column in columns.items() if column.repr])
        self.compared = tuple([name for name, column in columns.items() if column.compare])
        self.frozen = frozen
        self.post = hasattr(owner, "__post_init__")
        self.slots = slots
        self.made = 0
        self.standard: type | None = None


def standard_class(plan: Plan) -> type:
    """The class that the standard library makes of the same fields; it is made once."""
    if plan.standard is None:
        import dataclasses

        owner = plan.owner
        columns = [
            (name, column.type, dataclasses.field(**column.options()))
            for name, column in plan.fields.items()
        ]
        namespace = {"__module__": owner.__module__, "__qualname__": owner.__qualname__}
        if plan.post:
            namespace["__post_init__"] = owner.__post_init__  # type: ignore[attr-defined]
        plan.standard = dataclasses.make_dataclass(
            owner.__name__,
            columns,
            namespace=namespace,
            frozen=plan.frozen,
            slots=plan.slots,
            repr=False,
            eq=False,
        )
    return plan.standard
