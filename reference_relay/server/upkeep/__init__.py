"""What the relay does of its own accord, on a schedule: collect metrics, ask for retention, watch alerting rules."""
