"""A reflection from end to end: what leaves is archived, what stays leads to the messages, all of it can be undone."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from tests.integration.reflecting import (
    FORCED,
    Decide,
    archived,
    by_days,
    crash,
    fill,
    run_reflect,
    run_undo,
    scripted,
    values,
)
from tests.lab import Lab
from totalrecall.errors import BusyError, MemoryFileError, ModelUnreachableError
from totalrecall.files.lock import hold
from totalrecall.jobs.close_rewrite import RewriteStep
from totalrecall.jobs.note_history import note_history
from totalrecall.jobs.reflect import ReflectOptions, Result, is_due, reflect
from totalrecall.jobs.status import status
from totalrecall.jobs.undo import UndoOptions, UndoResult
from totalrecall.jobs.verify import verify
from totalrecall.jobs.why import why
from totalrecall.llm.reflection.types import (
    Dropped,
    DropReason,
    Reflection,
    ReflectionRefused,
    ReflectionRequest,
    Refusal,
    RefusalCode,
)
from totalrecall.memory.observations import markers_in

REFUSED = ReflectionRefused((Refusal(RefusalCode.EMPTY, "The answer was empty."),))


def refuse(_request: ReflectionRequest) -> ReflectionRefused:
    """No answer is good enough."""
    return REFUSED


def keep_all(request: ReflectionRequest) -> Reflection:
    """Nothing may leave."""
    return Reflection(tuple(one.number for one in request.items))


def sources(lab: Lab, text: str) -> set[str]:
    """The values in the messages that the note with this text leads to."""
    with lab.context() as ctx:
        found = why(ctx, text)
    assert found
    return set(values(" ".join(one.text for one in found[0].messages)))


def log_lines(lab: Lab) -> list[dict[str, object]]:
    """The events of reflector.log."""
    path = lab.workspace / "logs" / "reflector.log"
    return (
        [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    )


def assert_sound(lab: Lab) -> None:
    """Every message accounted for, no marker twice on a day, and nothing new for the observer."""
    with lab.context() as ctx:
        found = verify(ctx)
    assert found.adds_up, found
    before = lab.notes
    assert lab.observe().idle
    assert lab.notes == before


def test_what_leaves_is_archived_and_what_is_merged_leads_to_its_messages(lab: Lab) -> None:
    """Each value is in the log or in the archive; a merged note shows the messages of all it stands for."""
    fill(lab)
    report = run_reflect(lab)
    assert (report.result, report.numbers["merged"], report.numbers["into"]) == (Result.REWRITTEN, 12, 6)
    assert set(values(lab.notes)) == {f"v{n:04}" for n in range(18) if n % 3 != 2}
    assert markers_in(lab.notes) == {report.marker}
    gone = archived(lab)
    assert {value for one in gone if one.reason == "aged" for value in values(one.line)} == {
        f"v{n:04}" for n in range(2, 18, 3)
    }
    assert [one.into for one in gone if one.reason == "merged"][:2] == [f"{report.marker}-0"] * 2
    assert sources(lab, "the value is v0000; the value is v0001") == {"v0000", "v0001"}
    assert sources(lab, "the value is v0002") == {"v0002"}
    assert_sound(lab)
    assert log_lines(lab)[-1]["event"] == "reflected"
    assert "v0" not in (lab.workspace / "logs" / "reflector.log").read_text(encoding="utf-8")


def test_why_leads_to_the_messages_after_ten_reflections(lab: Lab) -> None:
    """Notes of merged notes of merged notes still stand for every message at their end."""
    fill(lab, days=1, each=11)

    def two_into_one(request: ReflectionRequest) -> Reflection:
        ours = [one for one in request.items if not one.note.children][:2]
        only_two = ReflectionRequest(tuple(ours), request.today, request.agent)
        done = by_days(only_two)
        rest = tuple(one.number for one in request.items if one not in ours)
        return Reflection((*done.kept, *rest), done.merged, done.dropped, engine="llm")

    for _ in range(10):
        assert run_reflect(lab, two_into_one).result is Result.REWRITTEN
    (line,) = [one for one in lab.notes.splitlines() if one.startswith("- ")]
    assert sources(lab, line) == {f"v{n:04}" for n in range(11)}
    for _ in range(10):
        assert run_undo(lab).result is UndoResult.UNDONE
    assert len([one for one in lab.notes.splitlines() if one.startswith("- ")]) == 11
    assert archived(lab) == []
    assert_sound(lab)


def test_undo_gives_back_every_byte_and_keeps_what_was_appended(lab: Lab) -> None:
    """Two reflections, notes after each; two undos lead back to the first log, with all that came since."""
    fill(lab)
    first = lab.notes
    run_reflect(lab)
    lab.say("the value is v0100", "the value is v0102")
    lab.observe()
    second = lab.notes
    lab.now += timedelta(days=40)
    run_reflect(lab)
    assert lab.notes != second
    lab.say("the value is v0101")
    lab.observe()
    report = run_undo(lab)
    assert (report.result, report.exact) == (UndoResult.UNDONE, True)
    assert lab.notes.startswith(second)
    assert run_undo(lab).exact
    assert lab.notes.startswith(first)
    assert values(lab.notes) == {f"v{n:04}": 1 for n in (*range(18), 100, 101, 102)}
    assert archived(lab) == []
    assert run_undo(lab).result is UndoResult.NOTHING
    assert_sound(lab)
    with lab.context() as ctx:
        history = note_history(ctx, 9)
        assert [one.status.value for one in history] == ["undone", "undone"]
        assert {"undo", "reflect"} <= ctx.ledger.last_runs().keys()


def test_undo_lets_a_person_s_edits_and_deletions_stand(lab: Lab) -> None:
    """A merged note that was deleted or edited stays so, and what it stood for does not come back."""
    fill(lab)
    run_reflect(lab)
    text = lab.notes.replace("- 🟢 12:00 [event] the value is v0000; the value is v0001\n", "")
    text = text.replace("the value is v0003; the value is v0004", "my own words") + "\nmy line\n"
    lab.notes_path.write_text(text, encoding="utf-8")
    report = run_undo(lab)
    assert (report.exact, report.stayed_out) == (False, 4)
    assert {"v0000", "v0001", "v0003", "v0004"}.isdisjoint(values(lab.notes))
    assert "my own words" in lab.notes
    assert lab.notes.endswith("\nmy line\n")
    assert {"v0002", "v0005", "v0006", "v0007", "v0008"} <= set(values(lab.notes))
    assert max(values(lab.notes).values()) == 1
    assert {one.number for one in archived(lab)} == {1, 2, 4, 5}
    assert_sound(lab)


def test_undo_without_its_backup_goes_by_the_books(lab: Lab) -> None:
    """The backup is gone: the notes return all the same, on their days."""
    fill(lab)
    before = values(lab.notes)
    run_reflect(lab)
    for one in (lab.notes_path.parent / "observation-backups").iterdir():
        one.unlink()
    assert run_undo(lab).exact is False
    assert values(lab.notes) == before
    assert "tr:" in lab.notes
    assert_sound(lab)
    run_reflect(lab)
    assert len(archived(lab)) == 18


def test_a_note_whose_words_were_removed_for_good_does_not_return(lab: Lab) -> None:
    """Purged in the ledger and in the backup: undo brings back the others."""
    fill(lab)
    run_reflect(lab)
    with lab.context() as ctx:
        assert ctx.ledger.find_note("the value is v0002")
        ctx.ledger.remove_texts(lambda text: "v0002" in text)
    for one in (lab.notes_path.parent / "observation-backups").iterdir():
        one.write_text(one.read_text(encoding="utf-8").replace("the value is v0002", ""), encoding="utf-8")
    assert run_undo(lab).returned == 17
    assert "v0002" not in lab.notes


def test_a_dry_run_shows_the_change_and_writes_nothing(lab: Lab) -> None:
    """The diff is there; the folder of the notes holds what it held, and no run is kept."""
    fill(lab)
    before = lab.notes
    held = {one.name: one.stat().st_mtime_ns for one in lab.notes_path.parent.rglob("*")}
    report = run_reflect(lab, options=ReflectOptions(force=True, dry_run=True))
    assert report.result is Result.PREVIEW
    assert "+- 🟢 12:00 [event] the value is v0000; the value is v0001" in report.diff
    run_reflect(lab)
    after = lab.notes
    assert run_undo(lab, UndoOptions(dry_run=True)).result is UndoResult.PREVIEW
    assert lab.notes == after
    run_undo(lab)
    assert lab.notes == before
    assert held.keys() >= {"observations.md"}


@pytest.mark.report("R075")
def test_a_refused_reflection_leaves_every_byte_and_says_why(lab: Lab) -> None:
    """The file, its folder and the books stand; the reason is in status, in the log and in the history."""
    lab.env["REFLECTOR_WORD_THRESHOLD"] = "500"
    fill(lab, days=40, each=4, at_once=True)
    before = lab.notes_path.read_bytes()
    report = run_reflect(lab, refuse, ReflectOptions())
    assert report.result is Result.REFUSED
    assert lab.notes_path.read_bytes() == before
    assert not (lab.notes_path.parent / "observation-backups").exists()
    assert archived(lab) == []
    with lab.context() as ctx:
        assert status(ctx).reflections.refusals == ("The answer was empty.",)
        assert note_history(ctx, 5)[0].reason == "The answer was empty."
        assert not is_due(ctx)
    assert [one["reason"] for one in log_lines(lab) if one["event"] == "reflection_failed"] == [
        "The answer was empty."
    ]


@pytest.mark.report("R077")
def test_an_answer_that_nobody_accepted_is_not_used(lab: Lab) -> None:
    """A reflector that drops what is protected, or forgets a note, is refused here once more."""
    lab.say("We decided that the port is v0001.")
    lab.observe()
    fill(lab, days=2)

    def all_noise(request: ReflectionRequest) -> Reflection:
        return Reflection((), (), tuple(Dropped(one.number, DropReason.AGED) for one in request.items))

    def forgets(request: ReflectionRequest) -> Reflection:
        return Reflection(tuple(one.number for one in request.items[1:]))

    before = lab.notes
    with lab.notes_path.open("a", encoding="utf-8") as file:
        file.write("\n- 🟢 09:00 [event] mine\n")
    assert run_reflect(lab, all_noise).result is Result.REFUSED
    assert run_reflect(lab, forgets).result is Result.REFUSED
    assert lab.notes == before + "\n- 🟢 09:00 [event] mine\n"


def test_runs_without_progress_rest_longer_each_time_and_say_so_once(lab: Lab) -> None:
    """One hour, two, four …, a week at most, over restarts; one warning; progress begins anew."""
    lab.env["REFLECTOR_WORD_THRESHOLD"] = "500"
    fill(lab, days=40, each=4, at_once=True)
    waits = []
    answers: list[Decide] = [refuse, keep_all] * 6
    for decide in answers:
        with scripted(lab, decide) as ctx:
            assert is_due(ctx)
            rest = reflect(ctx).rest
            assert rest is not None
            assert not is_due(ctx)
            waits.append((rest.until_ms - ctx.now_ms()) / 3_600_000)
        assert run_reflect(lab, refuse, ReflectOptions()).result is Result.RESTING
        lab.now += timedelta(hours=waits[-1])
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 168, 168, 168, 168]
    said = [one["level"] for one in log_lines(lab) if one["event"] == "reflector_rests"]
    assert said == ["warning", *["info"] * 11]
    assert run_reflect(lab, options=ReflectOptions()).result is Result.REWRITTEN
    with lab.context() as ctx:
        assert ctx.ledger.get("reflect_backoff") is None


def test_a_model_that_is_away_is_asked_again_in_an_hour(lab: Lab) -> None:
    """An outage is no refusal: the rest does not grow, and the error is told."""
    lab.env["REFLECTOR_WORD_THRESHOLD"] = "500"
    fill(lab, days=40, each=4, at_once=True)

    def away(_request: ReflectionRequest) -> Reflection:
        raise ModelUnreachableError("No model answers.")

    for _ in range(3):
        report = run_reflect(lab, away, ReflectOptions())
        assert isinstance(report.blocked, ModelUnreachableError)
        assert report.rest is not None
        assert report.rest.until_ms == int((lab.now + timedelta(hours=1)).timestamp() * 1000)
        lab.now += timedelta(hours=1)


def test_a_short_log_is_left_alone(lab: Lab) -> None:
    """Under the threshold nobody is asked, nothing is due, and nothing rests; --force asks."""
    fill(lab, days=2)
    with scripted(lab, refuse) as ctx:
        assert not is_due(ctx)
        assert reflect(ctx).result is Result.SMALL
        assert reflect(ctx, FORCED).result is Result.REFUSED
        assert reflect(ctx, FORCED).rest is None
        late = ReflectOptions(deadline_ms=ctx.now_ms())
        assert reflect(ctx, late).result is Result.SMALL


def test_an_emptied_log_is_a_stop(lab: Lab) -> None:
    """Somebody emptied the file: nothing is consolidated, and nothing is written."""
    fill(lab, days=2)
    lab.notes_path.write_text("", encoding="utf-8")
    with pytest.raises(MemoryFileError):
        run_reflect(lab)
    assert lab.notes == ""


def test_an_undo_of_an_emptied_log_is_a_stop(lab: Lab) -> None:
    """What is left of a log that is gone is not made into a new one."""
    fill(lab, days=2)
    run_reflect(lab)
    lab.notes_path.unlink()
    with pytest.raises(MemoryFileError):
        run_undo(lab)
    assert not lab.notes_path.exists()


def test_a_log_that_cannot_be_backed_up_is_not_touched(lab: Lab) -> None:
    """No room for the backup: the log stands, nothing is planned any more, and the reason is kept."""
    fill(lab, days=2)
    before = lab.notes
    blocked = lab.notes_path.parent / "observation-backups"
    blocked.write_text("a file where the folder belongs", encoding="utf-8")
    with pytest.raises(MemoryFileError):
        run_reflect(lab)
    assert lab.notes == before
    with lab.context() as ctx:
        assert ctx.ledger.open_reflection() is None
        assert "observation-backups" in str(ctx.ledger.last_runs(ok=False)["reflect"].numbers["reason"])
    blocked.unlink()
    assert run_reflect(lab).result is Result.REWRITTEN


def test_an_archive_that_cannot_be_written_is_made_up_for(lab: Lab) -> None:
    """The log is rewritten already: observing goes on, and the archive gets its notes when it can, once."""
    fill(lab, days=2)
    blocked = lab.notes_path.parent / "archive"
    blocked.write_text("a file where the folder belongs", encoding="utf-8")
    with pytest.raises(MemoryFileError):
        run_reflect(lab)
    lab.say("the value is v0100")
    assert lab.observe().notes == 1
    assert log_lines(lab)[-1]["event"] == "reflection_unfinished"
    blocked.unlink()
    lab.observe()
    assert [one.number for one in archived(lab)] == [1, 2, 3, 4, 5, 6]
    assert sources(lab, "the value is v0000; the value is v0001") == {"v0000", "v0001"}
    assert run_undo(lab).exact
    assert_sound(lab)


def test_bytes_that_are_no_text_survive(lab: Lab) -> None:
    """A log in which somebody saved other bytes: they stay, through reflection and undo."""
    fill(lab, days=2)
    odd = b"\nan old line: caf\xe9 \xff\n- \xf0\x9f\x9f\xa2 caf\xe9\n"
    before = lab.notes_path.read_bytes() + odd
    lab.notes_path.write_bytes(before)
    assert run_reflect(lab).result is Result.REWRITTEN
    assert lab.notes_path.read_bytes().endswith(odd)
    run_undo(lab)
    assert lab.notes_path.read_bytes() == before
    with lab.context() as ctx:
        assert reflect(ctx, FORCED).result is Result.REWRITTEN
    assert lab.notes_path.read_bytes().endswith(odd)


def test_one_reflection_at_a_time(lab: Lab) -> None:
    """A second one, and an undo, wait and then say that somebody is at work."""
    fill(lab, days=2)
    with lab.context() as ctx:
        lock = ctx.state_dir / "reflect.lock"
    with hold(lock), pytest.raises(BusyError):
        run_reflect(lab, options=ReflectOptions(force=True, wait_s=0))
    with hold(lock), pytest.raises(BusyError):
        run_undo(lab, UndoOptions(wait_s=0))


def test_secrets_in_a_person_s_line_do_not_spread(lab: Lab) -> None:
    """The line stays as it is in the log; neither backup nor archive repeats the secret; undo keeps it too."""
    fill(lab, days=2)
    secret = "sk-or-v1-" + "0a" * 32
    with lab.notes_path.open("a", encoding="utf-8") as file:
        file.write(f"\n- 🟢 my key is {secret}\n")
    before = lab.notes
    run_reflect(lab)
    assert secret in lab.notes
    for path in lab.notes_path.parent.rglob("*"):
        assert path == lab.notes_path or path.is_dir() or secret not in path.read_text(encoding="utf-8")
    run_undo(lab)
    assert secret in lab.notes
    assert values(lab.notes) == values(before)


def test_two_agents_on_one_workspace_each_consolidate_their_own(tmp_path: Path) -> None:
    """The other agent's notes stay where they are, byte for byte; its own reflection takes them."""
    main = Lab(tmp_path, env={"OPENCLAW_WORKSPACE": str(tmp_path / "shared")})
    second = Lab(tmp_path, agent="second", env=main.env)
    config = {
        "agents": {
            "list": [{"id": name, "workspace": str(tmp_path / "shared")} for name in ("main", "second")]
        }
    }
    main.state_dir.mkdir(parents=True)
    (main.state_dir / "openclaw.json").write_text(json.dumps(config), encoding="utf-8")
    main.adopt()
    second.adopt()
    main.say("the value is v0001", "the value is v0002")
    main.observe()
    second.now = main.now
    second.say("the value is v0003", "the value is v0004", session="22222222-aaaa-4aaa-8aaa-000000000001")
    second.observe()
    path = tmp_path / "shared" / "memory" / "observations.md"
    text = path.read_text(encoding="utf-8")
    assert values(text) == {"v0001": 1, "v0002": 1, "v0003": 1, "v0004": 1}
    main.now = second.now = main.now + timedelta(days=40)
    own = text[text.rindex("Date: ") :]
    assert run_reflect(main).numbers["merged"] == 2
    assert own in path.read_text(encoding="utf-8")
    assert run_reflect(second).numbers["merged"] == 2
    text = path.read_text(encoding="utf-8")
    assert "v0001; the value is v0002" in text
    assert "v0003; the value is v0004" in text
    assert sources(main, "the value is v0001; the value is v0002") == {"v0001", "v0002"}
    assert sources(second, "the value is v0003; the value is v0004") == {"v0003", "v0004"}


def test_a_block_that_vanished_is_not_written_again(lab: Lab) -> None:
    """The markers of the old blocks are gone: neither observer, recount nor a lost ledger brings them back."""
    fill(lab, days=2)
    run_reflect(lab)
    before = lab.notes
    with lab.context() as ctx:
        state = ctx.state_dir
        mirror = ctx.mirror_path
    for one in state.glob("ledger.sqlite*"):
        one.unlink()
    from totalrecall.ledger.rebuild import Way, repair

    repair(state, mirror, Way.MIRROR, now_ms=int(lab.now.timestamp() * 1000))
    lab.observe()
    assert lab.notes == before
    assert run_reflect(lab).result is Result.UNCHANGED
    assert lab.notes == before
    assert_sound(lab)


@pytest.mark.parametrize("step", list(RewriteStep), ids=lambda step: step.name)
def test_a_crash_after_any_step_loses_and_doubles_nothing(lab: Lab, step: RewriteStep) -> None:
    """The next run of anything closes the books or forgets the plan; every value is somewhere, once."""
    fill(lab, days=3)
    crash(lab, step)
    before = lab.notes
    lab.observe()
    assert lab.notes == before
    report = run_reflect(lab)
    assert report.result is (Result.UNCHANGED if step >= RewriteStep.IN_PLACE else Result.REWRITTEN)
    assert set(values(lab.notes)) == {f"v{n:04}" for n in range(9) if n % 3 != 2}
    assert max(values(lab.notes).values()) == 1
    assert sorted(one.number for one in archived(lab)) == list(range(1, 10))
    assert sources(lab, "the value is v0000; the value is v0001") == {"v0000", "v0001"}
    assert_sound(lab)
    assert run_undo(lab).exact
    assert values(lab.notes) == {f"v{n:04}": 1 for n in range(9)}


@pytest.mark.parametrize("step", list(RewriteStep)[1:], ids=lambda step: step.name)
def test_a_crash_in_an_undo_loses_and_doubles_nothing(lab: Lab, step: RewriteStep) -> None:
    """What has returned is back in the books too; what has not is undone by the next undo."""
    fill(lab, days=3)
    whole = lab.notes
    run_reflect(lab)
    crash(lab, step, back=True)
    lab.observe()
    report = run_undo(lab)
    assert report.result is (UndoResult.NOTHING if step >= RewriteStep.IN_PLACE else UndoResult.UNDONE)
    assert lab.notes == whole
    assert archived(lab) == []
    assert sources(lab, "the value is v0004") == {"v0004"}
    assert_sound(lab)


def test_a_log_that_others_wrote_is_left_alone_and_says_so(lab: Lab) -> None:
    """Lines without our marker, as from another tool, stay word for word; the reason names how many."""
    lab.env["REFLECTOR_WORD_THRESHOLD"] = "500"
    body = "".join(f"- 🟢 10:00 Something number {at} was looked at and found fine\n" for at in range(90))
    lab.notes_path.parent.mkdir(parents=True, exist_ok=True)
    lab.notes_path.write_text(f"# Observations Log\n\nDate: 2025-01-02\n{body}", encoding="utf-8")
    before = lab.notes_path.read_bytes()
    with lab.context() as ctx:
        report = reflect(ctx)
    assert report.result is Result.UNCHANGED
    assert report.rest is not None
    assert report.rest.reason.startswith("90 notes with 990 words were not written by Total Recall")
    assert lab.notes_path.read_bytes() == before


def test_an_archive_that_cannot_be_written_is_told_as_it_is(lab: Lab) -> None:
    """The log has changed by then: the error says so, and the next run brings the rest to its end."""
    fill(lab)
    folder = lab.notes_path.parent / "archive"
    folder.write_text("in the way", encoding="utf-8")
    before = lab.notes
    with pytest.raises(MemoryFileError) as caught:
        run_reflect(lab)
    assert lab.notes != before
    assert "rewritten already" in caught.value.hint
    assert "Nothing was changed" not in str(caught.value)
    folder.unlink()
    run_reflect(lab, options=ReflectOptions())
    assert len(archived(lab)) == 18
    assert_sound(lab)
