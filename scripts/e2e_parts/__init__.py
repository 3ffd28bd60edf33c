"""The end-to-end run beside a real OpenClaw: ``scripts/e2e``."""
