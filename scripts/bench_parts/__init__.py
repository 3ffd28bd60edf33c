"""The parts of ``scripts/bench``: each measures one thing beside its yardstick, in the same run."""
