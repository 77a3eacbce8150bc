"""Tests of the fields of light dataclasses."""

from __future__ import annotations

import dataclasses

import pytest

from crfclean.types.plan import MISSING, Field, Plan, standard_class


def plan(**columns: Field) -> Plan:
    for name, column in columns.items():
        column.name, column.type = name, "int"
    return Plan(type("Depth", (), {}), columns, frozen=True, slots=False)


def test_a_field_has_the_defaults_of_the_standard_library() -> None:
    standard, made = dataclasses.field(), Field()
    for name in ("init", "repr", "compare", "metadata"):
        assert getattr(made, name) == getattr(standard, name)
    assert made.default is made.default_factory is MISSING


def test_options_make_the_same_field() -> None:
    assert Field(default=3, repr=False).options() == {
        "default": 3,
        "init": True,
        "repr": False,
        "compare": True,
        "metadata": {},
    }
    assert "default" not in Field(default_factory=list).options()


def test_names_by_what_a_field_is_for() -> None:
    depths = plan(a=Field(), b=Field(init=False), c=Field(repr=False), d=Field(compare=False))
    assert depths.names == ("a", "c", "d")
    assert depths.shown == ("a", "b", "d")
    assert depths.compared == ("a", "b", "c")


def test_the_standard_class_is_made_once() -> None:
    depths = plan(a=Field(), b=Field(default=2))
    standard = standard_class(depths)
    assert standard_class(depths) is standard
    assert vars(standard(1)) == {"a": 1, "b": 2}
    with pytest.raises(dataclasses.FrozenInstanceError):
        standard(1).a = 2


def test_the_standard_library_refuses_what_it_always_does() -> None:
    with pytest.raises(ValueError, match="mutable default"):
        standard_class(plan(a=Field(default=[])))
    with pytest.raises(TypeError, match="non-default argument"):
        standard_class(plan(a=Field(default=1), b=Field()))
