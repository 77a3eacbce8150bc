"""The perceptron and its post-analysis."""
