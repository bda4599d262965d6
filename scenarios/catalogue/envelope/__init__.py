"""ENV: frames, request ids, and what happens to a request whose answer goes astray."""
