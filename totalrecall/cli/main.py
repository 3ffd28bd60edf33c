"""Running one command line: the flags of cron lines, and the place where errors become exit codes."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence

from totalrecall.cli.talk import say
from totalrecall.domain.outcome import ExitCode
from totalrecall.errors import TotalRecallError

# Flags of the original tool; cron lines and start-up instructions still use them.
ALIASES = {
    "--run-observer": ("observe",),
    "--run-recovery": ("recover",),
    "--run-reflector": ("reflect",),
}


def run(arguments: Sequence[str]) -> int:
    """Run one command line; what the exit code means stands in the README.

    Every expected error is told in two lines on stderr: what happened, and what to do about it.
    """
    # A line pasted from the notes begins with a dash and a space, as no option does.
    args = [one.removeprefix("- ") for one in arguments]
    if args and args[0] in ALIASES:
        args = [*ALIASES[args[0]], *args[1:]]
    # What cron calls every few minutes does without the command line's library.
    work = _observe if args == ["observe"] else lambda: _command(args)
    try:
        return work()
    except TotalRecallError as error:
        return _tell(error)
    except KeyboardInterrupt:
        say("Interrupted. Nothing is lost: the next run goes on from here.", err=True)
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has seen enough (`totalrecall notes | head`). What is still in the buffer
        # must not be written at exit, where it would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return ExitCode.OK
    except OSError as error:
        if error.errno != errno.ENOSPC or error.filename:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        say("error: the output cannot be written: no space left.", err=True)
        return ExitCode.PARTIAL


def _observe() -> int:
    from totalrecall.cli.observing import run_observe

    return run_observe(None, "", flush=False, dry_run=False, as_json=False)


def _command(args: list[str]) -> int:
    import click

    from totalrecall.cli.app import cli

    try:
        outcome = cli.main(args=args, prog_name="totalrecall", standalone_mode=False)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.exceptions.Abort as error:
        raise KeyboardInterrupt from error
    except click.ClickException as error:
        error.show()
        return ExitCode.USAGE
    except SystemExit as done:
        # The library's own answer to a reader that has gone.
        raise BrokenPipeError from done
    return int(outcome) if isinstance(outcome, int) else ExitCode.OK


def _tell(error: TotalRecallError) -> int:
    from totalrecall.cli.output import error_lines

    for line in error_lines(error):
        say(line, err=True)
    return error.exit_code
