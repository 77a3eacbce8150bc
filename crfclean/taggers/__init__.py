"""Taggers, which label blocks, and the rules that turn probabilities into labels."""
