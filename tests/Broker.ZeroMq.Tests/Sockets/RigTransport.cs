namespace Broker.ZeroMq.Tests.Sockets;

/// <summary>By what the sockets of a rig are joined.</summary>
public enum RigTransport
{
    /// <summary>TCP by the system's own poller.</summary>
    Tcp,

    /// <summary>TCP by the portable poller.</summary>
    TcpPortable,

    /// <summary>Unix sockets by the system's own poller.</summary>
    Ipc,

    /// <summary>Unix sockets by the portable poller.</summary>
    IpcPortable,

    /// <summary>Names in the process.</summary>
    Inproc,
}
