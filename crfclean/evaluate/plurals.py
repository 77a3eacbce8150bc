"""Plural forms for messages."""

from __future__ import annotations


def plural(count: int, noun: str) -> str:
    """`1 page`, `2 pages`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
