namespace NetMQ;

/// <summary>The types of sockets.</summary>
public enum ZmqSocketType
{
    /// <summary>No type.</summary>
    None = -1,

    /// <summary>PAIR.</summary>
    Pair = 0,

    /// <summary>PUB.</summary>
    Pub = 1,

    /// <summary>SUB.</summary>
    Sub = 2,

    /// <summary>REQ.</summary>
    Req = 3,

    /// <summary>REP.</summary>
    Rep = 4,

    /// <summary>DEALER.</summary>
    Dealer = 5,

    /// <summary>ROUTER.</summary>
    Router = 6,

    /// <summary>PULL.</summary>
    Pull = 7,

    /// <summary>PUSH.</summary>
    Push = 8,

    /// <summary>XPUB.</summary>
    Xpub = 9,

    /// <summary>XSUB.</summary>
    Xsub = 10,

    /// <summary>STREAM, which this package does not have.</summary>
    Stream = 11,

    /// <summary>SERVER.</summary>
    Server = 12,

    /// <summary>CLIENT.</summary>
    Client = 13,

    /// <summary>RADIO.</summary>
    Radio = 14,

    /// <summary>DISH.</summary>
    Dish = 15,

    /// <summary>GATHER.</summary>
    Gather = 16,

    /// <summary>SCATTER.</summary>
    Scatter = 17,

    /// <summary>PEER.</summary>
    Peer = 19,
}
