"""Extract the names of authors from a byline, without roles, titles and addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from crfclean.lexicon import lexicon
from crfclean.lexicon.branches import branched
from crfclean.metadata.candidates import Candidate, folded, single_line
from crfclean.metadata.dates import find_date

MAX_BYLINE_CHARS = 300
UNSPACED_NAME = "[\u3400-\u9fff\uac00-\ud7af]{2,4}"
"""Pattern of a name in Chinese, Japanese or Korean."""
_MAX_NAME_CHARS = 60
_MAX_NAME_WORDS = 6
_MAX_NAMES = 30

# a degree behind a comma: "MD", "Ph.D.", "R.N.", "CFA", "iii"
_CREDENTIAL = re.compile(
    r"[A-Z][a-z]{0,2}\.?-?(?:[A-Z][a-zA-Z]{0,3}\.?-?){1,3}®?|(?:[A-Z]\.){2,5}|ph\.?\s?d\.?|[a-z.]*m\.?d\.?|esq\.?|"
    r"[A-Z-]{2,8}®?(?:\s(?>[A-Z0-9-]{2,8}(?!\S)|\d+))*+|jr\.?|sr\.?|ii|iii",
)
_ADDRESS = re.compile(r"https?://\S*|www\.\S+|(?:^|\s)/\S+/\S*")
_BRACKETS = re.compile(r"\([^()]*\)")
# "Ann Lee ann@x.example"
_MAIL = re.compile(r"(?<![\s,;|<])[\s,;|<]++[^\s@<>,;|]++@[^\s@<>]+\.[^\s@<>]++>?")


_PARTICLE = "(?:v[ao]n|de[rnl]?|d[aiu]|la|le|ter|dos|das|zu|bin|al|el)"
# "van der Berg, Jan"; "García Márquez, Gabriel"
_INVERTED = re.compile(
    rf"(?P<surname>(?:{_PARTICLE} ){{0,2}}[^\W\d_][\w'’-]*(?P<second> [^\W\d_a-z][\w'’-]*)?), "
    r"(?P<given>[^\W\d_a-z][\w.'’-]*(?: [^\W\d_a-z][\w.'’-]*){0,3})"
)


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    """Patterns of texts around names, and of texts that are no names."""
    words = lexicon()
    editors = words.unspaced.pattern(lambda language: language.bylines.editors)
    before_last = words.pattern(lambda language: language.bylines.before_last)
    roles = branched(words.pattern(lambda language: language.bylines.roles))
    titles = "|".join(words.words(lambda language: language.bylines.titles))
    agencies = words.pattern(lambda language: language.bylines.agencies)
    about_date = branched(words.pattern(lambda language: language.bylines.end_words))
    others = words.pattern(lambda language: language.bylines.others)
    any_case = {
        "label": rf"(?:{by()}|{unspaced_by()})(?:\(s\))?\s*[:：]?",
        "by": rf"(?:{by()})(?:\(s\))?(?:\s*+[:：]|\b(?=\s))\s*+",
        "end": _end(),
        "joins": _joins(),
        "role": rf"\b(?:{roles})\b",
        "others": others,
        "titles": rf"(?:(?:{titles})\.?\s)+(?=\w+\s\w)",
        "whole role": rf"(?:[\w-]+-)?(?:{roles})",
        "about date": rf"(?:{about_date})\b",
    }
    with_case = {
        "unspaced label": unspaced_by(),
        "unspaced by": rf"(?:{unspaced_by()}|{editors})"
        rf"(?:\s*[:：/｜|]\s*|\s+(?={UNSPACED_NAME}(?:\s|$)))",
        "before last": rf"^(?:{before_last}|&)\s+",
        "whole agency": agencies,
    }
    patterns = {name: re.compile(text, re.IGNORECASE) for name, text in any_case.items()}
    return patterns | {name: re.compile(text) for name, text in with_case.items()}


def is_label(text: str) -> bool:
    """Return whether a text is just the label of a byline.

    >>> is_label("By"), is_label("Autor:"), is_label("By Ann")
    (True, True, False)
    """
    return bool(_patterns()["label"].fullmatch(text))


def is_of_others(text: str) -> bool:
    """Return whether a line names other people than the author.

    >>> is_of_others("Photo: Ann Lee"), is_of_others("More stories by Ann Lee")
    (True, True)
    """
    return bool(_patterns()["others"].match(text))


@cache
def by() -> str:
    """The words before names ("by") in languages with spaces, as a part of a pattern."""
    return branched(lexicon().spaced.pattern(lambda language: language.bylines.by))


def unspaced_by() -> str:
    """The words before a colon and names in languages without spaces, as a part of a pattern."""
    return lexicon().unspaced.pattern(lambda language: language.bylines.by)


def _end() -> str:
    words = lexicon()
    end_words = words.pattern(lambda language: language.bylines.end_words)
    weekdays = "|".join(words.words(lambda language: language.dates.weekdays))
    before_date = words.pattern(lambda language: language.dates.before_date)
    end = words.pattern(lambda language: language.bylines.end)
    return (
        rf"(?<!\s)\s++[|•·–—/]\s+|[|•·»]|\s-\s|\n|\[|<| @|"
        rf"\b(?:on )?(?:{branched(f'{end_words}|{weekdays}')})\b|{end}|"
        rf"\s+(?:{before_date})\s+(?=\S*\d|[A-Z][a-z]+ \d)"
    )


def _joins() -> str:
    """The pattern of what separates two names."""
    words = lexicon()
    joins = words.pattern(lambda language: language.bylines.joins)
    short = words.pattern(lambda language: language.bylines.joins_capitals)
    capital = "(?-i:[A-ZÀ-ÞĀ-ŽА-ЯЁЄІЇ])"
    sign = UNSPACED_NAME[: UNSPACED_NAME.index("{")]
    return (
        rf"\s*(?:;|,|،|，|、|\n|\s&\s|\s\+\s|\s(?:{joins})\s"
        rf"|(?<=\w\w)\s(?:{short})\s(?={capital}\w*\s+{capital})"
        rf"|(?<={sign}{sign})\s(?={UNSPACED_NAME}(?:\s|$)))\s*"
    )


@cache
def _nobody() -> frozenset[str]:
    return frozenset(lexicon().words(lambda language: language.bylines.nobody))


@cache
def _no_part() -> frozenset[str]:
    return frozenset(lexicon().words(lambda language: language.bylines.no_part))


@lru_cache(maxsize=500)  # a page states an author in its head, in its markup and in its text
def names_of(text: str) -> tuple[str, ...]:
    """Return the distinct names of a byline, in their order.

    >>> names_of("By Ann Lee, MD and Bob  Roe | May 7, 2024")
    ('Ann Lee', 'Bob Roe')
    """
    text = _without_addresses(single_line(text, MAX_BYLINE_CHARS).lstrip(" |•·"))
    if is_of_others(text):  # before "(c)" goes
        return ()
    text = " ".join(_BRACKETS.sub(" ", text).split())
    text = _head(_without_by(text))
    if is_of_others(text):
        return ()
    text = "; ".join(given_first(text.split(";"))) if ";" in text else text
    # "Lee, Ann", but not "Lee, editor"
    if re.fullmatch(r"\w+, \w+\.?(?: \w\.?)?", text) and not _is_no_name(text.split(", ")[1]):
        text = " ".join(reversed(text.split(", ")))
    return tuple(dict.fromkeys(_split(text)))[:_MAX_NAMES]


def given_first(names: Sequence[str]) -> tuple[str, ...]:
    """Names of authors, one in each text, with the given name before the surname.

    >>> given_first(("Moor, Maria C.", "van der Berg, Jan", "Ann Lee, editor"))
    ('Maria C. Moor', 'Jan van der Berg', 'Ann Lee, editor')
    >>> given_first(("Ann Lee, Bob Roe",))
    ('Ann Lee, Bob Roe',)
    """
    names = [name.strip() for name in names]
    inverted = list(map(_inverted, names))
    # "Ann Lee, Bob Roe" are two, "García Márquez, Gabriel José" beside "Moor, Ann" is one
    is_sure = any(parts and not parts["second"] for parts in inverted)
    return tuple(
        f"{parts['given']} {parts['surname']}"
        if parts and (is_sure or not parts["second"] or " " not in parts["given"])
        else name
        for name, parts in zip(names, inverted, strict=True)
    )


def _inverted(name: str) -> re.Match[str] | None:
    """The parts of "Moor, Ann", but not of "Moor, editor" or "Ann Lee, Reuters"."""
    parts = _INVERTED.fullmatch(name)
    if parts is None or _is_no_name(parts["given"]):
        return None
    return None if _patterns()["whole agency"].fullmatch(parts["given"]) else parts


def _without_addresses(text: str) -> str:
    """A byline without addresses of pages and mail."""
    if "@" not in text:
        return _ADDRESS.sub(" ", text).strip() if "/" in text or "www." in text else text
    return _MAIL.sub(" ", _ADDRESS.sub(" ", text)).strip()


def _without_by(text: str) -> str:
    for _ in range(3):
        match = _patterns()["by"].match(text) or _patterns()["unspaced by"].match(text)
        if not match:
            break
        text = text[match.end() :].lstrip(" |•·")
    return text.strip()


def _head(text: str) -> str:
    """Cut a text at the first end of names, such as a date or a separator, after a leading date."""
    day = find_date(text)
    if day and day.start < 4:
        text = text[day.end :].lstrip(" ,،;:.-–—|•·/")
    cut = _patterns()["end"].search(text, 1)
    text = text[: cut.start()] if cut else text
    day = find_date(text)
    return (text[: day.start] if day else text).strip(" ,،;:.-–—|•·")


def _split(text: str) -> Iterator[str]:
    parts = _patterns()["joins"].split(text)
    # "BOB ROE" is no degree in "ANN LEE, BOB ROE and MAX ORR"
    is_mixed = any(map(str.islower, parts[0]))
    for number, part in enumerate(parts):
        name = _patterns()["before last"].sub("", part.strip(" .:;-–—|•·\"“”'’"))
        if number and _is_no_name(name, is_mixed=is_mixed):
            continue
        name = _bare(name)
        if is_name(name) and not is_of_others(name):
            yield name


def _bare(name: str) -> str:
    """A name without the roles around it, and without the @ of a handle.

    >>> [_bare(text) for text in ("Ann Lee Staff Writer", "Chief Editor Ann Lee")]
    ['Ann Lee', 'Ann Lee']
    """
    words = name.removeprefix("@").split()
    roles = [at for at, word in enumerate(words) if _patterns()["whole role"].fullmatch(word)]
    if len(roles) == len(words):
        return ""
    behind = words[roles[-1] + 1 :] if roles else []
    if len(behind) > 1 and not any(word[:1].islower() for word in behind):
        words = behind
    else:
        words = words[: next((at for at in roles if at > 1), len(words))]
    return " ".join(words)


def _is_no_name(part: str, *, is_mixed: bool = True) -> bool:
    """Return whether a part of a byline is a degree ("MD") or a role ("editor").

    In a byline all in capitals only a single short word may be a degree.
    """
    if _patterns()["whole agency"].fullmatch(part):
        return False
    is_degree = bool(_CREDENTIAL.fullmatch(part)) and (is_mixed or len(part) <= 4)
    return is_degree or bool(_patterns()["role"].search(part))


def is_name(text: str) -> bool:
    """Return whether a text may be somebody's name.

    >>> [is_name(text) for text in ("Ann Lee", "12", "the first of all our many cats", "admin")]
    [True, False, False, False]
    """
    words = folded(text).split()
    if not words or len(text) > _MAX_NAME_CHARS or len(words) > _MAX_NAME_WORDS:
        return False
    if _no_part().intersection(words) or " ".join(words).removeprefix("the ") in _nobody():
        return False
    if len(words) > 1 and text.rpartition(" ")[2].islower() and is_label(words[-1]):
        return False  # "Recipe by"
    if ":" in text or "：" in text or "©" in text or _patterns()["about date"].match(text):
        return False
    months = lexicon().months.keys()
    is_date = len(words) <= 3 and any(map(str.isdigit, words)) and months & set(words)
    return any(map(str.isalpha, text)) and not is_date


def name_key(names: tuple[str, ...]) -> str:
    """The key of a set of authors: their folded names without titles, in alphabetical order.

    >>> name_key(("Dr. Ann Lee", "Bob")) == name_key(("bob", "Ann Lee"))
    True
    """
    return "; ".join(sorted({folded(_patterns()["titles"].sub("", name)) for name in names}))


# join the runs of a line so that texts of different elements stay apart
#
# In "<b>By</b><a>Ann Lee</a><i>Staff Writer</i>" only the style separates the texts, which would
# read "ByAnn LeeStaff Writer".

NAME_END = " | "  # ends a name for `names_of`
LISTED = ", "  # separates two names

_WORD = re.compile(r"[\w'’.-]+")


class TextRun(NamedTuple):
    """A run of text; runs with no tag between them share `place`, items of a list share `kind`."""

    text: str
    place: tuple[int, int]
    kind: str


def parted(runs: Sequence[TextRun]) -> str:
    """Join the texts of runs, with a mark between those that elements set apart.

    >>> runs = ("By", "span"), ("Ann Lee", "a"), ("Bob Roe", "a"), ("CEO", "i")
    >>> parted([TextRun(text, (n, n), kind) for n, (text, kind) in enumerate(runs)])
    'By Ann Lee, Bob Roe | CEO'
    """
    pieces = _whole(runs)
    text = pieces[0].text if pieces else ""
    for left, right in pairwise(pieces):
        mark = _between(left, right)
        text = f"{text.rstrip()}{mark}{right.text.lstrip()}" if mark else text + right.text
    return text


def _whole(runs: Sequence[TextRun]) -> list[TextRun]:
    """Join runs with no tag between them; a run of white space joins the piece before it."""
    pieces: list[TextRun] = []
    for run in runs:
        last = pieces[-1] if pieces else None
        if last and (last.place == run.place or not run.text.strip()):
            pieces[-1] = TextRun(last.text + run.text, last.place, last.kind)
        elif run.text.strip():
            pieces.append(run)
    return pieces


def _between(left: TextRun, right: TextRun) -> str:
    """Return the mark to put between two pieces, "" if they belong together."""
    before, after = left.text.strip(), right.text.strip()
    has_space = left.text[-1:].isspace() or right.text[:1].isspace()
    plain = "" if has_space else " "
    if _patterns()["unspaced label"].fullmatch(before):
        return "："
    if is_label(before) or (before[-1:].isalnum() and after[:1].isdigit()):
        return plain  # "By"; "Ann Lee" and "7 May 2024"; "28.09.19" and "12:44"
    if not (before[-1:].isalnum() and after[:1].isalpha()) or after[:1].islower():
        return ""
    words = _WORD.findall(before[-200:])
    if words and words[-1].islower() and after[:1].isupper():
        return plain  # "posted by", "und"
    mark = LISTED if left.kind == right.kind else NAME_END
    return mark if _is_apart(words, after, has_space=has_space) else ""


def _is_apart(words: Sequence[str], after: str, *, has_space: bool) -> bool:
    """Return whether the text after these words does not belong to the same name.

    With a space between them, a single word may be a first name or a surname. Without one, a single
    letter is an enlarged initial.
    """
    if has_space:
        return len(words) > 1 and len(_WORD.findall(after[:200])) > 1
    return len(words) > 1 or len("".join(words)) > 1


# candidates for authors without a word such as "by": names alone or beside a date

_MAX_LINE_CHARS = 80  # of a line of names
_MAX_ALONE = 6  # blocks from the heading to a line of names
NEXT = 3  # most blocks from the heading to a block right below it

# "Ann Lee", "Ludwig van der Berg", "E. J. Roe"
_CAPITALISED = r"[^\W\d_a-z][\w'’.-]{0,20}"
_FULL_NAME = re.compile(rf"{_CAPITALISED} (?:(?:{_CAPITALISED}|{_PARTICLE}) ){{0,2}}{_CAPITALISED}")
_CAPITAL = re.compile(r"[^\W\d_a-z]")
_EDGES = " |•·–—-/,;:.()"


def bare_names(text: str, distance: int, node: int) -> Iterator[Candidate]:
    """The names of a short line near the heading that has only names, or names and a date.

    `distance` counts the blocks from the heading to the line.
    """
    day = find_date(text) if len(text) <= _MAX_LINE_CHARS else None
    if len(text) > _MAX_LINE_CHARS or (day is None and not 0 < distance <= _MAX_ALONE):
        return
    where = "next" if 0 < distance <= NEXT else "after" if distance > 0 else "before"
    parts = [text] if day is None else [text[: day.start], text[day.end :]]
    place = f"{where} alone" if day is None else f"{where} date line"
    for part in parts:
        if is_list_of_names(part.strip(_EDGES)):
            yield Candidate("author", (part.strip(_EDGES),), "name", place, node)


def is_list_of_names(text: str) -> bool:
    """Return whether a text consists of full names only.

    >>> texts = ("Ann Lee, Bob Roe", "Ann Lee on tea", "Tea")
    >>> [is_list_of_names(text) for text in texts]
    [True, False, False]
    """
    if len(_CAPITAL.findall(text)) < 2:  # every name has two
        return False
    names = names_of(text)
    joints = 6 * len(names)  # characters between two names
    is_all = len(text) <= sum(map(len, names)) + joints - 6
    return bool(names) and is_all and all(map(_FULL_NAME.fullmatch, names))
