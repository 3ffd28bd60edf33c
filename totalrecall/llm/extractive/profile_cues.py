"""How people say what they are called, when they work and whom they know: English, German, Chinese. Data."""

from __future__ import annotations

import re


def _words(text: str) -> dict[str, str]:
    """``"value: word word; value: word"`` as word → value."""
    groups = (group.partition(":") for group in text.split(";"))
    return {word: value.strip() for value, _, words in groups for word in words.split()}


NAME = r"(?-i:[A-ZÄÖÜÉ][\w'’.-]*(?:\s+(?:(?:van|von|de|der|al)\s+)?[A-ZÄÖÜ][\w'’-]*){0,2})"
HAN_NAME = r"(?![他她它你您我们这那大谁])[\u4e00-\u9fff]{2,4}?"
HAN_END = r"(?=[，,。.！!\s]|$)"
CLOCK = r"(\d{1,2}(?:[:.]\d{2})?)(?:\s*(am|pm|a\.m\.|p\.m\.|uhr|点))?"
THING = r"([\w+#./-]+(?:\s+(?-i:[A-Z])[\w+#./-]+){0,2})"
ZONE = r"((?-i:[A-Z])[A-Za-z]+/(?-i:[A-Z])[A-Za-z_]+(?:/[A-Za-z_]+)?)"

SENTENCE = re.compile(r"(?<=[.!?])\s+(?=\S)|(?<=[。！？])\s*(?=\S)|\n+")
NEGATED = re.compile(
    r"\b(?:not|don['’]?t|isn['’]?t|wasn['’]?t|no longer|nicht|kein\w*)\b|不是|不再|没有", re.IGNORECASE
)
DOUBT = re.compile(
    r"[?？]\s*$|\b(?:if|maybe|perhaps|joking|suppose|imagine|falls|vielleicht|angenommen)\b"
    r"|如果|也许|可能|假如",
    re.IGNORECASE,
)

LANGUAGES = _words(
    "en: english englisch 英文 英语; de: german deutsch 德语 德文; zh: chinese chinesisch 中文 汉语;"
    "fr: french französisch; es: spanish spanisch; ja: japanese 日语; it: italian italienisch; nl: dutch"
)
RELATIONS = _words(
    "boss: boss manager chef chefin vorgesetzte vorgesetzter;"
    "colleague: colleague coworker co-worker teammate kollege kollegin;"
    "client: client customer kunde kundin; friend: friend freund freundin;"
    "family: wife husband sister brother mother father son daughter frau mann schwester bruder mutter vater"
    " tochter sohn"
)
HAN_RELATIONS = _words(
    "boss: 老板 上司 领导 经理; colleague: 同事; client: 客户; friend: 朋友;"
    "family: 妻子 老婆 丈夫 老公 妹妹 姐姐 哥哥 弟弟 妈妈 爸爸 儿子 女儿"
)
_RELATION = "|".join(sorted(RELATIONS, key=len, reverse=True))
_HAN_RELATION = "|".join(HAN_RELATIONS)
_LANGUAGE = "|".join(LANGUAGES)

# The field, and what a sentence must look like; the first group is the value.
_FIELDS: dict[str, tuple[str, ...]] = {
    "identity.name": (
        rf"\bmy (?:full |real )?name(?:['’]s| is) ({NAME})",
        rf"\b(?:ich heiße|mein name ist) ({NAME})",
        rf"我(?:的名字)?(?:叫|是叫)({HAN_NAME}){HAN_END}",
    ),
    "identity.preferred_name": (
        rf"\b(?:please |just )?call me ({NAME})",
        rf"\bnenn(?:e|en sie)? mich (?:bitte |einfach )?({NAME})",
        rf"(?:请)?(?:叫|称呼)我({HAN_NAME})(?:就好|就行|吧)?{HAN_END}",
    ),
    "identity.timezone": (
        rf"\b(?:time ?zone|zeitzone)\b[^.\n]{{0,20}}?{ZONE}",
        rf"时区[^。\n]{{0,8}}?{ZONE}",
    ),
    "identity.language": (
        rf"\b(?:always|please) (?:reply|answer|write|respond|speak)[^.\n]{{0,20}}? in ({_LANGUAGE})\b",
        rf"\b(?:antworte|schreib\w*)\b[^.\n]{{0,25}}? auf ({_LANGUAGE})\b",
        rf"(?:请|以后|总是)[^。\n]{{0,6}}?用({_LANGUAGE})(?:回复|回答|写)",
    ),
    "preferences.communication.sign_off": (
        r"\bsign (?:off )?(?:my |all )?(?:e?mails? )?(?:with|as) [\"“'‘](.+?)[\"”'’]",
        r"\bunterschreib\w* [^.\n]{0,25}?mit [\"„“'‘](.+?)[\"“”'’]",
    ),
    "preferences.scheduling.buffer_between_meetings_minutes": (
        r"\b(\d{1,3}) min(?:ute)?s? between meetings\b",
        r"\bzwischen (?:zwei )?(?:terminen|meetings)\D{0,15}(\d{1,3}) minuten\b",
    ),
    "preferences.scheduling.preferred_meeting_times": (
        r"\b(?:i )?prefer (?:my )?meetings ((?:in the|on|after|before|at) [^.,;\n]{3,40})",
    ),
    "preferences.work.tools": (
        rf"\bI (?:always|usually|mostly|only|prefer to) use {THING}",
        rf"\bI prefer {THING} (?:over|to) (?=\S)",
        rf"\bich (?:benutze|verwende|nutze|nehme) (?:immer|meistens|nur) {THING}",
        r"我(?:一直|总是|通常|习惯|只)用\s*([A-Za-z][\w+#./-]*)",
    ),
}
FIELDS = tuple(
    (path, re.compile(pattern, re.IGNORECASE)) for path, patterns in _FIELDS.items() for pattern in patterns
)
STACK = re.compile(
    r"\b(?:our|my) (?:tech )?stack is ([^.;\n]+)|\bunser stack ist ([^.;\n]+)|技术栈是([^。；\n]+)",
    re.IGNORECASE,
)
LIST = re.compile(r"\s*(?:,|、|，|/|\+|\band\b|\bund\b|和)\s*", re.IGNORECASE)
TONE = re.compile(
    r"\be?-?mails?\b[^.\n]{0,40}?\b(formal|casual|neutral)\b"
    r"|\b(formal|casual|neutral) (?:e?-?mails?|tone)\b",
    re.IGNORECASE,
)
_WISH = r"\b(?:prefer|want|like|keep|please|always|give me)\b[^.\n]{0,25}?"
_ANSWER = r"(?:answers?|repl(?:y|ies)|responses?|explanations?)"
_LENGTHS = {
    "concise": (
        rf"{_WISH}\b(?:short|brief|concise)\b(?: and \w+)? {_ANSWER}"
        rf"|{_WISH}{_ANSWER} (?:short|brief|concise)"
        r"|\b(?:kurze?|knappe?) antworten\b|(?:回答|回复)(?:要|请)?(?:简短|简洁|短一点)"
    ),
    "detailed": (
        rf"{_WISH}\b(?:detailed|long|thorough) {_ANSWER}|\bausführliche antworten\b"
        r"|(?:回答|回复)(?:要|请)?详细"
    ),
}
LENGTHS = tuple((value, re.compile(pattern, re.IGNORECASE)) for value, pattern in _LENGTHS.items())
NO_MEETINGS = re.compile(
    r"\b(?:no|never|don['’]t (?:book|schedule|plan)|keine)\b[^.\n]{0,25}?"
    r"\b(?:meetings?|calls?|appointments?|termine)\b"
    rf"[^.\n]{{0,20}}?\b(before|after|vor|nach) {CLOCK}",
    re.IGNORECASE,
)
HAN_NO_MEETINGS = re.compile(
    rf"{CLOCK}(?:之)?(以前|前|以后|后)(?:不要|不|别)(?:安排|开|约)?会", re.IGNORECASE
)
HOURS = re.compile(
    rf"\bI work (?:from )?{CLOCK} ?(?:to|until|till|-|–) ?{CLOCK}"
    rf"|\bich arbeite (?:von )?{CLOCK} ?(?:bis|-|–) ?{CLOCK}"
    rf"|我(?:的)?(?:上班|工作)时间(?:是|为)?\s*{CLOCK}\s*(?:到|至|-|–)\s*{CLOCK}",
    re.IGNORECASE,
)
PEOPLE = (
    re.compile(
        rf"\b({NAME}),? (?:is|ist) (?:my|our|meine?|unsere?)\s+(?:\w+\s+)?({_RELATION})\b"
        rf"|\b(?:my|our|meine?[mnr]?|unsere?[mnr]?) ({_RELATION})(?:,| is called| heißt)? ({NAME})",
        re.IGNORECASE,
    ),
    re.compile(rf"({HAN_NAME})是我的?({_HAN_RELATION})|我的?({_HAN_RELATION})(?:叫|是)({HAN_NAME}){HAN_END}"),
)
HABIT = re.compile(
    rf"\b({NAME}) ((?:prefers|likes|hates|wants|expects|mag|bevorzugt) [^.;\n]{{4,80}})", re.IGNORECASE
)
NO_NAME = frozenset(
    _words(
        "no: I It This That He She They We You The My Our Your There Here What Who Sie Er Es Das Wir Ihr Mein"
        " Today Heute User Assistant"
    )
)
