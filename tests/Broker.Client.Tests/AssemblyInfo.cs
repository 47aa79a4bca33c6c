// Each test has its own server and event loops. On two processors parallel tests would only slow each other down, and
// allocations are counted for the whole process.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
