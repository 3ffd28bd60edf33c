"""From a candidate to the words of its note: dense, on one line, within bounds."""

from __future__ import annotations

import re

from totalrecall.domain.note import NoteType
from totalrecall.domain.words import count_words
from totalrecall.llm.extractive.candidate import Candidate
from totalrecall.llm.extractive.cues import compiled, cue_of, says
from totalrecall.llm.extractive.dates import named_days, with_days
from totalrecall.llm.extractive.sentences import clean
from totalrecall.llm.extractive.structure import values

MOST_CHARS = 220
"""A note is never longer."""
FULL_WORDS = 30
"""A sentence of so many words is written as it is."""
TIGHT_WORDS = 14
"""The same where room is short."""

_PREFIXES = {
    "en": {
        "agreed": "Agreed: ", "failed": "Failed: ", "denied": "Failed: ", "claimed": "Assistant says: ",
        "quoted": "Quoted: ", "user": "User: ", "not_done": " (not done, though the assistant said so)",
    },
    "de": {
        "agreed": "Vereinbart: ", "failed": "Fehlgeschlagen: ", "denied": "Fehlgeschlagen: ",
        "claimed": "Assistent sagt: ", "quoted": "Zitiert: ", "user": "User: ",
        "not_done": " (nicht erledigt, anders als gemeldet)",
    },
    "zh": {
        "agreed": "已同意：", "failed": "失败：", "denied": "失败：", "claimed": "助手称：",
        "quoted": "引用：", "user": "用户：",
        "not_done": "（并未完成，与助手所说不符）",
    },
}  # fmt: skip
_OFFER_HEADS = (
    r"^(?:(?:then|so|also|or|and|additionally|außerdem|auch|dann|另外|那么?)[, ]+)?(?:(?:shall|should) (?:I|"
    r"we)(?: (?:also|now))?|"
    r"(?:do you want|would you like) me to|would you like to|I(?:'d| would| could|"
    r" can)?(?: also)? (?:recommend|suggest|propose|go with)|"
    r"I (?:could|can|would|might)|how about|what about|soll(?:en)? (?:ich|wir)(?: (?:dir|euch|"
    r"ihnen))?(?: (?:auch|schon|gleich|noch))?|"
    r"möchtest du,? dass ich|ich (?:könnte|kann|würde)(?: (?:auch|außerdem))?(?: vorschlagen,?)?|"
    r"ich (?:empfehle|schlage vor)|"
    r"要不要我?|需要我|是否需要我?|我(?:可以|建议|推荐)|建议你?|推荐)\s*"
)
_TAIL = (
    r"(?:[,，]?\s*(?:please|bitte|thanks|thank you|danke|ok|okay|right|then|hm+|吧|啊|哦|啦))+[.!。！]*$|"
    r"(?<!\d\.\d)(?<!\d\.\d\d)\.+$|[\s,;:!。，；：！]+$|\s*[:;]-?[)(DP]$"
)
_CORRECTING = r"^(?:correction|korrektur|berichtigung|更正一下|更正|纠正)\s*[:：,，-]?\s*"
# "From now on" adds nothing to "always"; a note is read later than it is written.
_RULE_HEADS = (
    r"^(?:from now on|going forward|in future|ab jetzt|ab sofort|von nun an|künftig|in zukunft)[, ]+"
    r"(?:please |bitte )?(?=(?:always|never|immer|nie|niemals)\b)"
)
_LOOSE_END = (
    r"\s(?:the|an?|of|and|or|to|for|with|in|on|at|by|from|that|der|die|das|den|dem|ein|eine|"
    r"und|oder|von|zu|mit|auf)$"
)
_EDGES = (
    r"[,;，；、。]\s*|\s[–—-]\s|\s\(|\b(?:because|since|so that|which|although|weil|da|damit|sodass|obwohl)\b"
)


def written(candidate: Candidate, most_words: int = FULL_WORDS) -> str:
    """The text of the note, at most ``MOST_CHARS`` signs; relative days are resolved (R068)."""
    body = _body(candidate, most_words)
    if "en" in candidate.languages[:1] and candidate.type is not NoteType.EVENT and not candidate.prefix:
        body = _about_user(body)
    head, tail = _frame(candidate, body)
    text = with_days(body, named_days(body, candidate.at.date()))
    room = MOST_CHARS - len(head) - len(tail)
    return _first_safe(head + _cut(text, room) + tail)


_ADVERB = r"(?:now|usually|always|often|never|really|normally|typically|mostly|generally|also)"
_VERBS = (
    r"(?:prefer|like|love|hate|dislike|enjoy|drink|eat|use|want|need|live|work|run|lead|own|check|take|"
    r"plan|start|read|write|"
    r"speak|sleep|cook|play|keep|hope|avoid|wake|train|drive|travel)"
)
_CONJUGATED = (
    (rf"^I ((?:{_ADVERB} )?)({_VERBS})\b", r"User \1\2s"),
    (r"^(?:I am|I['’]m)\b", "User is"),
    (r"^(?:I have|I['’]ve) to\b", "User has to"),
    (r"^my\b", "User's"),
)


def _about_user(text: str) -> str:
    """English in the third person: in an agent's memory "I" would be the agent."""
    for source, words in _CONJUGATED:
        text, count = compiled(source).subn(words, text, count=1)
        if count:
            break
    if not text.startswith("User"):
        return text
    other = rf"\band (?:I )?({_VERBS})\b(?! (?:is|are|was|were|can|will)\b)"
    return compiled(other).sub(r"and \1s", text)


def words_of_note(text: str) -> int:
    """How many words a note's text counts."""
    return count_words(text)


def cut_to_words(text: str, most_words: int) -> str:
    """``text`` with at most so many words, cut at a space or a sign."""
    if count_words(text) <= most_words:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if count_words(text[:middle]) <= most_words:
            low = middle
        else:
            high = middle - 1
    return _at_boundary(text, low)


def _frame(candidate: Candidate, body: str) -> tuple[str, str]:
    language = candidate.languages[0] if candidate.languages else "en"
    names = _PREFIXES.get(language, _PREFIXES["en"])
    head = names.get(candidate.prefix, "")
    if not head and candidate.type is not NoteType.RULE and candidate.type is not NoteType.EVENT:
        head = names["user"] if says(candidate.languages, "first_person", body) and "User" not in body else ""
    tail = f" (replaces: {clean(candidate.replaces)[:40]})" if candidate.replaces else ""
    return head, tail + (names["not_done"] if candidate.prefix == "denied" else "")


def _body(candidate: Candidate, most_words: int) -> str:
    text = clean(candidate.text)
    if candidate.prefix == "agreed":
        text = compiled(_OFFER_HEADS).sub("", text, count=1).rstrip("?？ ")
    if candidate.prefix not in {"quoted", "failed", "denied"}:
        text = _without_filler(text, candidate)
    if count_words(text) > most_words:
        text = _core(text, candidate.languages, most_words)
    return text.strip()


def _without_filler(text: str, candidate: Candidate) -> str:
    heads = ["filler"]
    if text[-1:] in "?？":
        text = text.rstrip("?？")
        heads.append("polite")
    for field in heads:
        filler = says(candidate.languages, field, text)
        if filler is not None and filler.start() == 0 and len(text) - filler.end() >= 4:
            text = text[filler.end() :]
    text = _corrected(text, candidate.replaces) if candidate.replaces else text
    text = compiled(_RULE_HEADS).sub("", text) if candidate.type is NoteType.RULE else text
    while (shorter := compiled(_TAIL).sub("", text)) != text and shorter:
        text = shorter
    return text


def _corrected(text: str, old: str) -> str:
    """The correction without its announcement, and without the old value that "(replaces: …)" names."""
    text = compiled(_CORRECTING).sub("", text)
    denied = (
        rf"[,，]\s*(?:(?:and|und) )?"
        rf"(?:not|nicht(?: mehr)?|(?:而)?不是|不再是)\s*{re.escape(old)}[.!。！]*$"
    )
    return re.sub(denied, "", text, flags=re.IGNORECASE)


def _core(text: str, languages: tuple[str, ...], most_words: int) -> str:
    """The parts of a long sentence that carry its cue, its values and days, in order, else its beginning."""
    parts = _split(text)
    scored = []
    for number, part in enumerate(parts):
        score = 3.0 if cue_of(languages, part) else 2.0 if says(languages, "claim", part) else 0.0
        score += min(len(values(part)), 3) + (0.5 if re.search(r"\d", part) else 0.0)
        scored.append((-score, number))
    room = most_words
    chosen: list[int] = []
    for negative, number in sorted(scored):
        size = count_words(parts[number])
        if size <= room and (negative < 0 or not chosen):
            chosen.append(number)
            room -= size
    if not chosen:
        best = min(scored)[1]
        return cut_to_words(parts[best].strip(" ,;，；、("), most_words)
    return _joined([parts[number] for number in sorted(chosen)])


def _split(text: str) -> list[str]:
    parts: list[str] = []
    start = 0
    for match in compiled(_EDGES).finditer(text):
        cut = match.start() if match[0][:1].isalpha() or "(" in match[0] else match.end()
        if cut > start:
            parts.append(text[start:cut])
            start = cut
    return [*parts, text[start:]]


def _joined(parts: list[str]) -> str:
    text = "".join(
        part if part.endswith(" ") or part[-1:] >= "\u3000" else part + " " for part in parts
    ).strip()
    text = text.strip(" ,;，；、")
    return text + ")" if text.count("(") > text.count(")") else text


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else _at_boundary(text, max(room - 1, 1)) + "…"


def _at_boundary(text: str, end: int) -> str:
    if end < len(text) and text[end : end + 1].strip() and text[end - 1 : end] < "\u3000":
        space = text.rfind(" ", 0, end)
        end = space if space > end // 2 else end
    text = text[:end].rstrip(" ,;，；(（")
    while (shorter := compiled(_LOOSE_END).sub("", text)) != text:
        text = shorter
    return text


def _first_safe(text: str) -> str:
    """Nothing at the start that a reader of the log would take for its own marks."""
    return clean(text)
