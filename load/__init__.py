"""Load: Locust users that are executors and API clients, and a benchmark beside a bare server."""
