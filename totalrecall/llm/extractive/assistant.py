"""What the assistant did and found. What it suggests is nobody's fact (R066), until the user takes it up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from totalrecall.domain.event import Role
from totalrecall.domain.note import NoteType
from totalrecall.llm.extractive.candidate import Candidate, Spoken
from totalrecall.llm.extractive.cues import says
from totalrecall.llm.extractive.sentences import sentences
from totalrecall.llm.extractive.similar import related
from totalrecall.llm.extractive.structure import values
from totalrecall.llm.extractive.tools import Run, runs, unresolved

CLAIMS_PER_TURN = 3


def read_turn(turn: Sequence[Spoken], later: Sequence[Run]) -> list[Candidate]:
    """The candidates in the assistant's messages of one turn.

    ``turn``: the user's message, if there is one, and the assistant's up to the user's next; the tool lines
    beside them say whether what is claimed is true. ``later``: calls of later turns.
    """
    calls = [call for spoken in turn for call in runs(spoken.message.tools)]
    failures = unresolved(calls)
    broken = bool(calls) and calls[-1].failed
    speakers = [spoken for spoken in turn if spoken.message.role is Role.ASSISTANT]
    results: list[Candidate] = []
    denied: list[int] = []
    for spoken in speakers:
        for text, claim in _reports(spoken):
            contradicted = claim and (broken or any(related(text, call.failure) for call in failures))
            if contradicted:
                denied.append(spoken.message.number)
            elif calls or _tells_more(text, turn):
                results.append(_result(spoken, text, claim=claim, backed=bool(calls)))
    results = sorted(results, key=lambda one: -one.weight)[:CLAIMS_PER_TURN]
    if failures and (broken or denied):
        results += _failures(turn, failures, denied, later)
    return results


def _tells_more(text: str, turn: Sequence[Spoken]) -> bool:
    """Without any call of a tool only words that bring a value of their own are worth a note."""
    said = " ".join(spoken.message.text for spoken in turn if spoken.message.role is Role.USER)
    return any(value not in said for value in values(text))


def _reports(spoken: Spoken) -> list[tuple[str, bool]]:
    """Sentences that say what was done (True) or found (False)."""
    found = []
    for sentence in sentences(spoken.message.text):
        text = sentence.text
        if sentence.foreign or sentence.question or says(spoken.languages, "small_talk", text):
            continue
        if says(spoken.languages, "finding", text):
            found.append((text, False))
        elif (
            (claim := says(spoken.languages, "claim", text))
            and not ((offer := says(spoken.languages, "offer", text)) and offer.start() < claim.start())
            and not says(spoken.languages, "trouble", text)
        ):
            found.append((text, True))
    return found


def _result(spoken: Spoken, text: str, *, claim: bool, backed: bool) -> Candidate:
    weight = (3.0 if backed else 1.4) + 0.2 * min(len(values(text)), 2) + (0 if claim else 0.3)
    message = spoken.message
    return Candidate(
        NoteType.EVENT,
        text,
        (message.number,),
        message.at,
        weight,
        spoken.languages,
        low=True,
        verified=backed,
        prefix="" if backed else "claimed",
    )


def _failures(
    turn: Sequence[Spoken], failures: Sequence[Run], denied: Sequence[int], later: Sequence[Run]
) -> list[Candidate]:
    """The last failure of the turn: a command that failed wins over words that it is done."""
    call = failures[-1]
    healed = any(one.what == call.what and not one.failed for one in later)
    beside = [spoken for spoken in turn if any(run == call for run in runs(spoken.message.tools))]
    spoken = beside[-1]
    weight = 4.0 if denied else 2.4
    candidate = Candidate(
        NoteType.EVENT,
        call.failure,
        tuple(sorted({spoken.message.number, *denied})),
        spoken.message.at,
        weight - (1.5 if healed else 0),
        spoken.languages,
        low=healed or not denied,
        prefix="denied" if denied else "failed",
    )
    return [candidate]


def offered(spoken: Spoken) -> tuple[str, bool]:
    """What the message offers, and whether it asks: ("Shall I move it?", True); ("", False) for none."""
    question = suggestion = ""
    for sentence in sentences(spoken.message.text):
        if sentence.foreign or not says(spoken.languages, "offer", sentence.text):
            continue
        if sentence.question:
            question = sentence.text
        else:
            suggestion = sentence.text
    return (question, True) if question else (suggestion, False)


def accepted(answer: Spoken, offer: Spoken) -> Candidate | None:
    """The decision that a user's "yes, do that" makes of the assistant's offer; None if it is none."""
    text = answer.message.text.strip()
    languages = answer.languages
    if len(text) > 200 or not says(languages, "accept", text) or says(languages, "decline", text):
        return None
    what, asks = offered(offer)
    if not what:
        return None
    if not asks and says(languages, "small_talk", text):
        return None  # "ok" after a recommendation has been heard, not agreed
    return replace(
        Candidate(
            NoteType.DECISION,
            what,
            (offer.message.number, answer.message.number),
            answer.message.at,
            5.2,
            offer.languages,
            red=True,
        ),
        prefix="agreed",
    )
