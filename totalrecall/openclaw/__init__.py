"""Living beside OpenClaw: the hook and the skill, and what installing them changes."""
