"""Transcripts that OpenClaw keeps as rows of the agent's SQLite file (stable since 2026.8.1)."""
