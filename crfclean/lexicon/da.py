"""Words of Danish."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, DateWords, ForumWords, Language

_KIND_PHRASES = {
    "teaser": (
        "læs også|relaterede artikler|mest læste|mest læst|andre læser|flere artikler|"
        "læs mere|les også|se også"
    ),
    "promo": (
        "tilmeld dig|tilmeld nyhedsbrev|del artiklen|del på facebook|følg os|hent appen|"
        "download appen|støt os|del artikel|nyhedsbrev"
    ),
    "notice": (
        "vi bruger cookies|vi anvender cookies|denne hjemmeside bruger cookies|"
        "dette website bruger cookies|accepter alle|tillad alle|"
        "denne artikel er kun for abonnenter|kun for abonnenter|allerede abonnent"
    ),
    "legal": (
        "alle rettigheder forbeholdes|privatlivspolitik|handelsbetingelser|persondatapolitik"
    ),
}

DANISH = Language(
    code="da",
    function_words="og i at det er en til af på den der for med de som ikke et har fra jeg",
    comments="kommentar kommentarer",
    dates=DateWords(
        months=(
            *("januar", "februar", "marts", "april", "maj", "juni", "juli", "august"),
            *("september", "oktober okt", "november", "december"),
        ),
        month_stems="maj",
        units="minut|time|dag|uge|måned|år",
        one="en|et",
        ago="siden",
        days="i går|i dag",
        before_clock=r"kl\. ?",
        published="publicere|offentliggjort",
        modified="opdatere",
    ),
    bylines=BylineWords(
        by="af|skrevet af|forfatter",
        labels="af|forfatter",
        end_words="publiceret|opdateret",
        joins="og",
        roles="journalist|redaktør",
        others=r"billede\s*:|foto af\b",
        agencies="Ritzau|/ritzau/",
    ),
    kind_phrases=_KIND_PHRASES,
    forum=ForumWords(said="skrev", dateparser=True),
)
