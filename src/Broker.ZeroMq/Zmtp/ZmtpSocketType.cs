namespace Broker.ZeroMq;

/// <summary>
/// The socket types of RFC 37, and the draft types of libzmq. Names and legal pairs are in
/// <see cref="ZmtpSocketTypes"/>.
/// </summary>
public enum ZmtpSocketType
{
    /// <summary>REQ: sends a request and receives its reply, in strict alternation.</summary>
    Req,

    /// <summary>REP: receives a request and sends its reply, in strict alternation.</summary>
    Rep,

    /// <summary>DEALER: asynchronous REQ.</summary>
    Dealer,

    /// <summary>ROUTER: asynchronous REP that addresses peers by identity.</summary>
    Router,

    /// <summary>PUB: publisher.</summary>
    Pub,

    /// <summary>XPUB: publisher that receives subscriptions.</summary>
    XPub,

    /// <summary>SUB: subscriber.</summary>
    Sub,

    /// <summary>XSUB: subscriber that sends subscriptions as messages.</summary>
    XSub,

    /// <summary>PUSH: the sending end of a pipeline.</summary>
    Push,

    /// <summary>PULL: the receiving end of a pipeline.</summary>
    Pull,

    /// <summary>PAIR: exchanges messages with exactly one peer.</summary>
    Pair,

    /// <summary>CLIENT: sends messages of one frame to SERVER peers in turn (RFC 41).</summary>
    Client,

    /// <summary>SERVER: addresses CLIENT peers by an id of four bytes (RFC 41).</summary>
    Server,

    /// <summary>RADIO: sends to the DISH peers that have joined a group (RFC 48).</summary>
    Radio,

    /// <summary>DISH: receives from the groups that it has joined (RFC 48).</summary>
    Dish,

    /// <summary>SCATTER: sends messages of one frame to GATHER peers in turn (RFC 49).</summary>
    Scatter,

    /// <summary>GATHER: receives from SCATTER peers (RFC 49).</summary>
    Gather,

    /// <summary>PEER: addresses other PEERs by an id of four bytes.</summary>
    Peer,
}
