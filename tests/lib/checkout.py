"""Where the checkout is, for tests that may lie in any folder of it."""

from __future__ import annotations

import os
from pathlib import Path

LIB = Path(__file__).parent
"""The folder of the modules that tests share."""

ROOT = LIB.parents[1]
"""The directory of the project."""

SCRIPT_PATH = os.pathsep.join(map(str, (LIB, ROOT)))
"""PYTHONPATH of a script in a process of its own that imports what tests share."""
