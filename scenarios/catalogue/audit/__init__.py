"""AUD: what the audit log holds of a recovery, and what it keeps through a crash."""
