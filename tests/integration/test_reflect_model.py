"""With a real endpoint: what an adversarial model answers changes no byte, and slow loss loses nothing that stays."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest

from tests.fakes.model_server import Behaviour, ModelServer, chat, error, model_server
from tests.fakes.reflector import TODAY, honest_answer, long_log
from tests.integration.reflecting import FORCED, archived
from tests.lab import Lab
from totalrecall.domain.note import Compression, DraftNote, Note
from totalrecall.errors import CeilingError, ConfigError, ModelUnreachableError
from totalrecall.jobs.note_history import left_this_week, note_history
from totalrecall.jobs.reflect import ReflectOptions, ReflectReport, Result, reflect
from totalrecall.jobs.verify import verify
from totalrecall.llm.engine import CompressionRequest
from totalrecall.llm.reflection.types import Author
from totalrecall.memory.observations import render_note

SHOWN = re.compile(r"^(\d+) (?:🔴|🟡|🟢) ", re.MULTILINE)
Answer = Callable[[str], str]


class LogEngine:
    """Notes a long log for whatever it reads."""

    name = "echo"

    def __init__(self, notes: list[Note]) -> None:
        self._notes = notes

    def compress(self, request: CompressionRequest) -> Compression:
        """All its notes, at the first batch."""
        notes, self._notes = self._notes, []
        return Compression(
            tuple(DraftNote(one, (1,)) for one in notes), nothing_notable=not notes, engine=self.name
        )


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A running endpoint."""
    with model_server() as running:
        yield running


def wired(lab: Lab, server: ModelServer, words: int) -> set[str]:
    """An agent with a log of so many words and that endpoint; the lines that must stay whatever comes."""
    log = long_log(words=words, days=30)
    ours = [one.note for one in log.items if one.author is Author.OURS]
    lab.engine = LogEngine(ours)
    lab.say("everything at once")
    lab.observe()
    own = [f"- {one.note.priority} {one.note.text}" for one in log.items if one.author is Author.PERSON]
    with lab.notes_path.open("a", encoding="utf-8") as file:
        file.write("\n" + "".join(f"{line}\n" for line in own))
    lab.now = lab.now.replace(year=TODAY.year, month=TODAY.month, day=TODAY.day)
    lab.env = {
        "LLM_BASE_URL": f"{server.url}/v1",
        "OBSERVER_MODEL": "maker/one",
        "OBSERVER_FALLBACK_MODEL": "maker/two",
        "TOTALRECALL_BUDGET_USD_DAY": "5",
        "TOTALRECALL_CALLS_PER_HOUR": "3600",
        "REFLECTOR_WORD_THRESHOLD": "500",
    }
    stays = {
        render_note(one.note)
        for one in log.items
        if one.number in log.must_stay and one.author is Author.OURS
    }
    return stays | set(own)


def answering(answer: Answer, finish: str = "stop") -> Callable[[bytes], Behaviour]:
    """An endpoint's behaviour by what it is asked."""
    return lambda raw: chat(answer(json.loads(raw)["messages"][-1]["content"]), finish)


def run(lab: Lab, options: ReflectOptions = FORCED) -> ReflectReport:
    """One reflection with the program's own reflector."""
    with lab.context() as ctx:
        return reflect(ctx, options)


def numbers(user: str) -> list[str]:
    """The numbers of the notes that may change."""
    return SHOWN.findall(user)


def everything_in_one(user: str) -> str:
    """One vague note that cites everything."""
    return f"- 🟢 [event] Several things happened and were dealt with [{','.join(numbers(user))}]"


def all_noise(user: str) -> str:
    """Nothing is worth keeping."""
    return f"drop {','.join(numbers(user))} noise"


def swapped(user: str) -> str:
    """An honest answer with its numbers turned round."""
    return re.sub(r"(\d)(\d)(?=[^\],]*\[)", r"\2\1", honest_answer(user))


def invented(user: str) -> str:
    """An honest answer with a fact more, cited to a note that does not say it."""
    return re.sub(r" \[(\d+),(\d+)\]", r"; the user moves to Lisbon in May [\1,\2]", honest_answer(user))


def looped(user: str) -> str:
    """The same again and again."""
    return "\n".join(
        [f"- 🟡 [fact] The cache answers on port 8100 [{number}]" for number in numbers(user)[:1]] * 60
    )


def longer(user: str) -> str:
    """Each note for itself, with more words than before."""
    return "\n".join(
        f"- 🟢 [event] As was said before and is repeated here once more for good measure: note {one} [{one}]"
        for one in numbers(user)
    )


def translated(user: str) -> str:
    """In another language than the notes."""
    return "\n".join(f"- 🟢 [event] 项目的进展被记录下来 [{one}]" for one in numbers(user)[:20])


ADVERSARIAL: dict[str, Answer | str] = {
    "empty": "",
    "whitespace": " \n\n",
    "half-cut": "# Observations Log\n\n## 2026-01-01\n- 🔴 09:",
    "no-red": "- 🟡 Alpha uses Go\n",
    "three-times": "# Observations Log\n\n- 🔴 09:00 Deploy Friday\n- 🟡 09:05 Alpha uses Go\n" * 3,
    "chatter": "Here is the consolidated log. I removed outdated items.",
    "invented-log": "# Observations Log\n\n- 🔴 09:00 Deploy Friday\n- 🔴 User is moving to Lisbon in May\n",
    "fenced": "```\n# Observations Log\n\n- 🔴 09:00 Deploy Friday\n```\n",
    "one-line": "- 🔴 Everything is fine.",
    "everything-in-one": everything_in_one,
    "all-noise": all_noise,
    "swapped": swapped,
    "invented": invented,
    "looped": looped,
    "longer": longer,
    "translated": translated,
}  # fmt: skip


@pytest.mark.report("R075", "R076")
@pytest.mark.parametrize("kind", ADVERSARIAL)
def test_an_adversarial_answer_changes_no_byte(lab: Lab, server: ModelServer, kind: str) -> None:
    """Asked again with the faults named, then the other model; then the log stays and the reflector rests."""
    wired(lab, server, 1200)
    before = lab.notes_path.read_bytes()
    wanted = ADVERSARIAL[kind]
    server.answer = answering(wanted if callable(wanted) else lambda _user: str(wanted))
    report = run(lab)
    assert (report.result, report.rest is not None) == (Result.REFUSED, True)
    assert lab.notes_path.read_bytes() == before
    assert archived(lab) == []
    assert {one["model"] for one in server.requests} == {"maker/one", "maker/two"}
    # No content at all is told apart by the endpoint's client, and the next model is asked at once.
    assert len(server.requests) >= (2 if kind in {"empty", "whitespace"} else 3)
    with lab.context() as ctx:
        assert note_history(ctx, 1)[0].reason
        assert verify(ctx).adds_up


@pytest.mark.report("R076")
def test_an_answer_that_was_cut_off_changes_no_byte(lab: Lab, server: ModelServer) -> None:
    """A good answer with finish_reason length is half an answer; the same with stop is taken."""
    wired(lab, server, 1200)
    before = lab.notes_path.read_bytes()
    server.answer = answering(honest_answer, "length")
    assert run(lab).result is Result.REFUSED
    assert lab.notes_path.read_bytes() == before
    server.answer = answering(honest_answer)
    report = run(lab)
    assert report.result is Result.REWRITTEN
    assert int(report.numbers["merged"]) > 10
    assert report.words_after < report.words
    assert report.numbers["tokens_in"]


@pytest.mark.parametrize(
    ("status", "kind"), [(500, ModelUnreachableError), (401, ConfigError), (402, CeilingError)]
)
def test_an_endpoint_that_fails_changes_no_byte(
    lab: Lab, server: ModelServer, status: int, kind: type[Exception]
) -> None:
    """The error is told, the log stays, and an hour later it is tried again."""
    wired(lab, server, 1200)
    before = lab.notes_path.read_bytes()
    server.will(error(status, "no"))
    report = run(lab, ReflectOptions())
    assert (report.result, type(report.blocked)) == (Result.BLOCKED, kind)
    assert lab.notes_path.read_bytes() == before
    lab.now += timedelta(minutes=59)
    assert run(lab, ReflectOptions()).result is Result.RESTING


@pytest.mark.report("R077")
def test_twenty_reflections_with_a_model_that_drops_a_fiftieth_each_time(
    lab: Lab, server: ModelServer
) -> None:
    """Nothing that must stay is lost; what left is in the archive, once, with its reason, and counted a week."""
    stays = wired(lab, server, 1500)
    every = {line for line in lab.notes.splitlines() if line.startswith("- ")}
    asked = 0

    def lossy(user: str) -> str:
        nonlocal asked
        asked += 1
        shown = numbers(user)
        some = shown[asked % 7 :: 50] or shown[:1]
        return f"drop {','.join(some)} noise" if some else "KEEP ALL"

    server.answer = answering(lossy)
    results = []
    for _ in range(20):
        results.append(run(lab).result)
        lab.now += timedelta(hours=1)
    left = [one for one in lab.notes.splitlines() if one.startswith("- ")]
    gone = [one.line.split("\n")[0] for one in archived(lab)]
    assert asked > 20
    assert Result.REWRITTEN in results
    missing = [line for line in stays if line.split("\n")[0] not in left]
    by_code = {one.line.split("\n")[0]: one.reason for one in archived(lab)}
    assert {by_code[one.split("\n")[0]] for one in missing} <= {"duplicate", "superseded", "resolved"}
    assert every <= {*left, *gone}
    assert len(gone) == len({(one.reflection, one.number) for one in archived(lab)})
    assert {one.reason for one in archived(lab)} <= {
        "noise",
        "aged",
        "duplicate",
        "superseded",
        "resolved",
        "merged",
    }
    with lab.context() as ctx:
        assert sum(left_this_week(ctx).values()) == len(gone)
        assert verify(ctx).adds_up
