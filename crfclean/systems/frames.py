"""Find the frame that shows the content of a page: a part of a frame set, or an inner frame."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice

import numpy as np

from crfclean.core.table import Table
from crfclean.page.effects import is_hidden
from crfclean.page.head import Addresses
from crfclean.types import Blocks

_MAX_FRAMES = 100  # of a page, and of a frame set, are read
_MAX_DEPTH = 5  # of frame sets in each other
_MAX_STYLE_CHARS = 1_000  # of a style or a list of sizes
_MAX_SIZE_CHARS = 20
_WINDOW = 1_000.0  # pixels of a window's width and height, of which a size may be a share
_LEAST = 400.0, 300.0  # pixels of an inner frame's width and height; most ads have less
_FILLING = 900.0, 600.0  # of a frame that fills the window; players have less

# players, maps and buttons show no text of the page
_WIDGET = (
    r"(?i)youtu|vimeo|dailymotion|video|player|soundcloud|spotify|/maps\b|//maps\.|plugins/|captcha"
    r"|doubleclick|googletagmanager|\bads?\b"
)
_SIZE = re.compile(r"\s*(\d{1,6}(?:\.\d+)?)?\s*(\*|%|v[hw])?")
_STYLED = re.compile(
    r"(?:^|[;\s])(width|height)\s*:\s*(\d{1,6}(?:\.\d+)?\s*(?:%|v[hw])?)", re.IGNORECASE
)


def largest_frame(blocks: Blocks, url: str | None, *, is_empty: bool, fills: bool = False) -> str:
    """Return the address of the largest frame of a page, "" if it has none that shows a page.

    Of a page with frame sets, inner frames do not count, of other pages neither hidden nor small
    ones, and if one `fills` the window, no smaller ones. A frame of unknown size counts only if the
    page `is_empty`.
    """
    addresses, areas = Addresses.of(blocks, url), dict[str, float]()
    least = _FILLING if fills else _LEAST
    for node, area in _areas(blocks.table, _WINDOW if is_empty else 0.0, least):
        address = addresses.absolute(blocks.table.attributes[node].get("src"))
        if address and not re.search(_WIDGET, address):
            areas[address] = max(areas.get(address, 0.0), area)
    return max(areas, key=lambda address: areas[address], default="")


def _areas(table: Table, unknown: float, least: tuple[float, float]) -> Iterator[tuple[int, float]]:
    """Yield the frames of a page that may show a page, each with its area in pixels.

    Inner frames have at least some width and height.
    """
    name = "frame" if "frame" in table.tags else "iframe"
    frames = (node for node, tag in enumerate(table.tags) if tag == name)
    for node in islice(frames, _MAX_FRAMES):
        if name == "frame":
            yield node, _area_in_set(table, node)
        elif not is_hidden(name, table.attributes[node]):
            width, height = _sizes(table.attributes[node], unknown)
            if width >= least[0] and height >= least[1]:
                yield node, width * height


def _sizes(attributes: Mapping[str, str], unknown: float) -> tuple[float, float]:
    """Return the width and height of an inner frame in pixels."""
    sizes = dict(attributes)
    sizes.update(
        (name.lower(), size)
        for name, size in _STYLED.findall(sizes.get("style", "")[:_MAX_STYLE_CHARS])
    )
    return _pixels(sizes.get("width"), unknown), _pixels(sizes.get("height"), unknown)


def _pixels(size: str | None, unknown: float = _WINDOW) -> float:
    """Return a size in pixels: of "80", "20%", "50vh", "2*" or "*".

    >>> _pixels("80"), _pixels("20%"), _pixels("50vh"), _pixels("2*"), _pixels(None, 0.0)
    (80.0, 200.0, 500.0, 2000.0, 0.0)
    """
    number, unit = _SIZE.findall((size or "").lower()[:_MAX_SIZE_CHARS])[0]
    if unit == "*" or not number:
        return _WINDOW * float(number or 1) if unit else unknown
    return float(number) * (_WINDOW / 100 if unit else 1.0)


def _area_in_set(table: Table, node: int) -> float:
    """Return the area of a frame by the rows and columns of the frame sets around it."""
    area = _WINDOW * _WINDOW
    for _ in range(_MAX_DEPTH):
        parent = int(table.parent[node])
        if parent < 0 or table.tags[parent] != "frameset":
            break
        before = np.flatnonzero(table.parent[:node] == parent)[:_MAX_FRAMES].tolist()
        place = sum(table.tags[other] in ("frame", "frameset") for other in before)
        rows, columns = (
            [
                _pixels(size)
                for size in (table.attributes[parent].get(name) or "*")[:_MAX_STYLE_CHARS].split(
                    ","
                )
            ]
            for name in ("rows", "cols")
        )
        row = rows[place // len(columns) % len(rows)]
        area *= row / _WINDOW * columns[place % len(columns)] / _WINDOW
        node = parent
    return area
