"""How a command ended -> the exit code that says so."""

from __future__ import annotations

OK, SOME_FAILED, USAGE, NOTHING = 0, 1, 2, 3
