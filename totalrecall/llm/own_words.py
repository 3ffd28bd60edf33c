"""What a user said in their own words, and what sounds like an order. Pure.

Only the user's own words make a rule or a preference (R092): quoted mail, pasted pages, tool output never do.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from totalrecall.domain.batch import Message
from totalrecall.domain.event import Role
from totalrecall.llm.languages import language_of
from totalrecall.llm.words import CJK, overlap

_QUOTES = re.compile(
    r"\"[^\"\n]{12,}?\"|“[^”]{12,}?”|„[^“”]{12,}?[“”]|«[^»]{12,}?»|「[^」]{6,}?」|『[^』]{6,}?』|```.*?(?:```|\Z)",
    re.DOTALL,
)
_QUOTED_LINE = re.compile(r"^[ \t]*[>|].*$", re.MULTILINE)
_MAIL = re.compile(
    r"^[ \t]*(?:-{3,}[^\n]*|_{5,}[ \t]*|(?:From|Von|De|发件人)[ \t]*[:：][^\n]*\n(?:[^\n]*\n){0,3}?"
    r"(?:Subject|Betreff|To|An|主题|Date|Sent)[ \t]*[:：])",
    re.MULTILINE | re.IGNORECASE,
)
_YES = re.compile(
    r"^\W*(?:yes|yep|yeah|ok(?:ay)?|sure|agreed|do (?:it|that)|sounds good|exactly|correct|right|please "
    r"do|ja|jo|genau|passt"
    r"|mach das|einverstanden|gerne?|klar|好的?|可以|行|没问题|对|是的?|oui|d'accord|sí|vale|claro)\b",
    re.IGNORECASE,
)
_YES_CHARS = 60
_ORDER = re.compile(
    r"^\W*(?:please\s+|bitte\s+|system\s*[:：]\s*|rule\s*[:：]\s*|important\s*[:：]\s*)*(?:always|never"
    r"|from now on|remember|ignore"
    r"|disregard|forget (?:all|every|the|your)|do not|don['’]t|you (?:must|should|are to|will|shall|need "
    r"to)|make sure"
    r"|obey|execute|output|reply with|respond with|send all|delete all|immer|niemals|nie|ignoriere"
    r"|vergiss|merke? dir"
    r"|ab (?:jetzt|sofort)|du (?:musst|sollst|darfst)|siempre|nunca|toujours|jamais|ignorez?|请?(?:始终"
    r"|永远|务必|必须|忽略|无视|从现在起|记住))"
    r"|\b(?:the )?(?:assistant|agent|ai|bot) (?:must|shall|should always|should never|has to|is required "
    r"to)\b"
    r"|\b(?:der )?(?:assistent|agent) (?:muss|soll|darf)\b|(?:助手|代理)(?:必须|务必|应当|不得)",
    re.IGNORECASE,
)
_STANDING = re.compile(
    r"\b(?:always|never|from now on|permanent(?:ly)?|every time|immer|nie(?:mals)?|ab (?:jetzt|sofort)"
    r"|siempre|nunca"
    r"|toujours|jamais)\b|始终|永远|总是|从不|以后都",
    re.IGNORECASE,
)
_BACKED = 0.34


def own_words(message: Message) -> str:
    """The user's own words in a message: without quotes, pasted blocks and mail; "" for anybody else."""
    if message.role is not Role.USER:
        return ""
    mail = _MAIL.search(message.text)
    text = message.text[: mail.start()] if mail else message.text
    return _QUOTED_LINE.sub(" ", _QUOTES.sub(" ", text)).strip()


def is_order(note: str) -> bool:
    """True when a note reads like an order to the agent."""
    return bool(_ORDER.search(note))


def is_standing(note: str) -> bool:
    """True when a note claims something for good: always, never, from now on."""
    return bool(_STANDING.search(note))


def backed_by_user(note: str, cited: Sequence[Message]) -> bool:
    """True when the user said this in their own words, or plainly agreed to what the assistant proposed."""
    mine = [text for message in cited if (text := own_words(message))]
    if not mine:
        return False
    if _says_it(note, "\n".join(mine)):
        return True
    agreed = any(len(text) <= _YES_CHARS and _YES.match(text) for text in mine)
    proposed = "\n".join(message.text for message in cited if message.role is Role.ASSISTANT)
    return agreed and bool(proposed) and _says_it(note, proposed)


def _says_it(note: str, said: str) -> bool:
    """Shared words; in another language an order needs an order, anything else only its citation."""
    other_script = bool(CJK.search(note)) != bool(CJK.search(said))
    tongues = {language_of(note), language_of(said)} - {""}
    if other_script or len(tongues) > 1:
        standing = is_order(note) or is_standing(note)
        return not standing or any(is_order(line) or is_standing(line) for line in said.splitlines())
    return overlap(note, said) >= _BACKED
