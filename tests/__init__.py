"""Tests; worker processes find functions of a test file by its name below this package."""
