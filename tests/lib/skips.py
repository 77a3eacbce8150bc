"""Skips that count as failures: of tests that cannot be imported, and, with all extras, of most."""

from __future__ import annotations

import os
import re
from collections.abc import Generator
from typing import Any

VARIABLE = "CRFCLEAN_SKIPS"
"""`fail`: a skip is a failure if `ALLOWED` and `MORE` do not have its reason."""

MORE = "CRFCLEAN_SKIPS_ALLOWED"
"""A regular expression of further reasons, for a machine that lacks something."""

ALLOWED = {
    r"root reads": "file permissions do not hold for root",
    r"that Python reads any number": "Python 3.10 has no limit of digits before 3.10.7",
    r"no schema of TEI": "its package cannot be had from every index",
    r"the package index cannot be reached": "the test needs the network",
    r"pip install --no-deps": "projects' base classes, which cannot be had from every index",
    r"needs axe-core": "a package of npm, which the project does not depend on",
}
"""Reason, as a regular expression -> why a skip for it is right on a complete machine."""


# `--doctest-ignore-import-errors` is for modules of extras: it hides wrong imports of tests, too
_UNREAD = re.compile(r"unable to import module .*\btests\b.*\btest_\w+\.py")


def is_allowed(reason: str) -> bool:
    """Whether a skip with this reason is right although every extra is installed."""
    more = os.environ.get(MORE)
    patterns = [*ALLOWED, *([more] if more else [])]
    return any(re.search(pattern, reason) for pattern in patterns)


def without_skip(report: Any) -> Any:
    """A report of a test or a module; a failure in place of a skip that nothing allows."""
    if not report.skipped or hasattr(report, "wasxfail"):
        return report
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    if _UNREAD.search(reason) or (os.environ.get(VARIABLE) == "fail" and not is_allowed(reason)):
        report.outcome = "failed"
        report.longrepr = f"unexpected skip: {reason.removeprefix('Skipped: ')}"
    return report


def checked_report() -> Generator[None, Any, Any]:
    """The body of pytest's hooks that make reports."""
    return without_skip((yield))
