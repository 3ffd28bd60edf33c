"""What the user is after, by rules: the sentence that says so best, the newer the better."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta

from totalrecall.domain.batch import Message
from totalrecall.domain.event import Role
from totalrecall.domain.note import NoteType
from totalrecall.domain.words import count_words
from totalrecall.llm.extractive.cues import compiled, cue_of, says
from totalrecall.llm.extractive.language import OTHER, languages_around, languages_of
from totalrecall.llm.extractive.sentences import sentences
from totalrecall.llm.extractive.similar import related

_WHY = r"\b(?:because|since|so that|in order to|otherwise|weil|damit|sonst|da wir)\b|因为|为了|以便|否则"
# What begins a piece of work; "run", "show" and "check" are steps of one.
_BUILDS = (
    r"\b(?:add|book|build|clean up|compare|configure|convert|create|debug|deploy|design|develop|draft|find|"
    r"fix|implement|improve|install|integrate|investigate|migrate|move|optimi[sz]e|order|organi[sz]e|plan|"
    r"port|prepare|refactor|release|replace|research|rewrite|set up|speed up|summari[sz]e|support|translate|"
    r"upgrade|write|baue?n?|behebe?n?|buche?n?|entwickel\w*|erstelle?n?|implementier\w*|installier\w*|migrier\w*|"
    r"plane?n?|portier\w*|schreibe?n?|übersetze?n?)\b"
    r"|实现|修复|开发|迁移|重构|编写|添加|创建|优化|部署|安装|翻译|计划|写"
)
# What goals have in common that have nothing in common.
_ROUTINE = (
    r"\b(?:want|need|make|give|get|go|can|could|let['’]?s|remove|delete|update|change|check|show|run|start|stop|save|"
    r"open|put|use|work|continue|test|tests|read|look|send|new|old|next|first|all|some|into|file|files|script|"
    r"page|app|code|project|bug|error|errors|problem|list|text|thing|things|short|quick|"
    r"mache?|gibt?|zeige?|lösche?|ändere?|prüfe?|such\w*|datei(?:en)?|skript|fehler|liste|neue?\w*|kurze?\w*)\b"
    r"|帮我?|请|一[个份封下些]|给我|文件|脚本|问题|代码|页面|项目"
)
_TAIL = r"(?:[\s,，]*(?:(?<!\w)(?:please|bitte|thanks|thank you|danke|ok|okay)|吧|谢谢))?[\s.?!:。？！：]*$"
_INSIDE = r"\s*[,，]\s*(?:please|bitte)\s*(?=[,，])"
_JOINED = r"^(?:and|also|then|now|und|auch|dann|jetzt)\s+(?=\w)"
# Where the user leaves one task for another; what follows "new topic:" is the other.
_TURN = (
    r"\b(?:forget (?:the|about|that|it)|(?:new|next|another|different) (?:topic|task)|"
    r"something (?:else|different)|let['’]?s (?:switch|move on)|vergiss|neues thema|was anderes)\b"
    r"|换个话题|另一件事|别的事"
)
# What the user wants kept in mind is no work to do.
_KEEPS = (
    r"^(?:(?:please|ok|and|also|so|bitte|und)[,]? )*"
    r"(?:keep (?:that |this |it )?in mind|bear in mind|remember that|note that|"
    r"for (?:the record|your information)|fyi|just so you know|denk (?:daran|dran)|merk dir)\b"
    r"|^(?:请)?(?:记住|注意|牢记)"
)
_TOLD = frozenset({NoteType.RULE, NoteType.PREFERENCE, NoteType.HABIT})
_TURN_HEAD = (
    r"^(?:(?:ok|okay|so|now|gut|dann|jetzt)[,.]? )?(?:(?:new|next|another|different) (?:topic|task)|"
    r"(?:now )?something (?:else|different)|neues thema|(?:jetzt )?(?:et)?was anderes|"
    r"(?:我们)?换个话题|(?:还有)?另一件事|说?别的事)[\s,.:：，。!-]*"
)
# How much less a goal counts for each message since, after a pause, and once the user turned away from it.
_FADES = 0.2
_FADES_PAUSE = 0.5
_FADES_TURN = 2.0
_TURNS_TO = 2.0
_PAUSE = timedelta(minutes=20)
_LEAST = 1.2
_WORDS = 4
_MOST_OLD = 40


def goal_of(messages: Sequence[Message], *, plainly: bool = False) -> str:
    """The user's goal in their own words, "" when nothing of theirs is one.

    ``plainly``: only what a rule knows as a goal or a request, not the last sentence for want of one.
    """
    return goal_with_place(messages, plainly=plainly)[0]


def goal_with_place(messages: Sequence[Message], *, plainly: bool = False) -> tuple[str, int]:
    """The goal, and the place of the message that names it among ``messages``; 0 where none does."""
    said = [(at, one) for at, one in enumerate(messages) if one.role is Role.USER and one.text.strip()]
    said = said[-_MOST_OLD:]
    around = languages_around([one.text for _, one in said])
    best, weight, place, faded = "", 0.0, 0, 0.0
    later = said[-1][1] if said else None
    for at, message in reversed(said):
        if later is not None and later.at - message.at > _PAUSE:
            faded += _FADES_PAUSE
        later = message
        languages = languages_of(message.text, around)
        for text, worth in _scored(message.text, languages):
            if worth - faded > weight:
                best, weight, place = text, worth - faded, at
        faded += 0.0 if is_idle(message.text) else _FADES
        faded += _FADES_TURN if turns_away(message.text) else 0.0
    if weight < _LEAST:
        return ("", 0) if plainly else (_last_words([one for _, one in said]) or best, 0)
    return best, place


def turns_away(text: str) -> bool:
    """Whether the user leaves one task for another with these words."""
    return compiled(_TURN).search(text) is not None


def same_task(one: str, other: str) -> bool:
    """Whether two goals are about the same; their reasons, and that both write a file, do not count."""
    first, second = (_matter(text) for text in (one, other))
    return one == other or related(first, second)


def _matter(goal: str) -> str:
    words = compiled(_WHY).split(goal)[0]
    return compiled(_ROUTINE).sub(" ", compiled(_BUILDS).sub(" ", words))


def is_small(text: str) -> bool:
    """Greetings, thanks and plain agreement: they start nothing and leave nothing open."""
    words = text.strip()
    known = ("en", "de", "zh")
    return len(words) <= 60 and bool(says(known, "small_talk", words) or says(known, "accept", words))


def is_idle(text: str) -> bool:
    """Greetings and thanks alone: whoever says no more has not spoken of the task."""
    words = text.strip()
    return len(words) <= 60 and says(("en", "de", "zh"), "small_talk", words) is not None


def is_told(text: str, languages: tuple[str, ...]) -> bool:
    """Rules, preferences, habits, and what to keep in mind: they hold beside the task, and are none."""
    cue = cue_of(languages, text)
    return (cue is not None and cue.type in _TOLD) or compiled(_KEEPS).search(text) is not None


def plain_order(text: str, languages: tuple[str, ...]) -> str:
    """The sentence without the politeness around it: ``Could you port it, please?`` → ``Port it``."""
    polite = next(
        (match for language in languages if (match := says((language,), "polite", text)) is not None), None
    )
    words = text[polite.end() :] if polite is not None and polite.start() == 0 else text
    words = compiled(_TAIL).sub("", compiled(_INSIDE).sub("", words)).strip()
    words = compiled(_JOINED).sub("", words)
    return words[:1].upper() + words[1:] if words else text


def _scored(text: str, languages: tuple[str, ...]) -> Iterator[tuple[str, float]]:
    said = [one for one in sentences(text) if not one.foreign]
    turned = 0.0
    for at, sentence in enumerate(said):
        words = sentence.text
        if head := compiled(_TURN_HEAD).match(words):
            words, turned = words[head.end() :], _TURNS_TO
        if is_small(words) or count_words(words) < _WORDS or says(languages, "joke", words):
            continue
        worth = _worth(words, languages, question=sentence.question) + turned
        turned = 0.0
        if worth <= 0:
            continue
        goal = plain_order(words, languages)
        if not compiled(_WHY).search(words) and at + 1 < len(said):
            following = said[at + 1].text
            if compiled(_WHY).search(following) and count_words(following) <= 25:
                goal, worth = f"{goal}. {following}", worth + 0.5
        yield goal, worth


def _worth(words: str, languages: tuple[str, ...], *, question: bool) -> float:
    cue = cue_of(languages, words)
    request = says(languages, "request", words) is not None
    if question and not request:
        return 0.0
    if is_told(words, languages):
        return 0.0
    worth = 1.5 if OTHER in languages else 0.0
    worth += 1.2 if request else 0.0
    worth += {NoteType.GOAL: 3.0, NoteType.TASK: 1.5, NoteType.DECISION: 0.6}.get(cue.type, 0) if cue else 0
    if compiled(_BUILDS).search(words):
        worth += 2.3 if request or worth else 1.5
    worth += 0.5 if compiled(_WHY).search(words) else 0.0
    return worth + (0.5 if worth and count_words(words) >= 8 else 0.0)


def _last_words(said: Sequence[Message]) -> str:
    """The newest sentence of the user with something in it."""
    for message in reversed(said):
        languages = languages_of(message.text)
        for sentence in sentences(message.text):
            words = sentence.text
            if sentence.foreign or is_small(words) or is_told(words, languages):
                continue
            if count_words(words) >= _WORDS:
                return words.rstrip(" :：")
    return ""
