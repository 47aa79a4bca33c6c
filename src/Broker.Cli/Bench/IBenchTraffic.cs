namespace Broker.Cli.Bench;

/// <summary>The connections of one measurement, and the messages on them.</summary>
internal interface IBenchTraffic : IAsyncDisposable
{
    /// <summary>The name of what is measured, once it is open.</summary>
    string Server { get; }

    /// <summary>The address of the server, as a host and a port; null if there is no server.</summary>
    string? Address { get; }

    BenchCounts Counts { get; }

    /// <summary>Whether the server has refused a part of the traffic.</summary>
    bool WasRefused { get; }

    /// <summary>Opens all connections. Messages that are sent afterwards reach every receiver.</summary>
    Task OpenAsync(CancellationToken stop);

    /// <summary>Starts the senders. Each ends when its share of the messages was sent, or when it is asked to end.</summary>
    Task[] Start(CancellationToken end);
}
