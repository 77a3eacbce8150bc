"""Training of models on annotated pages."""
