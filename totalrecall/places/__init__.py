"""Where things are: OpenClaw's folders, its config, agents, workspaces, our own folders."""
