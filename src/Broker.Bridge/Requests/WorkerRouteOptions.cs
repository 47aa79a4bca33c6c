using System.Text;
using Broker.Bridge.Mapping;
using Broker.Bridge.Routes;

namespace Broker.Bridge.Requests;

/// <summary>
/// ZeroMQ workers (REP, or ROUTER and DEALER that echo envelopes) that answer what is asked on a subject: a DEALER towards them, as a member of
/// a queue group. A worker gets <c>[8-byte number][empty frame][body …]</c>, of which REP gives its program the body and echoes the rest.
/// </summary>
/// <remarks>
/// The route subscribes only while there is a worker with room, so that requests go to other members of the group, or nobody is said to be
/// there. Each goes to one of the workers with least to do. A request that finds no room all the same, because it was on its way, is answered
/// as by nobody (status 503): it was not begun, and may be sent again.
/// </remarks>
public sealed record WorkerRouteOptions : SocketRouteOptions
{
    private const int LongestLife = 24;

    /// <summary>The subject of the requests, with wildcards if it is to be several; null where <see cref="Topics"/> are.</summary>
    public string? Subject { get; init; }

    /// <summary>
    /// The requests are those under this prefix, and their first frame is what their subject stands for, as for PUB/SUB; null where
    /// <see cref="Subject"/> is.
    /// </summary>
    public MappingOptions? Topics { get; init; }

    /// <summary>The queue group, within which each request goes to one member. Default <c>workers</c>.</summary>
    public string QueueGroup { get; init; } = "workers";

    /// <summary>How long an answer is waited for, to an eighth more. Default 30 s.</summary>
    public TimeSpan TimeToLive { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>What becomes of the requests of a worker that is lost. Default <see cref="WorkerLoss.Reply"/>.</summary>
    public WorkerLoss OnWorkerLoss { get; init; } = WorkerLoss.Reply;

    /// <summary>How many requests may wait for answers at a time. Default 16,384.</summary>
    public int MaxPending { get; init; } = 16_384;

    /// <summary>How many of these one worker may have. Default 1,000, as many as ZeroMQ would queue for it.</summary>
    public int MaxPendingPerWorker { get; init; } = 1000;

    /// <summary>
    /// Whether the workers only get copies: of each request one, beside whoever answers it, since the route is then a member of no queue group.
    /// What they answer is counted and told to nobody, and a copy for which there is no room is dropped. It shows a new worker with the
    /// work of the old one. Default false.
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
            throw new ArgumentException("Workers need either a subject, or what it stands for.", nameof(Subject));
        }

        if (Subject is not null && !Protocol.Subjects.Subject.IsValidFilter(Encoding.UTF8.GetBytes(Subject)))
        {
            throw new ArgumentException($"'{Subject}' is no subject that can be subscribed to.", nameof(Subject));
        }

        if (Topics is not null)
        {
            _ = new MessageMapper(Topics);
        }

        if (!Protocol.Subjects.Subject.IsValidLiteral(Encoding.UTF8.GetBytes(QueueGroup ?? "")))
        {
            throw new ArgumentException($"'{QueueGroup}' is no name of a queue group.", nameof(QueueGroup));
        }

        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(TimeToLive, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(TimeToLive, TimeSpan.FromHours(LongestLife));
        ArgumentOutOfRangeException.ThrowIfLessThan((int)OnWorkerLoss, (int)WorkerLoss.Reply, nameof(OnWorkerLoss));
        ArgumentOutOfRangeException.ThrowIfGreaterThan((int)OnWorkerLoss, (int)WorkerLoss.Silence, nameof(OnWorkerLoss));
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxPending, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(MaxPending, 1 << 20);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxPendingPerWorker, 1);
    }

    internal override BridgeRoute Create(RouteContext context) => new WorkerRoute(this, context);
}
