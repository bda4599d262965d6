"""What the simulator costs, as ratios to bare loops measured in turn with it: see docs/simulator-benchmark.md."""
