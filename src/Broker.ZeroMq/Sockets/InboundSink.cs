using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.Sockets;

/// <summary>
/// Where the messages of a socket's peers go. There is one virtual call for what was read at once; within it
/// <see cref="MessageSession.Decode{TTaker}"/> calls a struct for each message, so that a sink that copies pays no delegate.
/// </summary>
/// <remarks>
/// On the socket's loop. After the call the batch is over: a sink that wakes somebody does it once, at its end. What it refused was not
/// consumed, and the session is paused.
/// </remarks>
internal abstract class InboundSink
{
    /// <summary>Calls <see cref="MessageSession.Decode{TTaker}"/> once, with a taker of its own.</summary>
    internal abstract ZmtpDecodeResult Receive(MessageSession session, ReadOnlySpan<byte> bytes);

    /// <summary>A peer is gone; nothing more comes from it.</summary>
    internal virtual void OnGone(MessageSession session)
    {
    }
}
