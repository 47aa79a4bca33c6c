namespace Broker.Streams.Tests.Store;

/// <summary>Collects the outcomes that a store reports.</summary>
internal sealed class Acks : IStoreCompletion
{
    private readonly List<(long Token, ulong Sequence, StoreOutcome Outcome)> _all = [];

    public IReadOnlyList<(long Token, ulong Sequence, StoreOutcome Outcome)> All
    {
        get
        {
            lock (_all)
            {
                return [.. _all];
            }
        }
    }

    public void OnStored(long token, ulong sequence, StoreOutcome outcome)
    {
        lock (_all)
        {
            _all.Add((token, sequence, outcome));
        }
    }
}
