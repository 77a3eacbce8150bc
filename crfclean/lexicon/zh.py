"""Words of Chinese."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, DateWords, Language

_PHRASES = {
    "related": "相关|推荐|热点|热门|更多|精彩|排行|延伸阅读|相關",
    "comments": "评论|留言|网友|評論",
    "share": "分享|打印|转发|微博",
    "legal": "版权|免责|备案|版權",
    "subscribe": "登录|注册|订阅",
    "byline": "来源|作者|编辑|记者|责任编辑|來源",
    "navigate": "首页|上一|下一|返回|搜索|联系",
    "ad": "广告",
    "tags": "标签|关键词",
}

_NOTICES = {
    "script": (
        "启用javascript|启用 javascript|開啟javascript|啟用javascript|javascript已禁用|"
        "正在加载|加载中|載入中|请稍候|請稍候"
    ),
    "consent": "接受所有|全部接受|接受cookie|同意并继续|同意並繼續",
    "paywall": "订阅后|付费阅读|仅限会员|成为会员|订阅以继续|訂閱以繼續|剩余内容|阅读全文需",
    "login": "请先登录|请登录|請先登入|請登入|忘记密码|忘記密碼|您需要登录|登录后",
    "error": (
        "页面不存在|找不到|頁面不存在|无法访问|拒绝访问|已被删除|已删除|出错了|系统维护|没有找到"
    ),
}

_KIND_PHRASES = {
    "teaser": (
        "相关阅读|相关新闻|相关文章|相关推荐|相关报道|延伸阅读|推荐阅读|热门文章|热门推荐|"
        "猜你喜欢|更多精彩|上一篇|下一篇|相關新聞|相關文章|延伸閱讀|推薦閱讀|熱門文章|"
        "更多新聞"
    ),
    "promo": (
        "分享到|分享至|扫码关注|扫一扫|关注我们|订阅我们|下载客户端|下载app|訂閱電子報|追蹤我們"
    ),
    "notice": (
        "我们使用cookie|本网站使用cookie|本站使用cookie|本網站使用cookie|我們使用cookie|"
        "接受所有cookie|全部接受|本文仅限会员|请启用javascript|請啟用javascript"
    ),
    "legal": (
        "版权所有|版權所有|未经授权|未经许可|免责声明|免責聲明|隐私政策|隱私權政策|隱私政策|"
        "转载请注明"
    ),
}

CHINESE = Language(
    code="zh",
    names="chinese",
    spaced=False,
    comments="评论 評論 留言 网友评论",
    phrases=_PHRASES,
    dates=DateWords(
        year_first=True,
        published="发布|發佈|时间|日期",
        modified="更新|修改",
        units="秒|分钟|分鐘|小时|小時|天|日|周|週|星期|個月|个月|年",
        ago="前",
        days="昨天",
    ),
    bylines=BylineWords(
        by="作者|文|撰文|撰稿人|撰稿|文字|通讯员|本报记者|本報記者|记者|記者",
        editors="编辑|編輯|责任编辑|責任編輯|责编",
        author="作者|撰文",
        inside="(?:作者|撰文|记者|記者|撰稿)[:：]",
        labels="作者|撰文|记者|記者",
        card_labels="作者",
        end="发布|發佈|来源|來源|责任编辑|責任編輯|编辑|編輯|责编|时间|日期|发表|阅读|浏览|更新",
        others=r"(?:图片?|圖片?|摄影|攝影|摄|翻译|翻譯)\s*[:：/／]",
        agencies="新华社|新華社|中新社",
        nobody="登录 注册 佚名 匿名 登入",
    ),
    notices=_NOTICES,
    kind_phrases=_KIND_PHRASES,
)
