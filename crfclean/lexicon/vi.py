"""Words of Vietnamese."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, Language

_KIND_PHRASES = {
    "teaser": (
        "xem thêm|đọc thêm|bài viết liên quan|tin liên quan|bài liên quan|"
        "có thể bạn quan tâm|tin cùng chuyên mục|đọc nhiều nhất|tin mới nhất|bài viết mới|"
        "đọc nhiều|xem nhiều"
    ),
    "promo": (
        "đăng ký nhận|đăng ký bản tin|chia sẻ bài viết|theo dõi chúng tôi|tải ứng dụng|"
        "chia sẻ|theo dõi"
    ),
    "notice": (
        "chúng tôi sử dụng cookie|trang web này sử dụng cookie|website này sử dụng cookie|"
        "chấp nhận tất cả|vui lòng bật javascript"
    ),
    "legal": "bản quyền thuộc|mọi quyền được bảo lưu|chính sách bảo mật|điều khoản sử dụng",
}

VIETNAMESE = Language(
    code="vi",
    function_words="và của là có các cho không được một những trong với người đã này để khi",
    bylines=BylineWords(by="tác giả", labels="tác giả", joins="và", others=r"ảnh\s*:"),
    kind_phrases=_KIND_PHRASES,
)
