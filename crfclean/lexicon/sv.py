"""Words of Swedish."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, DateWords, ForumWords, Language

_NOTICES = {
    "script": (
        "aktivera javascript|slå på javascript|javascript är avstängt|kräver javascript|"
        "laddar|vänligen vänta|ett ögonblick"
    ),
    "consent": (
        "vi värnar om din integritet|acceptera alla|godkänn alla|godkänn cookies|acceptera kakor"
    ),
    "paywall": (
        "endast för prenumeranter|för prenumeranter|läs vidare med|bli prenumerant|"
        "redan prenumerant|fortsätt läsa"
    ),
    "login": (
        "logga in för att|glömt lösenord|glömt ditt lösenord|du måste vara inloggad|kom ihåg mig"
    ),
    "error": (
        "sidan hittades inte|hittades inte|kunde inte hittas|finns inte|"
        "finns inte längre|åtkomst nekad|något gick fel|underhåll pågår"
    ),
}

_KIND_PHRASES = {
    "teaser": (
        "läs också|läs även|relaterade artiklar|mest läst|fler artiklar|mer om ämnet|"
        "missa inte|läs mer|se även"
    ),
    "promo": (
        "prenumerera på|anmäl dig till|dela artikeln|dela på facebook|följ oss|"
        "ladda ner appen|stöd oss|följ ämnen|nyhetsbrev"
    ),
    "notice": (
        "vi använder cookies|vi använder kakor|den här webbplatsen använder cookies|"
        "den här webbplatsen använder kakor|acceptera alla|godkänn alla|acceptera cookies|"
        "godkänn cookies|för att läsa vidare|redan prenumerant|endast för prenumeranter"
    ),
    "legal": "alla rättigheter förbehållna|integritetspolicy|användarvillkor|allmänna villkor",
}

SWEDISH = Language(
    code="sv",
    function_words="och att det i en som på är av för med den till inte ett om har de från jag",
    comments="kommentar kommentarer",
    dates=DateWords(
        year_first=True,
        months=(
            *("januari", "februari", "mars", "april", "maj", "juni", "juli", "augusti"),
            *("september", "oktober okt", "november", "december"),
        ),
        month_stems="maj",
        units="minut|timm|dag|veck|månad|år",
        one="en|ett",
        ago="sedan",
        days="igår|i går|idag",
        before_clock=r"kl\. ?",
        published="publicera",
        modified="uppdatera|ändrad",
    ),
    bylines=BylineWords(
        by=r"av|skriven av|författare|skribent",
        labels="av|författare",
        card_labels="skriven av",
        end_words="publicerad|uppdaterad",
        joins="och",
        roles="redaktör|krönikör",
        others=r"(?:foto|bild)\s*av\b",
        agencies="TT",
    ),
    notices=_NOTICES,
    kind_phrases=_KIND_PHRASES,
    forum=ForumWords(
        answers="som svar (?:på|till)",
        fields={"joined": "medlem registrerad gick", "posts": "inlägg", "action": "svara citera"},
        quote_labels="citat",
        said="skrev|sade",
        dateparser=True,
    ),
)
