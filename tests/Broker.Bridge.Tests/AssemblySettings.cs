// Tests with bridges have servers and loops of their own, and one counts the allocations of the process.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
