"""The benchmark: dispatch, accept and memory of the relay beside a bare picows server, in one run."""
