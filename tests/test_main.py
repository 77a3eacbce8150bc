"""Tests of `__main__.py`."""

from __future__ import annotations

import subprocess
import sys

COMMAND = """
import atexit, gc, sys
atexit.register(lambda: print(gc.get_threshold()[0], gc.get_freeze_count() > 0, file=sys.stderr))
sys.argv = ["crfclean", "--version"]
from crfclean.__main__ import GARBAGE, main
print(GARBAGE, True)
main()
"""


def test_imports_are_not_searched_for_garbage() -> None:
    done = subprocess.run(
        [sys.executable, "-c", COMMAND], capture_output=True, check=True, text=True
    )
    expected, version = done.stdout.splitlines()
    assert version.startswith("crfclean ")
    assert done.stderr.strip() == expected
