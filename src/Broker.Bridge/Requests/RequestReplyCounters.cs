namespace Broker.Bridge;

/// <summary>
/// The counters that request and worker routes share. The loop writes them; any thread may read them.
/// </summary>
internal sealed class RequestReplyCounters
{
    /// <summary>Messages received from ZeroMQ programs.</summary>
    internal long FromZeroMq;

    /// <summary>Messages published to the NATS server.</summary>
    internal long ToSubjects;

    /// <summary>Messages received from the NATS server.</summary>
    internal long FromSubjects;

    /// <summary>Messages queued for ZeroMQ programs.</summary>
    internal long ToZeroMq;

    /// <summary>Requests with a reply.</summary>
    internal long Answered;

    /// <summary>Requests that were not answered in time.</summary>
    internal long TimedOut;

    /// <summary>Requests that were pending when the route or its connection was closed.</summary>
    internal long Abandoned;

    /// <summary>Replies to requests that were no longer pending.</summary>
    internal long Late;

    /// <summary>Messages that cannot be mapped.</summary>
    internal long Refused;
}
