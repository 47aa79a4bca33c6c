namespace Broker.Benchmarks.Threads;

/// <summary>From one thread to another, in order. Implemented by structs, so that calls are direct.</summary>
internal interface IHandOver
{
    void Post(object item);

    /// <summary>Takes what is there and returns how many that was.</summary>
    int Drain();
}
