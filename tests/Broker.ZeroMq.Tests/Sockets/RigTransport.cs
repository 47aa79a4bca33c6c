namespace Broker.ZeroMq.Tests.Sockets;

/// <summary>The transports that connect the sockets of a rig.</summary>
public enum RigTransport
{
    /// <summary>TCP with the system's own poller.</summary>
    Tcp,

    /// <summary>TCP with the portable poller.</summary>
    TcpPortable,

    /// <summary>Unix sockets with the system's own poller.</summary>
    Ipc,

    /// <summary>Unix sockets with the portable poller.</summary>
    IpcPortable,

    /// <summary>Inproc endpoints.</summary>
    Inproc,
}
