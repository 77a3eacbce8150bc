"""Words of Greek."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, Language

GREEK = Language(
    code="el",
    bylines=BylineWords(
        by="γράφει(?: [οη])?|συντάκτης|συντάκτρια|του|της",
        labels="συντάκτης|γράφει",
        end_words="δημοσίευση|ενημέρωση",
        joins="και",
    ),
    comments="σχόλιο σχόλια",
    phrases={
        "related": "σχετικ|διαβάστε|περισσότερ|δείτε|δημοφιλ|τελευταί",
        "comments": "σχόλι",
        "share": "κοινοποί",
        "legal": "πνευματικ|όροι χρήσ",
        "subscribe": "εγγραφ|σύνδεσ",
        "byline": "πηγή|του |της ",
        "navigate": "αρχικ|επόμεν|προηγο|επικοιν",
        "ad": "διαφήμ",
        "tags": "ετικέτ|κατηγορ",
    },
)
