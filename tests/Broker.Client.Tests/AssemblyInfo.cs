// Each test has a server and loops of its own; on two processors they would only slow each other down, and allocations are counted
// for the process.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
