"""The exit codes of all commands."""

from __future__ import annotations

EXIT_OK, EXIT_SOME_FAILED, EXIT_USAGE, EXIT_NOTHING = 0, 1, 2, 3
