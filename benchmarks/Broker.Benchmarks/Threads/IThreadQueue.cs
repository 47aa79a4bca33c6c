namespace Broker.Benchmarks.Threads;

/// <summary>A queue from one thread to another. It is implemented by structs, so that calls are direct.</summary>
internal interface IThreadQueue
{
    void Post(object item);

    /// <summary>Takes all waiting items and returns their number.</summary>
    int Drain();
}
