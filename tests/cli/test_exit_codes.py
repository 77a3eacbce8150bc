"""Tests of `cli/help.py`: the numbers that the help of `clean` promises."""

from __future__ import annotations

from crfclean.cli.help import EXIT_NOTHING, EXIT_OK, EXIT_SOME_FAILED, EXIT_USAGE
from crfclean.cli.main import load_command


def test_help_promises_these_codes() -> None:
    codes = EXIT_OK, EXIT_SOME_FAILED, EXIT_USAGE, EXIT_NOTHING
    assert codes == (0, 1, 2, 3)
    told = " ".join((load_command("clean").help or "").split())
    assert "0 all done, 1 some pages failed, 2 wrong usage, 3 no text at all" in told
