"""A new note that has every word that can be checked, and says the contrary."""

from __future__ import annotations

import pytest

from tests.unit.reflection.notes import CONTEXT, EVENT, FACT, codes, items, note
from totalrecall.llm.reflection.types import RefusalCode

CONTRARY = [
    ("Rows of quarry are deleted in prod and in staging", ["Rows of quarry are not deleted in prod", "Rows of quarry are deleted in staging"]),
    ("Rows of quarry are deleted in prod and not deleted in staging", ["Rows of quarry are not deleted in prod", "Rows of quarry are deleted in staging"]),
    ("User cannot eat gluten, likes bread", ["User can eat gluten", "User likes bread"]),
    ("User likes bread, bakes at home", ["User dislikes bread", "User bakes at home"]),
    ("Door sensor is reliable, in the kiln room", ["Door sensor is unreliable", "Door sensor is in the kiln room"]),
    ("Access for Mei was disabled on host a-1", ["Access for Mei was enabled", "Access for Mei is on host a-1"]),
    ("Limit lowered to 80, set in limits.toml", ["Limit raised to 80", "Limit is set in limits.toml"]),
    ("Cache and queue of atlas are enabled", ["Cache of atlas is enabled", "Queue of atlas is disabled"]),
    ("Deploy of kestrel worked on step 12, tried again by Tomasz", ["Deploy of kestrel failed on step 12", "Deploy of kestrel was tried again by Tomasz"]),
    ("Deploy of kestrel on step 12, tried again by Tomasz", ["Deploy of kestrel failed on step 12", "Deploy of kestrel was tried again by Tomasz"]),
    ("User sold the red car; washed it in the yard", ["User plans to sell the red car", "User washed the red car in the yard"]),
    ("Cache of atlas moved to a new host, talked with Mei", ["Assistant suggested a new host for the cache of atlas", "Talked about the cache of atlas with Mei"]),
    ("Less than 50 checks are flaky, checks run nightly", ["More than 50 checks are flaky", "Checks run nightly"]),
    ("50 checks are flaky, checks run nightly", ["At least 50 checks are flaky", "Checks run nightly"]),
    ("Invoice run costs 300 francs, started by Odile", ["Invoice run costs 300 guilders", "Invoice run is started by Odile"]),
    ("Backup takes 40, restore takes 15", ["Backup takes 40 minutes", "Restore takes 15 minutes"]),
    ("Jonas works for Priya, leads atlas", ["Priya works for Jonas", "Jonas leads atlas"]),
    ("Test before build in quarry, build uses make", ["Build before test in quarry", "quarry build uses make"]),
    ("ledgerline talks to quarry over port 9000, runs on host b-2", ["quarry talks to ledgerline over port 9000", "ledgerline runs on host b-2"]),
    ("备份在主机上，每晚运行", ["备份不在主机上", "备份每晚运行"]),
    ("Der Zugang ist aktiviert, läuft über das NAS", ["Der Zugang ist deaktiviert", "Der Zugang läuft über das NAS"]),
]  # fmt: skip
HONEST = [
    ("Kiln did not start: door sensor open; Odile replaced the sensor, kiln runs again", ["Starting the kiln failed: door sensor open", "Odile replaced the door sensor, kiln runs again"]),
    ("Mailer: assistant suggested 4 parts, user undecided; talked with Mei, nothing settled", ["Assistant suggested to split the mailer in 4 parts; user undecided", "Talked about the mailer with Mei, nothing settled"]),
    ("quarry build failed on missing zlib.h; passes since zlib1g-dev was installed", ["Build of quarry failed on missing header zlib.h", "Installed zlib1g-dev, build of quarry passes"]),
    ("User wants to learn Spanish, lessons on Tuesdays at 18:00", ["User wants to learn Spanish", "User takes Spanish lessons on Tuesdays at 18:00"]),
    ("Grafana login did not work after the move, works again since the DNS change", ["Cannot log in to the grafana host since the move", "Grafana login works again after the DNS change"]),
    ("atlas parser: port 8100, looked after by Priya", ["Priya looks after the parser of atlas", "The parser of atlas answers on port 8100"]),
    ("导入程序在第212行崩溃，Jonas修复了它", ["导入程序在第212行崩溃", "Jonas修复了导入程序"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "old"), CONTRARY)
def test_a_note_that_turns_its_notes_round_is_refused(text: str, old: list[str]) -> None:
    """Denials, plans, failures, limits, opposites, and who does it to whom."""
    log = items(*(note(one, FACT, ago=40 - at) for at, one in enumerate(old)))
    named = codes(log, f"- 🟡 [fact] {text} [1,2]")
    assert named & {RefusalCode.LOST_DETAIL, RefusalCode.INVENTED_DETAIL, RefusalCode.SWAPPED}


@pytest.mark.parametrize(("text", "old"), HONEST)
def test_an_honest_summary_is_taken(text: str, old: list[str]) -> None:
    """A problem and how it ended, what was suggested and what is open."""
    log = items(*(note(one, EVENT if at else CONTEXT, ago=40 - at) for at, one in enumerate(old)))
    assert codes(log, f"- 🟡 [event] {text} [1,2]") == set()
