"""Secrets in headers, cookies, links and commands: known by the syntax around them."""

from __future__ import annotations

import re

from totalrecall.privacy.rule import Gate, Rule
from totalrecall.privacy.values import is_filler, is_key, is_link_key, is_password, trimmed

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


def _link(match: re.Match[str]) -> bool:
    return is_link_key(match["s"])


def _any_link(match: re.Match[str]) -> bool:
    return len(match["s"]) >= 4 and not is_filler(match["s"])


def _userinfo_token(match: re.Match[str]) -> bool:
    return len(match["s"]) >= 16 and is_link_key(match["s"])


HEADERS = (
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
        "authorization header",
        ("authorization",),
        r"(?i)authorization[ -]header[ \t]+(?:is|was|ist|war)[ \t]+(?:(?:basic|token|digest|apikey)[ \t]+)?"
        r"(?P<s>[^\s\"'`⟦⟧<>]{8,})",
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
        r"|session|session id)(?:[\"']?[ \t]{0,3}[:=]|(?<=id)[ \t](?:is|was|ist|war|lautet)[ \t])"
        r"[ \t\"']{0,4}(?P<s>[A-Za-z0-9%._~+/=-]{12,})",
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
        "connection string",
        ("password=", "passwd=", "pwd="),
        r"(?i)\b(?:host|hostaddr|user|username|uid|dbname|port|server)=[^\s;,()]{1,100}"
        r"(?:[ ;]{1,2}\w{1,30}=[^\s;,()]{1,100}){0,5}?[ ;]{1,2}(?:password|passwd|pwd)="
        r"[\"']?(?P<s>[^\s;,()\"'⟦⟧]+)",
        _not_filler,
    ),
    Rule(
        "connection string",
        ("password=", "passwd=", "pwd="),
        r"(?i)\b(?:password|passwd|pwd)=[\"']?(?P<s>[^\s;,()=\"'⟦⟧]{1,200})[\"']?[ ;]{1,2}"
        r"(?:host|hostaddr|user|username|uid|dbname|port|server|sslmode)=",
        _not_filler,
    ),
    Rule(
        "private key",
        ("mii", "/u3+7q", "b3blbnnzac1r"),
        # The contents of .pem, .key and keystore files, without the marks around them.
        r"(?<![A-Za-z0-9+/])(?P<s>(?:MII[A-Za-z0-9+/]{2}[A-Za-z0-9+/]{40,}|/u3\+7Q[A-Za-z0-9+/]{36,}"
        r"|b3BlbnNzaC1r[A-Za-z0-9+/]{30,})={0,2})",
        gate=Gate.HUGE,
    ),
    Rule(
        "password",
        ("storepass", "keypass"),
        r"(?i)(?:store|key)pass(?:word)?[ \t]+(?:(?:is|ist)[ \t]+)?[\"']?(?P<s>[^\s\"'⟦⟧]{4,})",
        lambda m: is_password(trimmed(m["s"]), alone=False) or m.string[max(m.start() - 1, 0)] == "-",
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
)
