"""Writing so that nothing is lost: atomic replace, append, locks."""
