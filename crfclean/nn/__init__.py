"""Columns -> shares: the one small neural network, what it computes and how it is trained."""
