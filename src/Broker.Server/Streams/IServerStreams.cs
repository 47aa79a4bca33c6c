namespace Broker.Server;

/// <summary>
/// The streams of a server. The package <c>Broker.Streams</c> implements it;
/// <see cref="BrokerServer.StartAsync(BrokerServerOptions, Func{BrokerServer, CancellationToken, Task{IServerStreams}}, CancellationToken)"/>
/// starts it. The server disposes it before its own targets end.
/// </summary>
public interface IServerStreams : IAsyncDisposable
{
    /// <summary>The domain, which is a second name of the JetStream API; null for none. It never changes.</summary>
    string? Domain { get; }

    /// <summary>
    /// Describes the streams of all accounts together. Called on any thread; it must not wait for a loop.
    /// </summary>
    StreamsDescription Describe();

    /// <summary>
    /// Describes all accounts with streams, ordered by name. The query chooses what is listed of them. Called on any
    /// thread.
    /// </summary>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    Task<IReadOnlyList<AccountStreamsDescription>> DescribeAccountsAsync(StreamsQuery query, CancellationToken cancellationToken);
}
