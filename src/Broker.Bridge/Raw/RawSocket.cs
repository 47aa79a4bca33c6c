namespace Broker.Bridge;

/// <summary>The socket that a raw route offers to its ZeroMQ programs.</summary>
public enum RawSocket
{
    /// <summary>
    /// ROUTER, for DEALER and REQ programs: the header of each message contains the identity of its sender or receiver.
    /// </summary>
    Router,

    /// <summary>
    /// DEALER, for ROUTER, DEALER and REP programs: messages go to the peers in round-robin order; full peers are
    /// skipped.
    /// </summary>
    Dealer,

    /// <summary>PAIR, for one PAIR program.</summary>
    Pair,
}
