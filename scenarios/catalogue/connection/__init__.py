"""CON: who gets in, and at which path."""
