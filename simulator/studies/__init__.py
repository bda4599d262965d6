"""Questions about timing, answered with the relay's own core in virtual time: with intervals, and the count of runs.

A study is one file: it cuts a `Grid` of points into tasks, runs one task, and makes tables and charts of the results.
Tasks and results are JSON values, so that they run in any process (`relayproof.sweep`).
"""
