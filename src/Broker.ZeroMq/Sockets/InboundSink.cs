namespace Broker.ZeroMq.Loops;

/// <summary>
/// The target of the messages of a socket's peers. There is one virtual call per read; within it
/// <see cref="MessageSession.Decode{TTaker}"/> calls a struct for each message, so that a sink that copies needs no
/// delegate call.
/// </summary>
/// <remarks>
/// Called on the socket's loop. After the call the batch is complete: a sink that wakes a thread does so once, at the
/// end of the batch. If the sink refuses a message, the message is not consumed and the session is paused.
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
