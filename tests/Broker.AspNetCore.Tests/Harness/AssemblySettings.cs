// Memory is the process's, and some of these tests are about it.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
