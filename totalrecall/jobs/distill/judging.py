"""Levels and themes of the candidates: by a model where there is one, else by the rules."""

from __future__ import annotations

from collections.abc import Sequence

from totalrecall.domain.distilled import Candidate, Judged
from totalrecall.errors import BatchRefusedError, CeilingError, ConfigError, ModelUnreachableError
from totalrecall.jobs.context import AgentContext

JOB = "distill"


def judge_all(ctx: AgentContext, candidates: Sequence[Candidate]) -> list[Judged]:
    """Every candidate with its level, in their order. A model that does not answer is no reason to wait."""
    from totalrecall.llm.extractive.levels import judge

    by_rules = [judge(one) for one in candidates]
    access = ctx.model_for(JOB) if candidates else None
    if access is None:
        return by_rules
    from totalrecall.llm.distill_reader import ModelJudge

    try:
        return ModelJudge(access, ctx.agent, ctx.screen).judged(by_rules)
    except (ModelUnreachableError, CeilingError, ConfigError, BatchRefusedError) as error:
        ctx.log.warning("distilled_by_rules", kind=type(error).__name__)
        return by_rules
