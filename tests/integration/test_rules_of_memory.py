"""The rules of long-term memory and the profile that need real files, one test each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from tests.lab import START, Lab
from totalrecall.cli.main import run as cli
from totalrecall.domain.profile_fact import FactKind, ProfileFact
from totalrecall.errors import TotalRecallError
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.distill.config import load_distill_settings, switch_auto_write
from totalrecall.jobs.distill.plan import Plan, plan_distillation, territory_of
from totalrecall.jobs.distill.report import Done, done_lines, report_lines
from totalrecall.jobs.distill.run import distil_by_schedule
from totalrecall.jobs.distill.write import distil
from totalrecall.jobs.learn_profile import learn_profile
from totalrecall.jobs.profile import (
    OTHERS,
    REFUSAL,
    ProfileDesk,
    SensitiveError,
    add_episode,
    recover,
    set_contact,
    set_field,
    shown,
)
from totalrecall.jobs.status import status
from totalrecall.memory.profile.contacts import Contact, Episode, contacts, episodes
from totalrecall.memory.profile.document import value_at
from totalrecall.memory.profile.summary import DAMAGED
from totalrecall.privacy.placeholders import placeholder

HEX, MIXED, DER = "f00dfeed" + "12345678", "aB3dE5gH", "MII" + "Ev9Qz4Kp" * 8
PEM = "PRIVATE" + " KEY-----"

# What is never kept, in any file: an entry that holds it, and the part that must be found nowhere.
SECRETS = {
    "github token": ("The repository opens with {}", "ghp_" + MIXED * 5),
    "github fine-grained token": ("The repository opens with {}", "github_pat_" + "11ABCDE_" + MIXED * 6),
    "sk key": ("The model runs with {}", "sk-" + MIXED * 6),
    "slack bot token": ("The bot posts with {}", "xoxb-" + "123456789012-" + MIXED * 3),
    "aws key": ("The bucket opens with {}", "AKIA" + "IOSFODNN7" + "ABCDEFG"),
    "bearer": ("The service takes Bearer {}", HEX),
    "api_key=": ("The service takes api_key={}", HEX),
    "token:": ("The bot has token: {}", HEX),
    "password": ("The wiki password is {}", "Tr0ub4dor" + "&3"),
    "password, German": ("Das Passwort ist {}", "Sommer" + "2024"),
    "password, Chinese": ("服务器的密码是 {}", "abc" + "12345"),
    "private key": ("The deploy key is {}", f"-----BEGIN OPENSSH {PEM} {MIXED * 8} -----END OPENSSH {PEM}"),
    "contents of a pem file": ("server.pem holds {}", DER),
    "contents of a key file": ("deploy.key holds {}", "b3BlbnNzaC1r" + MIXED * 6),
    "contents of a keystore": ("release.jks holds {}", "/u3+7Q" + MIXED * 6),
    "keystore password": ("The release is signed with -storepass {}", "change" + "it9"),
    "cookie": ("The page wants Cookie: sid={}", HEX),
    "session id": ("The session id is {}", HEX + "abcd"),
    "authorization header": ("It wants Authorization: Basic {}", "cm9iaW46" + "c2VjcmV0"),
    "authorization header in words": ("The authorization header is Token {}", HEX),
    "one-time code": ("The verification code is {}", "482" + "913"),
    "one-time code in a sentence": ("Use code {} to sign in", "482" + "913"),
    "connection string": ("The shop is at postgres://shop:{}@db-1:5432/shop", "letme" + "in9"),
    "connection string of pairs": ("It connects by host=db-1 user=shop password={} dbname=shop", "letme" + "in"),
    "card number": ("The company card is {}", "4111" + " 1111" * 3),
    "card number, American Express": ("The company card is {}", "3782" + " 822463 " + "10005"),
    "cvv": ("The CVV is {}", "7" + "37"),
    "card security code": ("The card has the security code {}", "7" + "37"),
    "bank account": ("The bank account number is {}", "05320" + "13000"),
    "iban": ("Invoices are paid to {}", "DE89 3704" + " 0044 0532 0130 00"),
    "identity card": ("My ID card number is {}", "L01X" + "00T47"),
    "identity number, Chinese": ("身份证 {}", "11010519491231" + "002X"),
    "social security number": ("My SSN is {}", "078-05-" + "1120"),
    "passport": ("My passport number is {}", "C01X" + "00T47"),
}  # fmt: skip
OF_OTHERS = {
    "phone": ("Sarah is reached at {}", "+49 170 " + "1234567"),
    "phone, local": ("Tom is reached at {}", "555-" + "0142"),
    "mail": ("Sarah writes from {}", "sarah@" + "crumb.example"),
    "address": ("Max lives at {}", "12 Long Acre Street"),
    "address, German": ("Max wohnt in der {}", "Lindenstraße 12"),
    "address, in words": ("Sarah's home address is {}", "Flat 4, Rose Court"),
    "health": ("Tom was {}", "diagnosed with diabetes"),
    "health, German": ("Anna hat {}", "Krebs"),
    "health, Chinese": ("老王有{}", "糖尿病"),
}

SCREENED = {"place of a secret": ("The wiki opens with {}", placeholder("password"))}


def entries(table: dict[str, tuple[str, str]]) -> list[tuple[str, str]]:
    """Each entry whole, with the part that must not be kept."""
    return [(text.format(part), part) for text, part in table.values()]


@dataclass(frozen=True, slots=True)
class Desk:
    """An agent that many tests look at and none writes to, but for its daily log."""

    lab: Lab
    ctx: AgentContext

    def planned(self, *lines: str) -> Plan:
        """What a first distillation would do with a daily log of these lines."""
        folder = self.lab.workspace / "memory"
        folder.mkdir(exist_ok=True)
        text = "".join(f"- {one}\n" for one in lines)
        (folder / "2026-03-01.md").write_text(text, encoding="utf-8")
        return plan_distillation(self.ctx)

    @property
    def profile(self) -> ProfileDesk:
        """The profile's desk."""
        return ProfileDesk(self.ctx.profile, self.ctx.screen, START)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """The agent that is only looked at."""
    lab = Lab(tmp_path_factory.mktemp("rules"), engine=None)
    lab.adopt()
    with lab.context() as ctx:
        yield Desk(lab, ctx)


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    """An agent of its own."""
    made = Lab(tmp_path, engine=None)
    made.adopt()
    return made


def run(lab: Lab) -> tuple[Plan, Done]:
    """Plan and write."""
    with lab.context() as ctx:
        plan = plan_distillation(ctx)
        return plan, distil(ctx, plan, clean=False)


def daily_log(lab: Lab, *lines: str, day: str = "2026-03-01") -> None:
    """A daily log that stands there already."""
    path = lab.workspace / "memory" / f"{day}.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"- {one}\n" for one in lines), encoding="utf-8")


def everything(lab: Lab) -> str:
    """All that distillation and the profile have written, as one text."""
    ours = (lab.workspace / "MEMORY.md", lab.state_dir / "memory", lab.workspace / "distill-config.json")
    files = [one for each in ours for one in (each.rglob("*") if each.is_dir() else [each]) if one.is_file()]
    return "\n".join(one.read_text(encoding="utf-8") for one in files)


# Never kept


@pytest.mark.parametrize("kind", SECRETS)
def test_an_entry_with_a_secret_is_skipped_whole_and_counted(desk: Desk, kind: str) -> None:
    """Not the secret is cut out of the entry: the entry goes, its neighbour stays, and it is counted."""
    text, part = SECRETS[kind][0].format(SECRETS[kind][1]), SECRETS[kind][1]
    plan = desk.planned(text, "The wiki server is wiki-1, port 8080")
    assert plan.withheld == 1
    assert [one.candidate.text for one in plan.judged] == ["The wiki server is wiki-1, port 8080"]
    assert part not in "\n".join(report_lines(plan))


@pytest.mark.parametrize("kind", OF_OTHERS)
def test_an_entry_with_somebody_elses_data_is_skipped_whole_and_counted(desk: Desk, kind: str) -> None:
    """Phone, mail, address and health of a person other than the user are kept in no file."""
    plan = desk.planned(OF_OTHERS[kind][0].format(OF_OTHERS[kind][1]), "The wiki server is wiki-1, port 8080")
    assert (plan.withheld, len(plan.judged)) == (1, 1)


@pytest.mark.parametrize("kind", SECRETS)
def test_the_profile_refuses_a_secret_with_the_sentence(desk: Desk, kind: str) -> None:
    """Whoever asks for it to be kept is told so in fixed words, and nothing is written."""
    text = SECRETS[kind][0].format(SECRETS[kind][1])
    with pytest.raises(SensitiveError) as caught:
        set_field(desk.profile, "sign_off", text)
    assert caught.value.title == (
        "I don't store that kind of information for your safety. "
        "You can use a password manager or secure vault instead."
    )
    with pytest.raises(SensitiveError):
        set_contact(desk.profile, Contact("Sarah", "colleague", notes=text), None)
    with pytest.raises(SensitiveError):
        add_episode(desk.profile, Episode("", f"Set up the wiki. {text}"))
    assert not desk.ctx.profile.path.exists()


@pytest.mark.parametrize("kind", OF_OTHERS)
def test_the_profile_refuses_somebody_elses_data(desk: Desk, kind: str) -> None:
    """With a contact, and in an episode or a list when it says so of another person."""
    text = OF_OTHERS[kind][0].format(OF_OTHERS[kind][1])
    with pytest.raises(SensitiveError) as caught:
        set_contact(desk.profile, Contact("Sarah", "colleague", notes=text), None)
    assert (caught.value.title, caught.value.hint) == (REFUSAL, OTHERS)
    with pytest.raises(SensitiveError):
        add_episode(desk.profile, Episode("", f"Planned the week. {text}."))
    with pytest.raises(SensitiveError):
        set_field(desk.profile, "common_mistakes", text)
    assert not desk.ctx.profile.path.exists()


def test_name_and_role_of_a_third_person_stay(desk: Desk) -> None:
    """Who somebody is may be known; only how to reach them and how they are may not."""
    plan = desk.planned("Sarah Chen is my boss", "Tom Lee leads the backend team")
    assert (plan.withheld, len(plan.judged)) == (0, 2)


def test_the_place_of_a_screened_secret_counts_as_one(desk: Desk) -> None:
    """A note from which screening took something is left out as if the secret still stood there."""
    text = f"The wiki opens with {placeholder('password')}"
    assert (desk.planned(text).withheld, len(desk.planned(text).judged)) == (1, 0)
    with pytest.raises(SensitiveError):
        set_field(desk.profile, "sign_off", text)


def test_the_users_own_address_may_stay(desk: Desk) -> None:
    """The four kinds are barred for other people, not for the user."""
    plan = desk.planned("User's mail address is robin@" + "crumb.example")
    assert (plan.withheld, len(plan.judged)) == (0, 1)


def test_a_mail_of_mine_to_somebody_is_not_my_address(desk: Desk) -> None:
    """What only begins like the user's own address is another person's."""
    assert desk.planned("My mail to Sarah went to sarah@" + "crumb.example").withheld == 1
    assert desk.planned("My number for Tom is +49 170 " + "1234567").withheld == 1


def test_patterns_of_the_user_add_to_the_built_in_rules(lab: Lab) -> None:
    """``sensitivePatterns`` withhold more, and take nothing away from what is withheld anyway."""
    daily_log(
        lab, "The plan is called Nightjar-7", "The CVV is " + "7" + "37", "We decided to keep PostgreSQL"
    )
    settings = lab.workspace / "distill-config.json"
    settings.write_text(json.dumps({"sensitivePatterns": [r"Nightjar-\d"]}), encoding="utf-8")
    plan, done = run(lab)
    assert (plan.withheld, done.withheld) == (2, 2)
    assert "Nightjar" not in (lab.workspace / "MEMORY.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("table", [SECRETS, OF_OTHERS, SCREENED], ids=["secrets", "of others", "screened"])
def test_learning_refuses_whatever_a_reader_finds(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, table: dict[str, tuple[str, str]]
) -> None:
    """Each kind is left out and counted, as a field's value and as a note on a person; the rest is learnt."""
    found = [ProfileFact(FactKind.FIELD, 1, field="identity.name", value="Robin Hale")]
    for text, _ in entries(table):
        found.append(ProfileFact(FactKind.FIELD, 1, field="patterns.common_mistakes", value=text))
        found.append(ProfileFact(FactKind.CONTACT, 1, name="Tom", relationship="friend", notes=text))
    monkeypatch.setattr("totalrecall.llm.extractive.profile_facts.facts_in", lambda _notes: found)
    lab.say("My name is Robin Hale.")
    lab.observe()
    with lab.context() as ctx:
        report = learn_profile(ctx)
        data = shown(ProfileDesk(ctx.profile, ctx.screen, START))
    assert (report.learnt, report.refused) == (1, 2 * len(table))
    assert value_at(data, "identity.name") == "Robin Hale"
    assert (contacts(data), value_at(data, "patterns.common_mistakes")) == ([], [])


def test_nothing_that_is_never_kept_is_in_any_file(lab: Lab) -> None:
    """All kinds at once, said and learnt and distilled: not one part of them is written anywhere by us."""
    found = entries(SECRETS) + entries(OF_OTHERS)
    lab.say("My name is Robin Hale.", "Tom is my friend.", "Sarah Chen is my boss.")
    for number, (text, _) in enumerate(found):
        lab.say(f"{'Tom' if number % 2 else 'Sarah Chen'} prefers this: {text}.")
    lab.observe()
    with lab.context() as ctx:
        learn_profile(ctx)
        plan = plan_distillation(ctx)
        distil(ctx, plan, clean=False)
    text = everything(lab)
    assert "Robin Hale" in text
    assert [part for _, part in entries(SECRETS) if len(part) > 3 and part in text] == []
    kept = (lab.workspace / "MEMORY.md").read_text(encoding="utf-8") + json.dumps(
        json.loads((lab.state_dir / "memory" / "user_profile.json").read_text(encoding="utf-8")),
        ensure_ascii=False,
    )
    assert [part for _, part in entries(OF_OTHERS) if part in kept] == []


def test_a_profile_that_holds_a_secret_does_not_bring_it_into_memory(lab: Lab) -> None:
    """The first build takes who the user is from the profile, and looks at that as at everything else."""
    path = lab.state_dir / "memory" / "user_profile.json"
    path.parent.mkdir(exist_ok=True)
    identity = {"name": "Robin Hale", "preferred_name": "ghp_" + MIXED * 5}
    path.write_text(json.dumps({"identity": identity}), encoding="utf-8")
    run(lab)
    text = (lab.workspace / "MEMORY.md").read_text(encoding="utf-8")
    assert "Robin Hale" in text
    assert "ghp_" not in text


# Distillation


def test_each_key_of_the_settings_works(lab: Lab) -> None:
    """Retention, cleaning, writing and maintenance do what the file says."""
    daily_log(lab, "The wiki server is wiki-1, port 8080", day="2026-02-01")
    settings = {"retentionDays": 7, "autoClean": True, "autoWrite": True, "maintainEvery": 1}
    (lab.workspace / "distill-config.json").write_text(json.dumps(settings), encoding="utf-8")
    with lab.context() as ctx:
        done = distil_by_schedule(ctx)
        assert done is not None
        assert (done.added, done.moved) == (1, 1)
        assert load_distill_settings(territory_of(ctx)).settings.last_distill == START.date()
    assert (lab.workspace / "memory" / "archive" / "2026" / "2026-02-01.md").exists()


def test_the_settings_file_holds_every_key_at_its_default(lab: Lab) -> None:
    """Made by the first write, complete, and with the day of the run."""
    run(lab)
    assert json.loads((lab.workspace / "distill-config.json").read_text(encoding="utf-8")) == {
        "retentionDays": 90, "autoClean": False, "autoWrite": False, "maintainEvery": 7,
        "sensitivePatterns": [], "schedule": "0 22 * * *", "lastDistill": "2026-03-02",
    }  # fmt: skip


def test_switching_writing_on_keeps_the_other_keys(lab: Lab) -> None:
    """Only ``autoWrite`` changes."""
    (lab.workspace / "distill-config.json").write_text('{"retentionDays": 30, "mine": 1}', encoding="utf-8")
    with lab.context() as ctx:
        switch_auto_write(territory_of(ctx), on=True)
    found = json.loads((lab.workspace / "distill-config.json").read_text(encoding="utf-8"))
    assert (found["autoWrite"], found["retentionDays"], found["mine"]) == (True, 30, 1)


def test_a_report_alone_makes_no_file_in_the_workspace(lab: Lab) -> None:
    """Neither the settings nor ``MEMORY.md`` nor a line in a log."""
    daily_log(lab, "The wiki server is wiki-1, port 8080")
    before = {one: one.read_bytes() for one in lab.workspace.rglob("*") if one.is_file()}
    with lab.context() as ctx:
        assert distil_by_schedule(ctx) is None
    assert {one: one.read_bytes() for one in lab.workspace.rglob("*") if one.is_file()} == before


def test_the_first_build_collects_the_identity(lab: Lab) -> None:
    """Who the user is, from the profile, stands under the core."""
    with lab.context() as ctx:
        set_field(ProfileDesk(ctx.profile, ctx.screen, START), "name", "Robin Hale")
    run(lab)
    text = (lab.workspace / "MEMORY.md").read_text(encoding="utf-8")
    assert text.index("## Core") < text.index("User's name: Robin Hale")


def test_entries_stand_by_theme_and_not_by_date(lab: Lab) -> None:
    """Said on three days in the wrong order, each stands under its theme."""
    daily_log(lab, "The wiki server is wiki-1, port 8080", day="2026-02-27")
    daily_log(lab, "My name is Robin Hale", day="2026-02-28")
    daily_log(lab, "The database is db-1, port 5432", day="2026-03-01")
    run(lab)
    text = (lab.workspace / "MEMORY.md").read_text(encoding="utf-8")
    assert text.index("Robin Hale") < text.index("## Environment") < text.index("wiki-1") < text.index("db-1")


def test_the_daily_record_has_time_source_and_one_line_of_change(lab: Lab) -> None:
    """What went to the day's log names its talk, and the run leaves one line."""
    lab.say("Remind me to renew the certificate before 2026-04-01.")
    lab.observe()
    _, done = run(lab)
    lines = (lab.workspace / "memory" / "2026-03-02.md").read_text(encoding="utf-8").splitlines()
    (task,) = [one for one in lines if "certificate" in one]
    assert task.startswith("- 12:00 ")
    assert task.endswith("(session 11111111)")
    assert [one for one in lines if one.startswith("- Distilled")] == [
        f"- Distilled 2026-03-02 12:00: MEMORY.md +{done.added} (0 merged), daily +1, 0 sensitive left out, 0 archived"
    ]


def test_distilling_deletes_nothing_and_resets_no_session(lab: Lab) -> None:
    """Transcripts, notes and whatever else stood there stand there, byte for byte."""
    lab.say("We decided to keep PostgreSQL 16.", "My name is Robin Hale.")
    lab.observe()
    before = {one: one.read_bytes() for one in lab.state_dir.rglob("*") if one.is_file()}
    run(lab)
    for path, content in before.items():
        assert path.read_bytes().startswith(content)


@dataclass(frozen=True, slots=True)
class Said:
    """The texts of one run with one thing of each sort, a secret and an old log, in one language."""

    report: list[str]
    done: list[str]


@pytest.fixture(scope="module", params=["en", "zh"])
def said(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Said]:
    """The texts in each language, with the language."""
    lab = Lab(tmp_path_factory.mktemp("said"), engine=None)
    lab.adopt()
    lab.env["TOTALRECALL_LANGUAGE"] = request.param
    daily_log(lab, "The verification code is " + "482" + "913", day="2026-03-01")
    daily_log(lab, "The wiki server is wiki-1, port 8080", day="2025-10-01")
    lab.say(
        "We decided to keep PostgreSQL 16 for the shop.", "The download link expires in an hour, note that."
    )
    lab.say("Remind me to renew the certificate before 2026-04-01.")
    lab.observe()
    plan, done = run(lab)
    return request.param, Said(report_lines(plan), done_lines(plan, done))


def test_the_report_begins_with_the_four_counts(said: tuple[str, Said]) -> None:
    """Decisions, tasks, facts and temporary ones, in the user's language."""
    language, texts = said
    pattern = {
        "en": r"Decisions 1 \| Tasks 1 \| Facts 1 \| Temporary \d",
        "zh": r"决策 1 条 \| 任务 1 条 \| 知识点 1 条 \| 临时 \d 条",
    }[language]
    assert re.fullmatch(pattern, texts.report[0])


def test_the_report_says_what_goes_where_and_what_is_left_out(said: tuple[str, Said]) -> None:
    """Each entry under its place, the withheld counted, the old logs offered."""
    language, texts = said
    whole = "\n".join(texts.report)
    core, daily, withheld, old = {
        "en": (
            "To MEMORY.md:",
            "To the daily logs:",
            "⚠️ 1 withheld as sensitive",
            "1 daily logs are old enough",
        ),
        "zh": (
            "写入 MEMORY.md：",
            "写入每日日志：",
            "⚠️ 敏感信息 1 条已跳过",
            "可归档的旧日志 1 个：2025-10-01.md",
        ),
    }[language]
    assert whole.index(core) < whole.index("PostgreSQL") < whole.index(daily) < whole.index("certificate")
    assert whole.index(withheld) < whole.index(old)


@pytest.mark.parametrize("place", range(5))
def test_each_line_of_the_done_text_is_literal(said: tuple[str, Said], place: int) -> None:
    """Headline, counts, what was written, what was skipped, and that a reset is safe."""
    language, texts = said
    lines = {
        "en": (
            "📊 Memory distillation done",
            f"✅ Extracted: {texts.report[0]}",
            "📝 Written: MEMORY.md +2 (0 merged) | daily +1",
            "⚠️ 1 sensitive left out",
            "💡 If the context is full, /reset is safe: memory files are not affected",
        ),
        "zh": (
            "📊 记忆蒸馏完成",
            f"✅ 提取：{texts.report[0]}",
            "📝 写入：MEMORY.md +2 条（去重合并 0 条）| daily +1 条",
            "⚠️ 敏感信息 1 条已跳过",
            "💡 上下文若已满，可 /reset（不会影响记忆文件）",
        ),
    }[language]
    assert len(texts.done) == 5
    assert texts.done[place] == lines[place]


@dataclass(frozen=True, slots=True)
class Shell:
    """The command ``distill`` in an agent's home; what it said, and whether the settings file stood there then."""

    lab: Lab
    heard: list[tuple[str, bool]]

    def distill(self, *arguments: str) -> int:
        """Its exit code."""
        return cli(["distill", *arguments])


@pytest.fixture
def shell(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """The command, listened to."""
    for name in ("OPENCLAW_STATE_DIR", "OPENCLAW_HOME", "OPENCLAW_WORKSPACE", "OPENCLAW_CONFIG_PATH"):
        monkeypatch.delenv(name, raising=False)
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "MEMORY_DIR", "SESSIONS_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(lab.root))
    monkeypatch.setenv("TOTALRECALL_TIMEZONE", "UTC")
    heard: list[tuple[str, bool]] = []
    settings = lab.workspace / "distill-config.json"

    def listen(text: str = "", *, err: bool = False) -> None:
        heard.append((text, settings.exists()))

    monkeypatch.setattr("totalrecall.cli.distill.say", listen)
    return Shell(lab, heard)


@pytest.mark.parametrize(
    "arguments", [["--yes"], ["--auto-write", "--yes"], ["--no-auto-write"]], ids=" ".join
)
def test_the_user_is_told_before_the_settings_file_is_made(shell: Shell, arguments: list[str]) -> None:
    """Each way that makes one names it while it is not there yet, and says nothing of it the second time."""
    daily_log(shell.lab, "The wiki server is wiki-1, port 8080")
    path = shell.lab.workspace / "distill-config.json"
    assert shell.distill(*arguments) == 0
    assert path.exists()
    told = [there for text, there in shell.heard if "This also makes" in text and str(path) in text]
    assert told == [False]
    shell.heard.clear()
    shell.distill(*arguments)
    assert not [text for text, _ in shell.heard if "This also makes" in text]


def test_switching_writing_on_warns_before_it_does(shell: Shell) -> None:
    """That memory files will be changed without being asked about, while nothing has changed yet."""
    assert shell.distill("--auto-write", "--yes") == 0
    first, there = shell.heard[0]
    assert "MEMORY.md and the daily logs will be changed without asking" in first
    assert not there
    shell.heard.clear()
    shell.distill("--no-auto-write")
    assert not [text for text, _ in shell.heard if "without asking" in text]


# Profile


def test_medical_facts_of_the_user_are_kept_only_on_demand(lab: Lab) -> None:
    """Never learnt from talk; set by hand they stay."""
    lab.say("I always take insulin before lunch.", "I prefer uv for Python work, I have diabetes.")
    lab.observe()
    with lab.context() as ctx:
        learn_profile(ctx)
        desk = ProfileDesk(ctx.profile, ctx.screen, START)
        assert "insulin" not in json.dumps(shown(desk))
        assert "diabetes" not in json.dumps(shown(desk))
        set_field(desk, "recurring_tasks", "Order insulin on the first of the month")
        assert value_at(shown(desk), "patterns.recurring_tasks") == [
            "Order insulin on the first of the month"
        ]


def test_nothing_is_kept_verbatim(desk: Desk) -> None:
    """A value or a note that is as long as a message is refused."""
    long = "We talked about the offer and then about the plan. " * 8
    with pytest.raises(TotalRecallError, match="does not fit"):
        set_field(desk.profile, "sign_off", long)
    with pytest.raises(TotalRecallError, match="too long"):
        set_contact(desk.profile, Contact("Sarah", "boss", notes=long), None)


@pytest.mark.report("R081")
def test_status_says_that_the_profile_was_damaged_until_it_is_dealt_with(lab: Lab) -> None:
    """In the fixed words: while it lies there, after a fresh one was begun, and no longer after recovery."""
    path = lab.state_dir / "memory" / "user_profile.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text('{"identity":{"name":"Robin"', encoding="utf-8")
    assert DAMAGED == (
        "Your memory file appears corrupted. I've backed it up and started fresh. "
        "Want me to try to recover it?"
    )
    with lab.context() as ctx:
        desk = ProfileDesk(ctx.profile, ctx.screen, START)
        assert DAMAGED in [one.what for one in status(ctx).troubles]
        set_field(desk, "timezone", "Europe/Lisbon")
        assert DAMAGED in [one.what for one in status(ctx).troubles]
        recover(desk)
        assert DAMAGED not in [one.what for one in status(ctx).troubles]


def test_what_cannot_be_recovered_is_told_once(lab: Lab) -> None:
    """The copy is kept, and nobody is asked again about a file of which nothing can be understood."""
    path = lab.state_dir / "memory" / "user_profile.json"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"\0" * 64)
    with lab.context() as ctx:
        desk = ProfileDesk(ctx.profile, ctx.screen, START)
        set_field(desk, "name", "Robin")
        with pytest.raises(TotalRecallError, match="Nothing in"):
            recover(desk)
        assert DAMAGED not in [one.what for one in status(ctx).troubles]
    assert (path.parent / "user_profile.backup.json").read_bytes() == b"\0" * 64


def test_the_profile_is_put_in_order_without_being_told_to(lab: Lab) -> None:
    """Learning begins and ends with it: old episodes go, twins become one, old fields are marked, the time is set."""
    path = lab.state_dir / "memory" / "user_profile.json"
    path.parent.mkdir(exist_ok=True)
    old = (START - timedelta(days=181)).date().isoformat()
    stated = (START - timedelta(days=91)).isoformat()
    data = {
        "identity": {"name": "Robin"},
        "relationships": {
            "contacts": [{"name": "Sarah Chen", "relationship": "boss"}, {"name": "Sarah Chen"}]
        },
        "episodic": [
            {"date": old, "summary": "gone"},
            {"date": old, "summary": "kept", "tags": ["important"]},
        ],
        "meta": {"field_updated": {"identity.name": stated}, "last_updated": stated},
    }
    path.write_text(json.dumps(data), encoding="utf-8")
    with lab.context() as ctx:
        learn_profile(ctx)
        found = shown(ProfileDesk(ctx.profile, ctx.screen, START))
    assert [one["summary"] for one in episodes(found)] == ["kept"]
    assert len(contacts(found)) == 1
    assert found["meta"]["stale"] == ["identity.name"]
    assert found["meta"]["last_updated"].startswith("2026-03-02")
