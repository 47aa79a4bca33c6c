using Broker.Benchmarks.Peers;

namespace Broker.Benchmarks.Receiving;

/// <summary>
/// The consumer of all receivers. It counts and sums messages and signals the last one. It is for one thread at a time.
/// </summary>
internal sealed class Tally : IDisposable
{
    private readonly AutoResetEvent _reached = new(false);
    private long _received;
    private long _expected;

    internal long Received => Volatile.Read(ref _received);

    internal ulong Sum { get; private set; }

    internal void Expect(long total) => Volatile.Write(ref _expected, total);

    internal void Wait() => _reached.WaitOne();

    internal void Take(ReadOnlySpan<byte> body)
    {
        Sum += MessageSource.Weigh(body);
        long now = _received + 1;
        Volatile.Write(ref _received, now);
        if (now == Volatile.Read(ref _expected))
        {
            _reached.Set();
        }
    }

    public void Dispose() => _reached.Dispose();
}
