"""A metric: how much longer or shorter a text is than its gold."""


def length(text: str, gold: str) -> float:
    """Return the characters of the text for each of the gold's; 1 is right."""
    return len(text) / max(len(gold), 1)
