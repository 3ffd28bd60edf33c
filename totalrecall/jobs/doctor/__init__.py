"""Everything that can be wrong, each with what to do: one module for each kind of thing."""
