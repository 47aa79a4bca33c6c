namespace Broker.Cli.Bench;

/// <summary>A socket or a NATS client that sends the messages of a measurement.</summary>
internal interface IBenchSender : IAsyncDisposable
{
    /// <summary>The endpoint without a peer; null if all peers have answered.</summary>
    string? Away { get; }

    /// <summary>Connects to the receivers or to a bridge, or binds, and returns the bound endpoints.</summary>
    IReadOnlyList<string> Open(IReadOnlyList<string> receivers);

    /// <summary>Sends a message, or sends a request and waits for its reply. Returns whether a reply came.</summary>
    ValueTask<bool> SendAsync(ReadOnlyMemory<byte> body, CancellationToken end);

    /// <summary>Waits until a server has taken everything.</summary>
    Task FlushAsync();
}
