"""Whether a newer statement takes the place of an older one: what it replaces in it. Pure.

Only what is certain counts: the newer one names what it replaces, both say the same of something but for its
value, or both give the one value that something can have (a name, a port, where somebody lives).
"""

from __future__ import annotations

import re

from totalrecall.llm.extractive.roles import turned_round
from totalrecall.llm.extractive.similar import changed, gist
from totalrecall.llm.extractive.value_kinds import are_of_one_kind, is_a_value, number_kind

_ABOUT = 0.5

_REPLACES = re.compile(r"[（(](?:replaces|ersetzt|取代)[:：]\s*([^)）]+)[)）]", re.IGNORECASE)
_INSTEAD = re.compile(
    r"\b(?:instead of|rather than|no longer|not)\s+([\w.+#/-]+)|\bstatt\s+([\w.+#/-]+)"
    r"|而不是([\w\u4e00-\u9fff]+)",
    re.IGNORECASE,
)
_OF = r"(?: (?:of|for|on|von|für) .{1,40}?)?"
_THINGS = (
    r"name|time ?zone|port|database|db|version|deadline|budget|boss|manager|address|editor|branch|host|server"
    r"|domain|birthday|language|owner|leader|provider|framework|release date|launch date|meeting"
)
_DINGE = (
    r"name|zeitzone|port|datenbank|version|frist|budget|chefin?|editor|branch|server|domain|geburtstag|sprache"
    r"|anbieter|termin|adresse"
)
_STATES = (
    r"lives in|moved to|works (?:at|for)|listens on|runs on|is hosted (?:at|on|by)|goes live on|starts on"
    r"|ends on|is stored (?:in|on)|is called|is due(?: on)?"
)
_ZUSTAND = (
    r"wohnt (?:jetzt )?in|arbeitet (?:jetzt )?(?:bei|für)|läuft (?:jetzt )?auf|lauscht auf"
    r"|liegt (?:jetzt )?auf|startet am|endet am|heißt"
)
_IS = r"(?:is|are|(?:was )?moved to|=)(?: now)?:?"
_HAN_THINGS = (
    "名字|时区|端口|数据库|版本|截止日期|预算|老板|编辑器|分支|服务器|域名|生日|语言|供应商|会议时间"
)
# What has one value only: the subject, the words between, the value.
_SINGLE = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"^(?P<subject>.{{0,60}}?\b(?:{_THINGS})\b{_OF}) {_IS} (?P<value>.+)$",
        rf"^(?P<subject>.{{2,60}}?) (?:now )?(?:{_STATES}) (?P<value>.+)$",
        rf"^(?P<subject>.{{0,60}}?(?:{_DINGE}){_OF}) (?:ist|heißt|lautet)(?: jetzt| nun)? (?P<value>.+)$",
        rf"^(?P<subject>.{{2,60}}?) (?:{_ZUSTAND}) (?P<value>.+)$",
        rf"^(?P<subject>.{{0,20}}?(?:{_HAN_THINGS}))(?:现在|改)?(?:是|为|叫|改为|改成)(?P<value>.+)$",
        r"^(?P<subject>.{1,20}?)(?:现在)?(?:住在|搬到|就职于|运行在|监听|上线时间是)(?P<value>.+)$",
    )
)
_TAIL = re.compile(r"[\s.。!！]+$|\s*[（(][^)）]*[)）]\s*$")


def taken_by(new: str, old: str) -> str:
    """The part of ``old`` that ``new`` replaces, as it is written there; "" where both can be true.

    Also "" where ``old`` says more than that: its other half would go with it.
    """
    plain_new, plain_old = _bare(new), _bare(old)
    value = _replaced_value(new, plain_new, plain_old)
    return "" if value and _says_more(plain_new, plain_old, value) else value


def _says_more(new: str, old: str, value: str) -> bool:
    rest = gist(re.sub(re.escape(value), " ", old, flags=re.IGNORECASE))
    told = gist(new)
    return bool(rest.values - told.values) or len(rest.words - told.words) > 1


def _replaced_value(new: str, plain_new: str, plain_old: str) -> str:
    for pattern in (_REPLACES, _INSTEAD):
        for match in pattern.finditer(new):
            value = next(one for one in match.groups() if one).strip()
            if (
                value
                and value.casefold() in plain_old.casefold()
                and _about_one_thing(plain_new, plain_old, value)
            ):
                return value
    value = changed(plain_new, plain_old)
    if value and _is_rival(plain_new, plain_old, value):
        return value
    return _single(plain_new, plain_old)


def _is_rival(new: str, old: str, value: str) -> bool:
    """Whether the value that differs is what both say of one thing, in one kind of number."""
    mine = next(iter(gist(new).values - gist(old).values), "")
    theirs = next(iter(gist(old).values - gist(new).values), "")
    alike = number_kind(mine) == number_kind(theirs)
    return alike and is_a_value(old, value) and not turned_round(new, old)


def _single(new: str, old: str) -> str:
    for pattern in _SINGLE:
        one, other = pattern.match(new), pattern.match(old)
        if one is None or other is None:
            continue
        mine, theirs = gist(one["subject"]), gist(other["subject"])
        if (mine.words, mine.values) != (theirs.words, theirs.values) or gist(new).negated != gist(
            old
        ).negated:
            continue
        if gist(one["value"]) != gist(other["value"]) and are_of_one_kind(
            one["subject"], one["value"], other["value"]
        ):
            return other["value"]
    return ""


def _about_one_thing(new: str, old: str, value: str) -> bool:
    """Whether most of what the old one says besides that value stands in the new one as well."""
    mine, rest = gist(new), gist(re.sub(re.escape(value), " ", old, flags=re.IGNORECASE))
    said, shared = rest.words | rest.values, (mine.words & rest.words) | (mine.values & rest.values)
    return bool(shared) and len(shared) / len(said) >= _ABOUT


def _bare(text: str) -> str:
    """The statement without what it replaces, its date and its full stop."""
    text = _REPLACES.sub("", text)
    while (shorter := _TAIL.sub("", text)) != text:
        text = shorter
    return text.strip()
