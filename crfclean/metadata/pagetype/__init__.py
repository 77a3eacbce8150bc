"""The type of a page: its figures, the model and its training."""
