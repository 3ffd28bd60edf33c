"""Write ``.env.example`` and print the README's table of settings, both from ``config/table.py``.

In the README, cog runs: ``from scripts.docs_settings import readme_table; cog.out(readme_table())``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from totalrecall.config.show import env_example, settings_table

ENV_EXAMPLE = Path(__file__).resolve().parents[1] / ".env.example"


def readme_table() -> str:
    """The Markdown table."""
    return settings_table()


def main() -> int:
    """Write the file, or with ``--check`` say by the exit code whether it is current."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="change nothing; exit 1 if .env.example is stale"
    )
    if parser.parse_args().check:
        return 0 if ENV_EXAMPLE.is_file() and ENV_EXAMPLE.read_text("utf-8") == env_example() else 1
    ENV_EXAMPLE.write_text(env_example(), "utf-8")
    print(readme_table(), end="")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
