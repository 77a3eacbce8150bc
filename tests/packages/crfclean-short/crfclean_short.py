"""A report of an evaluation: a line for each page."""

from crfclean.products.teach.result import Evaluation


def short(evaluation: Evaluation) -> str:
    """Return the F1 of each page, the worst first."""
    pages = sorted(evaluation.pages, key=lambda page: page.words.f1)
    return "".join(f"{page.words.f1:.3f} {page.id}\n" for page in pages)
