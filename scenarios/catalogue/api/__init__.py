"""API: bearer tokens, problem documents, encoded ids."""
