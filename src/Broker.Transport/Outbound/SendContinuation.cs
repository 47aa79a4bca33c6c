namespace Broker.Transport;

/// <summary>
/// Continues a send that has not sent everything: when the transport reports that the peer accepts bytes, or by an
/// action that is posted to the connection's loop. Used under the lock of the queue, which also orders the calls of
/// <see cref="IOutboundTransport.ArmWritable"/> and <see cref="IOutboundTransport.DisarmWritable"/> by several loops.
/// </summary>
internal struct SendContinuation
{
    private Action? _postedWritable;
    private Action? _postedContinue;
    private bool _isWatched;
    private bool _isPosted;

    /// <summary>Whether the loop's next iteration continues the send, whatever the transport reports before it.</summary>
    internal readonly bool IsPosted => _isPosted;

    /// <summary>Asks the transport to report when the peer accepts bytes.</summary>
    internal void Watch(IOutboundTransport transport)
    {
        if (!_isWatched)
        {
            _isWatched = true;
            transport.ArmWritable();
        }
    }

    /// <summary>Asks again for a report that the transport was asked for, and may not have been able to make.</summary>
    internal readonly void RepeatWatch(IOutboundTransport transport)
    {
        if (_isWatched)
        {
            transport.ArmWritable();
        }
    }

    /// <summary>The report is not needed any more.</summary>
    internal void EndWatch(IOutboundTransport transport)
    {
        if (_isWatched)
        {
            _isWatched = false;
            transport.DisarmWritable();
        }
    }

    /// <summary>The transport has stopped watching by itself.</summary>
    internal void CountUnwatched() => _isWatched = false;

    /// <summary>
    /// The loop's next iteration continues the send. Once per iteration: a poller that also reports a writable peer
    /// would otherwise add another send each time.
    /// </summary>
    internal void Post(EventLoop loop, OutboundSender sender)
    {
        if (!_isPosted)
        {
            _isPosted = true;
            loop.Post(_postedContinue ??= sender.Continue);
        }
    }

    /// <summary>The loop's next iteration has come.</summary>
    internal void EndPost() => _isPosted = false;

    /// <summary>The transport's report came during a send, which may not have noticed it: the loop tries again.</summary>
    internal void PostWritable(EventLoop loop, OutboundSender sender)
        => loop.Post(_postedWritable ??= sender.OnWritable);
}
