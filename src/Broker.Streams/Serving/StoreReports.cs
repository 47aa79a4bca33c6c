using System.Runtime.InteropServices;
using Broker.Transport;

namespace Broker.Streams;

/// <summary>
/// Brings the outcomes of a store from the store's thread to the loop of the account: one lock and one wake for each
/// group.
/// </summary>
internal sealed class StoreReports : IStoreCompletion
{
    private readonly EventLoop _loop;
    private readonly Action<ReadOnlySpan<Report>> _handle;
    private readonly Action _drain;
    private readonly Lock _gate = new();

    // Used by the store's thread.
    private readonly List<Report> _group = [];

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

    public void OnStored(long token, ulong sequence, StoreOutcome outcome) => _group.Add(new Report(token, sequence, outcome));

    public void OnReported()
    {
        lock (_gate)
        {
            _ready.AddRange(CollectionsMarshal.AsSpan(_group));
            if (!_isPosted)
            {
                _isPosted = _loop.TryPost(_drain);
            }
        }

        _group.Clear();
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
