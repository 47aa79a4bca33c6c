// Tests count descriptors, threads and allocated bytes of the process.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
