"""Words of Slovak."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, DateWords, ForumWords, Language

_KIND_PHRASES = {
    "teaser": (
        "čítajte aj|čítajte tiež|prečítajte si aj|mohlo by vás zaujímať|súvisiace články|"
        "podobné články|najčítanejšie|odporúčame"
    ),
    "promo": (
        "prihláste sa na odber|zdieľať na|zdieľať článok|sledujte nás|stiahnite si aplikáciu|"
        "podporte nás"
    ),
    "notice": (
        "táto stránka používa cookies|táto stránka používa súbory cookie|používame cookies|"
        "používame súbory cookie|prijať všetky|len pre predplatiteľov"
    ),
    "legal": "všetky práva vyhradené|ochrana osobných údajov|obchodné podmienky",
}

SLOVAK = Language(
    code="sk",
    function_words=(
        "a v sa na je že s z do o ako to za by pre ale som od po jeho byť alebo pri nie sú bol "
        "ktorý ktorí pretože"
    ),
    comments="komentár komentáre komentárov diskusia",
    phrases={"comments": "diskusia", "ad": "reklama"},
    dates=DateWords(before_units="pred"),
    bylines=BylineWords(joins_capitals="a", titles="ing mgr bc"),
    kind_phrases=_KIND_PHRASES,
    forum=ForumWords(quote_labels="citácia|citát", said=r"napísala?|napísal\(a\)|píše"),
)
