namespace NetMQ;

/// <summary>The events of a socket's connections, for a monitor.</summary>
[Flags]
public enum SocketEvents
{
    /// <summary>The socket has connected to a peer.</summary>
    Connected = 1,

    /// <summary>The socket has begun to connect.</summary>
    ConnectDelayed = 2,

    /// <summary>The socket waits before it connects again.</summary>
    ConnectRetried = 4,

    /// <summary>The socket accepts peers at an address.</summary>
    Listening = 8,

    /// <summary>The socket could not bind an address.</summary>
    BindFailed = 16,

    /// <summary>The socket has accepted a peer.</summary>
    Accepted = 32,

    /// <summary>The socket could not accept a peer.</summary>
    AcceptFailed = 64,

    /// <summary>The socket no longer accepts peers at an address, or an attempt to connect has failed.</summary>
    Closed = 128,

    /// <summary>The socket could not close an address.</summary>
    CloseFailed = 256,

    /// <summary>The connection to a peer has ended.</summary>
    Disconnected = 512,

    /// <summary>All events.</summary>
    All = 1023,
}
