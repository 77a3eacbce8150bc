"""Words of French."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, DateWords, ForumWords, Language, PageTypeWords

_PHRASES = {
    "related": "à lire aussi|lire aussi|voir aussi|articles liés",
    "comments": "commentaire",
    "share": "partager|imprimer",
    "legal": "tous droits|mentions légales",
    "subscribe": "s'inscrire|se connecter",
    "byline": "par |publié",
    "navigate": "accueil|suivant|précédent",
    "ad": "publicité",
    "tags": "mots-cl",
}

_DATES = DateWords(
    months=(
        *("janvier janv", "février févr fév fevrier", "mars", "avril avr", "mai", "juin"),
        *("juillet juil", "août aout", "septembre sept", "octobre oct", "novembre nov"),
        "décembre déc decembre",
    ),
    month_stems="janv fév févr avr mai juin juil août aout déc",
    ordinals="er",
    before_date="le",
    before_clock="à ",
    published="publié|paru|rédigé",
    modified="mis à jour|modifié",
    units="minute|heure|jour|sem|mois|an",  # "an" before the "a[nñ]o" of Spanish
    one="une?",
    before_units="il y a",
    days="hier|aujourd'hui",
)

_BYLINES = BylineWords(
    by=(
        r"par|publié par|écrit par|rédigé par|propos recueillis par|auteur|auteure|auteurs|"
        r"texte(?=\s*:)"
    ),
    sure="(?:écrit|rédigé|publié) par",
    author="auteur",
    inside="[Pp]ar",
    labels="par|auteur",
    card_labels="écrit par",
    end_words="publié|mis à jour|modifié|temps de lecture",
    joins="et|avec",
    before_last="et",
    roles=r"journaliste|rédact(?:eur|rice)s?|correspondante?s?|envoyée?s? spécia\w+|chroniqueu\w+",
    others=(
        r"(?:crédits?|photos?|images?|illustrations?|vidéos?)(?: photos?)?\s*(?:[:©]|par\b|de\b)|"
        r"plus d['’]articles|lire aussi|tous les articles"
    ),
    organisations="rédaction fr sarl université agence association fondation",
    nobody="accueil rédaction recherche",
    paths="auteurs?",
)

_PAGE_TYPES = PageTypeWords(
    paths={"product": "produit"},
    texts={
        "cart": "panier",
        "reply": "répondre",
        "results": "résultats",
        "review": "avis",
    },
)

_FORUM = ForumWords(
    answers="en réponse [àa]",
    fields={
        "posted": "écrit par envoyé publié le",
        "joined": "inscrit inscription",
        "place": "lieu localisation",
        "action": "répondre citer",
        "edited": "modifié",
        "page": "page",
        "rank": "membre",
    },
    edited="modifié",
    profiles="membre",
    quote_labels="citation|citation de|envoyé par|posté par",
    said="a écrit|écrit|a dit",
    dateparser=True,
)

_NOTICES = {
    "script": (
        "activer javascript|activez javascript|javascript est désactivé|"
        "nécessite javascript|sans javascript|chargement en cours|chargement...|"
        "chargement…|veuillez patienter|un instant"
    ),
    "consent": (
        "respectons votre vie privée|tout accepter|accepter les cookies|"
        "continuer sans accepter|accepter et continuer|votre consentement"
    ),
    "paywall": (
        "réservé aux abonnés|réservé à nos abonnés|pour lire la suite|abonnez-vous pour|"
        "déjà abonné|il vous reste|cet article est réservé"
    ),
    "login": (
        "veuillez vous connecter|mot de passe oublié|vous devez être connecté|"
        "connectez-vous pour|se souvenir de moi"
    ),
    "error": (
        "page introuvable|page non trouvée|introuvable|n'existe pas|n'existe plus|"
        "n'est plus disponible|accès refusé|accès interdit|erreur 404|"
        "une erreur est survenue|en maintenance"
    ),
}

_KIND_PHRASES = {
    "teaser": (
        "à lire aussi|lire aussi|à lire également|lire également|sur le même sujet|"
        "sur le même thème|articles similaires|articles liés|articles récents|les plus lus|"
        "les plus populaires|vous aimerez aussi|vous pourriez aussi aimer|à ne pas manquer|"
        "article suivant|article précédent|à lire|lisez aussi|lire la suite|voir aussi|"
        "la rédaction vous|dans la même rubrique|nos vidéos|à la une|commentaires récents"
    ),
    "promo": (
        "abonnez-vous|inscrivez-vous à la newsletter|inscrivez-vous à notre|"
        "recevez notre newsletter|partager sur|partager cet article|partagez cet article|"
        "suivez-nous|faire un don|faites un don|téléchargez l'application|"
        "téléchargez notre application|s'abonner|je m'abonne|abonnez vous|inscrivez-vous|"
        "s'inscrire|partager|copier le lien|ajouter à vos sélections|"
        "ajouter à mes articles|envoyer par e-mail|recevoir les newsletters|suivez nous"
    ),
    "notice": (
        "nous utilisons des cookies|ce site utilise des cookies|"
        "en poursuivant votre navigation|accepter les cookies|tout accepter|"
        "gérer les cookies|nous respectons votre vie privée|"
        "cet article est réservé aux abonnés|article réservé aux abonnés|déjà abonné|"
        "veuillez activer javascript|il vous reste|la suite est réservée|"
        "ce contenu est réservé|contenu réservé|cet article est réservé|lecture restreinte|"
        "afin de voir ce contenu|ce contenu est bloqué"
    ),
    "legal": (
        "tous droits réservés|mentions légales|politique de confidentialité|"
        "conditions générales|conditions d'utilisation"
    ),
}

FRENCH = Language(
    code="fr",
    names="french",
    function_words=(
        "de la le et les des en un une du que est pour dans qui pas par sur au plus avec ne"
    ),
    comments="commentaire commentaires",
    phrases=_PHRASES,
    dates=_DATES,
    bylines=_BYLINES,
    page_types=_PAGE_TYPES,
    forum=_FORUM,
    notices=_NOTICES,
    kind_phrases=_KIND_PHRASES,
)
