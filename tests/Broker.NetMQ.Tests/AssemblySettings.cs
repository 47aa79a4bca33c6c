// NetMQ's sockets and their limit belong to the process, and some tests count the memory of the process.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
