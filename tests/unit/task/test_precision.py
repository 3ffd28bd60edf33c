"""What the rules take for the goal and for an open step, and what they must not."""

from __future__ import annotations

import pytest

from tests.unit.task.talk import talk
from totalrecall.domain.session_state import SessionState
from totalrecall.domain.snapshot import TaskPicture
from totalrecall.llm.extractive.task_goal import same_task
from totalrecall.llm.extractive.task_session import state_by_rules
from totalrecall.llm.extractive.task_state import picture_by_rules


def picture(*lines: str) -> TaskPicture:
    """By rules."""
    return picture_by_rules(talk(*(line.replace("\\n", "\n") for line in lines)))


@pytest.mark.parametrize(
    "said",
    [
        "I'll keep that in mind.", "I'll be here if you need anything else.", "I will wait for your feedback.",
        "I'll remember that.", "I'll let you know when the rest is done.", "I will do that right away.",
        "I'll use that from now on.", "I'll always ask first.", "Now I'll explain the key exchange.",
        "I'll say it depends.", "I'll remind you on Thursday.", "I'll get back to you.", "I'll take care of it.",
        "Next steps (if you like):\\n- I could order the smaller one\\n- Or we wait\\n- Shall I go on?",
        "Next steps could be:", "Remaining budget is 300 EUR.", "Open the door first.", "Todoist is installed.",
        "Offene Rechnungen: 3", "Ich werde das jetzt im Auge behalten.", "接下来我会等您的回复。", "接下来我会记住这一点。",
    ],
)  # fmt: skip
def test_courtesy_and_offers_are_no_steps(said: str) -> None:
    """What the assistant says to be polite, and what only looks like the head of a list."""
    assert picture("U Set up a weekly backup of the wiki.", f"A {said}").next_steps == ()


@pytest.mark.parametrize(
    ("said", "steps"),
    [
        ("Done.\\n\\nYour next steps (two):\\n1. **Update imports** in `app.py`\\n2. Delete `utils.py`",
         ("Update imports in app.py", "Delete utils.py")),
        ("3 of 7 are ported. Next: I'll port read_block.", ("Port read_block",)),
        ("Next up: port read_block", ("port read_block",)),
        ("已经写好了，剩余：\\n- 定时任务", ("定时任务",)),
        ("I wrote two. Still open:\\n- the third line", ("the third line",)),
        ("测试失败了，接下来我会检查 auth.js。", ("检查 auth.js",)),
        ("I still need to check the migration.", ("Check the migration",)),
        ("I'll continue with the orders table.", ("Continue with the orders table",)),
    ],
)  # fmt: skip
def test_what_is_open_is_a_step(said: str, steps: tuple[str, ...]) -> None:
    """However the list is headed."""
    assert picture("U Port the sensor driver.", f"A {said}").next_steps == steps


@pytest.mark.parametrize(
    ("last", "steps"),
    [
        ("From now on always use green for buttons.", ()),
        ("Keep that in mind: only at night.", ()),
        ("My daughter liked it a lot.", ()),
        ("looks great, I'm happy with it", ()),
        ("sieht super aus", ()),
        ("太棒了，我很喜欢这个页面", ()),
        ("The button is blue, it should be green.", ("The button is blue, it should be green",)),
        ("hmm it doesn't work on my phone", ("Hmm it doesn't work on my phone",)),
        ("I don't like the toggle, use a dropdown", ("I don't like the toggle, use a dropdown",)),
        ("it still does not look good", ("It still does not look good",)),
        ("rotate the logs every night", ("Rotate the logs every night",)),
    ],
)
def test_the_last_word_is_a_step_when_it_asks_for_something(last: str, steps: tuple[str, ...]) -> None:
    """Rules, praise and what is merely told wait for nobody; complaints do."""
    talk = ("U Build the page in web/index.html.", "A I built it.", "+ write web/index.html: ok", f"U {last}")
    assert picture(*talk).next_steps == steps


def test_what_was_announced_is_done_once_the_work_went_on() -> None:
    """Lists hold until their steps are claimed, by whoever did them; a newer one takes their place."""
    assert picture(
        "U Get the build green.", "A The disk was full. I will prune the images first.",
        "+ exec docker image prune -f: ok", "A The build passes now.",
    ).next_steps == ()  # fmt: skip
    listed = ("U Zieh die Website um.", "A Todo:\\n1. DNS umstellen\\n2. Zertifikat prüfen\\n3. Links testen")
    assert picture(*listed, "U dns ist umgestellt", "A Ich habe das Zertifikat geprüft.").next_steps == (
        "Links testen",
    )
    newer = picture(*listed, "U Und weiter?", "A Jetzt: Links. Als nächstes werde ich die Links testen.")
    assert newer.next_steps == ("Die Links testen", "DNS umstellen", "Zertifikat prüfen")
    assert picture("U Port it to Rust.", "A Next steps:\\n- a.rs", "A Next steps:\\n- b.rs").next_steps == (
        "b.rs",
    )


def test_what_the_user_has_to_do_is_a_step_until_it_is_done() -> None:
    """A day that lies ahead is none, nor a request that was answered."""
    trip = ("U Plan the trip to Lisbon.", "A Sure.", "U We fly on January 12. I need to renew my passport.")
    assert picture(*trip, "A Noted.").next_steps == ("User needs to renew my passport",)
    assert picture(
        "U Help me with the office.", "A Sure.", "U I need to send the invoice.", "A I sent the invoice.",
        "U Could you also list the open orders?", "A Here they are.",
    ).next_steps == ()  # fmt: skip


@pytest.mark.parametrize(
    ("turn", "goal"),
    [
        ("Thanks! New topic: I need a packing list for the hike", "I need a packing list for the hike"),
        ("换个话题，帮我计划下周去杭州的旅行。", "帮我计划下周去杭州的旅行"),
        ("Something else. The garden wants a plan for spring.", "The garden wants a plan for spring"),
    ],
)
def test_another_task_takes_nothing_along(turn: str, goal: str) -> None:
    """Neither the goal nor the files, failures and progress of the one before."""
    found = picture(
        "U Fix the login redirect loop in auth/session.py.", "A I fixed it.", "+ edit auth/session.py: ok",
        "+ exec pytest: error: exit 1: KeyError", f"U {turn}", "A On it.", "+ write packing.md: ok",
    )  # fmt: skip
    assert found.goal == goal
    assert [one.path for one in found.files] == ["packing.md"]
    assert (found.blockers, found.progress) == ((), "")


@pytest.mark.parametrize(
    ("said", "goal"),
    [
        (
            "Can you write me a script that finds each unread book",
            "Write me a script that finds each unread book",
        ),
        ("the tests are red, could you have a look", "The tests are red, could you have a look"),
        ("Please fix the build, ok?", "Fix the build"),
        ("Answer this mail for me:\\n> delete everything", "Answer this mail for me"),
        ("Never push to main. Now fix the parser please.", "Fix the parser"),
        ("Never push to main without asking me.", ""),
    ],
)
def test_a_goal_keeps_its_words(said: str, goal: str) -> None:
    """Courtesy is taken off at word boundaries; a rule is no goal."""
    assert picture(f"U {said}", "A Yes.").goal == goal


@pytest.mark.parametrize(
    ("said", "blocked"),
    [
        ("I wrote the story of a dragon waiting for a knight.", False),
        ("实现了等待队列。", False),
        ("I am waiting for the key from Dana.", True),
        ("Still waiting on the review.", True),
        ("Ich warte noch auf die IP-Adresse.", True),
        ("我还在等待批准。", True),
    ],
)
def test_only_who_waits_is_blocked(said: str, blocked: bool) -> None:
    """Not whoever writes of waiting."""
    lines = talk("U Write the story of a dragon waiting for a knight.", f"A {said}")
    found = picture_by_rules(lines)
    assert found.blocked is blocked
    assert (state_by_rules(lines, found, SessionState()).status == "blocked") is blocked


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Write the letter to the landlord into letter.md", "Write a haiku into haiku.txt", False),
        ("Fix the login bug in auth.py", "Fix the typo in README", False),
        ("Add the file export to the app", "Delete the old file", False),
        ("Schreib einen Brief an den Vermieter", "Schreib ein Skript backup.sh", False),
        ("帮我写一个爬虫", "帮我写一封信", False),
        ("Port the parser to TOML", "Add tests for the TOML parser", True),
        ("帮我写一个爬虫", "给爬虫加上重试", True),
        ("Plan the trip to Lisbon", "Book the hotel in Lisbon", True),
    ],
)
def test_two_goals_are_the_same_by_what_they_are_about(one: str, other: str, same: bool) -> None:
    """Not because something is written or fixed in both."""
    assert same_task(one, other) is same


def test_a_new_task_takes_the_place_of_the_old_one_in_the_state() -> None:
    """With its steps and its project, also when both begin with the same word."""
    before = SessionState(
        "home", "Write the letter to the landlord", "active", "x", ("Ask about the heating",)
    )
    lines = talk(
        "U Write a haiku about autumn into poems/haiku.txt", "A I am at it.", "+ write poems/haiku.txt: ok"
    )
    found = state_by_rules(lines, picture_by_rules(lines), before)
    assert (found.project, found.task, found.next_steps) == (
        "poems", "Write a haiku about autumn into poems/haiku.txt", (),
    )  # fmt: skip
