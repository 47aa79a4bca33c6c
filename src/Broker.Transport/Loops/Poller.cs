using System.Net.Sockets;

namespace Broker.Transport;

/// <summary>Finds out which sockets of a loop are ready. It uses functions of the operating system.</summary>
internal abstract class Poller : IDisposable
{
    /// <summary>
    /// The number of connections that one iteration ends because their peers have ended them. The others end in later
    /// iterations. An end takes about 35 µs, so if a thousand peers leave at once, the other connections are served in
    /// between.
    /// </summary>
    internal const int MostEnds = 16;

    public abstract void Dispose();

    /// <summary>
    /// Creates a connection for a connected socket, which the connection then owns. The result is a
    /// <c>SocketConnection</c>. Any thread.
    /// </summary>
    internal abstract Connection Adopt(EventLoop loop, Socket socket, ConnectionHandler handler);

    /// <summary>
    /// Waits at most <paramref name="milliseconds"/>; 0 means no wait, and -1 means no limit. Returns the number of
    /// events to pass to <see cref="Dispatch"/>. A wake-up alone counts as one event. On the loop.
    /// </summary>
    internal abstract int Wait(int milliseconds);

    /// <summary>
    /// Waits like <see cref="Wait"/>, but for less than a millisecond if the system can do this. This default
    /// implementation waits a millisecond.
    /// </summary>
    internal virtual int WaitShort(TimeSpan most) => Wait(1);

    internal abstract void Dispatch(int ready);

    /// <summary>Ends the current wait, or the next wait if there is no current one. Any thread.</summary>
    internal abstract void Wake();
}
