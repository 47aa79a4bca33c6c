// Tests count descriptors, threads and allocated bytes of the process, so they do not run in parallel.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
