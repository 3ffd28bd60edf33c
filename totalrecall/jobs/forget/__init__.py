"""Forgetting: found everywhere, shown, removed surgically, and not learnt again from the same messages."""
