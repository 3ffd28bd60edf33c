"""Our own bookkeeping in SQLite."""
