"""Tests of `shell.py`: every page loads what there is, in colours that can be read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import crfclean
from crfclean.shell import read_asset, served_page, served_type

STATIC = Path(crfclean.__file__).parent / "static"
SHEETS = sorted(path.name for path in STATIC.glob("*.css"))


def test_a_served_page_names_files_that_are_served() -> None:
    html = served_page("t", "annotate.html", ["annotate.css"], ["annotate.js", "dom.js"])
    names = re.findall(r'="/static/([^"]+)"', html)
    assert len(names) == 5
    assert all(map(served_type, names))


@pytest.mark.parametrize("name", ["annotate.html", "..", "../shell.py", "", "no.css"])
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
