"""How people say what they are called, when they work and whom they know: English, German, Chinese. Data.

A statement counts where it begins a sentence or a part of one, and ends with it: what follows ("call me at
noon", "I work 8 to 10 hours") tells that something else is meant.
"""

from __future__ import annotations

import re


def _words(text: str) -> dict[str, str]:
    """``"value: word word; value: word"`` as word → value."""
    groups = (group.partition(":") for group in text.split(";"))
    return {word: value.strip() for value, _, words in groups for word in words.split()}


NAME = r"(?-i:[A-ZÄÖÜÉ][\w'’.-]*(?:\s+(?:(?:van|von|de|der|al)\s+)?[A-ZÄÖÜ][\w'’-]*){0,2})"
# What a statement begins and ends with.
BEGIN = (
    r"(?:^|[,;]\s+|\band\s+|\bund\s+)"
    r"(?:(?:hi|hello|hey|yes|also|and|but|by the way|oh|well|so|ja|hallo|übrigens|und|aber)\b[,!]?\s+)*"
)
END = r"(?=\s*(?:[.,;!]|$)|\s+(?:and|but|und|aber|please|bitte|instead|from now on)\b)"
_SURNAME = (
    "[王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟"
    "谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严武戴莫孔汤]"
)
_GIVEN_END = "[\u4e00-\u9fff](?<![来去了吧走吗的着过做看说法序上兴天何钱子])"
HAN_FULL = rf"(?:(?:欧阳|司马|上官|诸葛|{_SURNAME})[\u4e00-\u9fff]?{_GIVEN_END})"
HAN_NICK = rf"(?:[小老阿](?![师板人外大手孩伙偷气学时声心]){_GIVEN_END}|{HAN_FULL})"
HAN_BEGIN = r"(?:^|[，,。；;、\s])(?:对了|另外|还有|请记住)?"
HAN_END = r"(?=[，,。；;.！!\s]|$)"
CLOCK = r"(\d{1,2}(?:[:.]\d{2})?)(?:\s*(am|pm|a\.m\.|p\.m\.|uhr|点))?"
THING = r"([\w+#./-]*[\w+#](?:\s+(?-i:[A-Z])[\w+#./-]*[\w+#]){0,2})"
ZONE = r"((?-i:[A-Z])[A-Za-z]+/(?-i:[A-Z])[A-Za-z_]+(?:/[A-Za-z_]+)?)"

SENTENCE = re.compile(r"(?<=[.!?])\s+(?=\S)|(?<=[。！？])\s*(?=\S)|\n+")
NEGATED = re.compile(
    r"\b(?:not|don['’]?t|isn['’]?t|wasn['’]?t|no longer|nobody|nicht|kein\w*)\b|不是|不再|没有|别",
    re.IGNORECASE,
)
# Questions, doubts, jokes, stories; what others say; what was, or holds this once.
DOUBT = re.compile(
    r"[?？]\s*$|\b(?:if|maybe|perhaps|jok(?:e|ing)|kidding|suppose|imagine|pretend|falls|vielleicht|angenommen"
    r"|angeblich|tu so|stell dir vor|scherz|witz)\b"
    r"|\b(?:story|novel|fiction\w*|movie|game|scene|dream|fixture|mock\w*|demo|dummy|example|sandbox|geschichte"
    r"|roman|serie|spiel|traum|demo\w*|beispiel|im test|in (?:the|a) test)\b"
    r"|\b(?:sa(?:id|ys?)|told|tells?|claim\w*|wrote|writes|insist\w*|suggest\w*|guess|sagt\w*|meint\w*"
    r"|schr(?:ieb|eibt)|behauptet\w*)\b"
    r"|\b(?:used to|former\w*|ex|back then|formerly|last (?:year|month|week)|früher\w*|ehemalig\w*|damals)\b"
    r"|\b(?:yesterday|today|tonight|tomorrow|for now|for the moment|until|vorerst"
    r"|this (?:time|once|one|week|month|sprint|e?-?mail|answer|reply)|heute|gestern"
    r"|diesmal|dieses mal|diese woche|ausnahmsweise|morgen)\b"
    r"|如果|也许|可能|假如|假装|假设|想象|开玩笑|故事|小说|游戏|测试|演示|示例|例如|比如|据说|曾经|假名|[他她]们?说|说的"
    r"|以前(?!都?(?:不|别))|今天|明天|昨天|这次|这周|本周|暂时",
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
_ALWAYS = r"(?:always|from now on)"
_IMMER = r"(?:immer|stets|künftig|in zukunft|ab (?:jetzt|sofort)|nur noch)"
_SPRICH = r"(?:antworte|schreib|sprich)\w*"
_HAN_ALWAYS = rf"{HAN_BEGIN}请?(?:以后|今后|总是|始终|一直|从现在起)"
_SPEAK = r"(?:reply|answer|write|respond|speak|talk)(?: to me| with me)?(?: only)?"

# The field, and what a sentence must look like; the first group is the value.
_MY_MAILS = r"(?:my|all(?: my)?) e?-?mails"
_MEINE_MAILS = r"(?:meine|alle)(?: meine)? (?:e-?)?mails"
_LEAVE = r"(?:I (?:always )?(?:need|want|like|prefer)|(?:please )?(?:always )?(?:leave|keep|plan)(?: me)?)"
_MINUTEN = r"(?:immer |mindestens )*(\d{1,3}) minuten"
_FIELDS: dict[str, tuple[str, ...]] = {
    "identity.name": (
        rf"{BEGIN}my (?:full |real )?name(?:['’]s| is) ({NAME}){END}",
        rf"{BEGIN}(?:ich heiße|mein name ist) ({NAME}){END}",
        rf"{HAN_BEGIN}我(?:的名字)?(?:叫|是叫|的名字是)({HAN_FULL}){HAN_END}",
    ),
    "identity.preferred_name": (
        rf"{BEGIN}(?:please |just |you can |you may )*call me ({NAME}){END}",
        rf"{BEGIN}nenn(?:e|en sie)? mich (?:bitte |einfach )?({NAME}){END}",
        rf"{HAN_BEGIN}(?:以后)?(?:请|你?可以|就)?(?:叫|称呼)我({HAN_NICK})(?:就好|就行|吧)?{HAN_END}",
    ),
    "identity.timezone": (
        rf"\bmy (?:own |local )?time ?zone(?: is| to|:|,)? (?:now )?{ZONE}",
        rf"\bmeine zeitzone(?: ist| auf|:|,)? (?:jetzt )?{ZONE}",
        rf"我(?:的|所在的)?时区(?:是|为|:|：)?\s*{ZONE}",
    ),
    "identity.language": (
        rf"{BEGIN}(?:please )?{_ALWAYS},? (?:please )?{_SPEAK} in ({_LANGUAGE}){END}",
        rf"{BEGIN}(?:please )?{_SPEAK} in ({_LANGUAGE}) {_ALWAYS}",
        rf"{BEGIN}(?:bitte )?{_SPRICH}(?: mir| mit mir| bitte)* {_IMMER}(?: bitte)? auf ({_LANGUAGE}){END}",
        rf"{BEGIN}(?:bitte )?{_IMMER}(?: bitte)? auf ({_LANGUAGE}) (?:antworten|schreiben|sprechen){END}",
        rf"{_HAN_ALWAYS}[请都要你]{{0,3}}用({_LANGUAGE})(?:回复|回答|写|交流)(?:我|吧)?{HAN_END}",
    ),
    "preferences.communication.sign_off": (
        rf"{BEGIN}(?:please |always |I )*sign (?:off )?{_MY_MAILS} (?:off )?(?:with|as) [\"“'‘](.+?)[\"”'’]",
        rf"{BEGIN}(?:bitte )?unterschreib\w* {_MEINE_MAILS} (?:immer |bitte )?mit [\"„“'‘](.+?)[\"“”'’]",
    ),
    "preferences.scheduling.buffer_between_meetings_minutes": (
        rf"{BEGIN}{_LEAVE} (?:at least )?(\d{{1,3}}) min(?:ute)?s? between (?:my )?meetings{END}",
        rf"{BEGIN}ich brauche {_MINUTEN} zwischen (?:zwei )?(?:terminen|meetings){END}",
        rf"{BEGIN}ich brauche zwischen (?:zwei )?(?:terminen|meetings) {_MINUTEN}{END}",
    ),
    "preferences.scheduling.preferred_meeting_times": (
        rf"{BEGIN}I prefer (?:my )?meetings ((?:in the|on|after|before|at) [^.,;\n]{{3,40}}?){END}",
    ),
}
FIELDS = tuple(
    (path, re.compile(pattern, re.IGNORECASE)) for path, patterns in _FIELDS.items() for pattern in patterns
)
_TOOL_END = (
    r"(?=\s*(?:[.,;!。，]|$)|\s+(?:for|to|and|as|with|when|because|instead|over|für|und|als|statt|zum)\b)"
)
TOOLS = re.compile(
    rf"{BEGIN}I (?:always|usually|mostly|only|prefer to) use {THING}{_TOOL_END}"
    rf"|{BEGIN}I prefer {THING} (?:over (?=\S)|to (?=(?-i:[A-Z])))"
    rf"|{BEGIN}ich (?:benutze|verwende|nutze|nehme) (?:immer|meistens|nur) {THING}{_TOOL_END}"
    r"|我(?:一直|总是|通常|习惯|只)用\s*([A-Za-z][\w+#./-]*)",
    re.IGNORECASE,
)
STACK = re.compile(
    rf"{BEGIN}(?:our|my) (?:tech )?stack is ([^.;\n]+)|{BEGIN}unser stack ist ([^.;\n]+)"
    rf"|{HAN_BEGIN}我们?的?技术栈是([^。；\n]+)",
    re.IGNORECASE,
)
LIST = re.compile(r"\s*(?:,|、|，|/|\+|\band\b|\bund\b|和)\s*", re.IGNORECASE)
LISTED = re.compile(r"(?:[A-Z]|\.)[\w+#./-]*(?: [A-Z][\w+#./-]*){0,2}")
_TONE = r"(formal|casual|neutral)"
_SHOULD = r"(?: to (?:clients|customers|colleagues))? (?:should|must) (?:always )?be"
_SOLLEN = r"(?: an kunden)? soll(?:en|ten) (?:immer |stets )?"
TONE = re.compile(
    rf"{BEGIN}(?:my |all (?:my )?)?e?-?mails?{_SHOULD} {_TONE}{END}"
    rf"|{BEGIN}I (?:prefer|like|want) (?:an? )?{_TONE} (?:e-?mails|tone)(?: in (?:my )?e?-?mails)?{END}"
    rf"|{BEGIN}(?:please )?(?:always )?(?:keep|write) {_MY_MAILS} {_TONE}{END}"
    rf"|{BEGIN}(?:meine |alle )?(?:e-?)?mails{_SOLLEN}(formal|neutral) sein",
    re.IGNORECASE,
)
_WISH = rf"{BEGIN}(?:I (?:prefer|want|like)|(?:please )?(?:always )?give me)"
_KEEP = rf"{BEGIN}(?:please )?(?:always )?keep (?:your |all )?"
_ANSWERS = r"(?:answers|replies|responses|explanations)"
_WUNSCH = rf"{BEGIN}(?:ich (?:mag|will|möchte|bevorzuge)|bitte(?: immer)?)(?: immer| nur| lieber)*"
_HAN_ANSWERS = rf"{HAN_BEGIN}(?:以后)?(?:你的)?(?:回答|回复)(?:请|都|要|尽量)+"
_LENGTHS = {
    "concise": (
        rf"{_WISH} (?:short|brief|concise)(?: and \w+)? {_ANSWERS}{END}"
        rf"|{_KEEP}{_ANSWERS} (?:short|brief|concise){END}"
        rf"|{_WUNSCH} (?:kurze|knappe) antworten{END}|{_HAN_ANSWERS}(?:简短|简洁|短)(?:一?点|些)?{HAN_END}"
    ),
    "detailed": (
        rf"{_WISH} (?:detailed|long|thorough) {_ANSWERS}{END}|{_WUNSCH} ausführliche antworten{END}"
        rf"|{_HAN_ANSWERS}详细(?:一?点|些)?{HAN_END}"
    ),
}
LENGTHS = tuple((value, re.compile(pattern, re.IGNORECASE)) for value, pattern in _LENGTHS.items())
NO_MEETINGS = re.compile(
    rf"{BEGIN}(?:please )?(?:bitte )?(?:no|(?:never|don['’]t) (?:book|schedule|plan)(?: me)?(?: any)?|keine)"
    rf" (?:meetings?|calls?|appointments?|termine|anrufe)(?: mehr)? (before|after|vor|nach) {CLOCK}{END}",
    re.IGNORECASE,
)
HAN_NO_MEETINGS = re.compile(
    rf"{HAN_BEGIN}(?:请|以后|平时)*{CLOCK}(?:之)?(以前|前|以后|后)(?:请|都)*(?:不要|不|别)(?:安排|开|约)会议?{HAN_END}",
    re.IGNORECASE,
)
_DAYS = (
    r"(?=\s*(?:[.,;!。，；]|$)|\s+(?:on weekdays|every day|daily|and|but|und|aber|montags|täglich|monday)\b)"
)
HOURS = re.compile(
    rf"{BEGIN}I (?:usually |normally |always )?work from {CLOCK} ?(?:to|until|till|-|–) ?{CLOCK}{_DAYS}"
    rf"|{BEGIN}ich arbeite (?:normalerweise |meistens |immer )?von {CLOCK} ?(?:bis|-|–) ?{CLOCK}{_DAYS}"
    rf"|{HAN_BEGIN}我(?:的)?(?:上班|工作)时间(?:是|为)?\s*{CLOCK}\s*(?:到|至|-|–)\s*{CLOCK}",
    re.IGNORECASE,
)
_KIND = (
    r"(?:(?:new|direct|line|best|good|dear|close|younger|older|little|big|neue[rn]?|beste[rn]?|gute[rn]?"
    r"|direkte[rn]?|jüngere[rn]?|ältere[rn]?|kleine[rn]?|große[rn]?)\s+)?"
)
PEOPLE = (
    re.compile(
        rf"{BEGIN}({NAME}),? (?:is|ist) (?:my|our|meine?|unsere?)\s+{_KIND}({_RELATION}){END}"
        rf"|\b(?:my|our|meine?[mnr]?|unsere?[mnr]?) {_KIND}({_RELATION})(?:,| is called| heißt)? ({NAME})",
        re.IGNORECASE,
    ),
    re.compile(
        rf"{HAN_BEGIN}({HAN_NICK})是我的?({_HAN_RELATION}){HAN_END}"
        rf"|{HAN_BEGIN}我的?({_HAN_RELATION})(?:叫(?={HAN_NICK}{HAN_END})|是(?={HAN_FULL}{HAN_END}))({HAN_NICK}){HAN_END}"
    ),
)
_TALK = (
    r"calls?|phone|e?-?mails?|messages?|chat|voice|meetings?|short|brief|formal|bullet|summar\w+|anrufe?"
    r"|telefon\w*|nachrichten|besprechungen|kurze?"
)
# How to talk with somebody; what they like otherwise is no matter of the profile.
HABIT = re.compile(
    rf"{BEGIN}({NAME}) ((?:prefers|likes|hates|mag|bevorzugt) (?=[^.;\n]*\b(?:{_TALK})\b)[^.;\n]{{4,80}})",
    re.IGNORECASE,
)
_NO_NAME = _words(
    "no: i it this that he she they we you the my our your there here what who ok sie er es das wir ihr mein"
    " dich today heute user assistant monday tuesday wednesday thursday friday saturday sunday montag"
    " dienstag mittwoch donnerstag freitag samstag sonntag tomorrow tonight back later now anytime maybe"
    " when morgen earth nature natur erde computer coffee tea kaffee time zeit money geld music musik"
    " patience silence sleep schlaf chocolate work arbeit life leben god gott könig gäste gewalt undefined"
    " null none der die den ein eine a an crazy lazy naive paranoid picky stupid captain old naiv verrückt"
    " altmodisch pessimist optimist library portal service sdk api app side code data level circle figure"
    " company team list support success base number nummer redakteur krankheit firma gesellschaft schule"
)
_HAN_NO_NAME = _words(
    "no: 王牌 王者 高手 石头 白猫 白天 方便 方法 方案 金主 金牌 任务 任何 马上 高兴 程序 向导"
)
NO_NAME = frozenset(_NO_NAME) | frozenset(_HAN_NO_NAME) | frozenset(RELATIONS) - {"frau"}
