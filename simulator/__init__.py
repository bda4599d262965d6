"""The simulated world: scenarios around the reference relay's own core, in virtual time, under SimPy."""
