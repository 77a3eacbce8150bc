"""Words of Italian."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, DateWords, ForumWords, Language, PageTypeWords

_PHRASES = {
    "related": "leggi anche",
    "comments": "commenti",
    "share": "condividi|stampa",
    "legal": "diritti riservati",
    "subscribe": "iscriviti",
    "byline": "di |pubblicato|fonte",
    "ad": "pubblicit",
}

_DATES = DateWords(
    months=(
        *("gennaio gen", "febbraio feb", "marzo mar", "aprile apr", "maggio mag", "giugno giu"),
        *("luglio lug", "agosto ago", "settembre set", "ottobre ott", "novembre nov"),
        "dicembre dic",
    ),
    month_stems="gen mag giu lug ago set ott dic",
    units="second|minut|or[ae]|giorn|settiman|mes[ei]|ann[oi]",
    one="una?|un['’]",
    ago="fa",
    days="ieri|oggi",
    published="pubblicat",
    modified="aggiornat",
)

_NOTICES = {
    "script": (
        "abilita javascript|abilitare javascript|attiva javascript|attivare javascript|"
        "javascript è disabilitato|richiede javascript|caricamento|attendere prego|"
        "un momento"
    ),
    "consent": (
        "rispettiamo la tua privacy|la tua privacy è importante|accetta tutti|"
        "accetta tutto|accetta i cookie|continua senza accettare"
    ),
    "paywall": (
        "riservato agli abbonati|per continuare a leggere|abbonati per|sei già abbonato|"
        "contenuto riservato|contenuto premium"
    ),
    "login": (
        "effettua il login|accedi per|password dimenticata|hai dimenticato la password|"
        "devi effettuare l'accesso|ricordami"
    ),
    "error": (
        "pagina non trovata|non trovata|non esiste|non è più disponibile|accesso negato|"
        "errore 404|qualcosa è andato storto|in manutenzione"
    ),
}

_KIND_PHRASES = {
    "teaser": (
        "leggi anche|potrebbe interessarti|ti potrebbe interessare|potrebbero interessarti|"
        "articoli correlati|articoli simili|notizie correlate|contenuti correlati|"
        "i più letti|le più lette|da non perdere|articolo successivo|articolo precedente|"
        "leggi pure|gli ultimi articoli|ultimi articoli|raccomandati per te|più letti|"
        "vedi anche|tutti i video"
    ),
    "promo": (
        "iscriviti alla newsletter|iscriviti alla nostra|abbonati ora|condividi su|"
        "condividi questo|condividi l'articolo|seguici|scarica l'app|fai una donazione|"
        "sostienici"
    ),
    "notice": (
        "utilizziamo i cookie|questo sito utilizza cookie|questo sito utilizza i cookie|"
        "questo sito usa cookie|questo sito usa i cookie|accetta tutti|accetta i cookie|"
        "contenuto riservato agli abbonati|sei già abbonato|abilita javascript|"
        "questo contenuto è riservato|contenuto riservato"
    ),
    "legal": (
        "tutti i diritti riservati|informativa sulla privacy|note legali|termini e condizioni"
    ),
}

ITALIAN = Language(
    code="it",
    names="italian",
    function_words=(
        "di e che il la in un per è del non una con sono della le da si dei al nel gli"
    ),
    comments="commento commenti",
    phrases=_PHRASES,
    dates=_DATES,
    bylines=BylineWords(
        by=r"di|scritto da|a cura di|pubblicato da|autore|autrice|testo(?=\s*:)",
        author="autore|autrice",
        inside="Autore:",
        labels="di|autore",
        card_labels="scritto da",
        end_words="pubblicato|aggiornato",
        joins="con",
        joins_capitals="e",
        roles="giornalista|redattore|redattrice|inviat[oa]",
        others=r"(?:foto|immagin[ei]|video)\s*(?:[:©]|di\b)|altri articoli",
        agencies="ANSA|Ansa|Adnkronos",
        organisations="redazione agenzia università fondazione",
        nobody="redazione",
        paths="autor[ei]",
    ),
    page_types=PageTypeWords(texts={"cart": "carrello"}),
    notices=_NOTICES,
    kind_phrases=_KIND_PHRASES,
    forum=ForumWords(
        answers="in risposta a",
        fields={
            "posted": "scritto inviato pubblicato da",
            "joined": "iscritto registrato",
            "posts": "messaggi",
            "action": "rispondi cita",
            "edited": "modificato",
        },
        edited="modificato",
        dateparser=True,
        quote_labels="citazione|citazione di|originariamente inviato da",
        said="ha scritto|ha detto|scrive",
    ),
)
