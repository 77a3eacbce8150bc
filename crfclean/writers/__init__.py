"""The output formats of a document."""
