"""What needs no language: paths, addresses, versions, ports, amounts, errors."""

from __future__ import annotations

import re
from functools import cache

_GATE = r"[\d/@\\$€]|[A-Z]\w*(?:Error|Exception)|error|fehler|fail|panic|fatal|错|失败|拒绝|ошибк|erreur"
_VALUES = (
    (
        r"[\u4e00-\u9fff]{2,8}(?:路|街|大道|巷)\s?\d{1,5}\s?号|\b[\w-]{3,30}(?:straße|strasse|str\.|weg|platz|"
        r"allee|gasse) \d{1,4}\b"
    ),
    r"https?://[^\s<>\"'）)，。]{4,200}",
    r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}",
    r"(?<![\w/.:])(?:(?:~|\.{1,2}|[A-Za-z]:)[/\\][\w.@+~-]+|[/\\][\w.@+~-]+[/\\])(?:[\w.@+~-]|[/\\])*",
    r"(?<![\w/])[\w.-]+(?:/[\w.-]+)+\.\w{1,5}\b",
    (
        r"(?<![\w./])[\w-]+\.(?:py|js|ts|tsx|md|json|jsonl|toml|ya?ml|sql|csv|txt|sh|go|rs|java|c|cpp|h|log|"
        r"conf|ini|env"
        r"|xlsx?|docx?|pdf|png|jpg|svg|html|css|dat|db|zip)\b"
    ),
    r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?::\d{2,5})?(?![\d.])",
    r"(?<![\w.])v?\d{1,4}\.\d{1,4}(?:\.\d{1,5})?(?:-[\w.]+)?(?![\w.]*[.:]\d)",
    r"\b(?:port|端口|puerto|porta)\s*(?:is|ist|number|nummer|nr\.?|[:=]|是|为)?\s*\d{2,5}",
    (
        r"(?:[$€£¥]\s?\d[\d.,]*|\d[\d.,]*\s?(?:USD|EUR|CHF|GBP|CNY|RMB|TWD|€|\$|£|euros?|dollars?|francs?|元|"
        r"万元|万|块))"
    ),
    (
        r"(?<![\w.])\d[\d.,]*\s?(?:[kmgt]i?b|ms|s|sek|sec|min|mins|minutes?|minuten|hours?|stunden?|h|km|cm|"
        r"mm|m|kg|g|l|ml"
        r"|%|percent|prozent|px|°c|watt|kwh|v|核|小时|分钟|秒|公里|公斤|行)(?![\w])"
    ),
    r"\b[a-z][\w]*(?:-[\w]+)*-\d{1,4}(?:\.[a-z]+)*\b",
    r"\b[a-z][\w-]*(?:\.[\w-]+)*\.(?:internal|local|example|com|org|net|io|dev|lan|de|cn)\b",
    r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b|\b(?:#\d{2,7}|[A-Z]{2,8}-\d{1,6})\b",
    r"(?<![\w.:])\d{1,2}[:：]\d{2}(?!\d)|\b\d{1,2}\s?(?:am|pm|uhr|o'clock)\b|\d{1,2}\s?[点點]",
    r"(?<![\w.,:])\d{4,}(?![\w.,:]\w)",
)  # fmt: skip
_ERRORS = (
    r"\b\w*(?:Error|Exception|Fault)\b\s*[:：]|\b(?:error|fatal|panic|segfault|fehler|erreur|errore|"
    r"ошибка|エラー)\b\s*[:：(\[]"
    r"|\b(?:ENOENT|EACCES|ENOSPC|EPERM|ECONNREFUSED|ETIMEDOUT|OOM|SIGSEGV|SIGKILL)\b"
    r"|\b(?:exit (?:code|status) [1-9]\d*|exit [1-9]\d*)\b|\bHTTP (?:4|5)\d\d\b"
    r"|(?:报错|错误|异常)\s*[:：]|\btraceback\b"
)


@cache
def _gate() -> re.Pattern[str]:
    return re.compile(_GATE, re.IGNORECASE)


@cache
def _values() -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{source})" for source in _VALUES), re.IGNORECASE)


@cache
def _cased() -> re.Pattern[str]:
    return re.compile(_ERRORS, re.IGNORECASE)


def values(text: str) -> tuple[str, ...]:
    """Paths, addresses, hosts, versions, ports, amounts, ids and clock times in ``text``, as written."""
    if not _gate().search(text):
        return ()
    return tuple(found for match in _values().finditer(text) if (found := match[0].strip(".,")))


def is_error(text: str) -> bool:
    """True when ``text`` holds an error message of a program."""
    return bool(_gate().search(text)) and bool(_cased().search(text))
