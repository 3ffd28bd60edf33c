"""The small part of the profile that a task needs: all of it that may ever go to a model. Pure."""

from __future__ import annotations

import re

from totalrecall.memory.profile.contacts import contacts, episodes
from totalrecall.memory.profile.document import Data, with_value
from totalrecall.memory.profile.summary import known_fields
from totalrecall.memory.ranking import Ranker, folded, terms

EPISODES, PEOPLE = 3, 5
# What a task is about, by the words in it, and the fields that such a task needs.
_TOPICS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        r"e-?mails?|mail|messages?|repl(?:y|ies)|letters?|draft|nachricht|schreib|antwort|邮件|回复|信",
        ("identity.name", "identity.preferred_name", "identity.language", "preferences.communication"),
    ),
    (
        r"meetings?|schedul\w*|calendar|appointments?|calls?|invite|book|termin\w*|kalender|besprechung|会议|日程|约|预约",
        ("identity.timezone", "preferences.scheduling", "preferences.work.working_hours"),
    ),
    (
        r"scripts?|code|program\w*|deploy\w*|install|build|tests?|repo\w*|skript|programm\w*|代码|脚本|部署|程序",
        ("preferences.work.tools", "preferences.work.stacks", "patterns.common_mistakes"),
    ),
    (r"buy|order|purchase|shop\w*|kauf\w*|bestell\w*|购买|下单|买", ("patterns.recurring_tasks",)),
)


def relevant(data: Data, task: str) -> Data:
    """The people named in ``task``, the fields that such a task needs, and what happened like it.

    {} when nothing of the profile matters for it.
    """
    found: Data = {}
    wanted = tuple(path for pattern, paths in _TOPICS if _mentions(pattern, task) for path in paths)
    for field, value in known_fields(data):
        if field.path.startswith(wanted) and wanted:
            found = with_value(found, field.path, value)
    people = [one for one in contacts(data) if _is_named(one, task)][:PEOPLE]
    if people:
        found["contacts"] = people
    happened = _like(task, episodes(data))
    if happened:
        found["episodic"] = happened
    return found


def _mentions(pattern: str, task: str) -> bool:
    return re.search(rf"(?<![a-z])(?:{pattern})", folded(task)) is not None


def _is_named(contact: Data, task: str) -> bool:
    """Whether the task names the person: in full, by an alias, or by a part of the name."""
    said = set(terms(task))
    whole = folded(task)
    for name in (contact.get("name"), *(contact.get("alias") or [])):
        words = [one for one in terms(str(name or "")) if len(one) > 1]
        if words and (any(one in said for one in words) or folded(str(name)) in whole):
            return True
    return False


class _Happened:
    """An episode, to be ranked by its words."""

    day = None

    def __init__(self, episode: Data) -> None:
        self.episode = episode
        self.text = f"{episode.get('summary', '')} {episode.get('outcome', '')}"


def _like(task: str, held: list[Data]) -> list[Data]:
    """The episodes that share at least two of the task's longer words, best first."""
    words = {one for one in terms(task) if len(one) > 3 or not one.isascii()}
    near = [one for one in held if len(words & set(terms(str(one.get("summary", ""))))) >= 2]
    ranker = Ranker[_Happened](task)
    ranker.add_all(_Happened(one) for one in near)
    return [one.passage.episode for one in ranker.best(EPISODES)]
