"""``totalrecall search``: looking something up in everything that is remembered."""

from __future__ import annotations

from dataclasses import replace

import click

from totalrecall.cli.invocation import each_agent, opened, tell, worst
from totalrecall.cli.options import agent_option, json_option
from totalrecall.cli.output import count, emit_json
from totalrecall.cli.talk import paint, say
from totalrecall.domain.outcome import ExitCode
from totalrecall.errors import TotalRecallError
from totalrecall.jobs.search import LIMIT, Hit, SearchOptions, SearchResult, search


@click.command("search")
@click.argument("text", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1, 1000), default=LIMIT, show_default=True, help="Most answers.")
@click.option("--archive", is_flag=True, help="Also in what left the memory files.")
@click.option("--transcripts", is_flag=True, help="Also in the talk itself.")
@agent_option
@json_option
def search_command(
    text: tuple[str, ...], limit: int, archive: bool, transcripts: bool, agent: str | None, as_json: bool
) -> int:
    """Look TEXT up in notes, daily logs, MEMORY.md, task snapshots and session states, best answer first."""
    options = SearchOptions(" ".join(text), limit, archive=archive, transcripts=transcripts)
    codes: list[int] = []
    found: list[SearchResult] = []
    seen: set[str] = set()
    for installation, places in each_agent(agent):
        try:
            with opened(installation, places) as ctx:
                result = search(ctx, options)
        except TotalRecallError as error:
            codes.append(tell(error, places.agent.name))
            continue
        # Agents that share a workspace have their memory in common: it answers once.
        hits = [one for one in result.hits if f"{one.file}:{one.line}" not in seen]
        seen |= {f"{one.file}:{one.line}" for one in hits}
        found.append(replace(result, hits=hits))
    hits = sorted((one for result in found for one in result.hits), key=lambda one: one.score, reverse=True)
    _tell(found, hits[:limit], options, as_json=as_json)
    if any(result.unreadable for result in found):
        codes.append(ExitCode.PARTIAL)
    return worst(codes)


def _tell(found: list[SearchResult], hits: list[Hit], options: SearchOptions, *, as_json: bool) -> None:
    if as_json:
        emit_json(hits)
    for one in () if as_json else hits:
        when = f"{one.day or ''} {one.time}".strip() or "no date"
        say(f"{paint(when, 'green')}  [{one.kind}]  {one.text}")
        say(f"    {one.file}:{one.line}")
    for path, why in (pair for result in found for pair in result.unreadable.items()):
        say(f"not searched: {path}: {why}", err=True)
    if hits or as_json:
        return
    files = sum(result.files for result in found)
    passages = sum(result.passages for result in found)
    say(f"Nothing found in {count(passages, 'passage')} of {count(files, 'file')}.", err=True)
    further = [f"--{name}" for name in ("archive", "transcripts") if not getattr(options, name)]
    if further:
        say(f"  {' and '.join(further)} look further.", err=True)
