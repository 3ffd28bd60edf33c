"""What the user's own words hold: rules, decisions, facts, tasks; never what they quote, ask, or jest."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from totalrecall.domain.note import NoteType
from totalrecall.domain.words import count_words
from totalrecall.llm.extractive.candidate import Candidate, Spoken
from totalrecall.llm.extractive.cues import Cue, compiled, cue_of, says
from totalrecall.llm.extractive.dates import named_days
from totalrecall.llm.extractive.language import OTHER
from totalrecall.llm.extractive.reported import is_reported
from totalrecall.llm.extractive.sentences import Sentence, sentences
from totalrecall.llm.extractive.structure import is_error, values

LONG_WORDS = 40
"""A message of so many words in which no rule finds anything gives its first sentence."""
LONG_WORDS_OTHER = 4
"""The same for languages without rules: there nothing else would remain of it."""

_ASKS = (
    r"^(?:what|which|why|how|who|when|where|whose|should (?:I|we)|is (?:it|there|that|this)|"
    r"are (?:there|we|you)|do(?:es)?"
    r" (?:you|we|it|I)|did (?:you|we|it)|wie|warum|wieso|wer|wann|wo|welche\w*|soll(?:en)? (?:ich|wir)|"
    r"ist (?:das|es)|gibt es)\b"
    r"|[吗呢]$|^(?:为什么|怎么|哪个|什么时候|谁)"
)
# A value alone says nothing ("first message after 12:30"); something must be said of it.
_STATES = (
    r"\b(?:is|are|was|were|has|have|had|runs?|lives?|listens?|sits?|costs?|uses?|needs?|called|named|"
    r"takes?|equals|shows?|"
    r"reads?|contains?|starts?|begins?|ends?|opens?|closes?|leaves?|arrives?|moved|changed|set|paid|"
    r"sold|bought|got|"
    r"ist|sind|war|waren|hat|haben|läuft|liegt|liegen|heißt|kostet|kosten|nutzt|braucht|brauchen|steht|"
    r"stehen|wiegt|beginnt|"
    r"endet|öffnet|schließt|gibt|kommt|wurde|wohnt|fährt|dauert)\b|[=：]|:\s|是|为|在|有|最多|至少|达|了|叫|用|到|需|共|"
    r"约|位于|运行|等于"
)
# What somebody says of what is theirs is a fact of their world, if there is room for it.
_OURS = (
    r"^(?:my|our)\b(?! (?:bad|mistake|fault|god|opinion|guess|pleasure)\b)|^(?:mein|"
    r"unser)(?:e[nmrs]?)?\b(?! (?:fehler|gott)\b)"
    r"|^(?:我的|我们的?|我家|客户|公司)"
)
_SENTENCE_WORDS = 4
_CLAUSE_ENDS = r",? (?:and|but|und|aber|sowie) |[，；](?![那这它他她])"
_SMALL_CHARS = 60
_JOINTS = 8
# "The fee is 5 EUR, please fix only that": the value lasts, the request passes.
_REQUEST_TAIL = r", (?=(?:so )?(?:please|bitte)\b)|，(?=请|麻烦|帮)"
# A placeholder of screening, or any other bracket that stands for something taken out.
_PLACEHOLDER = r"\[[^\[\]]{0,60}\]|‹[^‹›]{0,60}›|⟦[^⟦⟧]{0,60}⟧"
_LEAST_LETTERS = r"[^\W\d_]"
_STANDING = frozenset({NoteType.RULE, NoteType.DECISION})


def read_user(spoken: Spoken) -> list[Candidate]:
    """The candidates in one message of the user, in order."""
    message, languages = spoken.message, spoken.languages
    found: list[Candidate] = []
    first = ""
    for sentence in sentences(message.text):
        if sentence.foreign:
            found += _of_foreign(sentence, spoken)
        elif says(languages, "joke", sentence.text):
            found = [one for one in found if one.low]  # "Let's use MongoDB. Just kidding."
        elif not _is_small_talk(sentence.text) and not _only_introduces(sentence.text):
            first = first or sentence.text
            found += _of_sentence(sentence, spoken)
    for part in message.quoted:
        found += [one for piece in sentences(part) for one in _of_foreign(replace_foreign(piece), spoken)]
    if first and not found:
        found += _first_sentence(first, spoken)
    return found


def _is_small_talk(text: str) -> bool:
    """Greetings and thanks, in whatever language: they are too short to tell which."""
    return len(text) <= _SMALL_CHARS and says(("en", "de", "zh"), "small_talk", text) is not None


def _only_introduces(text: str) -> bool:
    """What is left of "here is the mail: …" when the quotation is taken out."""
    return text.rstrip(" .").endswith((": …", "：…", ":…"))


def replace_foreign(sentence: Sentence) -> Sentence:
    """The same sentence, as somebody else's."""
    return sentence._replace(foreign=True)


def _first_sentence(first: str, spoken: Spoken) -> Iterator[Candidate]:
    # Where no rule reads the language, this sentence is all that would remain of the message.
    least, weight = (LONG_WORDS_OTHER, 2.9) if OTHER in spoken.languages else (LONG_WORDS, 1.0)
    if count_words(spoken.message.text) >= least and _worth_writing(first):
        yield replace(_draft(spoken, NoteType.CONTEXT, first, weight), low=True)


def _draft(spoken: Spoken, kind: NoteType, text: str, weight: float) -> Candidate:
    message = spoken.message
    return Candidate(kind, text, (message.number,), message.at, weight, spoken.languages)


def _of_foreign(sentence: Sentence, spoken: Spoken) -> Iterator[Candidate]:
    """Other people's words: an error or a day may be worth knowing, an order never is (R092)."""
    text = sentence.text
    if says((*spoken.languages, "en", "de", "zh"), "order", text) or not _worth_writing(text):
        return
    if is_error(text):
        yield replace(_draft(spoken, NoteType.EVENT, text, 2.6), low=True)
    elif not sentence.code and named_days(text, spoken.message.at.date()):
        yield replace(_draft(spoken, NoteType.CONTEXT, text, 1.6), low=True, prefix="quoted")


def _of_sentence(sentence: Sentence, spoken: Spoken) -> Iterator[Candidate]:
    parts = _clauses(sentence.text, spoken.languages) if not sentence.question else [sentence.text]
    for part in parts:
        candidate = _of_clause(part, sentence, spoken)
        if candidate is not None and _worth_writing(candidate.text):
            yield candidate


def _clauses(text: str, languages: tuple[str, ...]) -> list[str]:
    """The sentence in parts, where both sides of a joint say things of different types."""
    parts: list[str] = []
    start = 0
    for joint in islice(compiled(_CLAUSE_ENDS).finditer(text), _JOINTS):
        left, right = cue_of(languages, text[start : joint.start()]), cue_of(languages, text[joint.end() :])
        if left is not None and right is not None and left.type is not right.type:
            parts.append(text[start : joint.start()])
            start = joint.end()
    return [*parts, *_without_request(text[start:], languages)]


def _without_request(text: str, languages: tuple[str, ...]) -> list[str]:
    """A stated value and the request behind it as two parts; else the text as it is."""
    tail = compiled(_REQUEST_TAIL).search(text)
    if tail is None or not values(text[: tail.start()]) or not compiled(_STATES).search(text[: tail.start()]):
        return [text]
    right = text[tail.end() :]
    return [text[: tail.start()], right] if cue_of(languages, right) is None else [text]


def _of_clause(text: str, sentence: Sentence, spoken: Spoken) -> Candidate | None:
    languages = spoken.languages
    cue = cue_of(languages, text)
    if sentence.question or compiled(_ASKS).search(text):
        cue = _asked(text, cue, languages)
        if cue is None:
            return _open_request(text, spoken) or _error(text, spoken)
    if _not_meant(text, cue, languages):
        return None
    if OTHER in languages:
        return _structural(text, spoken)
    return _stated(text, cue, spoken)


def _asked(text: str, cue: Cue | None, languages: tuple[str, ...]) -> Cue | None:
    """The cue of an order in the shape of a question ("could you always …?"), or of a rule with "when"."""
    if cue is None or not (cue.type is NoteType.RULE or says(languages, "polite", text)):
        return None
    return cue if cue.type in {NoteType.RULE, NoteType.TASK, NoteType.PREFERENCE} else None


def _open_request(text: str, spoken: Spoken) -> Candidate | None:
    if not says(spoken.languages, "polite", text) or count_words(text) < _SENTENCE_WORDS:
        return None
    return replace(_draft(spoken, NoteType.TASK, text, 1.5), request=True)


def _error(text: str, spoken: Spoken) -> Candidate | None:
    return _draft(spoken, NoteType.EVENT, text, 3.6) if is_error(text) else None


def _not_meant(text: str, cue: Cue | None, languages: tuple[str, ...]) -> bool:
    if cue is not None and cue.type is NoteType.RULE and not says(languages, "joke", text):
        return False
    if says(languages, "hypothetical", text):
        return True
    doubt = says(languages, "undecided", text)
    if doubt is None:
        return False
    said = compiled(cue.source).search(text) if cue is not None and cue.type in _STANDING else None
    return said is None or doubt.start() < said.end()


def _structural(text: str, spoken: Spoken) -> Candidate | None:
    """Where no rule knows the language: errors, days, values."""
    if is_error(text):
        return _draft(spoken, NoteType.EVENT, text, 3.6)
    if values(text) or named_days(text, spoken.message.at.date()):
        return _draft(spoken, NoteType.CONTEXT, text, 2.8)
    return None


def _stated(text: str, cue: Cue | None, spoken: Spoken) -> Candidate | None:
    languages, today = spoken.languages, spoken.message.at.date()
    days = named_days(text, today)
    ahead = any(one.day >= today for one in days if not (one.iso and one.day == today))
    deadline = ahead and says(languages, "deadline", text) is not None
    correction = says(languages, "correction", text) is not None
    details = values(text)
    kind, weight = _kind(text, cue, spoken, ahead=ahead, correction=correction, details=bool(details))
    if kind is None:
        return None
    asks_now = (
        cue is None and not correction and kind is NoteType.TASK and bool(says(languages, "request", text))
    )
    weight += 0.15 * min(len(details) + len(days), 3) + (0.8 if deadline else 0) + (0.5 if correction else 0)
    return replace(
        _draft(spoken, kind, text, weight),
        red=deadline or correction or bool(cue and cue.red and kind is cue.type),
        correction=correction,
        request=asks_now,
    )


def _kind(  # noqa: PLR0911 - a table of cases, one return each
    text: str, cue: Cue | None, spoken: Spoken, *, ahead: bool, correction: bool, details: bool
) -> tuple[NoteType | None, float]:
    if cue is not None and cue.type is NoteType.RULE and is_reported(text, cue):
        return NoteType.FACT, 2.6
    if cue is not None:
        if ahead and cue.type in {NoteType.EVENT, NoteType.PREFERENCE}:
            return NoteType.TASK, 4.0
        return cue.type, cue.weight
    request = says(spoken.languages, "request", text)
    if is_error(text):
        return NoteType.EVENT, 3.6
    if correction and not request:
        return NoteType.FACT, 4.8
    if ahead and (details or says(spoken.languages, "promise", text) or count_words(text) >= _SENTENCE_WORDS):
        return NoteType.TASK, 4.0
    if request and count_words(text) >= _SENTENCE_WORDS:
        return NoteType.TASK, 1.5
    if details and compiled(_STATES).search(text):
        return NoteType.FACT, 3.8
    told = compiled(_OURS).search(text) and count_words(text) >= _SENTENCE_WORDS
    return (NoteType.FACT, 2.6) if told else (None, 0.0)


def _worth_writing(text: str) -> bool:
    """More than a placeholder: at least some letters remain besides what screening took out."""
    rest = compiled(_PLACEHOLDER).sub("", text)
    taken = len(rest) != len(text)
    letters = len(re.findall(_LEAST_LETTERS, rest))
    return letters >= 3 and (not taken or count_words(rest) >= 6)
