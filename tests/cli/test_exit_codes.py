"""Tests of `exit_codes.py`: the numbers that the help of `clean` promises."""

from __future__ import annotations

from crfclean.cli import exit_codes
from crfclean.cli.main import load_command


def test_help_promises_these_codes() -> None:
    codes = exit_codes.OK, exit_codes.SOME_FAILED, exit_codes.USAGE, exit_codes.NOTHING
    assert codes == (0, 1, 2, 3)
    told = " ".join((load_command("clean").help or "").split())
    assert "0 all done, 1 some pages failed, 2 wrong usage, 3 no text at all" in told
