"""Adapters to foreign libraries: a module each, loaded by name, so that the core needs none."""
