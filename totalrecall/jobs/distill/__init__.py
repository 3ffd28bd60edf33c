"""Distillation: what lasts goes to ``MEMORY.md``, what is of the day to the daily log, the rest nowhere."""
