"""The command `serve`: models -> a web page that cleans pages, and a JSON API."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from crfclean.bundle import find_model
from crfclean.cli_annotate import extra
from crfclean.options import options_of
from crfclean.types import ModelError

SHIPPED = ("default", "mlp")
"""The shipped models that are served where none is named, the first one chosen at first."""
