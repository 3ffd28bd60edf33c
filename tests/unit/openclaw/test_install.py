"""Installing beside OpenClaw and undoing it: only what is ours comes and goes, and a person's edit stays."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from totalrecall.openclaw.changes import Plan, carry_out
from totalrecall.openclaw.inspect import PartState, inspect
from totalrecall.openclaw.install import Options, plan_install
from totalrecall.openclaw.record import FILE_NAME
from totalrecall.openclaw.target import Target, TargetAgent
from totalrecall.openclaw.uninstall import plan_uninstall
from totalrecall.places.openclaw_config import parse_lax_json
from totalrecall.places.openclaw_home import find_homes

CONFIG = (
    '{\n  // mine\n  meta: { lastTouchedVersion: "2026.7.1" },\n  gateway: { auth: { token: "t0p" } },\n}\n'
)
AGENTS_MD = "# AGENTS\n\nBe kind."


class Home:
    """A home in a folder, with what an installation works on."""

    def __init__(self, root: Path, agents: Mapping[str, str] | None = None) -> None:
        self.root = root
        self.state = root / ".openclaw"
        self.config = self.state / "openclaw.json"
        self.workspaces = {name: root / folder for name, folder in (agents or {"main": "work"}).items()}
        self.state.mkdir()
        (root / "bin").mkdir()
        (root / "bin" / "totalrecall").touch()
        self.config.write_text(CONFIG, encoding="utf-8")
        for folder in self.workspaces.values():
            folder.mkdir(exist_ok=True)
            (folder / "AGENTS.md").write_text(AGENTS_MD, encoding="utf-8")
        self.stamp = 0

    def target(self, *meant: str, **changed: Any) -> Target:
        """The home as it stands now."""
        (home,) = find_homes({}, self.root)
        agents = [
            TargetAgent(name, name, folder, folder / "memory" / "observations.md")
            for name, folder in self.workspaces.items()
            if not meant or name in meant
        ]
        made = Target(
            home=home, agents=tuple(agents), home_dir=self.root, state_root=self.root / "ours",
            command=(str(self.root / "bin" / "totalrecall"),), home_agents=tuple(self.workspaces),
        )  # fmt: skip
        return replace(made, **changed)

    def install(self, *meant: str, **changed: Any) -> Plan:
        """An installation, carried out."""
        self.stamp += 1
        plan = plan_install(self.target(*meant, **changed), Options(f"20260302T1200{self.stamp:02d}"))
        assert carry_out(plan) == ()
        return plan

    def uninstall(self, *meant: str) -> Plan:
        """Its undoing, carried out."""
        self.stamp += 1
        plan = plan_uninstall(self.target(*meant), f"20260302T1300{self.stamp:02d}")
        assert carry_out(plan) == ()
        return plan

    @property
    def settings(self) -> dict[str, Any]:
        """The installed hook's settings."""
        said: dict[str, Any] = json.loads((self.state / "hooks/totalrecall/settings.json").read_bytes())
        return said

    def agents_md(self, agent: str = "main") -> Path:
        """An agent's AGENTS.md."""
        return self.workspaces[agent] / "AGENTS.md"

    def files(self) -> dict[str, bytes]:
        """Every file of OpenClaw's and the workspaces, backups of ours left out."""
        return {
            str(path.relative_to(self.root)): path.read_bytes()
            for path in sorted(self.root.rglob("*"))
            if path.is_file()
            and "ours" not in path.relative_to(self.root).parts
            and "backup" not in path.name
        }


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home with one agent."""
    return Home(tmp_path)


def states(home: Home, *meant: str) -> dict[str, PartState]:
    """How each part stands."""
    return {part.name: part.state for part in inspect(home.target(*meant)).parts}


def test_an_installation_is_complete_and_its_undoing_leaves_no_trace(home: Home) -> None:
    """Hook, skill, config and start-up lines are there; afterwards every byte is as it was before."""
    before = home.files()
    home.install()
    assert set(states(home).values()) == {PartState.FINE, PartState.ABSENT}
    assert states(home)["context"] is PartState.ABSENT
    tree = parse_lax_json(home.config.read_text(encoding="utf-8"))
    assert tree["hooks"]["internal"] == {"entries": {"totalrecall": {"enabled": True}}}
    text = home.agents_md().read_text(encoding="utf-8")
    assert text.startswith(AGENTS_MD)
    assert f"run `{home.root}/bin/totalrecall recover --agent main`" in text
    assert "read `memory/observations.md` for cross-session context." in text
    assert "## Session State Maintenance" in text
    assert text.index("totalrecall recover") < text.index("memory/observations.md")
    assert home.settings["command"] == [f"{home.root}/bin/totalrecall"]
    home.uninstall()
    assert home.files() == before
    assert not (home.state / "hooks").exists()
    assert not (home.state / "skills").exists()
    assert not (home.root / "ours" / FILE_NAME).exists()


@pytest.mark.report("R124")
def test_nothing_is_written_where_transcripts_are(home: Home) -> None:
    """The agent's sessions and databases, with their locks, stay as they are, to the second."""
    agent = home.state / "agents" / "main"
    for path in (
        "sessions/s.jsonl",
        "sessions/s.jsonl.lock",
        "sessions/sessions.json",
        "agent/openclaw-agent.sqlite",
    ):
        (agent / path).parent.mkdir(parents=True, exist_ok=True)
        (agent / path).write_text("{}", encoding="utf-8")
        os.utime(agent / path, (1, 1))
    before = {path: (path.stat().st_mtime, path.stat().st_ino) for path in agent.rglob("*") if path.is_file()}
    names = sorted(agent.rglob("*"))
    home.install()
    home.uninstall()
    assert {path: (path.stat().st_mtime, path.stat().st_ino) for path in before} == before
    assert sorted(agent.rglob("*")) == names


def test_a_second_installation_changes_nothing(home: Home) -> None:
    """Run again, there is nothing to do."""
    home.install()
    assert plan_install(home.target(), Options("20260302T120000")).changes == ()


def test_the_old_files_are_kept(home: Home) -> None:
    """The config's backup stands beside it, readable by its owner alone; that of AGENTS.md in our folder."""
    home.install()
    (config,) = home.state.glob("openclaw.json.total-recall-backup-*")
    assert config.read_text(encoding="utf-8") == CONFIG
    assert config.stat().st_mode & 0o777 == 0o600
    (agents_md,) = (home.root / "ours" / "openclaw-backups").iterdir()
    assert agents_md.read_text(encoding="utf-8") == AGENTS_MD


def test_two_changes_within_a_second_keep_both_backups(home: Home) -> None:
    """A backup never takes the place of another one."""
    home.install()
    home.stamp = 0
    carry_out(plan_uninstall(home.target(), "20260302T120001"))
    assert sorted(path.name[-2:] for path in home.state.glob("openclaw.json.total-recall-backup-*")) == [
        "-2",
        "01",
    ]


def test_a_linked_config_is_changed_where_it_is(home: Home) -> None:
    """A config that is a link into another folder stays a link."""
    elsewhere = home.root / "dotfiles" / "openclaw.json"
    elsewhere.parent.mkdir()
    home.config.rename(elsewhere)
    home.config.symlink_to(elsewhere)
    elsewhere.chmod(0o640)
    home.install()
    assert home.config.is_symlink()
    assert "totalrecall" in elsewhere.read_text(encoding="utf-8")
    assert elsewhere.stat().st_mode & 0o777 == 0o640
    home.uninstall()
    assert elsewhere.read_text(encoding="utf-8") == CONFIG


def test_what_a_person_edited_since_stays_at_uninstall(home: Home) -> None:
    """An edited handler and an edited block are left and told; the rest goes, and the hook does nothing any more."""
    home.install()
    handler = home.state / "hooks/totalrecall/handler.js"
    handler.write_text(handler.read_text(encoding="utf-8") + "// mine\n", encoding="utf-8")
    home.agents_md().write_text(
        home.agents_md().read_text(encoding="utf-8").replace("## Memory", "## My memory"), encoding="utf-8"
    )
    plan = home.uninstall()
    assert handler.exists()
    assert not handler.with_name("settings.json").exists()
    assert "## My memory" in home.agents_md().read_text(encoding="utf-8")
    assert sum("was edited since and stays" in note for note in plan.notes) == 2
    assert home.config.read_text(encoding="utf-8") == CONFIG


def test_a_config_that_openclaw_wrote_anew_loses_only_our_keys(home: Home) -> None:
    """OpenClaw rewrites the file as plain JSON with keys of its own: ours are found by what they mean."""
    home.install()
    tree = parse_lax_json(home.config.read_text(encoding="utf-8"))
    tree["meta"]["lastTouchedAt"] = "now"
    tree["hooks"]["internal"]["entries"]["session-memory"] = {"enabled": True}
    home.config.write_text(json.dumps(tree, indent=2), encoding="utf-8")
    plan = home.uninstall()
    left = json.loads(home.config.read_text(encoding="utf-8"))
    assert left == {
        "meta": {"lastTouchedVersion": "2026.7.1", "lastTouchedAt": "now"},
        "gateway": {"auth": {"token": "t0p"}},
        "hooks": {"internal": {"entries": {"session-memory": {"enabled": True}}}},
    }
    assert plan.notes == ()


def test_an_older_version_of_ours_is_brought_up_to_date(home: Home) -> None:
    """Files and block as an earlier version wrote them are replaced without a word about edits."""
    home.install(command=("/old/place/totalrecall",))
    found = states(home)
    assert (found["skill"], found["AGENTS.md"]) == (PartState.OUTDATED, PartState.OUTDATED)
    plan = home.install()
    assert not any("was edited" in note for note in plan.notes)
    assert "/old/place" not in "".join(str(content) for content in home.files().values())
    assert states(home)["hook"] is PartState.FINE
    home.uninstall()
    assert home.agents_md().read_text(encoding="utf-8") == AGENTS_MD


def test_edited_files_are_kept_when_ours_take_their_place(home: Home) -> None:
    """An installation over an edit says so first, and the edit is in the backups."""
    home.install()
    skill = home.state / "skills/totalrecall/SKILL.md"
    skill.write_text("my own words", encoding="utf-8")
    assert states(home)["skill"] is PartState.EDITED
    plan = home.install()
    assert any(f"{skill} was edited" in note for note in plan.notes)
    kept = [
        path
        for path in (home.root / "ours" / "openclaw-backups").iterdir()
        if path.name.startswith("SKILL.md")
    ]
    assert [path.read_text(encoding="utf-8") for path in kept] == ["my own words"]


def test_a_hook_that_was_switched_off_stays_off(home: Home) -> None:
    """``enabled: false`` in the settings survives an update and shows in the status."""
    home.install()
    path = home.state / "hooks/totalrecall/settings.json"
    path.write_text(json.dumps(home.settings | {"enabled": False}, indent=2) + "\n", encoding="utf-8")
    home.install()
    assert home.settings["enabled"] is False
    assert states(home)["switch"] is PartState.OFF


def test_without_the_record_ours_is_still_known(home: Home) -> None:
    """Our state folder is lost: what is as we ship it, and the keys that can only be ours, go all the same."""
    home.install()
    (home.root / "ours" / FILE_NAME).write_text("{broken", encoding="utf-8")
    home.uninstall()
    assert not (home.state / "hooks" / "totalrecall").exists()
    assert not (home.state / "skills" / "totalrecall").exists()
    assert home.agents_md().read_text(encoding="utf-8").strip() == AGENTS_MD
    text = home.config.read_text(encoding="utf-8")
    assert "totalrecall" not in text
    assert "Pre-compaction" not in text


def test_an_agent_without_agents_md_is_told_and_given_none(home: Home) -> None:
    """OpenClaw writes its own AGENTS.md only where there is none: ours must not be in its way."""
    home.agents_md().unlink()
    plan = home.install()
    assert not home.agents_md().exists()
    assert any("Start the agent once" in note for note in plan.notes)


def test_a_home_without_a_config_gets_none(home: Home) -> None:
    """A config of ours alone would look like a finished set-up to OpenClaw: it is printed instead."""
    home.config.unlink()
    plan = home.install()
    assert not home.config.exists()
    assert any('"totalrecall"' in text for text in plan.by_hand)


@pytest.mark.parametrize(("version", "told"), [("2026.7.1-2", False), ("2026.9.6", True), ("", False)])
def test_the_hook_wants_only_events_that_its_host_knows(home: Home, version: str, told: bool) -> None:
    """An event that the loader does not know is a complaint in OpenClaw's log."""
    home.config.write_text("{}", encoding="utf-8")
    home.install(openclaw_version=version)
    text = (home.state / "hooks/totalrecall/HOOK.md").read_text(encoding="utf-8")
    (line,) = [one for one in text.splitlines() if one.startswith("metadata:")]
    events = json.loads(line.removeprefix("metadata:"))["openclaw"]["events"]
    wanted = [
        "command:new",
        "command:reset",
        "session:compact:before",
        "session:compact:after",
        "agent:bootstrap",
    ]
    assert [one for one in events if one != "session:auto-reset"] == wanted
    assert ("session:auto-reset" in events) is told


def test_what_the_user_said_about_the_version_is_remembered(home: Home) -> None:
    """Where nothing else tells, the inspection goes by it and finds nothing outdated."""
    home.config.write_text("{}", encoding="utf-8")
    plan = plan_install(home.target(), Options("20260302T120000", stated_version="2026.7.1"))
    assert carry_out(plan) == ()
    assert "Pre-compaction" in home.config.read_text(encoding="utf-8")
    assert inspect(home.target()).host.version == "2026.7.1"
    assert states(home)["flush"] is PartState.FINE
    assert plan_install(home.target(), Options("20260302T120100")).changes == ()


def test_an_included_config_is_printed_and_not_changed(home: Home) -> None:
    """Hooks that stand in another file are the user's to change there."""
    text = '{ hooks: { "$include": "./hooks.json5" } }\n'
    home.config.write_text(text, encoding="utf-8")
    (home.state / "hooks.json5").write_text("{ internal: { entries: { x: {} } } }", encoding="utf-8")
    plan = home.install()
    assert home.config.read_text(encoding="utf-8") == text
    assert any('"totalrecall"' in one for one in plan.by_hand)
    (home.state / "hooks.json5").write_text(
        "{ internal: { entries: { x: {}, totalrecall: { enabled: true } } } }", encoding="utf-8"
    )
    assert home.install().by_hand == ()
    assert states(home)["switch"] is PartState.FINE


def test_an_installation_for_one_agent_leaves_the_others_alone(tmp_path: Path) -> None:
    """The hook serves those that were named, one after the other; uninstalling one keeps it for the rest."""
    home = Home(tmp_path, {"main": "one", "scout": "two"})
    home.install("main")
    assert home.settings["agents"] == ["main"]
    assert "totalrecall" not in home.agents_md("scout").read_text(encoding="utf-8")
    home.install("scout")
    assert home.settings["agents"] == ["main", "scout"]
    home.uninstall("main")
    assert home.settings["agents"] == ["scout"]
    assert home.agents_md("main").read_text(encoding="utf-8") == AGENTS_MD
    assert "recover --agent scout" in home.agents_md("scout").read_text(encoding="utf-8")
    home.uninstall("scout")
    assert not (home.state / "hooks" / "totalrecall").exists()
    assert home.config.read_text(encoding="utf-8") == CONFIG


def test_agents_on_one_workspace_share_one_block(tmp_path: Path) -> None:
    """Two blocks, or one that names the wrong agent, would confuse both."""
    home = Home(tmp_path, {"main": "one", "scout": "one"})
    home.install()
    text = home.agents_md().read_text(encoding="utf-8")
    assert text.count("<!-- totalrecall:begin -->") == 1
    assert "totalrecall recover`" in text
    home.uninstall()
    assert home.agents_md().read_text(encoding="utf-8") == AGENTS_MD


def test_a_program_that_is_gone_is_broken(home: Home) -> None:
    """A hook that starts a program which was moved does nothing: the inspection says so in one sentence."""
    home.install(command=("/nowhere/totalrecall",))
    broken = [part for part in inspect(home.target()).parts if part.state is PartState.BROKEN]
    assert [part.what for part in broken] == ["The hook starts /nowhere/totalrecall, which is not there."]


@pytest.mark.report("R001")
def test_prompts_that_keep_the_gateway_from_starting_are_found_and_taken_out(home: Home) -> None:
    """OpenClaw was upgraded after our installation: the inspection says it, and installing again mends it."""
    home.install()
    text = home.config.read_text(encoding="utf-8").replace("2026.7.1", "2026.9.6")
    home.config.write_text(text, encoding="utf-8")
    broken = [part for part in inspect(home.target()).parts if part.name == "flush"]
    assert [part.state for part in broken] == [PartState.BROKEN]
    home.install()
    assert "Pre-compaction" not in home.config.read_text(encoding="utf-8")
    assert "flush" not in states(home)


def test_without_an_installation_nothing_counts_as_one(home: Home) -> None:
    """A config that loads every hook, or has a flush prompt of the user's, is not ours."""
    home.config.write_text(
        "{ hooks: { internal: { enabled: true } }, agents: { defaults: { compaction: { memoryFlush: "
        "{ prompt: 'mine' } } } }, meta: { lastTouchedVersion: '2026.7.1' } }",
        encoding="utf-8",
    )
    found = inspect(home.target())
    assert (found.installed, found.complete, found.troubles) == (False, False, ())


def test_what_a_person_chose_is_no_trouble_to_mend(home: Home) -> None:
    """A flush that is switched off and a hook that is switched off leave nothing to install."""
    home.config.write_text(
        "{ agents: { defaults: { compaction: { memoryFlush: { enabled: false } } } }, "
        "meta: { lastTouchedVersion: '2026.7.1' } }",
        encoding="utf-8",
    )
    home.install()
    (home.root / "ours" / "main").mkdir()
    (home.root / "ours" / "main" / "context.md").touch()
    assert states(home)["flush"] is PartState.OFF
    assert inspect(home.target()).complete


def test_the_other_skill_is_noticed(home: Home) -> None:
    """A skill called ``total-recall`` is somebody else's; it is named, never touched."""
    other = home.state / "skills" / "total-recall" / "SKILL.md"
    other.parent.mkdir(parents=True)
    other.write_text("---\nname: total-recall\n---\n", encoding="utf-8")
    assert [part.name for part in inspect(home.target()).troubles] == ["other skill"]
    plan = home.install()
    assert any("another skill" in note for note in plan.notes)
    home.uninstall()
    assert other.exists()


def test_a_file_that_changes_while_one_decides_is_left(home: Home) -> None:
    """Somebody saves AGENTS.md between the question and the answer: their text wins, and it is said."""
    plan = plan_install(home.target(), Options("20260302T120000"))
    home.agents_md().write_text("new words", encoding="utf-8")
    assert [f"{home.agents_md()} was changed" in said for said in carry_out(plan)] == [True]
    assert home.agents_md().read_text(encoding="utf-8") == "new words"
    home.install()
    assert home.agents_md().read_text(encoding="utf-8").startswith("new words")


def test_the_skill_fits_the_way_the_program_is_called(home: Home) -> None:
    """Absolute path in the text, no requirement that a service's PATH could miss, and each agent's own name."""
    home.install(command=("/opt/my tools/totalrecall",))
    skill = home.state / "skills/totalrecall/SKILL.md"
    text = skill.read_text(encoding="utf-8")
    assert "`'/opt/my tools/totalrecall'`" in text
    assert "{{" not in text
    assert "requires" not in text
    home.workspaces["scout"] = home.root / "two"
    home.install(on_usual_path=True)
    text = skill.read_text(encoding="utf-8")
    assert '"requires": { "bins": ["totalrecall"] }' in text
    assert "`scout` is `--agent scout`" in text
