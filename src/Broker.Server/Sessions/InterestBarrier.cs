using Broker.Transport;

namespace Broker.Server.Sessions;

/// <summary>
/// What makes a PONG say that the SUBs and UNSUBs before it hold: another loop may have staged messages for the client by what it had
/// subscribed to until then, and hands them over only at the end of its turn. Where anything has changed since the last PONG, this one
/// waits until each loop has handed them over. So a client that moves from one subscription to another knows where one ends and the
/// other begins. On the connection's loop unless said otherwise.
/// </summary>
/// <remarks>
/// A message under way to so many that it takes its publisher several turns may still come by the old interest. Nothing of the client
/// is looked at meanwhile, so that answers keep their order.
/// </remarks>
internal sealed class InterestBarrier(ClientChannel channel)
{
    private bool _hasChanged;
    private int _loopsLeft;

    /// <summary>The client has subscribed, or ended a subscription.</summary>
    internal void OnChange() => _hasChanged = true;

    /// <summary>Whether a PONG may be written now. Otherwise it is written later, and nothing received before that.</summary>
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
                // A loop that has ended will run nothing more, and this one ends too.
                loop.Post(() => HandOver(loop));
            }
        }
    }

    // On each other loop, behind what it was doing when the interest changed.
    private void HandOver(EventLoop loop)
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
