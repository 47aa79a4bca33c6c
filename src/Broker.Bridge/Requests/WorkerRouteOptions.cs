using System.Text;

namespace Broker.Bridge;

/// <summary>
/// The options of a route for ZeroMQ workers (REP, or ROUTER and DEALER programs that echo envelopes). The workers
/// answer the requests on a subject. The route has a DEALER socket and is a member of a queue group. A worker receives
/// <c>[8-byte number][empty frame][body …]</c>. A REP socket passes only the body to its program and echoes the rest.
/// <see cref="Envelope"/> is for other workers.
/// </summary>
/// <remarks>
/// The route subscribes only while a worker has capacity. Otherwise requests go to other members of the group, or the
/// requester learns that there is no responder. Each request goes to one of the workers with the fewest pending
/// requests. If a request that was already on its way finds no capacity, the route answers it with status 503, which
/// means "no responders": no worker has seen it, and the requester may send it again.
/// </remarks>
public sealed record WorkerRouteOptions : SocketRouteOptions
{
    private const int LongestLife = 24;

    /// <summary>The subject of the requests, which may have wildcards; null if <see cref="Topics"/> is set.</summary>
    public string? Subject { get; init; }

    /// <summary>
    /// The prefix of the requests' subjects. The rest of the subject becomes the first frame of the request, as for
    /// PUB/SUB. Null if <see cref="Subject"/> is set.
    /// </summary>
    public MappingOptions? Topics { get; init; }

    /// <summary>
    /// The queue group of the route: each request goes to one member of the group. Default <c>workers</c>.
    /// </summary>
    public string QueueGroup { get; init; } = "workers";

    /// <summary>
    /// How long a request waits for its reply. The route may wait up to an eighth longer. Default 30 s.
    /// </summary>
    public TimeSpan TimeToLive { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// What the route does with the pending requests of a worker that disconnects. Default
    /// <see cref="WorkerLoss.Silence"/>, as in ZeroMQ.
    /// </summary>
    public WorkerLoss OnWorkerLoss { get; init; } = WorkerLoss.Silence;

    /// <summary>How many requests may wait for replies at the same time. Default 16,384.</summary>
    public int MaxPending { get; init; } = 16_384;

    /// <summary>
    /// How many pending requests one worker may have. Default 1,000, the number that ZeroMQ would queue for it. If
    /// workers handle one request at a time (<see cref="Envelope"/>), the others wait in the route.
    /// </summary>
    public int MaxPendingPerWorker { get; init; } = 1000;

    /// <summary>The frames before a request. Default <see cref="WorkerEnvelope.Number"/>.</summary>
    public WorkerEnvelope Envelope { get; init; }

    /// <summary>
    /// The largest size of all requests that wait in the route for a free worker, in bytes; see <see cref="Envelope"/>.
    /// Default 16 MiB.
    /// </summary>
    public long MaxQueuedBytes { get; init; } = 16 << 20;

    /// <summary>
    /// Whether the workers receive only copies of the requests, while other programs answer the requests: the route
    /// then joins no queue group. The replies of the workers are counted and dropped, and a copy is dropped if no
    /// worker has capacity. Use this option to try a new worker with the requests of an old worker. Default false.
    /// </summary>
    public bool Shadow { get; init; }

    /// <inheritdoc/>
    public override string Pattern => "worker";

    /// <inheritdoc/>
    public override void Validate()
    {
        base.Validate();
        if ((Subject is null) == (Topics is null))
        {
            throw new ArgumentException("Exactly one of Subject and Topics must be set.", nameof(Subject));
        }

        if (Subject is not null && !Broker.Protocol.Subject.IsValidFilter(Encoding.UTF8.GetBytes(Subject)))
        {
            throw new ArgumentException($"'{Subject}' is not a valid subject to subscribe to.", nameof(Subject));
        }

        if (Topics is not null)
        {
            _ = new MessageMapper(Topics);
        }

        if (!Broker.Protocol.Subject.IsValidLiteral(Encoding.UTF8.GetBytes(QueueGroup ?? "")))
        {
            throw new ArgumentException($"'{QueueGroup}' is not a valid name of a queue group.", nameof(QueueGroup));
        }

        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(TimeToLive, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(TimeToLive, TimeSpan.FromHours(LongestLife));
        ArgumentOutOfRangeException.ThrowIfLessThan((int)OnWorkerLoss, (int)WorkerLoss.Reply, nameof(OnWorkerLoss));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(
            (int)OnWorkerLoss, (int)WorkerLoss.Silence, nameof(OnWorkerLoss));
        ArgumentOutOfRangeException.ThrowIfLessThan((int)Envelope, (int)WorkerEnvelope.Number, nameof(Envelope));
        ArgumentOutOfRangeException.ThrowIfGreaterThan((int)Envelope, (int)WorkerEnvelope.Ready, nameof(Envelope));
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxQueuedBytes, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxPending, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(MaxPending, 1 << 20);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxPendingPerWorker, 1);
    }

    internal override IReadOnlyList<string> Subjects => [$"{Subject ?? Topics!.Prefix + ".>"} [{QueueGroup}]"];

    internal override BridgeRoute Create(RouteContext context) => new WorkerRoute(this, context);
}
