"""Words of Portuguese."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, DateWords, ForumWords, Language

_DATES = DateWords(
    months=(
        *("janeiro jan", "fevereiro fev", "março mar", "abril abr", "maio mai", "junho jun"),
        *("julho jul", "agosto ago", "setembro set", "outubro out", "novembro nov"),
        "dezembro dez",
    ),
    before_month="de",
    before_year="de",
    modified="atualizad|modificad",
    month_stems="fev abr mai set outubro dez",
    units="segundo|minuto|hora|dia|semana|m[eê]s|ano",
    one="uma?",
    days="ontem|hoje",
    ago="atrás",
    before_units="há",
)

_NOTICES = {
    "script": (
        "ative o javascript|ativar o javascript|habilite o javascript|"
        "habilitar javascript|javascript está desativado|requer javascript|carregando|"
        "a carregar|aguarde"
    ),
    "consent": (
        "valorizamos a sua privacidade|valorizamos sua privacidade|aceitar tudo|"
        "aceitar todos|aceitar cookies|aceitar e continuar"
    ),
    "paywall": (
        "exclusivo para assinantes|só para assinantes|apenas para assinantes|"
        "para continuar lendo|para continuar a ler|já é assinante|assine para"
    ),
    "login": (
        "faça login|inicie sessão|esqueceu a senha|esqueceu sua senha|"
        "esqueceu-se da palavra|precisa estar logado|lembrar-me"
    ),
    "error": (
        "página não encontrada|não encontrada|não foi encontrada|não existe|"
        "não está mais disponível|já não está disponível|acesso negado|erro 404|"
        "algo deu errado|em manutenção"
    ),
}

_KIND_PHRASES = {
    "teaser": (
        "leia também|leia mais|veja também|saiba mais|mais lidas|mais lidos|"
        "notícias relacionadas|artigos relacionados|posts relacionados|"
        "conteúdo relacionado|você também pode gostar|você pode gostar|não perca|"
        "próximo artigo|artigo anterior|recomendamos para você"
    ),
    "promo": (
        "assine nossa newsletter|assine a newsletter|inscreva-se|compartilhe|compartilhar|"
        "partilhar|siga-nos|baixe o aplicativo|baixe nosso aplicativo|faça uma doação|"
        "siga o|receba nossa newsletter"
    ),
    "notice": (
        "utilizamos cookies|usamos cookies|este site utiliza cookies|este site usa cookies|"
        "aceitar cookies|aceitar todos|conteúdo exclusivo para assinantes|já é assinante|"
        "habilite o javascript|ative o javascript|este conteúdo é exclusivo|"
        "exclusivo para assinantes|conteúdo exclusivo|já possui cadastro"
    ),
    "legal": (
        "todos os direitos reservados|política de privacidade|termos de uso|termos e condições"
    ),
}

PORTUGUESE = Language(
    code="pt",
    names="portuguese",
    function_words=("de que e o a do da em um para com não uma os no se na por mais as dos ao"),
    comments="comentário comentários",
    dates=_DATES,
    bylines=BylineWords(
        by=r"texto(?=\s*:)|reportagem(?=\s*:)",
        end_words="atualizado",
        joins_capitals="e",
        roles="repórter|jornalista|redatora?|colunista",
        others=r"(?:imagem|imagens|crédito)\s*(?:[:©]|por\b)|mais (?:notícias|artigos)",
        agencies="Lusa|Agência Brasil",
        nobody="redação",
    ),
    notices=_NOTICES,
    kind_phrases=_KIND_PHRASES,
    forum=ForumWords(
        answers="em resposta a",
        fields={
            "joined": "registro registrado membro ingressou",
            "posts": "mensagens",
            "action": "responder citar",
        },
        quote_labels="citação|citação de|citando",
        said="escreveu|disse",
        dateparser=True,
    ),
)
