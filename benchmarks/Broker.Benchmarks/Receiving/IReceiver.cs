namespace Broker.Benchmarks.Receiving;

/// <summary>A client that receives messages and passes them to a consumer, which adds them up.</summary>
internal interface IReceiver : IDisposable
{
    /// <summary>The number of messages that the consumer has received. Any thread may read it.</summary>
    long Received { get; }

    /// <summary>The sum of the messages. It is valid once all messages that were sent have been received.</summary>
    ulong Sum { get; }

    /// <summary>Connects and subscribes.</summary>
    /// <param name="port">The port of the source.</param>
    /// <param name="filter">The filter to subscribe to, with the terminating zero of C.</param>
    void Start(int port, ReadOnlySpan<byte> filter);

    /// <summary>Sets the total number of messages, before they are sent.</summary>
    void Expect(long total);

    /// <summary>Waits for all messages.</summary>
    void Wait();
}
