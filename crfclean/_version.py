"""The version of crfclean."""

__version__ = "0.1.0"
