"""Everything that labels blocks, and the rules from probabilities to labels."""
