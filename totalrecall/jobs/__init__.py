"""What the service does, one module each."""
