"""systemd user units and launchd agents: rendered, installed, looked at, removed."""
