namespace Broker.Benchmarks.Requests;

/// <summary>A client that asks and waits for the answers, which are what was asked.</summary>
internal interface IRequester : IDisposable
{
    /// <summary>Asks once for each place, one after the other.</summary>
    /// <param name="ticks">How long each took, in ticks of <see cref="System.Diagnostics.Stopwatch"/>.</param>
    void Ask(Span<long> ticks);

    /// <summary>Lets so many ask at a time, each one after the other. False where the client has no such form.</summary>
    bool TryAskTogether(int requesters, int each);
}
