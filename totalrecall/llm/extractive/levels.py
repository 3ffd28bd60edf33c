"""The three questions, by rules: will it be asked about later, for weeks, or only for days? Pure."""

from __future__ import annotations

import re

from totalrecall.domain.distilled import Candidate, Judged, Level, Theme
from totalrecall.domain.note import NoteType, Priority

_LASTING = frozenset({NoteType.RULE, NoteType.PREFERENCE, NoteType.DECISION, NoteType.GOAL, NoteType.HABIT})
_THEME_OF = {
    NoteType.RULE: Theme.AGREEMENTS,
    NoteType.DECISION: Theme.AGREEMENTS,
    NoteType.PREFERENCE: Theme.CORE,
    NoteType.HABIT: Theme.CORE,
    NoteType.GOAL: Theme.STATUS,
    NoteType.TASK: Theme.STATUS,
    NoteType.EVENT: Theme.TIMELINE,
}
_TEMPORARY = re.compile(
    r"\b(?:one-?time|verification|confirmation|login|otp|2fa|pin|einmal)[ -]?(?:code|link|password)?\b"
    r".*\d{4,8}"
    r"|\b(?:code|link|url|token)\b.*\b(?:expires?|valid (?:for|until)|läuft .* ab|gültig)\b"
    r"|\b(?:temporary|temp|vorläufige[rs]?) (?:link|url|file|code)\b"
    r"|\b(?:for|in) the next (?:hour|\d+ minutes)\b"
    r"|验证码|临时(?:链接|文件|密码)|一次性",
    re.IGNORECASE,
)
_IDENTITY = re.compile(
    r"\b(?:name is|call(?:ed)? me|is (?:my|our|user's)|user(?:'s)? (?:name|lives|works|role|is (?:a|an|the))"
    r"|heißt|wohnt|arbeitet (?:als|bei)|ist (?:meine?|unsere?)|time ?zone|zeitzone|birthday|geburtstag)\b"
    r"|用户(?:叫|名叫|是|住|在)|我叫|名字|生日|时区|是我的",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"(?:^|[\s(（：:])(?:~?/[\w.-]+(?:/[\w.-]+)*|[A-Z]:\\\S+)|\b(?:\d{1,3}\.){3}\d{1,3}\b"
    r"|\bport\s+\d+|端口\s*\d+|https?://\S+|\b[\w-]+\.(?:local|internal|example)\b"
    r"|\b(?:server|host|database|db|repo(?:sitory)?|branch|cluster|bucket|runs? on|listens? on|version"
    r"|datenbank|läuft (?:auf|unter)|liegt (?:auf|unter))\b|服务器|数据库|仓库|主机|版本|部署在",
    re.IGNORECASE,
)
_CLOSED = re.compile(
    r"\b(?:done|finished|resolved|fixed|passed|succeeded|erledigt|behoben|fertig)\b|完成|已解决|修复了",
    re.IGNORECASE,
)


def judge(candidate: Candidate) -> Judged:
    """The level and theme of a candidate; ``sure`` is False where the rules do not settle it."""
    text, kind, low = candidate.text, candidate.type, candidate.priority is Priority.LOW
    theme = _theme(candidate)
    if _TEMPORARY.search(text) or (kind is NoteType.CONTEXT and low and _CLOSED.search(text)):
        return Judged(candidate, Level.TEMPORARY, theme)
    if kind in _LASTING:
        return Judged(candidate, Level.CORE, theme, sure=not low)
    high = candidate.priority is Priority.HIGH
    if kind is NoteType.EVENT and high:
        return Judged(candidate, Level.CORE, theme, sure=False)
    if kind is NoteType.FACT or (kind is None and candidate.priority is None):
        lasting = not low and bool(_IDENTITY.search(text) or _PLACE.search(text))
        return Judged(candidate, Level.CORE if lasting else Level.DAILY, theme, sure=lasting or not high)
    return Judged(candidate, Level.DAILY, theme)


def _theme(candidate: Candidate) -> Theme:
    if candidate.type in _THEME_OF:
        return _THEME_OF[candidate.type]
    if _IDENTITY.search(candidate.text):
        return Theme.CORE
    return Theme.ENVIRONMENT if _PLACE.search(candidate.text) else Theme.STATUS
