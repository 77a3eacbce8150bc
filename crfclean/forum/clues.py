"""A short text, a class or a link -> whether it looks like a date, an author, or a post's words."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

MAX_DATE = 90  # characters of a text that may be a date with a few words around it

MONTHS = (
    "jan feb mar apr may jun jul aug sep oct nov dec mai okt dez mär janv fév févr avr juin juil "
    "août aout déc ene abr ago dic gen mag giu lug set ott led úno bře dub kvě čvn čvc srp zář "
    "říj lis pro sty lut kwi maj cze lip sie wrz paź gru янв фев мар апр мая май июн июл авг сен "
    "окт ноя дек ledna února března dubna května června července srpna září října listopadu "
    "prosince stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października "
    "listopada grudnia"
).split()
_NAMED = "|".join(sorted(MONTHS, key=len, reverse=True))
_UNITS = (
    r"sec|min|hour|day|week|month|year|std|stund|tag|woch|monat|jahr|heure|jour|sem|mois|an|"
    r"hora|d[ií]a|mes|a[nñ]o|hod|dn[yíů]|den|t[yý]d|měs|rok|godz|dni|dzie|tyg|mies|lat|"
    r"час|мин|дн|день|нед|мес|год|лет"
)
DATE = re.compile(
    r"\b\d{1,2}(?P<s>[./-]) ?\d{1,2}(?P=s) ?\d{2,4}\b|\b\d{4}[-/.]\d{1,2}[-/.]\d{1,2}\b|"
    rf"\b\d{{1,2}}(?:\.|st|nd|rd|th|er)?[ -]?(?:of )?(?:{_NAMED})\w{{0,8}}\b|"
    rf"\b(?:{_NAMED})[a-zéûа-я]{{0,8}}\.?[ -]\d{{1,4}}\b|"
    r"\d{4}年\s?\d{1,2}月|\d{1,2}月\d{1,2}日",
    re.IGNORECASE,
)
RELATIVE = re.compile(
    rf"\b(?:\d+|an?|one|einer?m?|une?|una?) ?(?:{_UNITS})\w{{0,6}}\.? "
    r"(?:ago|atrás|temu|назад|zpět)|"
    rf"\b(?:vor|il y a|hace|před|pred|há) \w{{1,6}} (?:{_UNITS})|"
    r"\b(?:yesterday|today|gestern|heute|vorgestern|hier|aujourd'hui|ayer|hoy|včera|"
    r"dnes|wczoraj|dzisiaj|dziś|вчера|сегодня|just now|\d{1,2}[hmdwy] ago)\b|"
    r"\d ?(?:分钟|小时|天|個月|个月)前|昨天",
    re.IGNORECASE,
)
TIME = re.compile(r"\b[0-2]?\d[:.h][0-5]\d(?:[:.][0-5]\d)?(?:\b|(?=[ap]m\b))", re.IGNORECASE)

LEXICON = {
    "body": (
        "body content message post comment text msg entry bbwrapper nachricht beitrag inhalt "
        "texte contenu mensaje texto tekst tresc obsah prispevek zprava postbody postmsg "
        "usercontent messagetext messagecontent cooked markdown md richtext commentbody narrow"
    ),
    "author": (
        "author user username nick nickname member poster userinfo name autor auteur usuario "
        "benutzer uzivatel uzytkownik creator profile vcard fn by person names"
    ),
    "date": (
        "date time datetime timestamp posted published created datum fecha data dateline "
        "permalink ago zeit cas czas datecreated"
    ),
    "not_body": (
        "signature sig footer foot header head user author profile avatar nav menu title subject "
        "sidebar meta reply buttons button tools actions toolbar controls pagination breadcrumb "
        "crumb quote info details rank stats badge share like likes reactions edited notice ad "
        "ads advert banner related similar search login form popup dropdown"
    ),
    "record": (
        "post comment message item row article reply postbit response container wrapper block "
        "li topic thread"
    ),
}
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_SETS = {kind: frozenset(words.split()) for kind, words in LEXICON.items()}
PROFILE = re.compile(
    r"user|member|profil|author|mitglied|autor|/u/|/@|people|uzivatel|uzytkown|membre|usuario|"
    r"viewprofile|/~",
    re.IGNORECASE,
)


@lru_cache(maxsize=20_000)
def words_of(name: str) -> frozenset[str]:
    """The words of a class or an id.

    >>> sorted(words_of("postBody-wrap"))
    ['body', 'bodywrap', 'post', 'postbody', 'wrap']
    """
    parts = [part.lower() for part in _PARTS.findall(name)]
    joined = [one + two for one, two in pairwise(parts)]
    return frozenset(parts + joined)


@lru_cache(maxsize=20_000)
def kinds_of(words: frozenset[str]) -> frozenset[str]:
    """The kinds of `LEXICON` that some words belong to."""
    return frozenset(kind for kind, known in _SETS.items() if words & known)


def looks_like_date(text: str) -> bool:
    """Whether a short text has a date, a relative one, or a time of day."""
    if len(text) > MAX_DATE:
        return False
    return bool(DATE.search(text) or RELATIVE.search(text) or TIME.search(text))
