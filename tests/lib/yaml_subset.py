"""A YAML header of double-quoted texts and lists of them -> what it says, by YAML 1.2's rules."""

from __future__ import annotations

import json
import re

ALLOWED = re.compile("[\t\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*")
"""What may stand in a YAML stream as it is; a quoted line has no break of its own."""


def read(header: str) -> dict[str, object]:
    """The keys and values of a header between `---` lines."""
    first, *lines, last, rest = header.split("\n")
    assert (first, last, rest) == ("---", "---", "")
    found = {}
    for line in lines:
        key, _, value = line.partition(": ")
        assert key.isidentifier()
        assert ALLOWED.fullmatch(line)
        assert value.startswith(('"', "["))
        assert not set(value) & {"\u2028", "\u2029", "\x85"}
        found[key] = json.loads(value)
    return found
