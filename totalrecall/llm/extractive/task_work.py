"""How far the work is, by rules: phase, branch, progress, files, names, and the code that was shown last."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from totalrecall.domain.batch import Message
from totalrecall.domain.event import Role
from totalrecall.domain.snapshot import FileInPlay, NamedValue, Phase
from totalrecall.domain.task_talk import TaskTalk, Touch
from totalrecall.llm.extractive.cues import compiled, says
from totalrecall.llm.extractive.language import languages_of
from totalrecall.llm.extractive.sentences import sentences
from totalrecall.llm.extractive.tools import Run

_TESTS = (
    r"\b(?:pytest|unittest|vitest|jest|ctest|tox|nox)\b"
    r"|\b(?:npm|yarn|pnpm|cargo|go|make|mvn|gradle)\b.*\btests?\b"
)
_DEPLOYS = (
    r"\b(?:deploy\w*|kubectl|helm|terraform apply|ansible-playbook|rsync|docker push|npm publish|"
    r"twine upload)\b"
)
_DEPLOY_WORDS = r"\bdeploy\w*|部署|上线"
_REVIEWS = r"\b(?:review\w*|git (?:diff|show|log)|gh pr)\b|评审|审查"
_PHASES = (
    (Phase.DEPLOYING, _DEPLOYS, _DEPLOY_WORDS),
    (Phase.TESTING, _TESTS, ""),
    (Phase.REVIEWING, _REVIEWS, _REVIEWS),
)
_BRANCH = (
    r"\bgit (?:checkout|switch) (?:-[bBcC] )?(?!-)(?P<name>[\w./-]+)|\bgit branch (?!-)(?P<made>[\w./-]+)"
    r"|\bOn branch (?P<on>[\w./-]+)"
)
_NOT_BRANCH = r"\.\w{1,5}$"
_SHARE = (
    r"\b\d{1,3} ?(?:%|percent\b|prozent\b)|\b\d+ (?:of|out of|von) (?:the )?\d+(?: [\w-]+)?"
    r"|百分之\S+|第\s?\d+\s?步"
)
_NAMED = (
    ("API endpoint", r"\b(?P<v>(?:GET|POST|PUT|PATCH|DELETE) /[\w/{}:.-]*)"),
    ("URL", r"(?P<v>https?://[^\s<>\"'`）)\]，。]{4,120})"),
    ("Env var", r"(?<![\w/.-])\$?(?P<v>[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?![\w/.-])"),
    ("Port", r"(?:\b[Pp]ort|端口)\s*(?:is|ist|[:=]|是|为)?\s*(?P<v>\d{2,5})\b"),
    ("Host", r"\b(?P<v>[a-z][\w-]*(?:\.[\w-]+)*\.(?:internal|local|lan))\b"),
    ("Issue", r"(?<![\w&])(?P<v>#\d{2,7})\b"),
)
_FENCE = r"^[ \t]*(`{3,}|~{3,})[^\n]*\n(?P<code>.*?)\n[ \t]*\1"
_CHANGED = r"^(?:write|edit|multi_?edit|apply_patch|str_replace|create_file)\b"
_MOST_FILES = 12
_MOST_NAMES = 10
_CODE_LINES = 46


def files_of(touches: Sequence[Touch]) -> tuple[FileInPlay, ...]:
    """Each file once, the changed ones first, the latest of both first, with what was done to it."""
    paths = list(dict.fromkeys(one.path for one in reversed(touches)))
    found = {path: [one for one in touches if one.path == path] for path in paths}
    paths.sort(key=lambda path: not any(one.changes for one in found[path]))
    return tuple(FileInPlay(path, _done_to(found[path])) for path in paths[:_MOST_FILES])


def phase_of(talk: TaskTalk, calls: Sequence[Run]) -> Phase:
    """What is being done, told by the last commands, then by the last words."""
    last = calls[-1] if calls else None
    if last is not None and last.failed:
        return Phase.DEBUGGING
    commands = " \n".join(call.what for call in calls[-3:])
    words = " ".join(one.text[:400] for one in talk.messages[-3:] if one.role is Role.USER)
    for phase, run, said in _PHASES:
        if compiled(run).search(commands) or (said and compiled(said).search(words)):
            return phase
    return Phase.IMPLEMENTING if any(one.changes for one in talk.touches) else Phase.PLANNING


def branch_of(calls: Sequence[Run]) -> str:
    """The branch that was switched to last, "" when none was."""
    for call in reversed(calls):
        matches = [m for m in re.finditer(_BRANCH, call.what) if not call.failed]
        for match in reversed(matches):
            name: str = match["name"] or match["made"] or match["on"] or ""
            if name and not re.search(_NOT_BRANCH, name):
                return name
    return ""


def progress_of(messages: Sequence[Message]) -> str:
    """The share that was named last, else what the assistant said last that it has done; "" for neither."""
    answers = [one for one in messages if one.role is Role.ASSISTANT][-6:]
    claimed = ""
    for message in reversed(answers):
        languages = languages_of(message.text)
        for sentence in reversed(list(sentences(message.text))):
            if sentence.foreign or sentence.question:
                continue
            if share := compiled(_SHARE).search(sentence.text):
                return sentence.text if len(sentence.text) <= 120 else share[0]
            if not claimed and says(languages, "claim", sentence.text):
                claimed = sentence.text
    return claimed[:160]


def last_done(talk: TaskTalk, calls: Sequence[Run]) -> str:
    """The last thing that was done: what the assistant says, else the last call of a tool; "" for neither."""
    for message in reversed(talk.messages[-4:]):
        if message.role is Role.ASSISTANT:
            languages = languages_of(message.text)
            for sentence in reversed(list(sentences(message.text))):
                if not sentence.foreign and says(languages, "claim", sentence.text):
                    return sentence.text
    if not calls:
        return ""
    return f"{calls[-1].failure} (failed)" if calls[-1].failed else calls[-1].what


def names_of(messages: Sequence[Message]) -> tuple[NamedValue, ...]:
    """Endpoints, addresses, environment variables, ports, hosts and issues; the latest of each kept."""
    found: dict[str, NamedValue] = {}
    for message in messages:
        for one in _named_in(message.text):
            found.pop(one.value, None)
            found[one.value] = one
    return tuple(list(found.values())[-_MOST_NAMES:])


def code_of(messages: Sequence[Message]) -> str:
    """The code that was shown last and went into no file, if it is short; "" else."""
    for message in reversed(messages[-4:]):
        blocks = [match["code"] for match in re.finditer(_FENCE, message.text, re.DOTALL | re.MULTILINE)]
        written = any(re.match(_CHANGED, line) for line in message.tools)
        if blocks:
            short = "characters left out" not in blocks[-1] and blocks[-1].count("\n") < _CODE_LINES
            return "" if written or not short else blocks[-1]
    return ""


def _done_to(touches: Sequence[Touch]) -> str:
    changes = [one for one in touches if one.changes]
    if not changes:
        return "read" if not touches[-1].failed else "could not be read"
    if changes[-1].failed:
        return "last change failed"
    return "changed" if len(changes) == 1 else f"changed {len(changes)} times"


def _named_in(text: str) -> Iterator[NamedValue]:
    for label, pattern in _NAMED:
        for match in re.finditer(pattern, text[:20_000]):
            value = match["v"].rstrip(".,;:")
            if "[" not in value and "redacted" not in value.casefold():
                yield NamedValue(label, value)
