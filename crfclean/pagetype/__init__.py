"""The type of a page: figures, model, training."""
