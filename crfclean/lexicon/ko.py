"""Words of Korean."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, DateWords, ForumWords, Language

_NOTICES = {
    "script": (
        "자바스크립트를 활성화|javascript를 활성화|자바스크립트를 사용|로딩 중|로딩중|잠시만 기다려"
    ),
    "consent": "모두 동의|모두 수락|쿠키를 허용|쿠키 수락",
    "paywall": "구독자 전용|유료 회원|계속 읽으려면|구독하고",
    "login": (
        "로그인이 필요|로그인해 주세요|로그인 해주세요|비밀번호를 잊|비밀번호 찾기|로그인 상태 유지"
    ),
    "error": (
        "페이지를 찾을 수 없|찾을 수 없습니다|존재하지 않|삭제된|접근이 거부|접근할 수 없|"
        "오류가 발생|점검 중"
    ),
}

_KIND_PHRASES = {
    "teaser": (
        "관련기사|관련 기사|관련뉴스|관련 뉴스|많이 본 뉴스|많이 본 기사|인기기사|인기 기사|"
        "추천기사|추천 기사|이전 기사|다음 기사|이전글|다음글|주요뉴스|많이 본|함께 볼만한|"
        "추천 뉴스"
    ),
    "promo": (
        "뉴스레터 구독|구독하기|공유하기|기사 공유|카카오톡 공유|페이스북 공유|앱 다운로드|후원하기"
    ),
    "notice": "이 웹사이트는 쿠키|이 사이트는 쿠키|모두 동의|모두 수락",
    "legal": "무단전재|무단 전재|저작권자|개인정보처리방침|개인정보 처리방침|이용약관|ⓒ",
}

KOREAN = Language(
    code="ko",
    names="korean",
    spaced=False,  # particles follow words without white space
    comments="댓글",
    dates=DateWords(
        year_first=True,
        units="초|분|시간|일|주|개월|달|년",
        ago=" ?전",
        published="입력|등록|작성",
        modified="수정|업데이트",
    ),
    bylines=BylineWords(
        by="글쓴이|작성자|기자|글",
        author="글쓴이|작성자",
        inside="(?:글쓴이|작성자|기자)[:：]",
        labels="글쓴이|작성자|기자",
        end=r"\s?기자(?!\w)",
        others=r"(?:사진|영상)\s*[:：=/]",
        nobody="로그인 회원가입",
    ),
    notices=_NOTICES,
    kind_phrases=_KIND_PHRASES,
    forum=ForumWords(dateparser=True),
)
