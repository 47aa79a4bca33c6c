namespace Broker.ZeroMq;

/// <summary>
/// Receives the frames of a message that is still in the socket's queue, so that each frame is copied only once, to
/// the memory that the receiver chooses.
/// </summary>
/// <remarks>
/// The methods run on the thread that receives. They must not block and must not use the socket. If one of them throws,
/// the call that receives throws too, and the whole message stays the next message.
/// </remarks>
public interface IFrameReceiver
{
    /// <summary>Called before the first frame of each message.</summary>
    /// <param name="peer">The peer that sent the message; null if several peers contributed to it.</param>
    void Begin(ZeroMqPeer? peer);

    /// <summary>Called for each frame, in order.</summary>
    /// <param name="frame">The body of the frame. It is valid until the method returns.</param>
    /// <param name="more">Whether further frames of the message follow.</param>
    void Add(ReadOnlySpan<byte> frame, bool more);
}
