"""Paths of the checkout, for tests in any of its folders."""

from __future__ import annotations

import os
from pathlib import Path

LIB = Path(__file__).parent
"""Folder of the modules that tests share."""

ROOT = LIB.parents[1]
"""Root directory of the project."""

SCRIPT_PATH = os.pathsep.join(map(str, (LIB, ROOT)))
"""PYTHONPATH of a script, run in another process, that imports modules that tests share."""
