"""The gate: conformance, search and chaos in one command, with one exit code, one page and one JUnit file.

A gate that can't turn red proves nothing: each part is also run on a relay that is broken on purpose, its canary, and a
canary that passes fails the gate itself.
"""
