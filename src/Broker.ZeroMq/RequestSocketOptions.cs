namespace Broker.ZeroMq;

/// <summary>The options of a <see cref="RequestSocket"/>.</summary>
public sealed record RequestSocketOptions : ZeroMqSocketOptions
{
    /// <summary>
    /// Whether a request may be sent while another request waits for its reply. The earlier request is abandoned.
    /// <see cref="Correlate"/> distinguishes its late reply from the reply to the next request. Default false.
    /// </summary>
    public bool Relaxed { get; init; }

    /// <summary>
    /// Whether each request carries a number before the empty frame, which the reply must return. REP peers return it.
    /// Default false.
    /// </summary>
    public bool Correlate { get; init; }
}
