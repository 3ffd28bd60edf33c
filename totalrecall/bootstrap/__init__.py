"""The one place that builds everything for an agent from the settings."""
