"""The list of all languages, the only place where a new one is registered."""

from __future__ import annotations

from crfclean.lexicon.ar import ARABIC
from crfclean.lexicon.be import BELARUSIAN
from crfclean.lexicon.bg import BULGARIAN
from crfclean.lexicon.ca import CATALAN
from crfclean.lexicon.cs import CZECH
from crfclean.lexicon.da import DANISH
from crfclean.lexicon.de import GERMAN
from crfclean.lexicon.el import GREEK
from crfclean.lexicon.en import ENGLISH
from crfclean.lexicon.es import SPANISH
from crfclean.lexicon.et import ESTONIAN
from crfclean.lexicon.eu import BASQUE
from crfclean.lexicon.fa import PERSIAN
from crfclean.lexicon.fi import FINNISH
from crfclean.lexicon.fr import FRENCH
from crfclean.lexicon.he import HEBREW
from crfclean.lexicon.hi import HINDI
from crfclean.lexicon.hr import CROATIAN
from crfclean.lexicon.hu import HUNGARIAN
from crfclean.lexicon.id import INDONESIAN
from crfclean.lexicon.is_ import ICELANDIC
from crfclean.lexicon.it import ITALIAN
from crfclean.lexicon.ja import JAPANESE
from crfclean.lexicon.kk import KAZAKH
from crfclean.lexicon.ko import KOREAN
from crfclean.lexicon.lt import LITHUANIAN
from crfclean.lexicon.lv import LATVIAN
from crfclean.lexicon.mk import MACEDONIAN
from crfclean.lexicon.mr import MARATHI
from crfclean.lexicon.ne import NEPALI
from crfclean.lexicon.nl import DUTCH
from crfclean.lexicon.no import NORWEGIAN
from crfclean.lexicon.pl import POLISH
from crfclean.lexicon.pt import PORTUGUESE
from crfclean.lexicon.ro import ROMANIAN
from crfclean.lexicon.ru import RUSSIAN
from crfclean.lexicon.sk import SLOVAK
from crfclean.lexicon.sl import SLOVENIAN
from crfclean.lexicon.sq import ALBANIAN
from crfclean.lexicon.sr import SERBIAN
from crfclean.lexicon.sv import SWEDISH
from crfclean.lexicon.tr import TURKISH
from crfclean.lexicon.uk import UKRAINIAN
from crfclean.lexicon.ur import URDU
from crfclean.lexicon.vi import VIETNAMESE
from crfclean.lexicon.zh import CHINESE

LANGUAGES = (
    ENGLISH,
    GERMAN,
    CZECH,
    POLISH,
    RUSSIAN,
    FRENCH,
    SPANISH,
    ITALIAN,
    PORTUGUESE,
    DUTCH,
    CATALAN,
    SLOVAK,
    SLOVENIAN,
    CROATIAN,
    HUNGARIAN,
    ROMANIAN,
    SWEDISH,
    DANISH,
    NORWEGIAN,
    FINNISH,
    ICELANDIC,
    ESTONIAN,
    LATVIAN,
    LITHUANIAN,
    TURKISH,
    VIETNAMESE,
    INDONESIAN,
    ALBANIAN,
    BASQUE,
    GREEK,
    UKRAINIAN,
    BELARUSIAN,
    BULGARIAN,
    SERBIAN,
    MACEDONIAN,
    KAZAKH,
    ARABIC,
    HEBREW,
    PERSIAN,
    URDU,
    HINDI,
    MARATHI,
    NEPALI,
    CHINESE,
    JAPANESE,
    KOREAN,
)
"""All languages, in the order of alternatives in patterns and of dateparser's attempts."""
