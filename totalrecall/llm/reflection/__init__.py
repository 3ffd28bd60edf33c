"""Consolidating the observation log: what may leave, what must stay, and whether an answer is accepted.

Everything here but ``model`` is pure. Nobody is trusted: what is protected never depends on a model.
"""
