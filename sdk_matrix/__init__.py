"""Workers: the same workload run by real SDKs, one program a language, behind one contract."""
