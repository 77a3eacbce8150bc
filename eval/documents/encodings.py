"""Measure how often the encoding of pages that declare none is guessed right, beside other guesses.

Run `python -m eval.documents.encodings --data DIR`.

Real pages in languages of old encodings are written in these: declarations are cut out, characters
that the encoding lacks become references, as browsers and content management systems write them.
Right is a page that comes back character for character. Pages are the first in the order of hashed
names, up to 150 an encoding and eight a site; `short` are pages with 200 characters of the gold
alone. `--also` names further annotated pages (JSONL). chardet, charset-normalizer, chardetng-py
and beautifulsoup4 take part where they are installed.
"""

from __future__ import annotations

import codecs
import hashlib
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from crfclean.gold.pages import GoldPage, read_gold
from crfclean.page.decode import decode_text
from crfclean.page.encodings import WEB_ENCODINGS
from eval.lib.corpora import corpus, data_parser
from eval.lib.record import environment, record

SETS = (
    "daniel-dev dragnet-dev fundus-dev htmldate-dev immortal-zh magic-html-article "
    "magic-html-forum readability recipes-dev srcgold-dev trafilatura-dev wcxb-dev "
    "web-forum-52-dev"
).split()
MAX_PAGES = 150  # an encoding
MAX_SITE_PAGES = 8
MIN_NATIVE_SHARE = 0.5  # of the letters beyond ASCII
MIN_SCRIPT_SHARE = 0.1  # of all letters, where the alphabet is not Latin
MAX_LACKING = 0.05  # share of these letters that the encoding may lack
SHORT_CHARS = 200

_DECLARATIONS = re.compile(r"<meta[^>]*?charset\s*=[^>]*>|<\?xml[^>]*\?>", re.IGNORECASE)
_MARKUP = re.compile(r"<!--.*?-->|<(script|style)\b.*?</\1\s*>|<[^>]*>", re.DOTALL | re.IGNORECASE)
_WEB = {"gbk": "gb18030", "gb2312": "gb18030", "big5": "big5hkscs", "euc_kr": "cp949"}
_WEB |= {"shift_jis": "cp932", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "tis-620": "cp874"}
_WEB |= {"euc_jis_2004": "euc_jp", "euc_jisx0213": "euc_jp", "shift_jis_2004": "cp932"}
"""Python codec -> the one that the web reads these bytes with."""


@dataclass(frozen=True)
class Encoding:
    """An encoding: the codec that writes it, the letters of its pages, their declared languages.

    The text of a page has `least` of these letters.
    """

    codec: str
    letters: str
    languages: str = ""
    least: int = 30


_CYRILLIC, _HAN, _KANA, _GREEK = "[а-яё]", "[一-龥]", "[ぁ-ヿ一-龥]", "[ά-ώ]"
_CENTRAL = Encoding("cp1250", "[ąćęłńóśźżáéíýčďěňřšťúůžöüőű]", "pl cs sk hu")
ENCODINGS = {
    "windows-1251": Encoding("cp1251", _CYRILLIC),
    "windows-1250": _CENTRAL,
    "koi8-r": Encoding("koi8-r", _CYRILLIC),
    "gbk": Encoding("gbk", _HAN),
    "big5": Encoding("big5", _HAN),
    "shift_jis": Encoding("cp932", _KANA),
    "euc-kr": Encoding("cp949", "[가-힣]"),
    "iso-8859-7": Encoding("iso8859-7", _GREEK),
}
CONTROLS = {
    "windows-1252": Encoding("cp1252", "[à-öø-ÿß]", "de fr es it pt da sv fi nl"),
    "windows-1252, English": Encoding("cp1252", "[à-öø-ÿ£©®·•–—‘’“”]", "en", 1),
    "iso-8859-2": Encoding("iso8859-2", _CENTRAL.letters, _CENTRAL.languages),
    "windows-1253": Encoding("cp1253", _GREEK),
    "euc-jp": Encoding("euc_jp", _KANA),
}
"""Encodings that the eight must not be taken for; English has quotes and symbols alone."""

Guess = Callable[[bytes], str]


@dataclass(frozen=True)
class Sample:
    """A page's bytes, and the text that they are."""

    data: bytes
    text: str


def is_written_in(text: str, lang: str, encoding: Encoding) -> bool:
    """Whether the text of a page is in a language of an encoding, which has its letters."""
    letters = [char for char in text if not char.isascii() and char.isalpha()]
    native = len(re.findall(encoding.letters, text, re.IGNORECASE))
    least = max(encoding.least, MIN_NATIVE_SHARE * len(letters))
    if not encoding.languages:  # an English page may have a menu of languages
        least = max(least, MIN_SCRIPT_SHARE * sum(map(str.isalpha, text)))
    if native < least or (encoding.languages and lang not in encoding.languages.split()):
        return False
    if encoding.letters == _KANA and not re.search("[ぁ-ヿ]{3}", text):
        return False
    codec = "gb2312" if encoding.codec == "gbk" else encoding.codec  # GBK has traditional letters
    lacking = sum(not char.encode(codec, "ignore") for char in letters)
    return lacking <= MAX_LACKING * len(letters)


def written(html: str, encoding: Encoding) -> Sample:
    """A page in an encoding."""
    data = html.encode(encoding.codec, "xmlcharrefreplace")
    return Sample(data, data.decode(_WEB.get(encoding.codec, encoding.codec)))


def shortened(gold: GoldPage, encoding: Encoding) -> Sample | None:
    """A page with some characters of its gold alone, None if there are none beyond ASCII."""
    text = " ".join(gold.text.split())
    beyond = re.search(r"[^\x00-\x7f]", text)
    if beyond is None:
        return None
    part = text[max(0, beyond.start() - SHORT_CHARS // 2) :][:SHORT_CHARS]
    return written(
        f"<html><head><title>x</title></head><body><p>{part}</p></body></html>", encoding
    )


def pages(data: str, also: Sequence[Path]) -> Iterator[GoldPage]:
    """The pages of all sets in the order of hashed names."""
    found = [gold for name in SETS for gold in corpus(name, data)]
    found += [gold for path in also for gold in read_gold(path)]
    yield from sorted(found, key=lambda gold: hashlib.sha256(gold.id.encode()).digest())


def samples(gold_pages: Iterable[GoldPage]) -> dict[str, dict[str, list[Sample]]]:
    """The pages of each encoding, whole and short."""
    encodings = ENCODINGS | CONTROLS
    chosen: dict[str, dict[str, list[Sample]]] = {
        name: {"whole": [], "short": []} for name in encodings
    }
    by_site = {name: Counter[str]() for name in encodings}
    for gold in gold_pages:
        html = _DECLARATIONS.sub("", gold.page.html).replace("\ufffd", "")
        text = "" if html.isascii() else _MARKUP.sub(" ", html)
        for name, encoding in encodings.items() if text else ():
            kinds, sites = chosen[name], by_site[name]
            if sites[gold.site] >= MAX_SITE_PAGES or len(kinds["whole"]) >= MAX_PAGES:
                continue
            if is_written_in(text, gold.lang, encoding):
                sites[gold.site] += 1
                kinds["whole"].append(written(html, encoding))
                if short := shortened(gold, encoding):
                    kinds["short"].append(short)
    for name, kinds in chosen.items():
        counts = {kind: len(listed) for kind, listed in kinds.items()}
        print(name, counts, len(by_site[name]), "sites")
    return chosen


def as_web(name: str | None) -> str:
    """The codec that the web has for an encoding that a library names, windows-1252 for none."""
    if not name:
        return "cp1252"
    try:
        codec = WEB_ENCODINGS.get(name.lower()) or codecs.lookup(name).name
    except LookupError:
        return "cp1252"
    return _WEB.get(codec, codec)


def _dammit(data: bytes) -> str | None:
    name: str | None = (
        import_module("bs4.dammit").UnicodeDammit(data, is_html=True).original_encoding
    )
    return name


def _chardet(data: bytes) -> str | None:
    name: str | None = import_module("chardet").detect(data)["encoding"]
    return name


def _charset_normalizer(data: bytes) -> str | None:
    name: str | None = import_module("charset_normalizer").detect(data)["encoding"]
    return name


def _chardetng(data: bytes) -> str | None:
    name: str | None = import_module("chardetng_py").detect(data)
    return name


def _cchardet(data: bytes) -> str | None:
    name: str | None = import_module("cchardet").detect(data)["encoding"]
    return name


LIBRARIES: Mapping[str, Callable[[bytes], str | None]] = {
    "beautifulsoup4": _dammit,
    "charset-normalizer": _charset_normalizer,
    "chardet": _chardet,
    "chardetng_py": _chardetng,
    "faust-cchardet": _cchardet,
}
"""What guesses, each on the whole page; beautifulsoup4 asks faust-cchardet, which is installed."""


def systems() -> dict[str, Guess]:
    """What guesses, by name and version: the default before, the libraries, crfclean."""
    named: dict[str, Guess] = {"windows-1252 always": lambda _: "cp1252"}
    for package, guess in LIBRARIES.items():
        try:
            name = f"{package} {version(package)}"
        except PackageNotFoundError:
            print("left out:", package)
            continue
        named[name] = lambda data, guess=guess: as_web(guess(data))  # type: ignore[misc]
    named["crfclean"] = lambda data: decode_text(data)[1]
    return named


def judged(guess: Guess, listed: Sequence[Sample]) -> dict[str, Any]:
    """How many pages come back as they were, and what the others were taken for."""
    wrong = Counter[str]()
    for sample in listed:
        codec = guess(sample.data)
        if codecs.getincrementaldecoder(codec)("replace").decode(sample.data) != sample.text:
            wrong[codec] += 1
    right = len(listed) - wrong.total()
    return {"pages": len(listed), "right": right, "share": round(right / len(listed), 4)} | (
        {"wrong": dict(wrong)} if wrong else {}
    )


def scores(guess: Guess, sets: Mapping[str, Mapping[str, Sequence[Sample]]]) -> dict[str, Any]:
    """Figures by kind of page and encoding, over the eight encodings, and the CPU time."""
    begin = time.process_time()
    result: dict[str, Any] = {}
    for kind in ("whole", "short"):
        by_name = {name: judged(guess, kinds[kind]) for name, kinds in sets.items()}
        count = sum(by_name[name]["pages"] for name in ENCODINGS)
        right = sum(by_name[name]["right"] for name in ENCODINGS)
        mean = sum(by_name[name]["share"] for name in ENCODINGS) / len(ENCODINGS)
        all_eight = {"pages": count, "right": right, "share": round(right / count, 4)}
        result[kind] = {"the eight": all_eight | {"mean": round(mean, 4)}} | by_name
    number = sum(len(listed) for kinds in sets.values() for listed in kinds.values())
    milliseconds = (time.process_time() - begin) / number * 1000
    return result | {"ms a page": round(milliseconds, 2)}


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--also", nargs="*", type=Path, default=[])
    args = parser.parse_args()
    sets = samples(pages(args.data, args.also))
    results = {}
    for name, guess in systems().items():
        results[name] = scores(guess, sets)
        for kind in ("whole", "short"):
            cells = (f"{key} {value['share']:.3f}" for key, value in results[name][kind].items())
            print(f"{name:26} {kind}", *cells)
        print(f"{'':26} {results[name]['ms a page']} ms a page")
    record("documents/encodings", {"systems": results, **environment()})


if __name__ == "__main__":
    main()
