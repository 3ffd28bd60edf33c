"""Secrets that are known by what stands before them: assignments, headers, cookies, links, prose."""

from __future__ import annotations

import re

from totalrecall.privacy.rule import Rule, secret_span
from totalrecall.privacy.values import STOP, is_filler, is_key, is_link_key, is_password, is_strong, trimmed

_LOGIN_NAMES = (
    r"pass[ _-]?(?:word|wort|phrase|code)s?|passwd|passwort|kennwort|contrase"
    r"(?:ñ|n)a|mot de passe|senha|parola"
    r"|(?<![a-z])pwd|(?<=_)pwd|(?<=sql_)pwd|(?<![a-z])pass|(?<=_)pass|requirepass|masterauth"
    r"|(?:client|app|shared|consumer|signing|webhook|session|jwt|cookie)?[_ -]?secret"
    r"(?:[_ -]?(?:key|access[_ -]?key))?(?:[_ -]?base)?"
    r"|密\s?码|口\s?令|暗号"
)
_KEY_NAMES = (
    r"(?:api|access|account|auth|private|encryption|master|shared[_ -]?access"
    r"|storage|license|service|signing|ssh|app|deploy"
    r"|subscription|secret|client|bot|x-api|function)[_. -]?key|(?:access|auth"
    r"|refresh|id|bearer|bot|api|session|csrf|xsrf|user"
    r"|personal[_ ]access|security|gateway|hook|deploy)?[_. -]?token|api-?schlüssel"
    r"|zugangsschlüssel|credentials?"
    r"|session[_-]?id|(?:php)?sessid|jsessionid|sessionid|connect\.sid|(?:shared[_-]?)?access[_-]?signature"
    r"|auth"
    r"|密\s?钥|秘\s?钥|令\s?牌"
)
_LOGIN_HINTS = (
    "pass",
    "kennwort",
    "contrase",
    "pwd",
    "senha",
    "parola",
    "secret",
    "masterauth",
    "密码",
    "口令",
    "暗号",
    "密 码",
)
_KEY_HINTS = (
    "key",
    "token",
    "schlüssel",
    "credential",
    "session",
    "sessid",
    "connect.sid",
    "signature",
    "auth",
    "密钥",
    "秘钥",
    "令牌",
)
_SUFFIX = r"(?:[_-]?(?:prod|production|dev|test|staging|live|value|\d{1,2}|v\d))?"
_NEXT = r"(?![\w. -]{1,40}=)"
_CJK = "\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef"
_BARE = rf"(?:[^\s\"'`;&⟦⟧<>,|\\{_CJK}]|[;&,|]{_NEXT}(?=[!-~])|\\(?!n|r|t|\"))+"
_VALUE = (
    r"(?:\"(?P<s>(?:[^\"\\\n⟦⟧]|\\.)+)(?:\"|$|\n)|'(?P<s2>(?:[^'\\\n⟦⟧]|\\.)+)(?:'|$|\n)|`(?P<s3>[^`\n⟦⟧]+)`"
    rf"|[“„«「『](?P<s4>[^”“»」』\n⟦⟧]+)|(?P<bare>{_BARE}))"
)
_SEPARATOR = (
    r"(?P<sep>[\"'`\]*_]{0,3}[ \t]{0,8}(?:=>|:=|\?=|==?|:|->|→|\|)[ \t]{0,8}"
    r"(?:[|>][-+]?[ \t]{0,4}\r?\n[ \t]{1,16}|\*{0,2}[ \t]{0,4}))"
)
_ESCAPED = (
    # JSON in JSON: the quotes of the value have as many backslashes as those of the name; more are inside the value.
    r"(?P<esc>\\+)\"[ \t]{0,4}:[ \t]{0,4}(?P=esc)\""
    r"(?P<s>(?:[^\"\\\n⟦⟧]|\\++(?!\")|(?P=esc)\\+\")+)"
)
_GO_ON = re.compile(
    r"[.,;:!?)\]}，。；、\"']*(?:\s*(?:$|\n|#|//|--|—|–|\||\\|⟦)|[.,;!?，。；]"
    r"(?:\s|$)|\s+(?:and|und|y|et|but|for|on)\b)"
)


def _value_is(match: re.Match[str], *, password: bool) -> bool:
    start, end = secret_span(match)
    quoted = match.groupdict().get("bare") is None
    alone = bool(_GO_ON.match(match.string, end))
    judge = is_password if password else is_key
    return judge(trimmed(match.string[start:end]), alone=alone, quoted=quoted)


def _password(match: re.Match[str]) -> bool:
    if match["name"].lower() == "pass" and (match.groupdict().get("bare") or "a").isdigit():
        return False
    return _value_is(match, password=True)


def _key(match: re.Match[str]) -> bool:
    return _value_is(match, password=False)


_STOPS = "|".join(sorted((re.escape(word) for word in STOP), key=len, reverse=True))
_LINK = (
    r"(?:is|was|are|will be|being|to|as|lautet|ist|war|heißt|auf|zu|es|est|be"
    r"|equals|:|=|是|为|叫|改成|改为|设为|设置为|换成|设成|:是)"
)
_PROSE_VALUE = (
    rf"(?![\"'`]?(?:{_STOPS})(?![\w@#$%^&*+=!-]))[ \t]{{0,3}}"
    r"(?:\"(?P<s>[^\"\n⟦⟧]{3,200})\"|'(?P<s2>[^'\n⟦⟧]{3,200})'|`(?P<s3>[^`\n⟦⟧]{3,200})`"
    r"|[“„«「『](?P<s4>[^”“»」』\n⟦⟧]{3,200})"
    rf"|(?P<bare>[^\s⟦⟧\"'`“„<>，。；、{_CJK}]{{3,200}}))"
)


_NOT_ABOUT = (
    r"(?!s?[ _-](?:manager|policy|policies|reset|field|hash|generator|rotation"
    r"|length|budget|limit|count|bucket|usage|"
    r"ring|expiry|change|prompt|entry|file|store|vault|type|format|name)s?\b)"
)


def _prose(names: str) -> str:
    return (
        rf"(?i)(?P<name>{names}){_NOT_ABOUT}(?:[ \t]+[^\s.;:=⟦⟧]{{1,24}}){{0,6}}?"
        rf"(?:[ \t]+{_LINK}[ \t]*:?[ \t]+|[ \t]*(?::|=|是|为|叫|改成|改为|设为|设置为"
        rf"|换成|设成)[ \t:]*)" + _PROSE_VALUE
    )


_HEADER_NAMES = r"(?:proxy-)?authorization"
_COOKIE_PAIR = r"[\w.$-]{1,80}=[^\s;\"'⟦⟧]*"


def _scheme_token(match: re.Match[str]) -> bool:
    value = trimmed(match["s"])
    digit = any(sign.isdigit() for sign in value)
    return not is_filler(value) and (
        (digit and len(value) >= 8)
        or value.count(".") >= 2
        or (len(value) >= 16 and is_key(value, alone=True))
    )


def _not_filler(match: re.Match[str]) -> bool:
    return not is_filler(trimmed(match["s"]))


def _strong(match: re.Match[str]) -> bool:
    start, end = secret_span(match)
    value = match.string[start:end]
    return is_strong(value) and not is_filler(value)


def _link(match: re.Match[str]) -> bool:
    return is_link_key(match["s"])


def _any_link(match: re.Match[str]) -> bool:
    return len(match["s"]) >= 4 and not is_filler(match["s"])


def _userinfo_token(match: re.Match[str]) -> bool:
    return len(match["s"]) >= 16 and is_link_key(match["s"])


CONTEXT = (
    Rule(
        "authorization header",
        ("authorization",),
        rf"(?i){_HEADER_NAMES}[\"'\s\]]{{0,3}}[:=,][ \t\"'\[]{{0,4}}(?:(?:bearer|basic"
        rf"|token|digest|apikey|bot|negotiate|aws4-hmac-sha256)[ \t]+)(?P<s>[^\s\"'`⟦⟧<>]+"
        rf"(?:,[ \t]*\w+=[^\s,]+)*)",
        _not_filler,
    ),
    Rule(
        "authorization header",
        ("authorization",),
        rf"(?i){_HEADER_NAMES}[\"'\s\]]{{0,3}}[:=][ \t\"'\[]{{0,4}}(?P<s>[^\s\"'`⟦⟧<>]{{8,}})",
        _scheme_token,
    ),
    Rule(
        "bearer token",
        ("bearer",),
        r"(?i)(?<![a-z])bearer[ \t:]+(?P<s>[A-Za-z0-9._~+/=-]{8,})",
        _scheme_token,
    ),
    Rule(
        "basic credentials",
        ("basic",),
        r"(?i)(?<![a-z])basic[ \t]+(?P<s>[A-Za-z0-9+/]{8,}={0,2})(?![\w-])",
        _scheme_token,
    ),
    Rule(
        "cookie",
        ("cookie",),
        rf"(?i)cookies?2?[\"'\]]{{0,2}}[ \t]{{0,4}}[:=][ \t\"']{{0,4}}(?P<s>{_COOKIE_PAIR}"
        rf"(?:;[ \t]?{_COOKIE_PAIR}|;[ \t]?[\w-]{{1,40}}(?=;|\s|$|[\"']))*)",
    ),
    Rule(
        "cookie",
        ("-b ", "--cookie"),
        rf"(?:(?<=\s)-b|--cookie)[ =]+[\"']?(?P<s>{_COOKIE_PAIR}(?:;[ \t]?{_COOKIE_PAIR})*)",
    ),
    Rule(
        "session id",
        ("sess", "sid=", "sid:", ".sid", 'sid"'),
        r"(?i)(?<![a-z])(?:(?:php|asp\.net_|j)?sess(?:ion)?[_-]?id|connect\.sid|sid"
        r"|session)[\"']?[ \t]{0,3}[:=][ \t\"']{0,4}(?P<s>[A-Za-z0-9%._~+/=-]{12,})",
        _link,
    ),
    Rule(
        "password in a link",
        ("://",),
        r"https?://[^\s/:@\"'<>⟦⟧]{0,120}:(?P<s>[^\s/\"'<>⟦⟧]{1,200})@",
        _not_filler,
    ),
    Rule(
        "password in a link",
        ("://",),
        r"(?<!http)(?<!https)://[^\s/:@\"'<>⟦⟧]{0,120}:(?P<s>[^\s\"'<>⟦⟧]{1,200})@",
        _not_filler,
    ),
    Rule("token in a link", ("://",), r"://(?P<s>[^\s/:@\"'<>⟦⟧]{16,200})@", _userinfo_token),
    Rule(
        "token in a link",
        ("=",),
        r"(?i)[?&#;](?:[a-z_.-]{0,24}(?:token|secret|passw(?:or)?d|pwd|apikey|api[_-]key"
        r"|signature|credential)|sig|jwt|auth)=(?P<s>[^\s&\"'<>#⟦⟧]+)",
        _any_link,
    ),
    Rule(
        "token in a link",
        ("=",),
        r"(?i)[?&#;](?:key|code|sid|session|state|hash|access|k|t|st)=(?P<s>[^\s&\"'<>#⟦⟧]{8,})",
        _link,
    ),
    Rule(
        "webhook link",
        (
            "hooks.slack.com",
            "/api/webhooks/",
            "webhook.office.com",
            "hooks.zapier.com",
            "oapi.dingtalk",
            "open.feishu",
        ),
        r"(?:hooks\.slack\.com/(?:services|workflows|triggers)/|/api/webhooks/\d+/"
        r"|webhook\.office\.com/|hooks\.zapier\.com/hooks/catch/|open-apis/bot/v2/hook/)"
        r"(?P<s>[^\s\"'<>⟦⟧]{8,})",
    ),
    Rule(
        "shell credentials",
        (" -u", "--user", "--proxy-user"),
        r"(?:(?<=\s)-u|--user|--proxy-user)[ =]?[\"']?[^\s:\"']{1,100}:(?P<s>[^\s\"'⟦⟧]+)",
        _not_filler,
    ),
    Rule(
        "password",
        (" -p",),
        r"(?i)(?:sshpass|mysql(?:dump|admin)?|docker login|mongo(?:sh|dump)?|mariadb"
        r"|podman login)\b[^\n|;]{0,200}?[ \t]-p[ \t]?[\"']?(?P<s>[^\s\"'⟦⟧-][^\s\"'⟦⟧]{3,})",
        _not_filler,
    ),
    Rule(
        "password",
        ("redis-cli",),
        r"redis-cli\b[^\n|;]{0,200}?[ \t]-a[ \t][\"']?(?P<s>[^\s\"'⟦⟧]{4,})",
        _not_filler,
    ),
    Rule(
        "password",
        (" --",),
        r"(?i)--(?:[a-z-]{0,20}(?:password|passwd|passphrase|secret|token|api-?key"
        r"|auth-?key|access-?key))[= \t]+[\"']?(?P<s>[^\s\"'⟦⟧`$<-][^\s\"'⟦⟧`]{4,})",
        lambda m: is_password(trimmed(m["s"]), alone=False),
    ),
    Rule(
        "password",
        ("identified by", "password '", "requirepass", "masterauth", "login "),
        r"(?i)(?:identified by|with password|\bpassword(?= ')|requirepass|masterauth"
        r"|\blogin[ \t]+\S{1,80}\s+password)[ \t]+[\"']?(?P<s>[^\s\"'⟦⟧;]{3,})",
        _not_filler,
    ),
    Rule(
        "password",
        ("</",),
        r"(?i)<[\w:.-]{0,40}(?:password|passwd|pwd|secret|token|api-?key)(?:\s[^<>]{0,100})?>\s{0,8}"
        r"(?P<s>[^<>\s⟦⟧][^<>⟦⟧]{2,400})</",
        _not_filler,
    ),
    Rule(
        "recovery phrase",
        ("phrase", "mnemonic", "助记词"),
        r"(?i)(?:seed|recovery|backup|wallet|secret|mnemonic|wiederherstellungs)[ -]?"
        r"(?:phrase|words)?(?:[ \t]+\w{1,12}){0,4}?[ \t]*(?:[:=]|is|ist|lautet)\s{0,3}[\"']?"
        r"(?P<s>[a-z]{3,9}(?:[ ,]{1,2}[a-z]{3,9}){10,30})",
    ),
    Rule(
        "recovery phrase",
        ("助记词",),
        r"助记词\s?[是为:=]?\s{0,3}(?P<s>[a-z]{3,9}(?:[ ,]{1,2}[a-z]{3,9}){10,30})",
    ),
    Rule(
        "passphrase",
        ("passphrase",),
        r"(?i)passphrase\"?[ \t]*(?:[:=]|is|ist)[ \t]*(?:\"(?P<s>[^\"\n⟦⟧]{4,200})\""
        r"|(?P<s2>[a-z]{3,12}(?:[ -][a-z]{3,12}){3,9})(?=[.\n]|$))",
    ),
    Rule(
        "secret key",
        ("key",),
        r"(?i)(?:secret[ _-]?(?:access)?[ _-]?key|private[ _-]?key)[\"'\s:=]{1,6}"
        r"(?:is[ \t]+)?(?P<s>(?:0x)?[A-Za-z0-9+/]{32,}={0,2})",
    ),
    Rule(
        "storage key",
        ("accountkey", "sharedaccesskey"),
        r"(?i)(?:account|sharedaccess)key=(?P<s>[A-Za-z0-9+/]{20,}={0,2})",
    ),
    Rule("password", _LOGIN_HINTS, rf"(?i)(?P<name>{_LOGIN_NAMES}){_SUFFIX}{_SEPARATOR}{_VALUE}", _password),
    Rule("token", _KEY_HINTS, rf"(?i)(?P<name>{_KEY_NAMES}){_SUFFIX}{_SEPARATOR}{_VALUE}", _key),
    Rule(
        "password",
        ("pass", "kennwort"),
        r"(?i)(?:password|passwort|passcode|kennwort)[ \t]+(?:\"(?P<s>[^\"\n⟦⟧]{4,200})\""
        r"|'(?P<s2>[^'\n⟦⟧]{4,200})'|`(?P<s3>[^`\n⟦⟧]{4,200})`)",
        _strong,
    ),
    Rule("password", _LOGIN_HINTS, rf"(?i)(?P<name>{_LOGIN_NAMES}){_SUFFIX}{_ESCAPED}", _password),
    Rule("token", _KEY_HINTS, rf"(?i)(?P<name>{_KEY_NAMES}){_SUFFIX}{_ESCAPED}", _key),
    Rule("password", _LOGIN_HINTS, _prose(_LOGIN_NAMES), _password),
    Rule("token", _KEY_HINTS, _prose(_KEY_NAMES), _key),
)
"""Ordered: where several rules find the same range, the first names it."""
