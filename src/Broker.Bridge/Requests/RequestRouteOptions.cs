using Broker.Bridge.Mapping;
using Broker.Bridge.Routes;

namespace Broker.Bridge.Requests;

/// <summary>
/// ZeroMQ clients (REQ, DEALER) whose requests are answered on the subject side: a ROUTER towards them, and for each request a message with a
/// reply subject. The first answer goes back to the client that asked, behind the envelope of its request.
/// </summary>
/// <remarks>
/// A request is lost, and counted, when its time is over. One that comes while there is no server, or while as many wait as may, stays
/// with its client: nothing more of it is read. Later answers, and answers to clients that have gone, are dropped and counted.
/// </remarks>
public sealed record RequestRouteOptions : SocketRouteOptions
{
    private const int LongestLife = 24;

    /// <summary>The subject of all requests; null where <see cref="Topics"/> makes one of each request's first frame.</summary>
    public string? Subject { get; init; }

    /// <summary>How the first frame becomes the subject, as for PUB/SUB; null where <see cref="Subject"/> is that of all.</summary>
    public MappingOptions? Topics { get; init; }

    /// <summary>How long a request waits for its answer, to an eighth more. Default 30 s.</summary>
    public TimeSpan TimeToLive { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>What a client gets whose request was not answered in time, as a body of one frame. Default null: nothing, so that a REQ without a
    /// time-out of its own waits for ever, although a service comes later.</summary>
    public ReadOnlyMemory<byte>? TimeoutReply { get; init; }

    /// <summary>What becomes of a request that nobody subscribes to. Default <see cref="NoResponders.Hold"/>.</summary>
    public NoResponders NoResponders { get; init; } = NoResponders.Hold;

    /// <summary>What the client gets then with <see cref="NoResponders.Reply"/>, as a body of one frame. Default <c>no responders</c>.</summary>
    public ReadOnlyMemory<byte> NoRespondersReply { get; init; } = "no responders"u8.ToArray();

    /// <summary>How many requests may wait for answers at a time. Default 16,384.</summary>
    public int MaxPending { get; init; } = 16_384;

    /// <summary>How many of these one client may have. Default 1,024.</summary>
    public int MaxPendingPerClient { get; init; } = 1024;

    /// <summary>How many bytes may be kept of requests that could have to be sent again. Default 64 MiB.</summary>
    public long MaxKeptBytes { get; init; } = 64L * 1024 * 1024;

    /// <inheritdoc/>
    public override string Pattern => "request";

    /// <inheritdoc/>
    public override void Validate()
    {
        base.Validate();
        if ((Subject is null) == (Topics is null))
        {
            throw new ArgumentException("Requests need either a subject, or how it is made of their first frame.", nameof(Subject));
        }

        if (Subject is not null && !Protocol.Subjects.Subject.IsValidLiteral(System.Text.Encoding.UTF8.GetBytes(Subject)))
        {
            throw new ArgumentException($"'{Subject}' is no subject that can be published to.", nameof(Subject));
        }

        if (Topics is not null)
        {
            _ = new MessageMapper(Topics);
        }

        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(TimeToLive, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(TimeToLive, TimeSpan.FromHours(LongestLife));
        ArgumentOutOfRangeException.ThrowIfLessThan((int)NoResponders, (int)NoResponders.Hold, nameof(NoResponders));
        ArgumentOutOfRangeException.ThrowIfGreaterThan((int)NoResponders, (int)NoResponders.Reply, nameof(NoResponders));
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxPending, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(MaxPending, 1 << 20);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxPendingPerClient, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxKeptBytes, 1);
    }

    internal override BridgeRoute Create(RouteContext context) => new RequestRoute(this, context);
}
