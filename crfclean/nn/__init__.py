"""The small neural network: how it is applied and fitted."""
