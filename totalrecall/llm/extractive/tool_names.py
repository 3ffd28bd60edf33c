"""Names of programs and languages, and what else is certainly a tool by the way it is written. Data."""

from __future__ import annotations

import re

_NAMES = """
git uv pip pipx poetry conda npm pnpm yarn bun deno cargo cmake bazel gradle maven brew nix vim nvim neovim
emacs nano helix tmux zsh bash ssh rsync curl jq fzf ripgrep kubectl helm docker podman terraform ansible
vagrant pytest ruff mypy pyright eslint prettier jest vite webpack python golang kotlin perl php typescript
javascript elixir haskell scala django flask fastapi rails laravel vue svelte angular htmx tailwind redis
kafka sqlite postgres mysql mariadb mongodb elasticsearch nginx caddy linux debian ubuntu fedora macos ios
android firefox chrome discord telegram whatsapp jira obsidian figma trello asana confluence outlook
thunderbird gmail todoist logseq kubernetes aws azure gcp hetzner cloudflare heroku google github gitlab
jekyll latex pandoc grafana prometheus ollama chatgpt copilot sql html css
"""
# Other words as well, unless they are written with a capital.
_CAPITAL = """
Go Rust Java Swift Ruby React Windows Safari Slack Zoom Teams Signal Linear Notion Excel Word Claude Cursor
Oracle Apache Sentry Hugo Node Make
"""
_KNOWN = frozenset(_NAMES.split())
_WRITTEN = frozenset(_CAPITAL.split())
_MIXED = re.compile(
    r"(?:[A-Z]+[a-z]+[A-Z]\w*|[A-Z]{2,}[a-z]{3,}\w*|[a-z]+[A-Z]\w*|[a-z]+\d+[a-z]+|[A-Z]\+\+|[A-Z]#|\.NET)"
)


def is_tool(words: str) -> bool:
    """Whether a word of ``words`` is certainly a tool: a known name, or one written as only they are."""
    return any(
        one.casefold() in _KNOWN or one in _WRITTEN or _MIXED.fullmatch(one) is not None
        for one in words.split()
    )
