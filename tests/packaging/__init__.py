"""What is shipped: the wheel, the set-up, the scripts, the promises of the docs."""
