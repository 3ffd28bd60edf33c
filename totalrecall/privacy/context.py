"""Secrets known by the name before them: assignments and prose."""

from __future__ import annotations

import re

from totalrecall.privacy.rule import Rule, secret_span
from totalrecall.privacy.values import STOP, is_filler, is_key, is_password, is_strong, trimmed

_LOGIN_NAMES = (
    r"pass[ _-]?(?:word|wort|phrase|code)s?|passwd|passwort|kennwort|contrase"
    r"(?:ñ|n)a|mot de passe|senha|parola"
    r"|(?<![a-z])pwd|(?<=_)pwd|(?<=sql_)pwd|(?<![a-z])pass|(?<=_)pass|(?<![a-z])pw|requirepass|masterauth"
    r"|secret"
    r"(?:[_ -]?(?:key|access[_ -]?key))?(?:[_ -]?base)?"
    r"|(?:store|key)pass"
    r"|密\s?码|口\s?令|暗号"
)
_KEY_NAMES = (
    r"(?:api|access|account|auth|private|encryption|master|storage|license|service|signing|ssh|app|deploy"
    r"|subscription|secret|client|bot|function)[_. -]?key|token|api-?schlüssel|zugangsschlüssel|credentials?"
    r"|session[_-]?id|sessid|sessionid|connect\.sid|access[_-]?signature|auth|密\s?钥|秘\s?钥|令\s?牌"
)
_LOGIN_HINTS = (
    "pass",
    "pw",
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
    # JSON in JSON: the quotes of the value have as many backslashes as those of the name; more are inside it.
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


def _strong(match: re.Match[str]) -> bool:
    start, end = secret_span(match)
    value = match.string[start:end]
    return is_strong(value) and not is_filler(value)


CONTEXT = (
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
        "aws key",
        ("aws",),
        r"(?i)\baws\b[^\n]{0,24}?\bsecret\b[^\n]{0,20}?"
        r"(?P<s>(?<![A-Za-z0-9/+])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=]))",
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
