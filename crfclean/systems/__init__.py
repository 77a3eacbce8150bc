"""Taggers: CRF, perceptron with post-analysis, segments, expert system; text that a page hides."""
