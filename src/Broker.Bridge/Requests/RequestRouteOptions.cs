namespace Broker.Bridge;

/// <summary>
/// The options of a route for ZeroMQ clients (REQ, DEALER). A ROUTER socket receives their requests, and services on a
/// subject reply. The route publishes each request with a reply subject and sends the first reply to the client that
/// asked, after the envelope of its request.
/// </summary>
/// <remarks>
/// A request without a reply within its time to live is dropped and counted. While no server is connected, or while the
/// maximum of requests is pending, further requests stay with their clients: the route does not read from them. Later
/// replies to the same request, and replies to clients that have disconnected, are dropped and counted.
/// </remarks>
public sealed record RequestRouteOptions : SocketRouteOptions
{
    private const int LongestLife = 24;

    /// <summary>
    /// The subject of all requests; null if <see cref="Topics"/> derives the subject from the first frame of each
    /// request.
    /// </summary>
    public string? Subject { get; init; }

    /// <summary>
    /// How the first frame of a request becomes its subject, as for PUB/SUB; null if <see cref="Subject"/> is set.
    /// </summary>
    public MappingOptions? Topics { get; init; }

    /// <summary>
    /// How long a request waits for its reply. The route may wait up to an eighth longer. Default 30 s.
    /// </summary>
    public TimeSpan TimeToLive { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// The reply to a client whose request timed out, as a body of one frame. Default null for no reply: a REQ without
    /// its own time-out then waits forever, even if a service starts later.
    /// </summary>
    public ReadOnlyMemory<byte>? TimeoutReply { get; init; }

    /// <summary>
    /// The reaction to a request if nobody subscribes to its subject. Default <see cref="NoResponders.Hold"/>.
    /// </summary>
    public NoResponders NoResponders { get; init; } = NoResponders.Hold;

    /// <summary>
    /// The reply for <see cref="NoResponders.Reply"/>, as a body of one frame. Default <c>no responders</c>.
    /// </summary>
    public ReadOnlyMemory<byte> NoRespondersReply { get; init; } = "no responders"u8.ToArray();

    /// <summary>How many requests may wait for replies at the same time. Default 16,384.</summary>
    public int MaxPending { get; init; } = 16_384;

    /// <summary>How many requests of one client may wait for replies at the same time. Default 1,024.</summary>
    public int MaxPendingPerClient { get; init; } = 1024;

    /// <summary>
    /// How many bytes of requests may wait for replies at the same time. Above this limit the route stops reading from
    /// its clients, so that they wait for a slow service. Keep the limit well below the number of bytes that the server
    /// permits to be pending for one client, because otherwise the server may close the service as a slow consumer. A
    /// single request may exceed the limit. Default 16 MiB.
    /// </summary>
    public long MaxPendingBytes { get; init; } = 16L * 1024 * 1024;

    /// <summary>
    /// How many bytes of requests of one client may wait for replies at the same time. A single request may exceed the
    /// limit. Default 4 MiB.
    /// </summary>
    public long MaxPendingBytesPerClient { get; init; } = 4L * 1024 * 1024;

    /// <summary>
    /// The reply to a client whose service answered with an error, as a body of one frame. An error is a reply with the
    /// header <c>Nats-Service-Error-Code</c> or <c>Nats-Service-Error</c>, or with a status of 400 or more. Default
    /// null for no reply: ZeroMQ has no errors, and an empty message would look like an answer.
    /// </summary>
    public ReadOnlyMemory<byte>? ServiceErrorReply { get; init; }

    /// <summary>
    /// How many bytes of requests the route may keep to publish them again if necessary. Default 64 MiB.
    /// </summary>
    public long MaxKeptBytes { get; init; } = 64L * 1024 * 1024;

    /// <inheritdoc/>
    public override string Pattern => "request";

    /// <inheritdoc/>
    public override void Validate()
    {
        base.Validate();
        if ((Subject is null) == (Topics is null))
        {
            throw new ArgumentException("Exactly one of Subject and Topics must be set.", nameof(Subject));
        }

        if (Subject is not null && !Broker.Protocol.Subject.IsValidLiteral(System.Text.Encoding.UTF8.GetBytes(Subject)))
        {
            throw new ArgumentException(
                $"'{Subject}' is not a valid subject to publish to: "
                + "it must have non-empty tokens without white space or wildcards.",
                nameof(Subject));
        }

        if (Topics is not null)
        {
            _ = new MessageMapper(Topics);
        }

        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(TimeToLive, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(TimeToLive, TimeSpan.FromHours(LongestLife));
        ArgumentOutOfRangeException.ThrowIfLessThan((int)NoResponders, (int)NoResponders.Hold, nameof(NoResponders));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(
            (int)NoResponders, (int)NoResponders.Reply, nameof(NoResponders));
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxPending, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(MaxPending, 1 << 20);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxPendingPerClient, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxKeptBytes, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxPendingBytes, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxPendingBytesPerClient, 1);
    }

    internal override IReadOnlyList<string> Subjects => [Subject ?? Topics!.Prefix + ".>"];

    internal override BridgeRoute Create(RouteContext context) => new RequestRoute(this, context);
}
