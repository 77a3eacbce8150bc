"""Tests of `evaluate/style.py`: one sheet, light and dark, that loads nothing."""

from __future__ import annotations

import re

from crfclean.evaluate.style import CSS


def test_every_colour_is_told_for_dark_screens_too() -> None:
    light, dark = re.findall(r":root \{([^}]*)\}", CSS)
    assert re.findall(r"--[\w-]+(?=:)", light) == re.findall(r"--[\w-]+(?=:)", dark)
    assert set(re.findall(r"var\((--[\w-]+)\)", CSS)) <= set(re.findall(r"--[\w-]+(?=:)", light))


def luminance(colour: str) -> float:
    digits = colour if len(colour) == 6 else "".join(digit * 2 for digit in colour)
    parts = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_text_stands_out_from_its_ground() -> None:
    """Contrast of WCAG 2.1, 4.5 for text."""
    for sheet in re.findall(r":root \{([^}]*)\}", CSS):
        colours = dict(re.findall(r"(--[\w-]+): #([0-9a-f]{3,6})", sheet))
        pairs = [("--ink", "--paper"), ("--soft", "--paper"), ("--ink", "--card")]
        for ink, ground in [*pairs, ("--gone-ink", "--gone"), ("--new-ink", "--new")]:
            two = sorted([luminance(colours[ink]), luminance(colours[ground])])
            assert (two[1] + 0.05) / (two[0] + 0.05) > 4.5, (ink, ground)
