"""``totalrecall openclaw install --print``: everything for those who set it up by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from totalrecall.cli.talk import say

if TYPE_CHECKING:
    from totalrecall.openclaw.target import Target


def print_all(target: Target, stated_version: str, *, state_section: bool) -> None:
    """The files, the configuration, the start-up lines and the cron jobs of one home, on stdout."""
    from totalrecall.openclaw import config_plan, marked_block, texts
    from totalrecall.openclaw.host import Era, host_of, tree_of
    from totalrecall.openclaw.install import agents_md_body, by_hand_lines, sharers
    from totalrecall.openclaw.package import hook_files, skill_files

    host = host_of(target, stated=stated_version)
    config = target.home.config.path if target.home.config else target.home.state_dir / "openclaw.json"
    for file in (*hook_files(target, host), *skill_files(target)):
        _part(f"The file {file.path}", file.content.decode())
    for text in by_hand_lines(config_plan.wishes_for(host, tree_of(target)), config):
        what, _, body = text.partition("\n")
        _part(what.rstrip(":"), body)
    for owner in sharers(target):
        body = agents_md_body(target, owner, state_section=state_section)
        path = owner.workspace / "AGENTS.md"
        _part(f"At the end of {path}", f"{marked_block.BEGIN}\n{body.strip()}\n{marked_block.END}")
    runs = {Era.FILES: False, Era.ROWS: True}.get(host.era)
    agents = [one.name for one in target.agents] if target.only_some else [""]
    jobs = [
        line for agent in agents for line in texts.cron_commands(target.command, agent, runs_commands=runs)
    ]
    _part("OpenClaw cron jobs, for those without our service (run once)", "\n".join(jobs))
    _part(
        "OpenClaw cron entry for the daily distillation",
        texts.pretty(texts.distill_job(target.zone, "0 22 * * *")),
    )
    _part("Or, for HEARTBEAT.md (the heartbeat must be on)", texts.HEARTBEAT_LINES)


def _part(title: str, text: str) -> None:
    say(f"# {title}\n\n{text.rstrip()}\n")
