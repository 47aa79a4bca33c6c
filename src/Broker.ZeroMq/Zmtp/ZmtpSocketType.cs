namespace Broker.ZeroMq;

/// <summary>The socket types of RFC 37. Names and legal pairs are in <see cref="ZmtpSocketTypes"/>.</summary>
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
}
