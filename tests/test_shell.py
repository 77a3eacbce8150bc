"""Tests of `shell.py`: every page loads what there is, in colours that can be read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import crfclean
from crfclean.shell import read_asset, report_page, served_page, served_type

STATIC = Path(crfclean.__file__).parent / "web" / "static"
SHEETS = sorted(path.name for path in STATIC.glob("*.css"))


def test_a_report_is_escaped_and_loads_nothing() -> None:
    html = report_page("<b>", "1 & 2", "<p>Text</p>", "chart.css")
    assert html.startswith("<!DOCTYPE html>")
    assert "<title>&lt;b&gt;</title>" in html
    assert "<h1>&lt;b&gt;</h1><p>1 &amp; 2</p>" in html
    assert "script-src 'none'" in html
    assert not re.search(r"https?://|src=|href=|url\(", html)


def test_a_served_page_names_files_that_are_served() -> None:
    html = served_page("t", "judge.html", ["judge.css"], ["judge.js", "dom.js"])
    names = re.findall(r'="/static/([^"]+)"', html)
    assert len(names) == 5
    assert all(map(served_type, names))


@pytest.mark.parametrize("name", ["judge.html", "..", "../shell.py", "", "no.css"])
def test_other_names_are_not_served(name: str) -> None:
    assert served_type(name) is None


def roots() -> tuple[dict[str, str], dict[str, str]]:
    """The colours of light screens, and those of dark ones."""
    light, dark = re.findall(r":root \{([^}]*)\}", read_asset("palette.css"))
    pattern = r"(--[\w-]+): #([0-9a-f]{3,6})"
    return dict(re.findall(pattern, light)), dict(re.findall(pattern, dark))


@pytest.mark.parametrize("sheet", SHEETS)
def test_every_colour_is_told_for_light_and_dark_screens(sheet: str) -> None:
    light, dark = roots()
    assert light.keys() == dark.keys()
    css = read_asset(sheet)
    own = {"--h", *re.findall(r"(--[\w-]+):", css)}  # the hue of a coherent text, in its element
    assert set(re.findall(r"var\((--[\w-]+)\)", css)) <= light.keys() | own


def luminance(colour: str) -> float:
    digits = colour if len(colour) == 6 else "".join(digit * 2 for digit in colour)
    parts = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_text_stands_out_from_its_ground() -> None:
    """Contrast of WCAG 2.1, 4.5 for text."""
    pairs = [
        ("--ink", "--paper"),
        ("--ink", "--back"),
        ("--faint", "--paper"),
        ("--faint", "--back"),
    ]
    pairs += [("--faint", "--back"), ("--other", "--other-tint"), ("--accent", "--here")]
    for colours in roots():
        for ink, ground in pairs:
            two = sorted([luminance(colours[ink]), luminance(colours[ground])])
            assert (two[1] + 0.05) / (two[0] + 0.05) > 4.5, (ink, ground)
