using System.Runtime.InteropServices;
using Broker.Transport;

namespace Broker.Streams;

/// <summary>
/// Brings the outcomes of the stores of an account, each of which has a thread, to the loop of the account: one lock and
/// one wake for each group.
/// </summary>
internal sealed class StoreReports : IStoreCompletion
{
    private readonly EventLoop _loop;
    private readonly Action<ReadOnlySpan<Report>> _handle;
    private readonly Action _drain;
    private readonly Lock _gate = new();

    private List<Report> _ready = [];
    private List<Report> _handled = [];
    private bool _isPosted;

    /// <summary>Creates the way to a loop.</summary>
    /// <param name="loop">The loop.</param>
    /// <param name="handle">Called on the loop with the reports of one or more groups.</param>
    internal StoreReports(EventLoop loop, Action<ReadOnlySpan<Report>> handle)
    {
        _loop = loop;
        _handle = handle;
        _drain = Drain;
    }

    // The store on the disk and the one in memory may report at the same time, so a group holds the lock.
    public void OnReporting() => _gate.Enter();

    public void OnStored(long token, ulong sequence, StoreOutcome outcome) => _ready.Add(new Report(token, sequence, outcome));

    public void OnReported()
    {
        if (!_isPosted)
        {
            _isPosted = _loop.TryPost(_drain);
        }

        _gate.Exit();
    }

    private void Drain()
    {
        lock (_gate)
        {
            _isPosted = false;
            (_ready, _handled) = (_handled, _ready);
        }

        try
        {
            _handle(CollectionsMarshal.AsSpan(_handled));
        }
        finally
        {
            // Nothing is reported twice, whatever happens.
            _handled.Clear();
        }
    }

    /// <summary>The outcome of one record.</summary>
    /// <param name="Token">The token of the record.</param>
    /// <param name="Sequence">The sequence.</param>
    /// <param name="Outcome">The outcome.</param>
    [StructLayout(LayoutKind.Auto)]
    internal readonly record struct Report(long Token, ulong Sequence, StoreOutcome Outcome);
}
