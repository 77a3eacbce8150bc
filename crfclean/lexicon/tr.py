"""Words of Turkish."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, DateWords, ForumWords, Language

_NOTICES = {
    "script": (
        "javascript'i etkinleştirin|javascript'i açın|javascript devre dışı|"
        "javascript gerektirir|yükleniyor|lütfen bekleyin|bir dakika"
    ),
    "consent": (
        "gizliliğinize değer veriyoruz|tümünü kabul et|çerezleri kabul et|kabul et ve devam et"
    ),
    "paywall": "sadece aboneler|abonelere özel|okumaya devam etmek için|abone olun|zaten abone",
    "login": (
        "giriş yapmalısınız|lütfen giriş yapın|şifremi unuttum|şifrenizi mi unuttunuz|beni hatırla"
    ),
    "error": (
        "sayfa bulunamadı|bulunamadı|mevcut değil|artık mevcut değil|erişim engellendi|"
        "hata 404|bir şeyler ters gitti|bakım çalışması"
    ),
}

_KIND_PHRASES = {
    "teaser": (
        "ilgili haberler|ilgili yazılar|benzer haberler|benzer yazılar|en çok okunanlar|"
        "önerilen haberler|bunlar da ilginizi çekebilir|ilginizi çekebilir|son yazılar|"
        "diğer haberler|sonraki haber|önceki haber|en çok okunan|bunlar da ilginizi|"
        "son haberler"
    ),
    "promo": (
        "bültenimize abone|bültene abone|e-bültenimize|abone olun|bizi takip edin|"
        "facebook'ta paylaş|uygulamayı indir|uygulamamızı indirin|bağış yap|haberi paylaş|"
        "takip et|abone ol"
    ),
    "notice": (
        "bu site çerez|bu sitede çerez|sitemizde çerez|web sitemizde çerez|"
        "bu web sitesi çerez|çerez politikası|çerezleri kabul et|tümünü kabul et|"
        "javascript'i etkinleştirin"
    ),
    "legal": (
        "tüm hakları saklıdır|gizlilik politikası|kullanım koşulları|kişisel verilerin korunması"
    ),
}

TURKISH = Language(
    code="tr",
    function_words="ve bir bu da için ile de çok olarak daha gibi olan ne en sonra kadar o ama",
    comments="yorum yorumlar",
    dates=DateWords(
        months=(
            *("ocak", "şubat", "mart", "nisan", "mayıs", "haziran", "temmuz", "ağustos"),
            *("eylül", "ekim", "kasım", "aralık"),
        ),
        month_stems=(
            "ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık "
            "oca şub nis tem ağu eyl eki kas"
        ),
        units="saniye|dakika|saat|gün|hafta|ay|yıl|sene",
        one="bir",
        ago="önce",
        days="dün|bugün",
        published="yayın|oluşturulma|eklenme",
        modified="güncelle",
    ),
    bylines=BylineWords(
        by=r"yazar|yazan|haber(?=\s*:)",
        end_words="yayınlanma|güncelleme|güncellenme|giriş",
        joins_capitals="ve",
        roles=r"muhabir\w*|editör\w*",
        others=r"(?:fotoğraf|kaynak)\s*:",
        agencies="AA|DHA|İHA",
    ),
    notices=_NOTICES,
    kind_phrases=_KIND_PHRASES,
    forum=ForumWords(
        fields={
            "joined": "katılım kayıt üyelik",
            "posts": "mesaj mesajlar",
            "action": "cevapla yanıtla",
        },
        quote_labels="alıntı",
        said="yazdı|demiş|dedi",
        dateparser=True,
    ),
)
