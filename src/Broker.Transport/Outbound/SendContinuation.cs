namespace Broker.Transport;

/// <summary>
/// Continues a send that has not sent everything: when the transport reports that the peer accepts bytes, or by an
/// action that is posted to the connection's loop. Used under the lock of the queue. This lock also orders the calls of
/// <see cref="IOutboundTransport.ArmWritable"/> and <see cref="IOutboundTransport.DisarmWritable"/> by several loops.
/// </summary>
internal struct SendContinuation
{
    private Action? _postedWritable;
    private Action? _postedContinue;
    private bool _isWatched;
    private bool _isPosted;

    /// <summary>
    /// Whether the loop's next iteration continues the send, even if the transport reports something before.
    /// </summary>
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

    /// <summary>
    /// Asks the transport again for the report, because it may have been unable to make the report at the first
    /// request.
    /// </summary>
    internal readonly void RepeatWatch(IOutboundTransport transport)
    {
        if (_isWatched)
        {
            transport.ArmWritable();
        }
    }

    /// <summary>Informs the transport that the report is no longer needed.</summary>
    internal void EndWatch(IOutboundTransport transport)
    {
        if (_isWatched)
        {
            _isWatched = false;
            transport.DisarmWritable();
        }
    }

    /// <summary>Called when the transport has stopped watching by itself.</summary>
    internal void CountUnwatched() => _isWatched = false;

    /// <summary>
    /// Posts an action, so that the loop's next iteration continues the send. At most one action is posted at a time.
    /// Otherwise a poller that also reports a writable peer would add another send in each iteration.
    /// </summary>
    internal void Post(EventLoop loop, OutboundSender sender)
    {
        if (!_isPosted)
        {
            _isPosted = true;
            loop.Post(_postedContinue ??= sender.Continue);
        }
    }

    /// <summary>Called when the loop's next iteration has come.</summary>
    internal void EndPost() => _isPosted = false;

    /// <summary>
    /// Called when the transport's report came during a send, which may not have noticed the change. The loop tries to
    /// send again.
    /// </summary>
    internal void PostWritable(EventLoop loop, OutboundSender sender)
        => loop.Post(_postedWritable ??= sender.OnWritable);
}
