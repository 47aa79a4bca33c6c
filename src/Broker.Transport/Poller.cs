using System.Net.Sockets;
using System.Runtime.InteropServices;
using Broker.Transport.Linux;
using Broker.Transport.Portable;

namespace Broker.Transport;

/// <summary>How a loop learns which of its sockets are ready: the operating system's part of the transport.</summary>
internal abstract class Poller : IDisposable
{
    internal const string PortableSwitch = "Broker.Transport.ForcePortable";

    internal static Poller Create(bool forcePortable)
        => OperatingSystem.IsLinux() && !forcePortable && !(AppContext.TryGetSwitch(PortableSwitch, out bool all) && all)
            && EpollLayout.IsKnown(RuntimeInformation.ProcessArchitecture)
            ? new EpollPoller()
            : new PortablePoller();

    public abstract void Dispose();

    /// <summary>Makes a connection of a connected socket. The connection owns the socket from now on. Any thread.</summary>
    internal abstract SocketConnection Adopt(EventLoop loop, Socket socket, ConnectionHandler handler);

    /// <summary>
    /// Waits at most <paramref name="milliseconds"/> (0: look only; -1: no limit). Returns how many events to pass to
    /// <see cref="Dispatch"/>; a wake-up alone counts as one. On the loop.
    /// </summary>
    internal abstract int Wait(int milliseconds);

    /// <summary>As <see cref="Wait"/>, for less than a millisecond as exactly as the system can; here that is a millisecond.</summary>
    internal virtual int WaitShort(TimeSpan most) => Wait(1);

    internal abstract void Dispatch(int ready);

    /// <summary>Ends a wait that is under way, or the next one. Any thread.</summary>
    internal abstract void Wake();
}
