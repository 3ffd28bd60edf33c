"""What is still open in a talk, by rules: steps, questions, what blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from totalrecall.domain.batch import Message
from totalrecall.domain.event import Role
from totalrecall.domain.note import NoteType
from totalrecall.llm.extractive.cues import compiled, cue_of, says
from totalrecall.llm.extractive.language import languages_of
from totalrecall.llm.extractive.sentences import Sentence, clean, sentences
from totalrecall.llm.extractive.similar import among, same
from totalrecall.llm.extractive.task_goal import is_small, is_told, plain_order

_LIST_HEAD = (
    r"^[\s#*_>-]*(?:(?:your |my |our |the )?(?:next|remaining|open|outstanding) "
    r"(?:steps?|tasks?|items?|todos?)|"
    r"(?:still )?(?:to[- ]?do|left to do|remaining|open)|what(?:['’]s| is) (?:next|left)|next(?: up)?|"
    r"(?:die )?nächste[n]? schritte|noch (?:offen|zu tun)|offen|"
    r"下一步(?:计划)?|接下来|待办(?:事项)?|剩余(?:工作)?)"
    r"(?:[\s*_]*(?:[(（][^()（）]{0,60}[)）]|(?:are|is|sind|ist)\b))?[\s*_]*(?:[:：][\s*_]*(?P<rest>\S.*)?)?$"
)
_LIST_FOLLOWS = (
    r"[.,;!，。；！]\s*(?:next(?: steps?)?|(?:still )?(?:to[- ]?do|open|missing)|remaining|left to do|"
    r"nächste schritte|noch (?:offen|zu tun)|es fehl(?:t|en) noch|"
    r"下一步|接下来|待办(?:事项)?|剩余|还剩)\s*[:：]\s*$"
)
_ITEM = r"^\s*(?:[-*+•]|\d{1,2}[.)、])\s+(?P<text>\S.*)$"
_UNCHECKED = r"^\s*[-*+]\s+\[ \]\s+(?P<text>\S.*)$"
# What is said to be missing still is missing until it is said to be done; what is announced is done next.
_MISSING = (
    r"^(?:(?:next|then|now|after (?:that|this)),?\s*)?(?:(?:I|we) still (?:need|have) to|"
    r"ich muss noch|还(?:需要|要))[\s,:：]*"
)
_ANNOUNCED = (
    r"^(?:(?:next|then|now|after (?:that|this))[,:]?\s*)?(?:I(?:['’]ll| will)(?: now| next| then)?|"
    r"als nächstes (?:werde|muss) ich|ich (?:werde|muss) (?:jetzt|nun|als nächstes)|ich werde noch|"
    r"(?:.{2,30}[，,])?(?:接下来|下一步)我?(?:会|要|将))[\s,:：]*"
)
# Courtesy, promises to behave, offers, and what is only said and not done: no steps.
_NO_STEP = (
    r"^(?:(?:just|also|certainly|definitely|happily|gladly|of course|now|then) )*(?:"
    r"(?:not|never|always|only|explain|describe|remember|be|wait|await|avoid|make sure|assume|need|say)\b|"
    r"(?:keep|bear|have|take|note|let|stay|do|get|try|answer|respond|reply|speak|walk|tell|show|ping|"
    r"inform|notify|go|continue|proceed|start|begin|help|report|leave|update|stick|use|remind|"
    r"look into)\b\s*(?:$|[.,;:!]|"
    r"(?:[\w'’]+ ){0,2}(?:you|back|here|ahead|away|in mind|soon|started)\b|"
    r"(?:an? (?:eye|look) (?:on|at|into) |care of |to )?(?:a look|that|this|it|so|now|on)"
    r"(?:$|[.,;!]| (?:now|right|for|in|too|then|later|soon|from|first|short|simple|brief|concise)\b))|"
    r"if |(?:I|we|you) (?:could|can|may|might)\b|or\b|option|(?:shall|should) (?:I|we)\b|"
    r"(?:mich |mir |das |es |dir |euch )*(?:merken|beachten|warten|melden|erklären|zeigen|berücksichtigen)\b|"
    r"记住|牢记|等|告诉|解释|通知|说明|注意|一直)|"
    r"\b(?:im (?:auge|hinterkopf|kopf) behalten|bescheid (?:geben|sagen)|darauf achten|in mind|from now on)\b"
    r"|[?？]$|[:：]$"
)
_WAITS = (
    r"(?:^|\b(?:I|we|it|this|that|all|work|still|currently|now|just|is|are|am|was)\s|['’](?:m|re|s)\s)"
    r"(?:still |currently |now |just )?waiting (?:for|on)\b(?! you to)"
)
_BLOCKED = (
    rf"{_WAITS}|\bblocked (?:by|on|until)\b|\b(?:cannot|can['’]t) (?:continue|go on|proceed)\b|"
    r"\bstuck (?:on|at)\b|\b(?:ich|wir|es) warte[nt]? (?:noch |immer noch |nur noch )?auf\b|"
    r"^warte[nt]? (?:noch )?auf\b|\bblockiert\b|卡住|(?:^|我|我们|还在|正在|仍在|需要|只能)等待|无法继续"
)
# A last word of the user that asks for nothing: praise, and what they only tell.
_PRAISE = (
    r"\b(?:looks?|sounds?|works?|reads?|is|was|that['’]s) (?:really |very |so |all |just )?"
    r"(?:good|great|fine|nice|perfect|awesome|amazing|lovely|wonderful|excellent|brilliant|well)\b|"
    r"\b(?:happy|pleased) with\b|"
    r"\b(?:love[sd]?|liked?) (?:it|this|that)\b|\bwell done\b|\bgood (?:job|work)\b|"
    r"\bgefällt\b|\bsieht (?:\w+ )?(?:gut|super|toll) aus\b|\bgut gemacht\b|"
    r"太棒|太好了|很好|真好|不错|很满意|很喜欢"
)
# What asks for something after all, however it is said.
_COMPLAINT = (
    r"\b(?:not|never|too|still|wrong|broken|missing|fails?|failed|errors?|instead|nicht|kein\w*|falsch|kaputt|fehlt|"
    r"stattdessen|lieber)\b|n['’]t\b|不|没|错|还是|换成|改成"
)
# ``umgestellt`` is ``umstellen`` done.
_PARTICIPLE = (
    r"\b(ab|an|auf|aus|bei|durch|ein|fest|her|hin|los|mit|nach|über|um|unter|vor|weg|zu|zurück)?"
    r"ge(?=\w{3,}(?:t|en)\b)"
)
_LOOK_BACK = 6
_MOST = 8


def announced_steps(messages: Sequence[Message]) -> list[str]:
    """The steps that the assistant named last and that nobody has done since.

    A list replaces what was named before it. What was only announced ("I'll write the tests") is taken for
    done once the assistant went on to report or to do something else.
    """
    answers = [(at, one) for at, one in enumerate(messages) if one.role is Role.ASSISTANT and one.text]
    found: list[str] = []
    went_on = False
    for at, message in reversed(answers[-_LOOK_BACK:]):
        listed, missing, announced = _steps_in(message.text)
        done = claims_of(messages[at + 1 :])
        named = [*([] if went_on else announced), *missing, *listed[:_MOST]]
        found += [one for one in named if not among(one, found) and not is_done(one, done)]
        if listed:
            break
        went_on = went_on or bool(message.tools or list(_claims(message)))
    return found[:_MOST]


def unanswered(messages: Sequence[Message]) -> str:
    """What the user asked for last and nobody answered; "" when the assistant had the last word.

    Rules, praise and what the user merely tells ask for nothing.
    """
    if not messages or messages[-1].role is not Role.USER:
        return ""
    text = messages[-1].text
    languages = languages_of(text)
    said = [one for one in sentences(text) if not one.foreign and not is_small(one.text)]
    open_ = [one for one in said if not _tells(one, languages)]
    asked = next((one for one in open_ if says(languages, "request", one.text)), next(iter(open_), None))
    if asked is None:
        return ""
    words = plain_order(asked.text, languages)
    wants_words = asked.question and not says(languages, "request", asked.text)
    return f"Answer: {asked.text}" if wants_words else words


def _tells(sentence: Sentence, languages: tuple[str, ...]) -> bool:
    words = sentence.text
    if sentence.question:
        return False
    complains = compiled(_COMPLAINT).search(words) is not None
    cue = cue_of(languages, words)
    if is_told(words, languages):
        return not (complains and cue is not None and cue.type is NoteType.PREFERENCE)
    told = cue is not None and cue.type is NoteType.FACT
    return (told or compiled(_PRAISE).search(words) is not None) and not complains


def is_done(step: str, claims: Sequence[str]) -> bool:
    """Whether one of ``claims`` says that the step was done."""
    plain = compiled(_PARTICIPLE)
    wanted = plain.sub(r"\1", step)
    return any(same(step, claim) or same(wanted, plain.sub(r"\1", claim)) for claim in claims)


def open_questions(messages: Sequence[Message]) -> list[str]:
    """The last question that waits for an answer: the assistant's, or else the user's."""
    if not messages:
        return []
    asked = [one.text for one in sentences(messages[-1].text) if one.question and not one.foreign]
    return asked[-1:] if asked and not is_small(asked[-1]) else []


def claims_of(messages: Sequence[Message]) -> list[str]:
    """What somebody says that has been done."""
    return [text for message in messages for text in _claims(message)]


def blocker_named(messages: Sequence[Message]) -> str:
    """The sentence in which somebody said lately that the work cannot go on; "" for none."""
    for message in reversed(messages[-3:]):
        languages = languages_of(message.text)
        for sentence in sentences(message.text):
            words = sentence.text
            if sentence.foreign or sentence.question or not compiled(_BLOCKED).search(words):
                continue
            if not says(languages, "claim", words) and not says(languages, "request", words):
                return words
    return ""


def _steps_in(text: str) -> tuple[list[str], list[str], list[str]]:
    """The steps that a message lists, says to be missing, and announces."""
    listed: list[str] = []
    missing: list[str] = []
    announced: list[str] = []
    within = code = False
    for raw in text.split("\n"):
        if raw.lstrip().startswith(("```", "~~~")):
            code = not code
        if code or not raw.strip():
            continue
        if box := re.match(_UNCHECKED, raw):
            listed.append(clean(box["text"]))
        elif head := compiled(_LIST_HEAD).match(raw):
            within = True
            if head["rest"]:
                listed.append(_told_in(_ANNOUNCED, clean(head["rest"])) or clean(head["rest"]))
        elif within and (item := re.match(_ITEM, raw)):
            listed.append(clean(item["text"]))
        else:
            within = compiled(_LIST_FOLLOWS).search(raw) is not None
            said = [one.text for one in sentences(raw) if not one.foreign and not one.question]
            missing += [step for one in said if (step := _told_in(_MISSING, one))]
            announced += [step for one in said if (step := _told_in(_ANNOUNCED, one))]
    return _real(listed), _real(missing), _real(announced)


def _told_in(pattern: str, sentence: str) -> str:
    match = compiled(pattern).match(sentence)
    step = sentence[match.end() :].strip(" .。") if match else ""
    return step[:1].upper() + step[1:]


def _real(steps: Sequence[str]) -> list[str]:
    return [one for one in steps if one and not compiled(_NO_STEP).search(one)]


def _claims(message: Message) -> Iterator[str]:
    languages = languages_of(message.text)
    for sentence in sentences(message.text):
        if not sentence.foreign and not sentence.question and says(languages, "claim", sentence.text):
            yield sentence.text
