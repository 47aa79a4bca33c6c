namespace Broker.NetMQ;

/// <summary>The socket of the attachment that leads to the route.</summary>
internal enum AttachmentKind
{
    /// <summary>PUSH to a pipeline.</summary>
    Push,

    /// <summary>PULL from a pipeline.</summary>
    Pull,

    /// <summary>XPUB to a PUB/SUB route. It waits instead of dropping messages.</summary>
    Publish,

    /// <summary>SUB from a PUB/SUB route, for the topics of the options.</summary>
    Subscribe,

    /// <summary>XSUB from a PUB/SUB route, for what the subscribers of an XPUB ask for.</summary>
    Forward,

    /// <summary>DEALER in both directions.</summary>
    Dealer,

    /// <summary>DEALER that sends what a REP socket receives, and brings the replies.</summary>
    Front,

    /// <summary>DEALER that brings requests for a REQ socket, and sends the replies.</summary>
    Worker,

    /// <summary>PAIR in both directions.</summary>
    Pair,
}
