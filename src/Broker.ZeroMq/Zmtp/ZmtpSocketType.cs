namespace Broker.ZeroMq;

/// <summary>The socket types of RFC 37. Names and legal pairs are in <see cref="ZmtpSocketTypes"/>.</summary>
public enum ZmtpSocketType
{
    /// <summary>REQ: strict request, then reply.</summary>
    Req,

    /// <summary>REP: strict receive, then reply.</summary>
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

    /// <summary>PUSH: pipeline, sending end.</summary>
    Push,

    /// <summary>PULL: pipeline, receiving end.</summary>
    Pull,

    /// <summary>PAIR: exclusive pair.</summary>
    Pair,
}
