namespace Broker.ZeroMq;

/// <summary>The options of a <see cref="RequestSocket"/>.</summary>
public sealed record RequestSocketOptions : ZeroMqSocketOptions
{
    /// <summary>
    /// Whether a request may be sent while another request waits for its reply. The earlier request is abandoned. With
    /// <see cref="Correlate"/> the socket can tell a late reply to an abandoned request from the reply to the next
    /// request. Default false.
    /// </summary>
    public bool Relaxed { get; init; }

    /// <summary>
    /// Whether each request carries a number before the empty frame. The reply must return this number, as REP peers
    /// do. Default false.
    /// </summary>
    public bool Correlate { get; init; }
}
