"""The user's profile, changed by hand or by the agent: checked, screened, never a secret."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from totalrecall.errors import ConfigError, MemoryFileError, TotalRecallError
from totalrecall.files.atomic import read_state
from totalrecall.memory.profile.changes import Said, accept, conflicts, put, reject
from totalrecall.memory.profile.contacts import (
    RELATIONSHIPS,
    Contact,
    Episode,
    contacts,
    is_about_whom,
    people_named,
    put_contact,
    with_episode,
)
from totalrecall.memory.profile.document import Data, fresh, with_value
from totalrecall.memory.profile.fields import FIELDS, TEXT_CHARS, checked, find_field
from totalrecall.memory.profile.file import ProfileFile
from totalrecall.memory.profile.removal import Found, matches, without
from totalrecall.memory.profile.salvage import restored_from, salvaged
from totalrecall.privacy.personal import holds_personal_data, is_of_another, says_where_to_reach
from totalrecall.privacy.placeholders import has_placeholder

REFUSAL = (
    "I don't store that kind of information for your safety. "
    "You can use a password manager or secure vault instead."
)


OTHERS = (
    "Of other people the profile keeps the name, the role and how to talk with them: no phone number, no "
    "mail or postal address, nothing about their health."
)
# Where the user's own number or address may stand.
_OWN_FIELDS = ("identity.", "preferences.communication.sign_off")


class SensitiveError(TotalRecallError):
    """What was to be stored is a secret. Nothing was written."""

    exit_code = 3


@dataclass(frozen=True, slots=True)
class ProfileDesk:
    """What changing the profile takes.

    Attributes:
        file: the profile.
        screen: removes secrets from a text; what it changes is not stored at all.
        now: the present time in the user's zone.
    """

    file: ProfileFile
    screen: Callable[[str], str]
    now: datetime

    @property
    def said(self) -> Said:
        """Said just now, by hand."""
        return Said(self.now.isoformat(timespec="seconds"))


def shown(desk: ProfileDesk) -> Data:
    """The profile as it stands; an empty one where there is none, marked where the file is damaged."""
    found = desk.file.read()
    if isinstance(found, dict):
        return found
    empty = fresh(desk.now)
    return with_value(empty, "meta.damaged", {"file": "", "reason": found.reason}) if found else empty


def set_field(desk: ProfileDesk, name: str, raw: str) -> Data:
    """The profile with the field set, or one more item in a list.

    Raises:
        ConfigError: no such field, or it cannot hold that.
        SensitiveError: it is a secret, or says how somebody else is reached or how they are.
    """
    field = find_field(name)
    if field is None:
        known = ", ".join(one.path for one in FIELDS)
        raise ConfigError(
            f"The profile has no field {name!r}.", f"Fields: {known}. People: profile contact NAME."
        )
    _refuse_secrets(desk, raw)
    if not field.path.startswith(_OWN_FIELDS):
        _refuse_data_of_others(desk, raw)
    try:
        value = checked(field, raw)
    except ValueError as error:
        raise ConfigError(f"{raw!r} does not fit {field.path}.", f"It takes {error}.") from error
    return desk.file.change(lambda data: put(data, field, value, desk.said), desk.now)


def set_contact(desk: ProfileDesk, contact: Contact, which: int | None) -> Data:
    """The profile with what was said about a person.

    Raises:
        ConfigError: several people have that name and ``which`` (from 1) does not say who is meant.
    """
    for text in (contact.name, contact.alias, contact.notes):
        _refuse_secrets(desk, text)
        if holds_personal_data(text):
            raise SensitiveError(REFUSAL, OTHERS)
    if len(contact.notes) > TEXT_CHARS:
        raise ConfigError(
            "The notes on a contact are too long.", f"At most {TEXT_CHARS} characters: how to talk with them."
        )
    if contact.relationship and contact.relationship not in RELATIONSHIPS:
        raise ConfigError(
            f"{contact.relationship!r} is no relationship.", f"It is one of {', '.join(RELATIONSHIPS)}."
        )
    dated = replace(contact, day=desk.now.date().isoformat())
    return desk.file.change(lambda data: put_contact(data, dated, _meant(data, dated, which)), desk.now)


def add_episode(desk: ProfileDesk, episode: Episode) -> Data:
    """The profile with what happened today."""
    for text in (episode.summary, episode.outcome, *episode.tags):
        _refuse_secrets(desk, text)
        _refuse_data_of_others(desk, text)
    dated = replace(episode, day=desk.now.date().isoformat())
    return desk.file.change(lambda data: with_episode(data, dated).data, desk.now)


def settle(desk: ProfileDesk, number: str, *, take_new: bool) -> Data:
    """The profile with a contradiction settled.

    Raises:
        ConfigError: no such contradiction waits.
    """

    def edit(data: Data) -> Data:
        asked = next((one for one in conflicts(data) if one.get("id") == number), None)
        if take_new and asked is not None and is_about_whom(asked):
            name = str(asked["field"]).partition("[")[2].removesuffix("]")
            raise ConfigError(
                f"Several people are called {name!r}: {asked.get('new')}.",
                f"Say who: totalrecall profile contact '{name}' --which N --alias '…'; or reject it.",
            )
        done = accept(data, number) if take_new else reject(data, number)
        if done is None:
            waiting = ", ".join(str(one.get("id")) for one in conflicts(data)) or "none"
            raise ConfigError(f"No contradiction {number!r} waits.", f"Waiting: {waiting}.")
        return done

    return desk.file.change(edit, desk.now)


def found_in(desk: ProfileDesk, text: str) -> list[Found]:
    """Every value of the profile that holds ``text``."""
    return matches(shown(desk), text)


def forget(desk: ProfileDesk, text: str) -> Data:
    """The profile without every value that holds ``text``."""
    return desk.file.change(lambda data: without(data, text), desk.now)


def forget_everything(desk: ProfileDesk) -> Data:
    """An empty profile; damaged copies that were kept are removed as well."""
    done = desk.file.change(lambda _data: fresh(desk.now), desk.now)
    for path in desk.file.copies():
        path.unlink(missing_ok=True)
    return done


def recover(desk: ProfileDesk) -> int:
    """How many values of the damaged file were put back where the fresh one knows none.

    Raises:
        MemoryFileError: there is no damaged file, or nothing in it can be understood.
    """
    content = read_state(desk.file.backup_path).content
    if content is None:
        raise MemoryFileError("There is no damaged profile to recover.", "Nothing was changed.")
    old = salvaged(content)
    if old is None:
        # The user has been told, and there is nothing to ask about.
        desk.file.change(_no_longer_told, desk.now)
        raise MemoryFileError(
            f"Nothing in {desk.file.backup_path} can be understood.", "It is kept; look into it yourself."
        )
    restored = 0

    def edit(data: Data) -> Data:
        nonlocal restored
        done, restored = restored_from(old, data, desk.said)
        return _no_longer_told(done)

    desk.file.change(edit, desk.now)
    return restored


def leave_damaged(desk: ProfileDesk) -> None:
    """The user goes on with the fresh profile and is no longer asked; the damaged file is kept."""
    desk.file.change(_no_longer_told, desk.now)


def _no_longer_told(data: Data) -> Data:
    meta = {name: value for name, value in data["meta"].items() if name != "damaged"}
    return with_value(data, "meta", meta)


def _meant(data: Data, contact: Contact, which: int | None) -> int | None:
    found = people_named(data, contact.name)
    if not found:
        return None
    if which is not None and 1 <= which <= len(found):
        return found[which - 1]
    if len(found) == 1 and which is None:
        return found[0]
    people = contacts(data)
    listed = "; ".join(
        f"{number}: {people[place].get('name')} ({people[place].get('relationship') or 'no relationship'})"
        for number, place in enumerate(found, 1)
    )
    raise ConfigError(
        f"{len(found)} people are called {contact.name!r}.", f"Say which with --which: {listed}."
    )


def _refuse_secrets(desk: ProfileDesk, text: str) -> None:
    if desk.screen(text) != text or has_placeholder(text):
        raise SensitiveError(REFUSAL)


def _refuse_data_of_others(desk: ProfileDesk, text: str) -> None:
    """What users ask to keep of their own health may stay; where people are reached, and theirs, may not."""
    people = [str(one.get("name") or "") for one in contacts(shown(desk))]
    if says_where_to_reach(text) or is_of_another(text, people):
        raise SensitiveError(REFUSAL, OTHERS)
