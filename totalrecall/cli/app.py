"""The commands by name. Their code is imported when one is called."""

from __future__ import annotations

import importlib

import click

from totalrecall import __version__

# A command's module is imported when it is called, so that --help answers at once.
COMMANDS: dict[str, tuple[str, str]] = {
    "run": ("run", "The service, in the foreground: watch, keep time, do all of this by itself."),
    "observe": ("observe", "Note what is new in the transcripts."),
    "flush": ("observe", "Observe now, because the agent is about to compact its context."),
    "recover": ("recover", "Finish sessions that ended before they were observed."),
    "backfill": ("backfill", "Note what was said before Total Recall was adopted."),
    "notes": ("notes", "Show the notes, and what was set aside or left out."),
    "reflect": ("reflect", "Consolidate the notes when they have grown."),
    "undo": ("undo", "Take back the last consolidation of the notes."),
    "search": ("search", "Look something up in everything that is remembered."),
    "why": ("why", "Show the messages behind a note."),
    "distill": ("distill", "Bring what lasts into MEMORY.md, after a report and a question."),
    "forget": ("forget", "Remove something from everything that is remembered, and keep it out."),
    "profile": ("profile", "What is known about the user: shown, corrected, forgotten."),
    "snapshot": ("snapshot", "Save the state of the task, and find it again."),
    "state": ("state", "What the agent is doing: SESSION_STATE.md, shown and written."),
    "status": ("status", "How far each agent is observed, and what is wrong."),
    "verify": ("verify", "Recount every message of the sources against the ledger."),
    "logs": ("logs", "What was done, in numbers; never what was said."),
    "spend": ("spend", "What the model has cost, by day, job, model and session."),
    "doctor": ("doctor", "Go through everything that can be wrong, worst first."),
    "repair": ("repair", "Choose how to go on when the ledger or the notes are gone."),
    "config": ("config", "Show the settings and where each comes from."),
    "service": ("service", "Install, remove or look at the background service."),
    "openclaw": ("openclaw", "Install, remove or look at what makes OpenClaw use the memory."),
    "setup": ("setup", "First steps: find the agents, observe once, show the notes."),
}


class LazyGroup(click.Group):
    """The commands of ``COMMANDS``: help texts from the table, code from the module when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        """The names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command, imported now."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"totalrecall.cli.{COMMANDS[cmd_name][0]}")
        command = getattr(module, f"{cmd_name}_command")
        if not isinstance(command, click.Command):
            raise TypeError(cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The table as it is, without importing a single command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="For cron: totalrecall --run-observer, --run-recovery, --run-reflector.",
)
@click.version_option(__version__, prog_name="totalrecall")
def cli() -> None:
    """A memory for AI agents: reads their transcripts, keeps prioritised notes, loses nothing."""
