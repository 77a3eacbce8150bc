"""Read lines of JSON: their strings, most of a corpus, by the compiled core where it was built."""

from __future__ import annotations

import json
from typing import Any

from crfclean.core.native import CORE


def read_line(line: bytes) -> Any:
    r"""The value of a line of JSON in UTF-8; raises `ValueError`, `RecursionError`.

    >>> read_line(b'{"id": 1, "html": "<p>\\u00e9"}\n')
    {'id': 1, 'html': '<p>é'}
    """
    fields = None if CORE is None else CORE.json_fields(line, json.loads)
    return json.loads(line.decode("utf-8-sig")) if fields is None else fields
