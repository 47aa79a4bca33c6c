namespace Broker.Cli.Bench;

/// <summary>A socket or a NATS client that receives, counts or answers the messages of a measurement.</summary>
internal interface IBenchReceiver : IAsyncDisposable
{
    /// <summary>The endpoint without a peer; null if all peers have answered.</summary>
    string? Away { get; }

    /// <summary>Connects to the senders or to a bridge, or binds, and returns the bound endpoints.</summary>
    IReadOnlyList<string> Open(IReadOnlyList<string> senders);

    /// <summary>Starts to receive. Messages that a server gets afterwards are received.</summary>
    Task StartAsync(CancellationToken end);
}
