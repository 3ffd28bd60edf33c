"""Asking a model, or the built-in engine that needs none."""
