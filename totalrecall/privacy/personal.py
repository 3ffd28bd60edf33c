"""Personal data that is never kept for good: health, phone numbers, mail and postal addresses. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

_DATE = re.compile(
    r"\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}:\d{2}\b|\b20\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\b"
)
_HEALTH = re.compile(
    r"\b(?:ill(?:ness)?|sick|diagnos(?:is|ed|e)|doctor|hospital|therap(?:y|ist)|medications?|pregnan\w+"
    r"|depress(?:ed|ion)|cancer|surgery|blood pressure|allerg(?:y|ic)"
    r"|diabet\w+|asthma\w*|migr(?:ä|a)ine?s?|epilep\w+|insulin|antidepressants?|chemo\w*"
    r"|miscarriage|heart attack|hiv|adh[ds]|autis\w+|dementia|alzheimer\w*|bipolar|fever|flu|covid\w*"
    r"|recover\w* from (?:an? |the |his |her )?(?:operation|accident|injury)"
    r"|br(?:oke|oken) (?:his|her|their|my|an?) (?:leg|arm|foot|hand|hip|wrist|ankle|nose|rib)"
    r"|krank\w*|arzt|ärztin|klinik|schwanger\w*|medikament\w*|allergi\w+"
    r"|krebs|depressi(?:v|on\w*)|fieber|grippe|herzinfarkt|schlaganfall|therapie|operiert|demenz)\b"
    r"|生病|医院|怀孕|抑郁|癌|确诊|手术|过敏|糖尿病|血压|住院|发烧|感冒|流产|艾滋|残疾|心脏病|中风|哮喘|化疗|病假",
    re.IGNORECASE,
)
_MAIL = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+")
_PHONE = re.compile(r"(?<![\w.])(?:\+|00)?\d[\d\s/()-]{5,}\d(?!\w|\.\w)")
_PHONE_DIGITS = 7
_STREET = re.compile(
    r"\b\d{1,4}[a-z]?\s+(?:[A-Z][a-z]+\s){1,3}(?:Street|St|Avenue|Ave|Road|Rd|Lane|Drive|Boulevard|Blvd)\b"
    r"|\b[A-ZÄÖÜ][\wäöüß-]*(?:straße|strasse|str\.|weg|gasse|allee)\s+\d{1,4}[a-z]?\b"
    r"|\b(?:Calle|Avenida|Plaza|Rue|Via|Viale)\s(?:[\w'’.-]+\s){1,4}\d{1,4}\b"
    r"|\b[A-ZÄÖÜ][a-zäöüß]+['’]s (?:(?:home|postal|private|new) )?address(?: is|:)"
    r"|\b(?:lives|lived|wohnt|wohnte)\s(?:at|in|on|an)\s[^.\n]{0,40}\d"
    r"|[\u4e00-\u9fff]{2,}(?:路|街|巷)\d+号"
)


_ANOTHER = re.compile(
    r"\b[A-ZÄÖÜ][\wäöüß-]+['’]s\b|\b(?i:his|her|their|seine?[nmrs]?|ihre?[nmrs]?)\b|[他她]"
    r"|\b(?!User|The|My|It|This|That|We|You|Nutzer|Es|Wir|Mein)[A-ZÄÖÜ][a-zäöüß]+\s+"
    r"(?:is|was|has|had|got|takes|needs|broke|recover\w*|ist|war|hat|hatte|nimmt|braucht)\b"
    # A Chinese sentence says who it is about, unless it is about the one who writes.
    r"|^(?=.*[\u4e00-\u9fff])(?!.*(?:我|用户|本人))"
)


def holds_personal_data(text: str) -> bool:
    """Whether the text names health, a phone number, a mail address or a postal address of anybody."""
    return bool(_HEALTH.search(text)) or says_where_to_reach(text)


def is_of_another(text: str, people: Iterable[str]) -> bool:
    """Whether the text says such a thing of somebody else: of one of ``people``, or of a third person."""
    if not holds_personal_data(text):
        return False
    named = any(re.search(rf"\b{re.escape(one)}\b", text, re.IGNORECASE) for one in people if one)
    return named or bool(_ANOTHER.search(text))


def says_where_to_reach(text: str) -> bool:
    """Whether the text names a phone number, a mail address or a postal address of anybody."""
    bare = _DATE.sub(" ", text)
    phones = (sum(sign.isdigit() for sign in one) for one in _PHONE.findall(bare))
    return bool(
        _MAIL.search(bare) or _STREET.search(bare) or any(digits >= _PHONE_DIGITS for digits in phones)
    )
