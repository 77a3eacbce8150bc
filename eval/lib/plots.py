"""Plots as small PNG files: a palette of colours in place of full colour."""

from __future__ import annotations

from pathlib import Path

COLOURS = 32


def shrink(path: Path) -> None:
    """Reduce the colours of a PNG file to a palette."""
    from PIL import Image

    with Image.open(path) as image:
        reduced = image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    reduced.save(path, optimize=True)
