"""The DBOS Conductor wire protocol: messages, codec, rules for senders, and the timing profile."""
