using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// Delays a PONG until the SUBs and UNSUBs before it are effective on all loops. Another loop may have buffered
/// messages for the client according to its earlier subscriptions, and flushes them only at the end of its iteration.
/// If a subscription has changed since the last PONG, the next PONG waits until each loop has flushed these messages.
/// So a client that has ended a subscription knows that no further messages of it follow the PONG. Runs on the
/// connection's loop unless a member states otherwise.
/// </summary>
/// <remarks>
/// There is one exception: if a message has so many receivers that its publisher needs several iterations, the message
/// may still arrive for the ended subscription. The server handles no operation of the client while the PONG waits, so
/// replies keep their order.
/// </remarks>
internal sealed class InterestBarrier(ClientChannel channel)
{
    private bool _hasChanged;
    private int _loopsLeft;

    /// <summary>Called when the client has subscribed or unsubscribed.</summary>
    internal void OnChange() => _hasChanged = true;

    /// <summary>
    /// Returns true if a PONG may be written now. Otherwise this barrier pauses receiving and writes the PONG later.
    /// </summary>
    internal bool TryPass()
    {
        if (!_hasChanged)
        {
            return true;
        }

        _hasChanged = false;
        EventLoopGroup loops = channel.Loop.Group;
        if (loops.Count == 1)
        {
            return true;
        }

        Begin(loops);
        return false;
    }

    private void Begin(EventLoopGroup loops)
    {
        channel.Connection.PauseReceiving();
        _loopsLeft = loops.Count - 1;
        for (int i = 0; i < loops.Count; i++)
        {
            EventLoop loop = loops[i];
            if (loop != channel.Loop)
            {
                // A stopped loop does not run this action. This does no harm, because then this loop is stopped too.
                loop.Post(() => Flush(loop));
            }
        }
    }

    // Runs on each of the other loops, after the work that the loop was doing when the subscriptions changed.
    private void Flush(EventLoop loop)
    {
        channel.Connection.Flush(loop);
        if (Interlocked.Decrement(ref _loopsLeft) == 0)
        {
            channel.Loop.Post(End);
        }
    }

    private void End()
    {
        if (!channel.IsEnded)
        {
            channel.Pong();
        }

        channel.Connection.ResumeReceiving();
    }
}
