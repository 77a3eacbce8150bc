"""Words of Japanese."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, DateWords, ForumWords, Language

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

_KIND_PHRASES = {
    "teaser": (
        "関連記事|関連ニュース|関連リンク|あわせて読みたい|こちらもおすすめ|おすすめ記事|おすすめの記事|人気記事|人気の記事|アクセスランキング|最新記事|前の記事|"
        "次の記事|この記事を読んだ人|おすすめ情報|【関連記事】|ニュースランキング|新着記事"
    ),
    "promo": (
        "シェアする|この記事をシェア|フォローする|メルマガ登録|メールマガジン|ニュースレター登録|アプリをダウンロード|ツイートする|印刷する|メールで送る|"
        "リンクをコピー|フォローして|prイチオシ"
    ),
    "notice": (
        "当サイトではクッキー|当サイトではcookie|このサイトではcookie|本サイトではcookie|このウェブサイトはcookie|すべて受け入れる|すべて許可|"
        "この記事は有料会員限定|有料会員限定|会員限定記事|javascriptを有効|記事をマイページに保存|ご利用には会員登録|有料デジタル会員|会員登録が必要"
    ),
    "legal": "無断転載|無断複製|プライバシーポリシー|利用規約|特定商取引法",
}

JAPANESE = Language(
    code="ja",
    names="japanese",
    spaced=False,
    comments="コメント",
    phrases={"related": "関連|人気", "comments": "コメント"},
    dates=DateWords(
        year_first=True,
        units="秒|分|時間|日|週間|か月|ヶ月|ヵ月|カ月|年",
        ago="前",
        published="公開|掲載|投稿日|配信",
        modified="更新",
    ),
    bylines=BylineWords(
        by="著者|投稿者|執筆者|執筆|筆者|取材|ライター",
        editors="編集者|編集",
        author="著者|投稿者|執筆者",
        inside="(?:著者|投稿者|執筆者|筆者)[:：]",
        labels="著者|投稿者|執筆者|筆者",
        end="公開|更新|投稿日|掲載",
        others=r"(?:写真|撮影|画像|提供|イラスト|翻訳)\s*[:：/／=＝]",
        agencies="共同通信|時事通信",
        nobody="新規登録 ログイン 会員登録 編集部",
    ),
    notices=_NOTICES,
    kind_phrases=_KIND_PHRASES,
    forum=ForumWords(said="さんの発言", dateparser=True),
)
