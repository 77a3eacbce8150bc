"""A property that is computed once."""

from dataclasses import dataclass, replace

import pytest

from crfclean.types.lazy import Lazy, lazy


@dataclass(frozen=True)
class Square:
    side: int

    @lazy
    def calls(self) -> list[str]:
        """How often the area was asked for."""
        return []

    @lazy
    def area(self) -> int:
        """The area."""
        self.calls.append("area")
        return self.side**2


def test_a_value_is_computed_when_it_is_first_read() -> None:
    square = Square(3)
    assert square.calls == []
    assert (square.area, square.area) == (9, 9)
    assert square.calls == ["area"]


def test_each_object_has_its_own() -> None:
    square = Square(3)
    assert square.area == 9
    assert (replace(square, side=4).area, square.area) == (16, 9)


def test_the_class_has_the_property() -> None:
    assert isinstance(Square.area, Lazy)
    assert Square.area.__doc__ == "The area."


def test_an_error_is_not_kept() -> None:
    class Odd:
        tries = 0

        @lazy
        def value(self) -> int:
            """The number of the try, from the second on."""
            self.tries += 1
            return 1 // (self.tries - 1)

    odd = Odd()
    with pytest.raises(ZeroDivisionError):
        _ = odd.value
    assert odd.value == 1
