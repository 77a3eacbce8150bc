"""Words of Dutch."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, DateWords, ForumWords, Language

_NOTICES = {
    "script": (
        "schakel javascript in|javascript inschakelen|javascript is uitgeschakeld|"
        "javascript vereist|zonder javascript|bezig met laden|een moment geduld|"
        "even geduld"
    ),
    "consent": (
        "wij waarderen uw privacy|alles accepteren|accepteer alle|cookies accepteren|"
        "akkoord gaan met cookies|uw toestemming"
    ),
    "paywall": (
        "alleen voor abonnees|verder lezen|lees verder met|word abonnee|al abonnee|"
        "exclusief voor abonnees"
    ),
    "login": (
        "log in om|wachtwoord vergeten|u moet ingelogd zijn|je moet ingelogd zijn|onthoud mij"
    ),
    "error": (
        "pagina niet gevonden|niet gevonden|bestaat niet|niet meer beschikbaar|"
        "toegang geweigerd|fout 404|er is iets misgegaan|in onderhoud"
    ),
}

_KIND_PHRASES = {
    "teaser": (
        "lees ook|gerelateerde artikelen|gerelateerd nieuws|meest gelezen|"
        "misschien ook interessant|meer over dit onderwerp|bekijk ook|volgend artikel|"
        "vorig artikel|lees meer|meer nieuws|ook interessant"
    ),
    "promo": (
        "schrijf je in voor|schrijf u in voor|meld je aan voor|abonneer je|"
        "deel dit artikel|volg ons|download de app|doneer nu|steun ons|deel op|nieuwsbrief"
    ),
    "notice": (
        "wij gebruiken cookies|we gebruiken cookies|deze website gebruikt cookies|"
        "deze site gebruikt cookies|cookies accepteren|alles accepteren|"
        "dit artikel is alleen voor abonnees|alleen voor abonnees|al abonnee|deze inhoud|"
        "om deze inhoud te tonen"
    ),
    "legal": "alle rechten voorbehouden|algemene voorwaarden|privacybeleid|privacyverklaring",
}

DUTCH = Language(
    code="nl",
    names="dutch",
    function_words=(
        "de het van een en in is dat op te zijn met voor niet aan er die om ook als naar"
    ),
    comments="reactie reacties opmerkingen",
    dates=DateWords(
        months=(
            *("januari", "februari", "maart mrt", "april", "mei", "juni", "juli", "augustus"),
            *("september", "oktober okt", "november", "december"),
        ),
        month_stems="maart mrt mei",
        units="minu|uur|uren|dag|week|weken|maand|jaar|jaren",
        one="een",
        ago="geleden",
        days="gisteren|vandaag",
        published="gepubliceerd|geplaatst",
        modified="bijgewerkt|gewijzigd",
    ),
    bylines=BylineWords(
        by=r"door|geschreven door|tekst(?=\s*:)",
        inside="[Dd]oor",
        labels="door|auteur",
        card_labels="geschreven door",
        end_words="gepubliceerd|bijgewerkt|leestijd",
        joins_capitals="en",
        roles="redacteur|verslaggever|hoofdredacteur",
        others=r"(?:foto['’]?s?|beeld|fotografie|illustratie)\s*(?:[:©]|van\b|door\b)|meer van\b",
        agencies="ANP",
        nobody="redactie",
        paths="auteurs?",
    ),
    notices=_NOTICES,
    kind_phrases=_KIND_PHRASES,
    forum=ForumWords(
        answers="(?:als |in )?antwoord op",
        fields={
            "joined": "lid geregistreerd sinds",
            "posts": "berichten",
            "action": "reageer citeer",
        },
        quote_labels="citaat|citaat van",
        said="schreef|zei",
        dateparser=True,
    ),
)
