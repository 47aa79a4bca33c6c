namespace Broker.Transport.InProcess;

/// <summary>Two connections joined in memory: what one writes the other receives, without a socket.</summary>
public static class InProcessLink
{
    /// <summary>
    /// Makes a link and opens both ends on their loops, which may be the same one and need not be of the same group.
    /// Blocks change hands without a copy. Each end holds at most about a mebibyte that the other's handler has not seen yet;
    /// beyond that the writer's bytes wait as they would for a socket, under <see cref="Connection.MaxPendingBytes"/>.
    /// </summary>
    /// <param name="firstLoop">The loop of the first end.</param>
    /// <param name="first">Its handler.</param>
    /// <param name="secondLoop">The loop of the second end.</param>
    /// <param name="second">Its handler.</param>
    /// <returns>The two ends. Their handlers' <see cref="ConnectionHandler.OnOpened"/> may not have run yet.</returns>
    /// <exception cref="ObjectDisposedException">A group of loops has been disposed.</exception>
    public static (Connection First, Connection Second) Create(
        EventLoop firstLoop, ConnectionHandler first, EventLoop secondLoop, ConnectionHandler second)
    {
        ArgumentNullException.ThrowIfNull(firstLoop);
        ArgumentNullException.ThrowIfNull(first);
        ArgumentNullException.ThrowIfNull(secondLoop);
        ArgumentNullException.ThrowIfNull(second);
        var a = new InProcessConnection(firstLoop, first);
        var b = new InProcessConnection(secondLoop, second);
        a.Join(b);
        b.Join(a);
        firstLoop.Group.Remember(a);
        try
        {
            secondLoop.Group.Remember(b);
        }
        catch
        {
            firstLoop.Group.Forget(a);
            throw;
        }

        firstLoop.Post(a.Open);
        secondLoop.Post(b.Open);
        return (a, b);
    }
}
