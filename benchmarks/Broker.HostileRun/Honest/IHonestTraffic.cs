namespace Broker.HostileRun.Honest;

/// <summary>One kind of honest traffic. It runs from its creation until its end.</summary>
internal interface IHonestTraffic : IAsyncDisposable
{
    /// <summary>The name in the report.</summary>
    string Name { get; }

    TimeMeter Times { get; }

    /// <summary>The number of messages, requests or probes so far.</summary>
    long Sent { get; }

    /// <summary>Other faults, such as a closed connection, as sentences.</summary>
    IReadOnlyCollection<string> Faults { get; }

    /// <summary>Stops sending, waits for what is on its way, and returns the counts.</summary>
    Task<HonestCounts> EndAsync();
}
