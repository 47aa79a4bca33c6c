using Broker.ZeroMq.Sockets;

namespace Broker.ZeroMq.RequestReply;

/// <summary>How a <see cref="LoopReq"/> is set up.</summary>
public sealed record LoopReqOptions : LoopRoutedOptions
{
    /// <summary>All as by default.</summary>
    public LoopReqOptions()
    {
    }

    /// <summary>What all socket types have in common as there, and the rest as by default.</summary>
    internal LoopReqOptions(LoopRoutedOptions common)
        : base(common)
    {
    }

    /// <summary>Whether a request may be sent while another one waits for its reply, which is given up then. Default false.</summary>
    public bool Relaxed { get; init; }

    /// <summary>
    /// Whether each request carries a number of four octets before the empty frame, which the reply must bring back: so the late reply to
    /// a request that was given up is never taken for another's. REP peers do so. Default false.
    /// </summary>
    public bool Correlate { get; init; }
}
