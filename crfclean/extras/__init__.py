"""One foreign library each, loaded by name where it is wanted."""
