namespace Broker.Benchmarks.Requests;

/// <summary>A client that sends requests and waits for the replies, which repeat the requests.</summary>
internal interface IRequester : IDisposable
{
    /// <summary>Sends one request after another, one for each element of <paramref name="ticks"/>.</summary>
    /// <param name="ticks">
    /// Receives the duration of each request, in ticks of <see cref="System.Diagnostics.Stopwatch"/>.
    /// </param>
    void Ask(Span<long> ticks);

    /// <summary>
    /// Sends requests from several concurrent requesters, each with one request after another. Returns false if the
    /// client has no such mode.
    /// </summary>
    bool TryAskTogether(int requesters, int each);
}
