"""The step from probabilities to labels: the rule, the evidence beside the model, the score."""
