// Some of these tests measure the memory of the whole process, so tests do not run in parallel.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
