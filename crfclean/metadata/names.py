"""A text that names authors -> their names, without roles, titles and addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from crfclean.metadata.candidates import folded, plain
from crfclean.metadata.dates import MONTHS, find

MAX_CHARS = 300  # of a text that names authors
MAX_NAME = 60  # characters of a name
MAX_WORDS = 6
MAX_NAMES = 30

BY = (
    "articles by|article by|posts by|view all posts by|more from|by the author|written by|"
    "posted by|published by|authored by|"
    "created by|contributed by|story by|words by|text by|article by|by|author|authors|"
    "written|posted|"
    "von|verfasst von|geschrieben von|autor|autorin|autoren|text|"
    "par|publié par|écrit par|rédigé par|auteur|auteure|auteurs|"
    "por|escrito por|publicado por|autora|autores|"
    "autoři|autorka|napsal|napsala|text a foto|"
    "autorzy|napisał|napisała|opracował|opracowała|tekst|"
    "автор|авторы|текст|di|scritto da"
)
_BY = re.compile(rf"(?:{BY})(?:\(s\))?\s*(?::|：|\b(?=\s))\s*", re.IGNORECASE)
_CJK_BY = re.compile(r"(?:作者|文|撰文|记者|記者|编辑|編輯|责任编辑)\s*[:：/｜|]\s*")
_CUT = re.compile(
    r"\s+[|•·–—/]\s+|[|•·]|\s-\s|\n|\[|<| @|\b(?:on )?(?:published|updated|posted|last|"
    r"reviewed|edited|"
    r"fact[- ]checked|aktualisiert|veröffentlicht|publié|mis à jour|publicado|actualizado|"
    r"monday|tuesday|wednesday|thursday|friday|saturday|sunday|"
    r"aktualizováno|vydáno|opublikowano|опубликовано|обновлено)\b|"
    r"\bin\s+[A-Z]|on behalf of|\s+(?:on|am|le|el|dne)\s+(?=\S*\d|[A-Z][a-z]+ \d)|"
    r"\d+ min\b|发布|来源|來源",
    re.IGNORECASE,
)
_PARTS = re.compile(
    r"\s*(?:;|,|，|、|\n|\s&\s|\s\+\s|\s(?:and|und|et|и|with|mit|avec|con)\s"
    r"|(?<=\w\w)\s(?:i|a|y|e)\s(?=(?-i:[A-ZÀ-ÞĀ-ŽА-ЯЁ])\w*\s+(?-i:[A-ZÀ-ÞĀ-ŽА-ЯЁ])))\s*",
    re.IGNORECASE,
)
_CREDENTIAL = re.compile(
    r"[A-Z][a-z]{0,2}\.?-?(?:[A-Z][a-zA-Z]{0,3}\.?-?){1,3}®?|(?:[A-Z]\.){2,5}|ph\.?\s?d\.?|[a-z.]*m\.?d\.?|esq\.?|"
    r"[A-Z-]{2,8}®?(?:\s[A-Z0-9-]{2,8}|\s\d+)*|jr\.?|sr\.?|ii|iii",
)
_DEGREES_BEHIND = re.compile(r"(?<=\w\s\w)(\w*)\s(?:[A-Z]{2,6}®?\s?)+$")
_ROLE = re.compile(
    r"\b(?:editor|writer|reporter|contributor|correspondent|director|manager|expert|founder|"
    r"co-founder|ceo|cto|cmo|coo|president|officer|specialist|dietitian|nutritionist|analyst|"
    r"consultant|engineer|professor|lecturer|journalist|columnist|author|staff writer|head of|"
    r"senior|chief|lead|vp|redakteur\w*|redaktor\w*|редактор|корреспондент|guest|educator|"
    r"strategist|marketer|developer|coach|therapist|planner|member|representative)\b",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"https?://\S*|www\.\S+|(?:^|\s)/\S+/\S*")
_MAIL_WITH_NAME = re.compile(r"[^\s()<>]+@[^\s()<>]+\s*[(<]([^()<>]+)[)>]")
_OTHERS = re.compile(
    r"(?:medically |clinically |expert |technically )?(?:reviewed|edited|fact[- ]checked|checked|"
    r"updated|sponsored|photo\w*|powered|design\w*|translated|illustrat\w*) by\b|"
    r"learn more|read more",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"\([^()]*\)")
_TITLES = re.compile(r"(?:(?:dr|prof|mr|mrs|ms|mag|ing|mgr|bc)\.?\s)+(?=\w+\s\w)", re.IGNORECASE)
_NOBODY = frozenset(
    "admin administrator author authors by unknown guest none null n a editor staff user "
    "webmaster home about contact share follow subscribe comments reply login register name type "
    "human profile categories category tags menu search more".split()
)
_NO_PART = frozenset(
    "log login signin signup sign subscribe comment comments cart menu cookie cookies minutes min "
    "read share newsletter search articles posts categories account".split()
)


def names_of(text: str) -> tuple[str, ...]:
    """The names of a text in their order, each once; none where it names nobody.

    >>> names_of("By Ann Lee, MD and Bob  Roe | May 7, 2024")
    ('Ann Lee', 'Bob Roe')
    """
    text = plain(text, MAX_CHARS)
    mail = _MAIL_WITH_NAME.fullmatch(text)
    text = mail[1] if mail else _ADDRESS.sub(" ", text).strip()
    text = _head(_without_by(" ".join(_BRACKETS.sub(" ", text).split())))
    if _OTHERS.match(text):
        return ()
    if re.fullmatch(r"\w+, \w+\.?(?: \w\.?)?", text) and not _is_no_name(text.split(", ")[1]):
        text = " ".join(reversed(text.split(", ")))
    found = dict.fromkeys(_split(text))
    return tuple(found)[:MAX_NAMES]


def _without_by(text: str) -> str:
    for _ in range(3):
        match = _BY.match(text) or _CJK_BY.match(text)
        if not match:
            break
        text = text[match.end() :]
    return text.strip()


def _head(text: str) -> str:
    """What stands before a date, a separator or what else is no name; a date in front goes."""
    day = find(text)
    if day and day.start < 4:
        text = text[day.end :].lstrip(" ,;:.-–—|•·/")
    cut = _CUT.search(text, 1)
    text = text[: cut.start()] if cut else text
    day = find(text)
    return (text[: day.start] if day else text).strip(" ,;:.-–—|•·")


def _split(text: str) -> Iterator[str]:
    for number, part in enumerate(_PARTS.split(text)):
        bare = re.sub(r"^(?:and|und|et|&)\s+", "", part.strip(" .:;-–—|•·\"“”'’"))
        if number and _is_no_name(bare):
            continue
        if any(map(str.islower, bare)):
            bare = _DEGREES_BEHIND.sub(r"\1", bare)
        if is_name(bare):
            yield bare


def _is_no_name(part: str) -> bool:
    """Whether what follows a name and a comma is a degree or a role."""
    return bool(_CREDENTIAL.fullmatch(part) or _ROLE.search(part))


def is_name(text: str) -> bool:
    """Whether a text may be somebody's name.

    >>> [is_name(one) for one in ("Ann Lee", "12", "the first of all our many cats", "admin")]
    [True, False, False, False]
    """
    words = folded(text).split()
    if not words or len(text) > MAX_NAME or len(words) > MAX_WORDS:
        return False
    if _NO_PART.intersection(words) or " ".join(words).removeprefix("the ") in _NOBODY:
        return False
    dated = len(words) <= 3 and any(map(str.isdigit, words)) and MONTHS.keys() & set(words)
    return any(map(str.isalpha, text)) and not dated


def name_key(names: tuple[str, ...]) -> str:
    """What tells two sets of authors apart: their names without titles, in order.

    >>> name_key(("Dr. Ann Lee", "Bob")) == name_key(("bob", "Ann Lee"))
    True
    """
    return "; ".join(sorted({folded(_TITLES.sub("", name)) for name in names}))
