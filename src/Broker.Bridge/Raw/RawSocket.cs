namespace Broker.Bridge.Raw;

/// <summary>Which socket a raw route has towards its ZeroMQ programs.</summary>
public enum RawSocket
{
    /// <summary>ROUTER, for DEALER and REQ programs: each message says by a header whom it is from or for.</summary>
    Router,

    /// <summary>DEALER, for ROUTER, DEALER and REP programs: each message goes to the next in turn that has room.</summary>
    Dealer,

    /// <summary>PAIR, for one PAIR program.</summary>
    Pair,
}
