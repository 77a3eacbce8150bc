"""Describe a run and its estimates in a paragraph for a paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from crfclean._version import RELEASE_YEAR, __version__
from crfclean.decision.rules import CutChoice
from crfclean.page.chars import plural
from crfclean.products.teach.result import versions
from crfclean.products.tools.audit_summary import Report
from crfclean.products.tools.audited import UNKNOWN
from crfclean.systems.capabilities import fingerprint, with_choice
from crfclean.systems.load import load
from crfclean.types.choices import CONVENTIONS

TITLE = "crfclean: boilerplate removal with a conditional random field that can be trained"
CITATION = f"crfclean developers ({RELEASE_YEAR}). {TITLE}. Version {__version__}."

_PACKAGES = ("python", "lxml", "numpy")
_UNKNOWN_MODEL = "an unknown model"
_METHOD_NAMES = {"precision": "a precision", "recall": "a recall", "f1": "an F1"}


def methods(result: Report) -> str:
    """Return the paragraph: versions, model, convention, statuses, estimates, citation.

    Rows have the fingerprint of the model, which tells the shipped models and their conventions.
    """
    return " ".join([_run(result), _estimates(result), f"Reference: {CITATION}"])


def _run(result: Report) -> str:
    installed = versions(())
    packages = ", ".join(f"{name} {installed[name]}" for name in _PACKAGES if name in installed)
    models = ", ".join(_models(result.models)) or _UNKNOWN_MODEL
    statuses = ", ".join(f"{count:,} {name}" for name, count in _common(result.statuses))
    pages = f" The pages have the statuses {statuses}." if statuses else ""
    return (
        f"The texts of {plural(result.pages, 'page')} were extracted by crfclean {__version__} "
        f"({packages}) with {models}.{pages} They keep {result.kept_words / result.words:.1%} of "
        f"{result.words:,.0f} words."
    )


def _estimates(result: Report) -> str:
    estimates = ", ".join(
        f"{_METHOD_NAMES[name]} of {value.estimate:.3f} ({value.low:.3f} to {value.high:.3f})"
        for name, value in result.estimates.items()
    )
    return (
        f"{plural(result.judgements, 'block')}, drawn by words from strata of their probability, "
        f"were judged by hand. They give {estimates} over the words of all pages, with 95 % "
        "intervals."
    )


def _common(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _models(counts: Mapping[str, int]) -> Iterator[str]:
    """Yield what is known of each fingerprint, the commonest first."""
    shipped = _shipped() if counts else {}
    for name, _ in _common(counts):
        model = shipped.get(name, "a model or options of its own")
        yield _UNKNOWN_MODEL if name == UNKNOWN else f"{model} (fingerprint {name})"


def _shipped() -> dict[str, str]:
    """Return the fingerprints of the shipped models by convention -> their description."""
    return {
        fingerprint(with_choice(tagger, CutChoice(name))): f"the model {model}, convention {name}"
        for model in ("default", "mlp")
        for tagger in [load(model)]
        for name in CONVENTIONS
    }
