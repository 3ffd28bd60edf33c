"""Screening: what must neither leave nor land. Pure."""
