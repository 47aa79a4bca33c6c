using System.Collections.Concurrent;

namespace Broker.LoadTest.Soak;

/// <summary>The messages that a consumer has to receive. Thread-safe.</summary>
internal sealed class SoakLedger
{
    private readonly ConcurrentDictionary<long, bool> _outstanding = new();

    /// <summary>The messages that the consumer has not received yet.</summary>
    public int Outstanding => _outstanding.Count;

    /// <summary>Called before a message is published, because it can be received before it is acknowledged.</summary>
    public void Expect(long number) => _outstanding.TryAdd(number, true);

    /// <summary>Called if the message was not acknowledged, so that it may be missing.</summary>
    public void Forget(long number) => _outstanding.TryRemove(number, out _);

    public void Receive(long number) => _outstanding.TryRemove(number, out _);
}
