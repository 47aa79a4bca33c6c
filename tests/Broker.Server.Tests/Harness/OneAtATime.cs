// Memory and allocation are the process's, and many of these tests are about them.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
