namespace Broker.ZeroMq;

/// <summary>How a <see cref="RequestSocket"/> is set up.</summary>
public sealed record RequestSocketOptions : ZeroMqSocketOptions
{
    /// <summary>
    /// Whether a request may be sent while another one waits for its reply, which is given up then. With <see cref="Correlate"/> its
    /// late reply is told from the next one's. Default false.
    /// </summary>
    public bool Relaxed { get; init; }

    /// <summary>
    /// Whether each request carries a number before the empty frame, which the reply must bring back. REP peers do so. Default false.
    /// </summary>
    public bool Correlate { get; init; }
}
