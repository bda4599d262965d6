"""HSK: executor_info, from the upgrade to the executors list."""
