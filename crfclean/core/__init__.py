"""The compiled core: see docs/native.md."""

from crfclean.types import CrfcleanError


class CoreError(CrfcleanError, ImportError):
    """The compiled core is missing."""


try:
    from crfclean.core import labels, read, rows, table, words  # noqa: F401
except ImportError as error:
    raise CoreError(
        f"the compiled part of crfclean cannot be loaded ({error}); install crfclean again: "
        "pip install --force-reinstall --no-deps crfclean, in a checkout: pip install -e ."
    ) from None
