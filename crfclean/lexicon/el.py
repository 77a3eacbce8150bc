"""Words of Greek."""

from __future__ import annotations

from crfclean.lexicon.language import Language

GREEK = Language(
    code="el",
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
