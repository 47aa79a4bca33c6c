namespace Broker.Benchmarks.Receiving;

/// <summary>A client that receives messages and hands them to a consumer, who adds them up.</summary>
internal interface IReceiver : IDisposable
{
    /// <summary>How many the consumer has had. Any thread.</summary>
    long Received { get; }

    /// <summary>What they add up to, once all that were sent have been received.</summary>
    ulong Sum { get; }

    /// <summary>Connects and subscribes.</summary>
    /// <param name="port">Where the source is.</param>
    /// <param name="filter">What to subscribe to, with an end as C has it.</param>
    void Start(int port, ReadOnlySpan<byte> filter);

    /// <summary>Says how many there will have been before they are sent.</summary>
    void Expect(long total);

    /// <summary>Waits for them.</summary>
    void Wait();
}
