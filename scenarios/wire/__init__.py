"""The wire world: scripted executors on real sockets against a relay that runs as a process."""
