"""Many runs of one model: designs of parameters, execution anywhere, a store on disk, statistics, optimization."""
