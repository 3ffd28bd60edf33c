"""Commands: thin shells over the jobs."""
