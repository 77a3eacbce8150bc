"""Text -> probabilities of languages by script and the commonest words alone: no library needed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

FUNCTION_WORDS = {
    "en": "the of and to in is that for it with a your can all as was on are be by you have",
    "de": "der die und das den von zu mit ist des im dem nicht ein eine auf für auch sich als es",
    "fr": "de la le et les des en un une du que est pour dans qui pas par sur au plus avec ne",
    "es": "de la que el en y los del se las por un para con una su al no es lo como más",
    "it": "di e che il la in un per è del non una con sono della le da si dei al nel gli",
    "pt": "de que e o a do da em um para com não uma os no se na por mais as dos ao",
    "ca": "de la i que el en els les del a per un una amb no és al dels se més com",
    "nl": "de het van een en in is dat op te zijn met voor niet aan er die om ook als naar",
    "sv": "och att det i en som på är av för med den till inte ett om har de från jag",
    "da": "og i at det er en til af på den der for med de som ikke et har fra jeg",
    "no": "og i det er en til av på som for med at den ikke et har de fra jeg ble",
    "fi": "ja on ei että oli se hän mutta ovat joka kun niin myös tai kuin ole sen",
    "is": "og að í á er sem við til um það en ekki með var fyrir hann af ég",
    "et": "ja on ei et see oli ka kui mis ta aga või selle nii oma ning",
    "lv": "un ir ar par no ka uz tas bet arī kā nav vai lai pie tika",
    "lt": "ir yra kad į su tai iš ne bet kaip už buvo apie jis o taip",
    "pl": "i w na z się nie do to że jest o jak od po za przez ale dla są co był oraz",
    "cs": (
        "a se v na je že s z do o i to jako za by pro ale jsem od po jeho být nebo při není jsou "
        "byl který kteří protože"
    ),
    "sk": (
        "a v sa na je že s z do o ako to za by pre ale som od po jeho byť alebo pri nie sú "
        "bol ktorý ktorí pretože"
    ),
    "sl": "in je v na se da za so z ki pa ne bi tudi kot po od ali o iz",
    "hr": "i je u na se da za su od s a koji što o kao iz ne to bi ali",
    "hu": "a az és hogy nem is egy van meg ez volt csak de ha mint el már még vagy",
    "ro": "și de în la a cu pe că nu din o este un pentru mai care sunt se fi prin",
    "tr": "ve bir bu da için ile de çok olarak daha gibi olan ne en sonra kadar o ama",
    "vi": "và của là có các cho không được một những trong với người đã này để khi",
    "id": "yang dan di ini dengan untuk dari itu dalam tidak pada akan juga ke adalah ada",
    "sq": "të e në dhe që për një me nga është se i më nuk si po do ka",
    "eu": "eta da du ez bat dira ere izan egin dute baina zen hau edo den",
    "ru": "и в не на с что по как это из у за от о для его к но он был все так",
    "uk": "і в не на з що до та як це від за у про його для є або був але також",
    "be": "і у не на з што да як гэта ад за для яго але был каб таксама па",
    "bg": "на и в да се за е от с че не са по като това си или до бе който",
    "sr": "и је у на се да за су од са који што о као из не то би али",
    "mk": "на и во да се од за е со не што ги ќе кои како но тоа или",
    "kk": "және мен бұл бір да де үшін деп бар болып туралы екен",
    "ar": "في من على أن إلى التي عن الذي هذا مع ما هذه لا كان أو بعد",
    "he": "של את על לא הוא היא זה עם גם כי או אני יש",
    "fa": "و در به از که این را با است برای آن یک خود تا بر هم شد",
    "ur": "کے کی میں ہے کا اور سے کو نے پر ہیں کہ اس یہ بھی کر",
    "hi": "के की में है का और से को ने पर हैं कि यह भी एक",
    "mr": "आहे आणि या च्या ते ही तो व हे होते केले नाही",
    "ne": "छ र को मा लाई पनि छन् हो गर्न भने",
}
"""Language -> words that it can't do without."""

MAX_WORDS = 400  # of a text that are looked at
_STEP = math.log(16.0)  # what a word that no other language has says for its language
_UNKNOWN = 0.5  # as many such words say that it is a language without a list
_MARKS = ".,;:!?…()[]\"'«»„“”‘’।،؟؛-–—"  # around words
_SHARED = Counter(word for words in FUNCTION_WORDS.values() for word in set(words.split()))
_WEIGHTS = {
    name: {word: 1.0 / math.sqrt(_SHARED[word]) for word in words.split()}
    for name, words in FUNCTION_WORDS.items()
}


def by_words(text: str, languages: Sequence[str]) -> Mapping[str, float]:
    """Probabilities of these languages, by their commonest words in a text; they sum to 1.

    Words that many texts have count by the square root of all: texts are no lists of lots.

    >>> found = by_words("Mladá paní se na to dívala jako by nebyla doma", ("en", "cs", "sk"))
    >>> max(found, key=lambda name: found[name])
    'cs'
    """
    words = Counter(word.strip(_MARKS) for word in text.lower().split()[:MAX_WORDS])
    scale = _STEP / max(1.0, math.sqrt(words.total() / 8))
    scores = {name: _said(words, name) * scale for name in languages}
    best = max(scores.values(), default=0.0)
    factors = {name: math.exp(score - best) for name, score in scores.items()}
    total = sum(factors.values())
    return {name: factor / total for name, factor in factors.items()}


def _said(words: Counter[str], name: str) -> float:
    """How many words say that a text is of this language; one of several languages says less."""
    weights = _WEIGHTS.get(name)
    if weights is None:
        return _UNKNOWN
    return sum(weight * words[word] for word, weight in weights.items())
