"""Where the runs of a study are made: this process, executors with workers, a GPU."""
