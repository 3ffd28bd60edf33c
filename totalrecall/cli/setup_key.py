"""The key of the model, as ``setup`` asks for it, checks it and keeps it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from totalrecall.cli.invocation import interactive, tell
from totalrecall.cli.talk import paint, say
from totalrecall.domain.outcome import ExitCode
from totalrecall.errors import ConfigError, TotalRecallError

if TYPE_CHECKING:
    from totalrecall.bootstrap.machine import Installation
    from totalrecall.jobs.store_key import GivenKey
    from totalrecall.llm.failure import Failure

_TRIES = 3
# No key is longer; more is a file that was piped in by mistake.
_MAX_CHARS = 10_000


def key_step(installation: Installation, *, from_stdin: bool, from_env: bool) -> tuple[int, bool]:
    """The exit code, and whether a key was stored, after one was taken where it is given or asked for.

    The key that counts is checked by one request that costs nothing; one that is refused is not stored.
    """
    name = _name(installation)
    if from_stdin:
        return ExitCode.OK, _take(installation, name, sys.stdin.readline(_MAX_CHARS))
    if from_env:
        return ExitCode.OK, _take(installation, name, installation.machine.env.get(name, ""))
    if interactive() and _kept_nowhere(installation):
        return ExitCode.OK, _ask(installation, name)
    code = _check_present(installation)
    stored = code != ExitCode.OK and interactive() and _ask(installation, name)
    return (ExitCode.OK if stored else code), stored


def _name(installation: Installation) -> str:
    from totalrecall.bootstrap.key_check import key_name

    return key_name(installation)


def _kept_nowhere(installation: Installation) -> bool:
    """No key, or only in this shell, and a model that could use one."""
    from totalrecall.config.table import Source

    settings = installation.loaded.settings
    if settings.engine == "extractive" or (settings.custom_endpoint and not settings.api_key):
        return False
    return not settings.api_key or settings.origin(_name(installation)).source is Source.ENVIRONMENT


def _take(installation: Installation, name: str, text: str) -> bool:
    from totalrecall.jobs.store_key import given_key

    key = given_key(name, text, installation.machine.home_dir)
    if key is None:
        raise ConfigError(f"There was no key for {name}.", "Nothing was stored.")
    if failure := _refused(installation, key):
        raise ConfigError(failure.title, f"{failure.hint} The key was not stored.".strip())
    return _store(installation, key)


def _ask(installation: Installation, name: str) -> bool:
    import click

    from totalrecall.jobs.store_key import given_key

    in_shell = installation.machine.env.get(name, "").strip()
    if in_shell:
        say(f"{name} stands in this shell only; neither cron nor the service sees it.", err=True)
        if click.confirm("Keep it in the settings?", default=True, err=True):
            return _take(installation, name, in_shell)
        return False
    say("With a key for OpenRouter a language model writes the notes; without one the built-in", err=True)
    say("engine does, free and offline. https://openrouter.ai/settings/keys", err=True)
    for _ in range(_TRIES):
        text = click.prompt(
            "Key (it is not shown; Enter for none)", "", hide_input=True, show_default=False, err=True
        )
        try:
            key = given_key(name, text, installation.machine.home_dir)
        except ConfigError as error:
            tell(error)
            continue
        if key is None:
            return False
        if failure := _refused(installation, key):
            say(f"{paint('error:', 'red')} {failure.title}", err=True)
            continue
        return _store(installation, key)
    return False


def _store(installation: Installation, key: GivenKey) -> bool:
    from totalrecall.jobs.store_key import store_key

    for remark in key.remarks:
        say(f"The key {remark}.", err=True)
    env_file = installation.config_dir / ".env"
    changed = store_key(env_file, key)
    say(f"{key.name} is {'kept' if changed else 'already'} in {env_file}, which only you can read.", err=True)
    return changed


def _refused(installation: Installation, key: GivenKey) -> Failure | None:
    """Why the endpoint does not take the key; None when it does, or when nobody can tell just now."""
    from totalrecall.bootstrap.key_check import check_model_key
    from totalrecall.llm.failure import Failure

    found = check_model_key(installation, key.value)
    if isinstance(found, Failure) and found.kind in _refusals():
        return found
    if isinstance(found, Failure):
        say(f"{paint('warning:', 'yellow')} The key could not be checked: {found.title}", err=True)
    else:
        say(found.said, err=True)
    return None


def _check_present(installation: Installation) -> int:
    """The check of a key that is set already; bad settings are told by the steps that need them."""
    from totalrecall.bootstrap.key_check import check_model_key
    from totalrecall.llm.failure import Failure

    if not installation.loaded.settings.uses_model:
        return ExitCode.OK
    try:
        found = check_model_key(installation)
    except TotalRecallError:
        return ExitCode.OK
    if not isinstance(found, Failure):
        say(found.said, err=True)
        return ExitCode.OK
    if found.kind in _refusals():
        return tell(ConfigError(found.title, found.hint))
    say(f"{paint('warning:', 'yellow')} {found.title} {found.hint}".rstrip(), err=True)
    return ExitCode.OK


def _refusals() -> frozenset[object]:
    from totalrecall.llm.failure import FailureKind

    return frozenset(
        {FailureKind.KEY_REFUSED, FailureKind.FORBIDDEN, FailureKind.BAD_URL, FailureKind.REDIRECT}
    )
