"""Dockerfiles of the suite's own images, a folder each, with what they copy. Built by `chaos.docker.builds`."""
