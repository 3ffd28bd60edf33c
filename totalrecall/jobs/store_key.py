"""Keeping the key of a model where every command and the service find it."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from totalrecall.config.env_edit import with_value
from totalrecall.config.table import setting_named
from totalrecall.config.value import BadValueError, parse_value
from totalrecall.errors import BusyError, ConfigError
from totalrecall.files import atomic
from totalrecall.files.failure import memory_file_error

# Local servers take short made-up keys; one or two letters are an answer to another question.
MIN_KEY_CHARS = 4


@dataclass(frozen=True, slots=True)
class GivenKey:
    """A key as somebody pasted it, made usable.

    Attributes:
        name: the setting it is for.
        value: the key; never shown.
        remarks: what was wrong with how it was pasted.
    """

    name: str
    value: str
    remarks: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Without the key."""
        return f"GivenKey({self.name!r})"


def given_key(name: str, text: str, home_dir: Path) -> GivenKey | None:
    """What ``text`` means as a key; None when it is empty.

    Raises:
        ConfigError: it is no key; the message does not quote it.
    """
    setting = setting_named(name)
    if setting is None:
        raise KeyError(name)
    try:
        parsed = parse_value(setting, text, home_dir)
    except BadValueError as error:
        raise ConfigError(
            f"What was given for {name} {error}.", "Nothing was stored. Paste it again."
        ) from None
    if parsed is not None and len(str(parsed.value)) < MIN_KEY_CHARS:
        raise ConfigError(
            f"What was given for {name} is too short to be a key.",
            "Nothing was stored. Paste it again, or press Enter for none.",
        )
    return None if parsed is None else GivenKey(name, str(parsed.value), parsed.remarks)


def store_key(env_file: Path, key: GivenKey) -> bool:
    """Put the key into the ``.env`` file, readable by its owner only; False when it stood there already.

    Raises:
        ConfigError: the file cannot be changed without breaking it.
        BusyError: somebody is editing it just now.
        MemoryFileError: it cannot be written.
    """
    before = atomic.read_state(env_file)
    _close(env_file)
    text = with_value(_text(env_file, before.content or b""), key.name, key.value)
    content = text.encode("utf-8", "surrogateescape")
    if content == before.content:
        return False
    if isinstance(atomic.replace(env_file, content, expected=before), atomic.Conflict):
        raise BusyError(f"{env_file} was changed by somebody else just now.", "Run it again.")
    return True


def _text(env_file: Path, content: bytes) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in content:
        raise ConfigError(f"{env_file} is saved as UTF-16.", "Save it as UTF-8, then run it again.")
    # What is no UTF-8 comes back as the very bytes.
    return content.decode("utf-8", "surrogateescape")


def _close(env_file: Path) -> None:
    """A file that is going to hold a key is for its owner only, before the key is in it."""
    try:
        mode = stat.S_IMODE(env_file.stat().st_mode)
        if mode & 0o077:
            os.chmod(env_file, mode & 0o700)  # noqa: PTH101 - links are followed, as in writing
    except FileNotFoundError:
        return
    except OSError as error:
        raise memory_file_error("write", env_file, error) from error
