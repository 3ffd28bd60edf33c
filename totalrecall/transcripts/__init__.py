"""Reading what was said."""
