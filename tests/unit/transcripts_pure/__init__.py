"""Tests of the pure part of reading: dialect, kinds, envelopes, noise, batches."""
