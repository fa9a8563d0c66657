"""The robots of the benchmarks, and the same robots in Pinocchio and MuJoCo; tests use them as oracles."""
