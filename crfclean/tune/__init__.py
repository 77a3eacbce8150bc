"""A user's convention of what belongs to a text, learnt from a few corrected texts."""
