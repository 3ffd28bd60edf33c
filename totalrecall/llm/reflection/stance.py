"""How a thing is meant: denied, failed, suggested, planned, limited, or turned into its opposite. Pure.

A new note can hold every number and name of its notes and still say the contrary of them. The words that turn
a sentence round are few, so they can be watched: none of them may be lost, and none may come.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from totalrecall.domain.note import Note
from totalrecall.llm.reflection.subject import said
from totalrecall.llm.words import content_words, founded_in, words_of

_STANCES = tuple(
    (name, re.compile(shape, re.IGNORECASE))
    for name, shape in (
        (
            "not",
            (
                r"\b(?:not|never|no|none|nobody|nothing|neither|nor|cannot|unable|without|lacks?|missing"
                r"|fail(?:s|ed|ing|ure|ures)?|broke|broken|crash\w*|denied|refus\w+|reject\w*|nicht|nie\w*|kein\w*"
                r"|ohne|fehl\w+|scheiter\w+|gescheitert|kaputt|abgelehnt|verweigert|nunca|sin|jamais|sans|pas)\b"
                r"|n['’]t\b|不|没|未|别|无法|失败|拒绝"
            ),
        ),
        (
            "suggested",
            (
                r"\b(?:suggest\w*|propos\w+|recommend\w*|advis\w+|vorschl\w+|vorgeschlagen|schl[aä]gt vor"
                r"|empf\w+|propuso|recomend\w+|recommand\w*)\b|建议|提议|推荐"
            ),
        ),
        (
            "planned",
            (
                r"\b(?:plan(?:s|ned|ning)?|intend\w*|wants?|wanted|would like|will|going to|should"
                r"|consider\w*|thinks? (?:about|of)|thinking (?:about|of)|might|could|maybe|perhaps"
                r"|possibly|probably|undecided|hop(?:es?|ed|ing)|wish\w*|in progress|not yet|todo|to do|must"
                r"|needs? to|ha(?:ve|s) to|plant|geplant|will|möchte|soll\w*|überleg\w+"
                r"|vielleicht|vermutlich|könnte|hofft|muss|quiere|quizás|veut|peut-être)\b|打算|计划|想要?|考虑|可能|也许|希望|应该|将要?"
            ),
        ),
        ("tried", r"\b(?:tri(?:es|ed)|trying|attempt\w*|versuch\w*|intent[óa]\w*|essay\w+)\b|尝试|试图"),
        (
            "at least",
            r"\b(?:at least|more than|mindestens|mehr als|wenigstens|al menos|más de|au moins)\b|至少|超过",
        ),
        (
            "at most",
            (
                r"\b(?:at most|less than|fewer than|no more than|up to|höchstens|weniger als|maximal"
                r"|como máximo|menos de|au plus|moins de)\b|最多|不到|不超过"
            ),
        ),
        ("except", r"\b(?:except|apart from|other than|außer|excepto|salvo|sauf)\b|除了|除外"),
        ("only", r"\b(?:only|solely|exclusively|nur|ausschließlich|solo|sólo|seulement)\b|只|仅"),
        ("if", r"\b(?:if|unless|in case|provided|falls|sofern|wenn|si)\b|如果|除非|要是"),
    )
)
_NOT = _STANCES[0][1]
_OPPOSITES = tuple(
    tuple(re.compile(rf"\b(?:{side})\b", re.IGNORECASE) for side in pair)
    for pair in (
        (r"enabl\w+|(?:switch|turn)ed on|activat\w+|aktiv\w+", r"disabl\w+|(?:switch|turn)ed off|deaktiv\w+"),
        (r"rais\w+|increas\w+|higher|erhöht?\w*|grew|rose", r"lower\w*|reduc\w+|decreas\w+|gesenkt|fell"),
        (r"more|mehr", r"less|fewer|weniger"),
        (r"before|vor|bevor", r"after|nach|nachdem"),
        (r"allow\w*|permit\w*|erlaubt?", r"forbid\w*|forbad\w*|den(?:y|ies|ied)|prohibit\w*|verboten"),
        (r"like[sd]?|loves?|enjoys?|mag", r"dislike[sd]?|hates?|hasst"),
        (r"accept\w*|approv\w+|angenommen", r"reject\w*|declin\w+|abgelehnt"),
        (r"start\w*|began|begun|begins?", r"stop\w*|ended|ends"),
        (r"open(?:s|ed)?|offen|geöffnet", r"clos(?:es?|ed)|geschlossen|zu"),
        (r"add(?:s|ed)?|install\w*|hinzugefügt", r"remov\w+|delet\w+|uninstall\w*|entfernt|gelöscht"),
        (r"bought|buys?|gekauft", r"sold|sells?|verkauft"),
        (r"won|wins?", r"lost|loses?"),
        (r"true|wahr", r"false|falsch"),
        (r"public|öffentlich", r"private|privat"),
        (r"pass(?:es|ed)?|succe\w+|work(?:s|ed)?|läuft|klappt", r"fail\w*|broke\w*|crash\w*|scheitert\w*"),
        (r"left|links", r"right|rechts"),
        (r"slow\w*|langsam\w*", r"fast\w*|quick\w*|schnell\w*"),
        (r"sends?|sent|lent|lends?|gave|gives?", r"receiv\w+|borrow\w*|got|gets?"),
        (r"up|hoch", r"down|runter"),
    )
)
_PREFIX = re.compile(r"^(?:un|dis|in|non|im|ir|ab|de)(?=[a-zà-ÿ]{4})")
_PASSIVE = frozenset({"by", "von", "durch", "par", "por"})
_LINKS = frozenset(
    {"a", "an", "the", "of", "der", "die", "das", "den", "dem", "des", "ist", "is", "was", "hat", "has"}
)
_NEAR = 5
_CLAUSE = re.compile(r"[,.;:!?\n，。；：、]+|\b(?:and|und|but|aber|y|et)\b")


def lost_stance(merged: Note, sources: Sequence[Note]) -> tuple[str, ...]:
    """The words of the sources that turn their meaning, and that the new note does not have in any form."""
    new = said(merged)
    olds = [said(source) for source in sources]
    lost = [name for name, shape in _STANCES if not shape.search(new) and any(map(shape.search, olds))]
    for pair in _OPPOSITES:
        for here, there in (pair, pair[::-1]):
            # "Enabled" and "disabled" became "both enabled".
            found = next((match for old in olds if (match := there.search(old))), None)
            if here.search(new) and found is not None and not there.search(new):
                lost.append(found[0])
    return tuple(dict.fromkeys(lost))


def invented_stance(merged: Note, sources: Sequence[Note]) -> tuple[str, ...]:
    """The words of the new note that turn the meaning of what the sources say."""
    new, old = said(merged), "\n".join(said(source) for source in sources)
    found = [name for name, shape in _STANCES if shape.search(new) and not shape.search(old)]
    known, now = frozenset(content_words(old)), frozenset(content_words(new))
    found += _turned(now, known)
    if _denies_another(new, sources):
        found.append("not")
    return tuple(dict.fromkeys(found))


def turned_round(merged: Note, sources: Sequence[Note]) -> tuple[str, str] | None:
    """Two things of one clause that changed sides: who works for whom, what comes before what."""
    known = frozenset(one for source in sources for one in _relations(said(source)))
    for one, between, other in sorted(_relations(said(merged)) - known):
        if (other, between, one) in known:
            return one, other
    return None


def _relations(text: str) -> frozenset[tuple[str, str, str]]:
    """What stands on which side of which word, near enough to belong together; nothing of passive clauses."""
    found: set[tuple[str, str, str]] = set()
    for clause in _CLAUSE.split(text):
        words = words_of(clause)
        if _PASSIVE.intersection(words):
            continue
        content = frozenset(content_words(clause))
        for at, one in enumerate(words):
            for place in range(at + 2, min(at + _NEAR, len(words))):
                if one in content and words[place] in content:
                    between = (word for word in words[at + 1 : place] if word not in _LINKS)
                    found.update((one, word, words[place]) for word in between)
    return frozenset(found)


def _turned(new: Iterable[str], known: frozenset[str]) -> list[str]:
    """Words that came with a prefix that denies them, or lost it: reliable, unreliable."""
    bare = {_PREFIX.sub("", word) for word in known if _PREFIX.match(word)}
    found = []
    for word in new:
        if word in known:
            continue
        stem = _PREFIX.sub("", word)
        if word in bare or (stem != word and stem in known):
            found.append(word)
    return found


def _denies_another(new: str, sources: Sequence[Note]) -> bool:
    """True when a denied clause of the new note is about what only a source that denies nothing says."""
    denying = frozenset(
        word for one in sources if _NOT.search(said(one)) for word in content_words(said(one))
    )
    plain = frozenset(
        word for one in sources if not _NOT.search(said(one)) for word in content_words(said(one))
    )
    for clause in _CLAUSE.split(new):
        if not _NOT.search(clause):
            continue
        words = content_words(_NOT.sub(" ", clause))
        own = [word for word in words if founded_in(word, denying) and not founded_in(word, plain)]
        others = [word for word in words if founded_in(word, plain) and not founded_in(word, denying)]
        if others and not own:
            return True
    return False
