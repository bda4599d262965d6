"""Long searches and sweeps as durable workflows: a shard is a DBOS workflow on a queue, its result a durable row.

Killed in the middle, a sweep resumes with the command that started it; no shard counts twice, because a shard's
workflow id is its number. On PostgreSQL, workers on any number of machines connect to the reference relay, which has a
dead worker's shards recovered by the others: the suite runs on what it tests.
"""
