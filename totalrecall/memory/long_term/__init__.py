"""``MEMORY.md``: what lasts. Ours is one marked block in it; everything else is other people's."""
