"""Options that several commands take."""

from __future__ import annotations

import click

agent_option = click.option("--agent", metavar="NAME", help="Only this agent; without it, every agent.")
json_option = click.option("--json", "as_json", is_flag=True, help="The result as JSON.")
session_option = click.option(
    "--session", metavar="ID", default="", help="Only this session: an id, a key, or a glob over keys."
)
