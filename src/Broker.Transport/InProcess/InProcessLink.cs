namespace Broker.Transport.InProcess;

/// <summary>Two connections joined in memory: what one writes the other receives, without a socket.</summary>
public static class InProcessLink
{
    /// <summary>How much of the other's bytes an end takes that its handler has not seen yet, where nobody says otherwise: a mebibyte.</summary>
    public const long DefaultWindow = 1024 * 1024;

    /// <summary>
    /// Makes a link and opens both ends on their loops, which may be the same one and need not be of the same group.
    /// Blocks change hands without a copy. Each end takes bytes up to its window that
    /// its handler has not seen yet, and then no more before half of them are gone; meanwhile the writer's bytes wait as they would for a socket, under <see cref="Connection.MaxPendingBytes"/>.
    /// </summary>
    /// <param name="firstLoop">The loop of the first end.</param>
    /// <param name="first">Its handler.</param>
    /// <param name="secondLoop">The loop of the second end.</param>
    /// <param name="second">Its handler.</param>
    /// <param name="firstWindow">What the first end takes before its handler has looked at it, and the last piece of it whole; at least 1.</param>
    /// <param name="secondWindow">The same of the second end.</param>
    /// <returns>The two ends. Their handlers' <see cref="ConnectionHandler.OnOpened"/> may not have run yet.</returns>
    /// <exception cref="ObjectDisposedException">A group of loops has been disposed.</exception>
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
