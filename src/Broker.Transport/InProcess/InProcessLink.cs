namespace Broker.Transport;

/// <summary>
/// Creates links of two connections in memory. Each end receives the bytes that the other end writes, without a socket.
/// </summary>
public static class InProcessLink
{
    /// <summary>The default window of an end, in bytes: 1 MiB.</summary>
    public const long DefaultWindow = 1024 * 1024;

    /// <summary>
    /// Creates a link and opens both ends on their loops. Both ends may have the same loop, or loops of different
    /// groups. Blocks are passed to the peer without a copy. Each end has a window: it accepts this number of bytes
    /// before its handler has received them. If the window is full, the end accepts more bytes only after half of the
    /// window is free. Meanwhile the writer's bytes wait as they would for a socket, limited by
    /// <see cref="Connection.MaxPendingBytes"/>.
    /// </summary>
    /// <param name="firstLoop">The loop of the first end.</param>
    /// <param name="first">The handler of the first end.</param>
    /// <param name="secondLoop">The loop of the second end.</param>
    /// <param name="second">The handler of the second end.</param>
    /// <param name="firstWindow">
    /// The number of bytes that the first end accepts before its handler has received them: at least 1. The last
    /// accepted block may exceed it.
    /// </param>
    /// <param name="secondWindow">The window of the second end.</param>
    /// <returns>The two ends. Their handlers' <see cref="ConnectionHandler.OnOpened"/> may not have run yet.</returns>
    /// <exception cref="ObjectDisposedException">The group of one of the loops has been disposed.</exception>
    public static (Connection First, Connection Second) Create(
        EventLoop firstLoop,
        ConnectionHandler first,
        EventLoop secondLoop,
        ConnectionHandler second,
        long firstWindow = DefaultWindow,
        long secondWindow = DefaultWindow)
    {
        ArgumentNullException.ThrowIfNull(firstLoop);
        ArgumentNullException.ThrowIfNull(first);
        ArgumentNullException.ThrowIfNull(secondLoop);
        ArgumentNullException.ThrowIfNull(second);
        ArgumentOutOfRangeException.ThrowIfLessThan(firstWindow, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(secondWindow, 1);
        var a = new InProcessConnection(firstLoop, first, firstWindow);
        var b = new InProcessConnection(secondLoop, second, secondWindow);
        a.Join(b);
        b.Join(a);
        firstLoop.Group.Add(a);
        try
        {
            secondLoop.Group.Add(b);
        }
        catch
        {
            firstLoop.Group.Remove(a);
            throw;
        }

        firstLoop.Post(a.Open);
        secondLoop.Post(b.Open);
        return (a, b);
    }
}
