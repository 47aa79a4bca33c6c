namespace Broker.ZeroMq.Loops;

/// <summary>The options of a <see cref="LoopReq"/>.</summary>
public sealed record LoopReqOptions : LoopRoutedOptions
{
    /// <summary>Creates options with the default values.</summary>
    public LoopReqOptions()
    {
    }

    /// <summary>Copies the options that all socket types share. All other options have their default values.</summary>
    internal LoopReqOptions(LoopRoutedOptions common)
        : base(common)
    {
    }

    /// <summary>
    /// Whether a request may be sent while another request waits for its reply. The earlier request is abandoned.
    /// Default false.
    /// </summary>
    public bool Relaxed { get; init; }

    /// <summary>
    /// Whether each request carries a number of four bytes before the empty frame. The reply must return this number,
    /// as REP peers do. So a late reply to an abandoned request is never mistaken for the reply to another request.
    /// Default false.
    /// </summary>
    public bool Correlate { get; init; }
}
