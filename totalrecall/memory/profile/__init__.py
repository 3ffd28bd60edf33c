"""What is known about the user: ``user_profile.json``, one file for all agents of a home."""
