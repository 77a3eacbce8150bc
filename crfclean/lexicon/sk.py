"""Words of Slovak."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, DateWords, ForumWords, Language

_KIND_PHRASES = {
    "teaser": (
        "čítajte aj|čítajte tiež|prečítajte si aj|mohlo by vás zaujímať|súvisiace články|"
        "podobné články|najčítanejšie|odporúčame|prečítajte si"
    ),
    "promo": (
        "prihláste sa na odber|zdieľať na|zdieľať článok|sledujte nás|"
        "stiahnite si aplikáciu|podporte nás|predplatné"
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
    dates=DateWords(
        month_stems="máj jún júl",
        units="hod|dň|deň|týž|mesiac|rok",
        before_units="pred",
        days="včera|dnes",
    ),
    bylines=BylineWords(joins_capitals="a", titles="ing mgr bc"),
    kind_phrases=_KIND_PHRASES,
    forum=ForumWords(
        fields={"joined": "registrovaný registrácia", "posts": "príspevky", "action": "odpovedať"},
        quote_labels="citácia|citát",
        said=r"napísala?|napísal\(a\)|píše",
        dateparser=True,
    ),
)
