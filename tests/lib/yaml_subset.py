"""Reader of YAML headers that hold double-quoted texts, lists of them, and a score, by YAML 1.2."""

from __future__ import annotations

import json
import re

ALLOWED = re.compile("[\t\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*")
"""Characters that YAML allows unescaped, without line breaks."""


def read(header: str) -> dict[str, object]:
    """Read the keys and values of a header between `---` lines."""
    first, *lines, last, rest = header.split("\n")
    assert (first, last, rest) == ("---", "---", "")
    values = {}
    for line in lines:
        key, _, value = line.partition(": ")
        assert key.isidentifier()
        assert ALLOWED.fullmatch(line)
        assert value.startswith(('"', "[")) or key == "score"
        assert not set(value) & {"\u2028", "\u2029", "\x85"}
        values[key] = json.loads(value)
    return values
