"""The version of crfclean, and the year of its release."""

__version__ = "0.1.0"
YEAR = 2026
