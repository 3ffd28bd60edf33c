"""The files that remember."""
