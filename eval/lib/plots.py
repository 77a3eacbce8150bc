"""Plots as small PNG files: a palette of colours in place of full colour."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = 32


def save_plot(figure: Figure, path: Path) -> None:
    """Write a figure as a PNG file; needs the extra `plots`."""
    from crfclean.evaluate.plots import save_png

    path.parent.mkdir(parents=True, exist_ok=True)
    save_png(figure, path)
    shrink(path)


def shrink(path: Path) -> None:
    """Reduce the colours of a PNG file to a palette."""
    from PIL import Image

    with Image.open(path) as image:
        reduced = image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    reduced.save(path, optimize=True)
