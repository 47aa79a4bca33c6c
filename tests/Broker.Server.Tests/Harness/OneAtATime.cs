// Many of these tests measure the memory and the allocations of the process, so they must not run in parallel.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
