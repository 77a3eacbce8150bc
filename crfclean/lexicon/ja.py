"""Words of Japanese."""

from __future__ import annotations

from crfclean.lexicon.language import Language

_NOTICES = {
    "script": "javascriptを有効|javascriptが無効|javascriptを使用|読み込み中|お待ちください",
    "consent": "すべて同意|すべて許可|cookieを受け入れ|クッキーに同意|プライバシーを尊重",
    "paywall": "会員限定|有料会員|続きを読むには|購読者限定|残り文字",
    "login": (
        "ログインしてください|ログインが必要|パスワードを忘れ|パスワードをお忘れ|ログイン状態を保持"
    ),
    "error": (
        "ページが見つかりません|見つかりません|存在しません|削除された|アクセスが拒否|"
        "アクセスできません|エラーが発生|メンテナンス中"
    ),
}

JAPANESE = Language(
    code="ja",
    names="japanese",
    spaced=False,
    comments="コメント",
    phrases={"related": "関連|人気", "comments": "コメント"},
    notices=_NOTICES,
)
