"""Behaviour of the reflection's decisions."""
