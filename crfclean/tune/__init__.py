"""A user's convention of what belongs to a text, learned from a few corrected texts."""
