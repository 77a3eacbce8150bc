"""Words of Italian."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, DateWords, Language, PageTypeWords

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
)
