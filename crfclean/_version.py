"""The version of crfclean, and the year of its release."""

__version__ = "0.1.0"
RELEASE_YEAR = 2026
