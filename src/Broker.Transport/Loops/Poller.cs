using System.Net.Sockets;

namespace Broker.Transport;

/// <summary>Finds out which sockets of a loop are ready, with the means of the operating system.</summary>
internal abstract class Poller : IDisposable
{
    public abstract void Dispose();

    /// <summary>
    /// Creates a connection for a connected socket, which the connection owns from now on. It is a
    /// <c>SocketConnection</c>. Any thread.
    /// </summary>
    internal abstract Connection Adopt(EventLoop loop, Socket socket, ConnectionHandler handler);

    /// <summary>
    /// Waits at most <paramref name="milliseconds"/> (0: does not wait; -1: no limit). Returns the number of events to
    /// pass to <see cref="Dispatch"/>; a wake-up alone counts as one. On the loop.
    /// </summary>
    internal abstract int Wait(int milliseconds);

    /// <summary>
    /// Waits as <see cref="Wait"/> does, but for less than a millisecond if the system can; this default waits a
    /// millisecond.
    /// </summary>
    internal virtual int WaitShort(TimeSpan most) => Wait(1);

    internal abstract void Dispatch(int ready);

    /// <summary>Ends the current wait, or the next one. Any thread.</summary>
    internal abstract void Wake();
}
