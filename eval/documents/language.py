"""Measure how often languages are right: by libraries, by what pages declare, by crfclean.

Run `python -m eval.documents.language --data DIR`.

Texts are the golds, whole and short; crfclean's are those of the shipped model, whose pages may say
more. Short texts of many languages are the translated messages of Django (`pip install django`), 25
a language, where it is installed. The libraries are those of `identifiers` that are installed.
"""

from __future__ import annotations

import gettext
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.evaluate.calibration import expected_calibration_error
from crfclean.gold.pages import GoldPage, read_gold
from crfclean.metadata.language import identify
from crfclean.metadata.language.claims import Claim, claims
from crfclean.metadata.language.function_words import by_words
from crfclean.metadata.language.read import judge, text_of
from crfclean.metadata.language.scripts import languages_of, script_of
from crfclean.metadata.values import Value
from crfclean.pipeline import open_model, run
from eval.documents.identifiers import Identify, base, installed
from eval.lib.corpora import DEMO, corpus, data_parser
from eval.lib.intervals import mean
from eval.lib.record import environment, record

SETS = ("daniel-dev", "magic-html-article", "magic-html-forum", "demo")
LENGTHS = {"text": 1_000_000, "200 characters": 200, "50 characters": 50, "20 characters": 20}
SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s*")
A_LANGUAGE = 25
DEMO_LANGUAGES = {
    "hafenblick": "de",
    "kurjer-nadwislanski": "pl",
    "moorland-gazette": "en",
    "podhorsky-denik": "cs",
    "severnik": "cs",
    "vestnik-zarechya": "ru",
}
CORRECTED = {
    "ar": (("به گزارش", "fa"), ("دریائے", "ur"), ("ڈبلن", "ur")),
    "en": (("Kaj mislite", "sl"),),
    "": (("艺术", "zh"), ("前言", "zh"), ("W sobotni", "pl"), ("Süper Lig", "tr"), ("Board", "en")),
}
"""Language in magic-html (that of the script) -> where it is wrong: how texts begin, what is."""

NOT_THERE = frozenset("ast ckb dsb hsb ia io os udm bs".split())
"""Languages of the messages that none or one of the libraries has."""


@dataclass(frozen=True)
class Sample:
    """A text, its language, its site; what its page claims, and the text found on the page."""

    text: str
    language: str
    site: str
    claims: tuple[Claim, ...] = ()
    page_text: str = ""


def right_language(gold: GoldPage) -> str:
    """The language of a page; that of magic-html corrected by hand."""
    for begin, name in CORRECTED.get(gold.lang, ()) if gold.source.startswith("magic") else ():
        if gold.text.startswith(begin):
            return name
    return gold.lang


def pages(name: str, data: str) -> Iterator[GoldPage]:
    """The pages of a set with text and a known language."""
    annotated = list(read_gold(DEMO)) if name == "demo" else corpus(name, data)
    seen = set()
    for gold in annotated:
        if gold.text.strip() and gold.text not in seen:
            seen.add(gold.text)
            yield gold


def samples(name: str, data: str) -> list[Sample]:
    """The pages of a set as the shipped model cleans them."""
    tagger, examples = open_model("default"), []
    for gold in pages(name, data):
        language = DEMO_LANGUAGES[gold.site] if name == "demo" else right_language(gold)
        if language:
            document = run(gold.page, tagger)
            page_claims = tuple(claims(document))
            examples.append(Sample(gold.text, language, gold.site, page_claims, text_of(document)))
    return examples


def short(text: str, chars: int) -> str:
    """The first sentence of 20 characters or more after the first line, and what follows it."""
    if chars > len(text):
        return text
    body = " ".join(text.split("\n")[1:]) or text
    parts = [part for part in SENTENCE_END.split(body[: chars * 20]) if len(part) >= 20]
    return (parts[0] if parts and len(parts[0]) >= chars else body)[:chars]


def messages() -> list[Sample]:
    """Translated messages of 20 characters or more, at most 25 a language, evenly drawn."""
    spec = find_spec("django")
    if spec is None or spec.origin is None:
        print("left out: messages: no django")
        return []
    by_locale: dict[str, set[str]] = defaultdict(set)
    for path in sorted(Path(spec.origin).parent.rglob("LC_MESSAGES/django.mo")):
        with path.open("rb") as stream:
            catalogue: dict[Any, str] = gettext.GNUTranslations(stream)._catalog  # type: ignore[attr-defined]  # noqa: SLF001
        for key, text in catalogue.items():
            clean = re.sub(r"%\(\w+\)[sd]|%[sd]|\{[^}]*\}|<[^>]*>", " ", text)
            if key and text != key and len(" ".join(clean.split())) >= 20:
                by_locale[path.parts[-3]].add(" ".join(clean.split())[:200])
    examples = []
    for locale, texts in sorted(by_locale.items()):
        if len(texts) >= 50 and locale not in NOT_THERE and not re.search("_[A-Z]{2}$", locale):
            step = len(texts) // A_LANGUAGE
            chosen = sorted(texts)[::step][:A_LANGUAGE]
            examples += [Sample(text, base(locale), base(locale)) for text in chosen]
    return examples


Guess = Callable[[Sample, int], str]


def accuracy(guess: Guess, examples: Sequence[Sample], chars: int) -> list[float]:
    """Share of samples whose language is right, with its interval over sites."""
    right = [float(base(guess(sample, chars)) == base(sample.language)) for sample in examples]
    return mean(right, [sample.site for sample in examples])


def of_text(identified: Identify) -> Guess:
    """A library as a guess: of the text alone."""
    return lambda sample, chars: identified(short(sample.text, chars))


def declared(sample: Sample, _chars: int) -> str:
    """What `html lang` says, then the other claims."""
    return sample.claims[0].tag if sample.claims else ""


def judged(sample: Sample, chars: int) -> Value | None:
    """Words and claims together."""
    text = short(sample.page_text or sample.text, chars)
    return judge(identify.identify(text, library=True), len(text), sample.claims)


def by_crfclean(sample: Sample, chars: int) -> str:
    """The language of that."""
    value = judged(sample, chars)
    return value.text if value else ""


def without(sample: Sample, chars: int) -> str:
    """Words and claims together, without a library."""
    text = short(sample.page_text or sample.text, chars)
    value = judge(commonest(text), len(text), sample.claims)
    return value.text if value else ""


def commonest(text: str) -> Mapping[str, float]:
    """Probabilities by script and commonest words."""
    head = text[: identify.MAX_TEXT_CHARS]
    return by_words(head, languages_of(script_of(head)))


def own_words(sample: Sample, chars: int) -> str:
    """Script and commonest words alone, without a library."""
    tag = commonest(short(sample.text, chars))
    return max(tag, key=lambda name: tag[name], default="")


def calibration(examples: Sequence[Sample], chars: int) -> float:
    """Expected calibration error of the judgement's probabilities."""
    values = [judged(sample, chars) for sample in examples]
    sure = np.array([value.probability if value else 0.0 for value in values])
    right = np.array(
        [
            value is not None and base(value.text) == base(sample.language)
            for value, sample in zip(values, examples, strict=True)
        ]
    )
    return round(expected_calibration_error(sure, right), 4)


def timed(guess: Guess, examples: Sequence[Sample]) -> float:
    """CPU milliseconds a whole text."""
    start = time.process_time()
    for sample in examples:
        guess(sample, LENGTHS["text"])
    return round((time.process_time() - start) / len(examples) * 1000, 2)


def scores(guess: Guess, sets: dict[str, list[Sample]]) -> dict[str, Any]:
    """Accuracy by set and length, and the time."""
    accuracies: dict[str, Any] = {
        name: {length: accuracy(guess, set_samples, chars) for length, chars in LENGTHS.items()}
        for name, set_samples in sets.items()
        if name != "messages"
    }
    if sets.get("messages"):
        accuracies["messages"] = accuracy(guess, sets["messages"], LENGTHS["text"])
    return {**accuracies, "ms a text": timed(guess, sets["daniel-dev"])}


def wrong(examples: Sequence[Sample], guess: Guess) -> dict[str, int]:
    """Pairs of language and guess, where they differ, of whole texts."""
    pairs = Counter((sample.language, base(guess(sample, LENGTHS["text"]))) for sample in examples)
    return {f"{a} as {b or '?'}": count for (a, b), count in pairs.items() if base(a) != b}


def main() -> None:
    args = data_parser(__doc__).parse_args()
    sets = {name: samples(name, args.data) for name in SETS} | {"messages": messages()}
    systems: dict[str, tuple[str, Guess]] = {"declared": ("", declared)}
    for name, version, identified in installed():
        systems[name] = (version, of_text(identified))
    systems |= {"script and commonest words": ("", own_words), "crfclean": ("", by_crfclean)}
    systems["crfclean, no library"] = ("", without)
    results = {}
    for name, (version, guess) in systems.items():
        results[name] = {"version": version, **scores(guess, sets)}
        cells = (
            f"{key} {value['text'][0]:.3f} {value['50 characters'][0]:.3f}"
            for key, value in results[name].items()
            if isinstance(value, dict)
        )
        print(f"{name:27}", *cells, results[name].get("messages"), results[name]["ms a text"])
    about_sets = {
        name: {
            "samples": len(set_samples),
            "languages": dict(Counter(sample.language for sample in set_samples)),
            "declared": sum(bool(sample.claims) for sample in set_samples),
            "declared wrong": wrong([sample for sample in set_samples if sample.claims], declared),
            "crfclean wrong": wrong(set_samples, by_crfclean),
            "calibration": {key: calibration(set_samples, size) for key, size in LENGTHS.items()},
        }
        for name, set_samples in sets.items()
        if set_samples
    }
    for name, about in about_sets.items():
        print(name, about)
    library = identify.open_identifier()
    record(
        "documents/language",
        {"systems": results, "sets": about_sets, "library": library, **environment()},
    )


if __name__ == "__main__":
    main()
