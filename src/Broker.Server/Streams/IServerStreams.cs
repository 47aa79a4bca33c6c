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

    /// <summary>Whether an account has streams. Called on any thread; it must not wait for a loop.</summary>
    /// <param name="account">The name of the account.</param>
    bool HasStreams(string account);

    /// <summary>
    /// Returns the answer to a request of an account without streams. Called on any thread; it must not wait for a
    /// loop.
    /// </summary>
    /// <param name="request">The subject of the request after <c>$JS.API.</c></param>
    /// <returns>The answer; empty if nobody answers the request.</returns>
    ReadOnlyMemory<byte> Refuse(string request);

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
