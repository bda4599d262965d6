"""REC: who is asked to recover a dead executor, when, and what the relay makes of the answers."""
