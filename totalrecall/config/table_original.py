"""The settings of the original tool, whose names and defaults stay valid."""

from __future__ import annotations

from totalrecall.config.setting import EVERYWHERE, NOT_IN_WORKSPACE, Kind, Setting, Source, number

OPENROUTER_URL = "https://openrouter.ai/api/v1"
# In place of a base URL that makes no sense: a name that never resolves (RFC 2606), so that talk meant for a
# machine of one's own does not go to OpenRouter instead. Messages wait.
NOWHERE_URL = "https://llm-base-url.invalid/v1"

ORIGINAL: tuple[Setting, ...] = (
    Setting(
        "OPENROUTER_API_KEY",
        "openrouter_api_key",
        Kind.SECRET,
        "",
        "Key for OpenRouter; without any key the built-in extractive engine works, free and offline.",
        sources=EVERYWHERE | {Source.OPENCLAW_JSON},
        example="your-key",
    ),
    Setting(
        "LLM_API_KEY",
        "llm_api_key",
        Kind.SECRET,
        "",
        "Key for the provider at LLM_BASE_URL; goes before OPENROUTER_API_KEY.",
        example="your-key",
    ),
    Setting(
        "LLM_BASE_URL",
        "llm_base_url",
        Kind.URL,
        OPENROUTER_URL,
        "Any OpenAI-compatible API (Ollama, llama.cpp, vLLM), up to and with its /v1.",
        sources=NOT_IN_WORKSPACE,
        example="http://127.0.0.1:11434/v1",
        safe=NOWHERE_URL,
    ),
    Setting(
        "OBSERVER_MODEL",
        "observer_models",
        Kind.TEXT,
        "google/gemini-2.5-flash",
        "Model that writes the notes.",
    ),
    Setting(
        "OBSERVER_FALLBACK_MODEL",
        "observer_models",
        Kind.LIST,
        "google/gemini-2.0-flash-001",
        "Models tried after it, in order, separated by commas.",
    ),
    Setting(
        "REFLECTOR_MODEL",
        "reflector_models",
        Kind.TEXT,
        "",
        "Model that consolidates; the observer's if unset.",
    ),
    Setting(
        "REFLECTOR_FALLBACK_MODEL",
        "reflector_models",
        Kind.LIST,
        "",
        "Models tried after it; the observer's if unset.",
    ),
    Setting(
        "OPENCLAW_WORKSPACE",
        "workspace",
        Kind.PATH,
        "",
        "Workspace of the agent (main, or the one given by --agent); found by itself, at last ~/clawd.",
        sources=NOT_IN_WORKSPACE,
        example="~/clawd",
    ),
    Setting(
        "MEMORY_DIR",
        "memory_dir",
        Kind.PATH,
        "",
        "Folder of the notes; <workspace>/memory if unset.",
        example="~/clawd/memory",
    ),
    Setting(
        "SESSIONS_DIR",
        "sessions_dir",
        Kind.PATH,
        "",
        "Folder of the agent's session files; found by itself if unset.",
        example="~/.openclaw/agents/main/sessions",
    ),
    number(
        "OBSERVER_LOOKBACK_MIN",
        "lookback_min",
        "15",
        (0, 525_600),
        "Minutes looked back on an agent's first run; later runs read on from where they were.",
    ),
    number(
        "OBSERVER_MORNING_LOOKBACK_MIN",
        "morning_lookback_min",
        "480",
        (0, 525_600),
        "The same for a first run before 8 o'clock.",
    ),
    number(
        "OBSERVER_LINE_THRESHOLD",
        "line_threshold",
        "40",
        (1, 100_000),
        "New transcript entries after which the observer runs at once.",
    ),
    number(
        "OBSERVER_COOLDOWN_SECS",
        "cooldown_s",
        "300",
        (1, 86_400),
        "Least seconds between two runs that the line threshold starts.",
    ),
    number(
        "REFLECTOR_WORD_THRESHOLD",
        "reflector_word_threshold",
        "8000",
        (200, 1_000_000),
        "Words in observations.md after which the reflector consolidates.",
    ),
)
