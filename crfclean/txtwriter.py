"""`Document` -> plain text."""
