"""Looking for schedules that break a relay, and for the smallest of them."""
