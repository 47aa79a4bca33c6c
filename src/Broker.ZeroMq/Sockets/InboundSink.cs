namespace Broker.ZeroMq.Loops;

/// <summary>
/// Receives the messages of a socket's peers. Each read causes one virtual call. Within this call,
/// <see cref="MessageSession.Decode{TTaker}"/> calls a struct for each message, so a sink that only copies messages
/// needs no call of a delegate.
/// </summary>
/// <remarks>
/// Called on the socket's loop. One call delivers all messages of one read, so a sink that wakes a thread wakes it only
/// once, at the end of the call. If the sink refuses a message, the message is not consumed and the session is paused.
/// </remarks>
internal abstract class InboundSink
{
    /// <summary>Calls <see cref="MessageSession.Decode{TTaker}"/> once, with the sink's own taker.</summary>
    internal abstract ZmtpDecodeResult Receive(MessageSession session, ReadOnlySpan<byte> bytes);

    /// <summary>Called when a peer was accepted, before its first message.</summary>
    internal virtual void OnConnected(MessageSession session)
    {
    }

    /// <summary>Called when a peer has disconnected and sends nothing more.</summary>
    internal virtual void OnDisconnected(MessageSession session)
    {
    }
}
