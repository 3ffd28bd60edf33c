"""The settings of our own; their names begin with ``TOTALRECALL_``."""

from __future__ import annotations

from totalrecall.config.setting import NOT_IN_WORKSPACE, Kind, Setting, limit, number


def _schedule(name: str, job: str, default: str, text: str) -> Setting:
    # One service works for all agents, so it is not taken from one agent's workspace.
    full = f"TOTALRECALL_SCHEDULE_{name}"
    return Setting(full, f"schedule_{job}", Kind.CRON, default, text, sources=NOT_IN_WORKSPACE)


OWN: tuple[Setting, ...] = (
    Setting(
        "TOTALRECALL_ENGINE",
        "engine",
        Kind.CHOICE,
        "auto",
        "What compresses; auto is llm if a key or a base URL is set, else extractive.",
        choices=("auto", "llm", "extractive"),
        safe="extractive",
    ),
    Setting(
        "TOTALRECALL_TIMEZONE",
        "timezone",
        Kind.ZONE,
        "",
        "Zone of the times in the notes; OpenClaw's userTimezone, else the system's if unset.",
        example="Europe/Berlin",
    ),
    Setting(
        "TOTALRECALL_LANGUAGE",
        "language",
        Kind.LANGUAGE,
        "auto",
        "Language of the notes; auto follows the talk.",
    ),
    limit(
        "TOTALRECALL_BUDGET_USD_DAY",
        "budget_usd_day",
        Kind.AMOUNT,
        "0.10",
        (0, 10_000),
        "Dollars a day at most.",
    ),
    limit(
        "TOTALRECALL_BUDGET_USD_MONTH",
        "budget_usd_month",
        Kind.AMOUNT,
        "1.00",
        (0, 100_000),
        "Dollars a calendar month at most.",
    ),
    limit(
        "TOTALRECALL_CALLS_PER_HOUR",
        "calls_per_hour",
        Kind.INTEGER,
        "60",
        (1, 3_600),
        "Model calls an hour at most.",
    ),
    limit(
        "TOTALRECALL_TOKENS_PER_CALL",
        "tokens_per_call",
        Kind.INTEGER,
        "12000",
        (1_000, 1_000_000),
        "Tokens of one call at most; longer talk is cut into batches.",
    ),
    Setting(
        "TOTALRECALL_INCLUDE",
        "include",
        Kind.LIST,
        "",
        "Globs over session keys: observe these too, even machine sessions.",
        example="agent:main:cron:*",
    ),
    Setting(
        "TOTALRECALL_EXCLUDE",
        "exclude",
        Kind.LIST,
        "",
        "Globs over session keys: never observe these.",
        example="agent:main:telegram:direct:555",
    ),
    Setting(
        "TOTALRECALL_GROUPS",
        "groups",
        Kind.CHOICE,
        "off",
        "Group chats: not observed, or into observations.md only.",
        choices=("off", "notes"),
    ),
    Setting(
        "TOTALRECALL_OFF_THE_RECORD",
        "off_the_record",
        Kind.TEXT,
        "#offtherecord",
        "A message with this marker is never sent, noted or kept.",
    ),
    number(
        "TOTALRECALL_QUIET_MIN",
        "quiet_min",
        "10",
        (1, 1_440),
        "Minutes without a new line after which a session counts as quiet.",
    ),
    number("TOTALRECALL_WORKERS", "workers", "4", (1, 64), "Agents served at once."),
    _schedule("OBSERVER", "observe", "*/15 * * * *", "When the observer runs, whatever happened."),
    _schedule("REFLECTOR", "reflect", "0 * * * *", "When the reflector looks whether the notes have grown."),
    _schedule("SCAN", "scan", "* * * * *", "When the service looks for what no event told of."),
    _schedule("DAILY", "daily", "30 3 * * *", "When the day's work is done, once a day."),
    Setting(
        "TOTALRECALL_LOG_LEVEL",
        "log_level",
        Kind.CHOICE,
        "info",
        "How much the logs say.",
        choices=("debug", "info", "warning", "error"),
    ),
)
