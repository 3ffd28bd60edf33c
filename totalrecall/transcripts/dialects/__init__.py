"""From a raw record to an event, one module per agent program."""
