namespace Broker.TestKit;

/// <summary>
/// Sends messages in portions, waits until each portion has been received, and measures the allocations of the whole
/// process. Portions keep the waiting bytes within what the pools store.
/// </summary>
/// <param name="portion">The number of messages that one call of the send action sends.</param>
public sealed class PortionedLoad(int portion) : IDisposable
{
    private readonly AutoResetEvent _complete = new(false);
    private long _received;
    private long _expected;

    /// <summary>The number of messages that have been received.</summary>
    public long Received => Volatile.Read(ref _received);

    /// <inheritdoc/>
    public void Dispose() => _complete.Dispose();

    /// <summary>Counts a received message. Only one thread may call this at a time.</summary>
    public void Count()
    {
        Volatile.Write(ref _received, _received + 1);
        if (_received == Volatile.Read(ref _expected))
        {
            _complete.Set();
        }
    }

    /// <summary>
    /// Measures the allocations for a number of messages and for twice as many, after two rounds of warm-up.
    /// </summary>
    /// <param name="messages">The number of messages of a round, a multiple of the portion.</param>
    /// <param name="rounds">The number of measured rounds. The smallest result counts.</param>
    /// <param name="send">Sends a portion, or starts to send it on another thread.</param>
    /// <param name="describe">Describes the state for a failure.</param>
    public (long Once, long Twice) Measure(int messages, int rounds, Action send, Func<string> describe)
    {
        long once = Least(messages, rounds, send, describe);
        return (once, Enumerable.Range(0, rounds).Min(_ => Run(2 * messages, send, describe)));
    }

    /// <summary>Measures the allocations for a number of messages, after two rounds of warm-up.</summary>
    /// <inheritdoc cref="Measure"/>
    public long Least(int messages, int rounds, Action send, Func<string> describe)
    {
        // These rounds compile the code and fill the pools.
        Run(messages, send, describe);
        Run(messages, send, describe);

        // Other threads of the process allocate too, and a pool may grow because a thread had to wait for a processor.
        // Allocations for each message occur in every round, so the round with the fewest is the code's own.
        return Enumerable.Range(0, rounds).Min(_ => Run(messages, send, describe));
    }

    // The calling thread blocks, because an await would allocate.
    private long Run(int messages, Action send, Func<string> describe)
    {
        long before = GC.GetTotalAllocatedBytes(precise: true);
        for (int sent = 0; sent < messages; sent += portion)
        {
            Volatile.Write(ref _expected, Received + portion);
            send();
            if (!_complete.WaitOne(Wait.Limit))
            {
                Assert.Fail($"Received {Received} of {_expected} messages. {describe()}");
            }
        }

        return GC.GetTotalAllocatedBytes(precise: true) - before;
    }
}
