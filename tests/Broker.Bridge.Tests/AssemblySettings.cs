// The tests run one after the other: tests with bridges have their own servers and loops, and one counts the
// allocations of the process.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
