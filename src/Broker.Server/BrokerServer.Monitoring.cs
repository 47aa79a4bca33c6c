namespace Broker.Server;

// Descriptions of the server and of its parts.
public sealed partial class BrokerServer
{
    /// <summary>
    /// Describes the HTTP address of the monitoring pages, for <see cref="Inspect"/> and for the answers to requests of
    /// the system account. The monitoring pages of <c>Broker.AspNetCore</c> set this callback. The server calls it on
    /// any thread.
    /// </summary>
    public Func<HttpDescription>? DescribeHttp { get; set; }

    /// <summary>
    /// Describes the links of the server for the monitoring pages. The package with the links sets it. Called on any
    /// thread.
    /// </summary>
    public Func<IReadOnlyList<LeafNodeDescription>>? DescribeLeafNodes { get; set; }

    /// <summary>
    /// Describes the address for servers that join this one, for the monitoring pages; the callback returns null if
    /// there is none. The package with the links sets it. Called on any thread.
    /// </summary>
    public Func<LeafListenerDescription?>? DescribeLeafListener { get; set; }

    /// <summary>
    /// Describes the server with its configuration and its counters. Thread-safe; it does not use the event loops.
    /// </summary>
    public ServerDescription Inspect() => _inspector.Inspect() with
    {
        Http = DescribeHttp?.Invoke(),
        LeafListener = DescribeLeafListener?.Invoke(),
        LeafNodes = DescribeLeafNodes?.Invoke() ?? [],
        Streams = _core.Streams?.Describe(),
    };

    /// <summary>
    /// Describes the accounts with streams, ordered by name; none if the server has no streams. Thread-safe.
    /// </summary>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    public Task<IReadOnlyList<AccountStreamsDescription>> InspectStreamsAsync(
        StreamsQuery? query = null, CancellationToken cancellationToken = default)
        => _core.Streams?.DescribeAccountsAsync(query ?? new StreamsQuery(), cancellationToken)
            ?? Task.FromResult<IReadOnlyList<AccountStreamsDescription>>([]);

    /// <summary>Describes all accounts, ordered by name. Thread-safe.</summary>
    public IReadOnlyList<AccountDescription> InspectAccounts() => _inspector.InspectAccounts();

    /// <summary>
    /// Lists the subjects to which clients publish most, if <see cref="BrokerServerOptions.SampleSubjects"/> is set.
    /// The numbers are estimates from samples. Thread-safe.
    /// </summary>
    public SubjectPage InspectSubjects() => _inspector.InspectSubjects();

    /// <summary>
    /// Lists clients. The server visits all clients to determine the order, and describes only the clients of the page.
    /// The event loops do no work for the list, unless the query requests subscriptions: then they copy at most
    /// <see cref="ConnectionQuery.MaxListedSubscriptions"/> references. The server keeps the descriptions of the last
    /// <c>10,000</c> closed clients.
    /// </summary>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    public Task<ConnectionPage> InspectConnectionsAsync(
        ConnectionQuery? query = null, CancellationToken cancellationToken = default)
        => _inspector.InspectConnectionsAsync(query, cancellationToken);

    /// <summary>
    /// Lists subscriptions, ordered by client and by the number of the sid. Only the loops of clients on the page do
    /// work for the list; they copy a few thousand references at a time. If a client has very many subscriptions, they
    /// are sorted for the first page. The sorted list is kept for the following pages, as long as these are requested
    /// soon and the client does not subscribe meanwhile.
    /// </summary>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    public Task<SubscriptionPage> InspectSubscriptionsAsync(
        SubscriptionQuery? query = null, CancellationToken cancellationToken = default)
        => _inspector.InspectSubscriptionsAsync(query, cancellationToken);
}
