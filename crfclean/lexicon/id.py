"""Words of Indonesian."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, DateWords, ForumWords, Language

_KIND_PHRASES = {
    "teaser": (
        "baca juga|baca selengkapnya|artikel terkait|berita terkait|berita lainnya|"
        "artikel lainnya|terpopuler|berita terpopuler|paling banyak dibaca|"
        "rekomendasi untuk anda|lihat juga|simak juga|simak video"
    ),
    "promo": (
        "berlangganan newsletter|langganan newsletter|daftar newsletter|bagikan artikel|"
        "bagikan ke|bagikan berita|ikuti kami|unduh aplikasi|download aplikasi|"
        "donasi sekarang"
    ),
    "notice": (
        "kami menggunakan cookie|situs ini menggunakan cookie|"
        "situs web ini menggunakan cookie|terima semua|terima cookie|khusus pelanggan|"
        "aktifkan javascript"
    ),
    "legal": (
        "hak cipta dilindungi|hak cipta ©|semua hak dilindungi|kebijakan privasi|"
        "syarat dan ketentuan|ketentuan penggunaan"
    ),
}

INDONESIAN = Language(
    code="id",
    function_words="yang dan di ini dengan untuk dari itu dalam tidak pada akan juga ke adalah ada",
    comments="komentar",
    dates=DateWords(
        month_stems="januari februari maret mei agustus agu okt des",
        units="menit|jam|hari|minggu|bulan|tahun",
        one="se",
        ago="lalu|yang lalu",
        days="kemarin|hari ini",
    ),
    bylines=BylineWords(
        by="oleh|penulis|ditulis oleh",
        labels="oleh|penulis",
        joins_capitals="dan",
        roles="wartawan|jurnalis",
        nobody="redaksi",
    ),
    kind_phrases=_KIND_PHRASES,
    forum=ForumWords(dateparser=True),
)
